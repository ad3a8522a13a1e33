"""Memory for AI agents that lives in your own Postgres."""
