"""Every operation, defined once; the sync client, the async client, the CLI and MCP share these."""
