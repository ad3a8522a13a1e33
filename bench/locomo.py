"""Evidence recall on long conversations: `python -m bench.locomo --data FILE`.

Every turn of a conversation is captured by the SDK as one thought of an owner of its own: its words (and the
caption of a picture it shares), the speaker as `people`, session and date. Each question is then put to
`recall` (or `search_thoughts`), and the hits are compared with the turns that hold the answer. The data is
LoCoMo (Maharana et al. 2024, https://github.com/snap-research/LoCoMo, CC BY-NC 4.0); it is not part of this
project.

`recall@k` is the mean over questions, as in the paper: the share of a question's evidence among its first k
hits, averaged over all questions of all conversations. `pooled_recall@k` counts every evidence turn alike, so
a question with ten of them weighs ten times as much; it is lower for every method.

Composite scoring is measured at the end of each conversation, with its real dates and a seeded history of
use: most memories hardly recalled, some often, the last time at a random moment since.
"""

from __future__ import annotations

import argparse
import random
from pathlib import Path
from uuid import UUID, uuid5

from pydantic import SecretStr

from bench._brain import Connection, connect, throwaway
from bench._conversations import (
    Conversation,
    Outcome,
    Question,
    outcome,
    pooled_recall,
    question_recall,
    read_conversations,
)
from bench._report import Value, finish, table, track
from pgcortex import Cortex, Settings
from pgcortex.local import LocalBrain

DEPTHS = (5, 10, 25, 50)
_NAMESPACE = UUID("5f1b6c1e-6f0a-4a53-9b7e-8f1f6f2f4a10")
_RELEVANCE_ONLY = {"relevance": 1.0, "strength": 0.0, "recency": 0.0, "access": 0.0}


def main() -> None:
    """Run the benchmark."""
    options = _options()
    conversations = read_conversations(options.data)
    outcomes: dict[str, list[Outcome]] = {}
    with throwaway(384) as brain:
        root = connect(brain)
        for setting in options.set:
            name, _, value = setting.partition("=")
            root.execute("update cortex.settings set value = %s::jsonb where key = %s", [value, name])
        for conversation in conversations:
            owner = uuid5(_NAMESPACE, conversation.id)
            with _client(brain, owner, options) as client:
                turns = _import(client, conversation)
                if options.scoring == "composite":
                    _use(root, owner, conversation, options.seed)
                outcomes[conversation.id] = [
                    outcome(question, _ask(client, question, turns, conversation, options))
                    for question in track(conversation.questions, f"{conversation.id}: asking")
                ]
    _report(options, outcomes)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="evidence recall on LoCoMo")
    parser.add_argument("--data", type=Path, required=True, help="a LoCoMo JSON file")
    parser.add_argument("--scoring", choices=["relevance", "composite"], default="relevance")
    parser.add_argument("--through", choices=["recall", "search"], default="recall")
    parser.add_argument("--context-weight", type=float, help="of the previous turn in the embedding")
    parser.add_argument("--embedder", choices=["local", "none"], default="local")
    parser.add_argument("--seed", type=int, default=1, help="of the history of use, for composite scoring")
    parser.add_argument(
        "--set", action="append", default=[], metavar="SETTING=VALUE", help="a setting of the brain to change"
    )
    return parser.parse_args()


def _client(brain: LocalBrain, owner: UUID, options: argparse.Namespace) -> Cortex:
    settings = Settings(
        _env_file=None,
        database_url=SecretStr(brain.dsn),
        owner_id=owner,
        embedder=options.embedder,
        extractor="none",
        redact=False,
        timeout=60,
    )
    if options.context_weight is not None:
        settings.context_weight = options.context_weight
    return Cortex(settings)


def _import(client: Cortex, conversation: Conversation) -> dict[UUID, str]:
    """Capture every turn; return which turn each memory is."""
    turns: dict[UUID, str] = {}
    size = 100
    parts = [conversation.turns[n : n + size] for n in range(0, len(conversation.turns), size)]
    for part in track(parts, f"{conversation.id}: importing {len(conversation.turns)} turns"):
        thoughts = [
            {
                "content": turn.content,
                "people": [turn.speaker],
                "session_id": turn.session,
                "occurred_at": turn.said_at,
                "source": "conversation",
            }
            for turn in part
        ]
        for turn, captured in zip(part, client.capture_many(thoughts), strict=True):
            if captured.id is None:
                raise RuntimeError(f"{turn.id} was not stored: {captured.error}")
            # The same words said twice are one memory, of the first turn that said them.
            turns.setdefault(captured.id, turn.id)
    return turns


def _use(root: Connection, owner: UUID, conversation: Conversation, seed: int) -> None:
    """Give the owner's memories a history: accesses (heavy-tailed, two on average), last access, strength."""
    rng = random.Random(f"{seed} {conversation.id}")
    rows = root.execute(
        "select id, occurred_at from public.memories where owner_id = %s order by occurred_at, id", [owner]
    ).fetchall()
    for memory_id, occurred_at in rows:
        accesses = int(rng.expovariate(0.7) * rng.expovariate(0.7))
        last = max((rng.random() for _ in range(accesses)), default=0.0)
        root.execute(
            "update public.memory_activation set access_count = %s, strength = least(1, 0.5 + 0.1 * %s),"
            " last_accessed_at = %s::timestamptz + %s * (%s::timestamptz - %s::timestamptz)"
            " where owner_id = %s and memory_id = %s",
            [
                accesses,
                accesses,
                occurred_at,
                last,
                conversation.ended_at,
                occurred_at,
                owner,
                memory_id,
            ],
        )


def _ask(
    client: Cortex,
    question: Question,
    turns: dict[UUID, str],
    conversation: Conversation,
    options: argparse.Namespace,
) -> list[str]:
    """Return the turns found, best first."""
    weights = _RELEVANCE_ONLY if options.scoring == "relevance" else None
    depth, now = DEPTHS[-1], conversation.ended_at
    if options.through == "search":
        hits = client.search(question.text, limit=depth, weights=weights, as_of=now)
    else:
        hits = client.recall(question.text, limit=depth, weights=weights, as_of=now, reinforce=False)
    return [turns[hit.id] for hit in hits]


def _report(options: argparse.Namespace, outcomes: dict[str, list[Outcome]]) -> None:
    every = [o for part in outcomes.values() for o in part]
    rows: list[list[Value]] = [
        [name, len(part), *(question_recall(part, k) for k in DEPTHS)] for name, part in outcomes.items()
    ]
    rows.append(["all", len(every), *(question_recall(every, k) for k in DEPTHS)])
    rows.append(["all, pooled", len(every), *(pooled_recall(every, k) for k in DEPTHS)])
    table(
        f"Evidence recall through {options.through}, by {options.scoring}",
        ["", "questions", *(f"@{k}" for k in DEPTHS)],
        rows,
    )
    result: dict[str, object] = {f"recall@{k}": round(question_recall(every, k), 4) for k in DEPTHS}
    result |= {f"pooled_recall@{k}": round(pooled_recall(every, k), 4) for k in DEPTHS}
    result |= {
        "questions": len(every),
        "conversations": len(outcomes),
        "evidence": sum(len(o.ranks) for o in every),
        "scoring": options.scoring,
        "through": options.through,
    }
    finish("locomo" if options.scoring == "relevance" else "locomo_composite", result)


if __name__ == "__main__":
    main()
