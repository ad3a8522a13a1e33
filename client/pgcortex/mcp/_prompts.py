"""Two prompts that a person can pick in their host."""

from __future__ import annotations

from mcp.server import MCPServer

MORNING = """\
Give me my morning briefing. Call cortex_wake, then list_thoughts for the last two days. Tell me in under
200 words: where we left off, what is due or overdue today, what was decided lately, and what contradicts or
is stale and needs my word. End with the one thing you suggest to start with. If the memory is empty, say so
and ask what I work on."""

WEEKLY = """\
Do a weekly review of my memory. Call cortex_stats, list_thoughts since a week ago, and cortex_wake.
Summarise what happened, what was learned and what was decided. List the open tasks with their dates. Show
me pairs of memories that contradict or repeat each other and ask, one at a time, which holds; apply my
answers with cortex_remember (supersedes) or cortex_forget, and change nothing without my answer. Close with
cortex_checkpoint."""


def add_prompts(server: MCPServer) -> None:
    """Register them."""

    @server.prompt(
        name="morning_briefing",
        title="Morning briefing",
        description="Where we left off, what is due, what needs a decision",
    )
    def morning_briefing() -> str:
        return MORNING

    @server.prompt(
        name="weekly_review",
        title="Weekly review",
        description="A week in summary, and what in memory needs tidying",
    )
    def weekly_review() -> str:
        return WEEKLY
