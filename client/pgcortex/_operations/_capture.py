"""Storing thoughts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from uuid import UUID

from pgcortex._core import Core, vector_text
from pgcortex._errors import DependencyMissing, InvalidInput, ProviderRefused, ProviderUnavailable
from pgcortex._gateway import CAPTURED, Gateway
from pgcortex._models import Captured
from pgcortex._operations._given import checked_values
from pgcortex._operations._mirrored import captured
from pgcortex._operations._text import checked_content, masked, without_nul
from pgcortex._types import Category, Source, Store, ThoughtType

BATCH = 100
"""Thoughts embedded and sent together by `capture_many`."""


def capture(
    core: Core,
    content: str,
    *,
    title: str | None = None,
    thought_type: ThoughtType | None = None,
    topics: Sequence[str] | None = None,
    people: Sequence[str] | None = None,
    actions: Sequence[str] | None = None,
    store: Store | None = None,
    category: Category | None = None,
    tags: Sequence[str] | None = None,
    source: Source | None = None,
    confidence: float | None = None,
    valence: float | None = None,
    arousal: float | None = None,
    pinned: bool | None = None,
    metadata: dict[str, Any] | None = None,
    occurred_at: datetime | None = None,
    due_at: datetime | None = None,
    session_id: str | None = None,
    namespace: str | None = None,
    idempotency_key: str | None = None,
) -> Captured:
    """Store one thought: secrets masked, tagged, embedded, and kept even when the embedder is away.

    What is given wins over what the extractor finds. The same words again answer with the first id and
    status `exists`. Without a vector the thought is stored with enrichment_status `pending`.

    With a mirror its note is written too; while the database is away it waits there with status `queued`.

    Raises InvalidInput (nothing was stored or paid for), NotAuthorized, DatabaseUnavailable,
    EmbeddingMismatch.
    """
    thought = {name: value for name, value in locals().items() if name != "core" and value is not None}
    verdict = capture_many(core, [thought])[0]
    if verdict.status == "refused":
        raise InvalidInput(*_field_and_problem(verdict.error or "content: refused"), hint=verdict.hint)
    return verdict


def capture_many(core: Core, thoughts: Iterable[dict[str, Any]]) -> list[Captured]:
    """Store thoughts, dicts with the arguments of `capture`; one verdict each, in order.

    A refused thought does not stop the others. Repeating the call stores nothing twice.

    Raises NotAuthorized, DatabaseUnavailable, EmbeddingMismatch.
    """
    return list(capture_each(core, thoughts))


def capture_each(core: Core, thoughts: Iterable[dict[str, Any]]) -> Iterator[Captured]:
    """As `capture_many`, for more thoughts than one would hold: takes them as it goes, yields each verdict.

    While the database stores a hundred, the next hundred are tagged and embedded.
    """
    said: dict[str, str | None] = {}
    remaining = iter(thoughts)
    batch = list(islice(remaining, BATCH))
    following = list(islice(remaining, BATCH))
    if not following:
        yield from _Batch(core, batch, said).stored() if batch else ()
        return
    with ThreadPoolExecutor(1, "pgcortex-embed") as ahead:
        ready = ahead.submit(_embedded, core, batch, said)
        while following:
            current, ready = ready, ahead.submit(_embedded, core, following, said)
            # The result first, or this thread would read on while nothing is stored yet.
            yield from current.result().stored()
            following = list(islice(remaining, BATCH))
        yield from ready.result().stored()


class _Batch:
    """Thoughts on their way in: those that are ready for the database, and a verdict for each."""

    def __init__(self, core: Core, batch: list[dict[str, Any]], said: dict[str, str | None]) -> None:
        self.core = core
        self.said = said
        self.verdicts: list[Captured | None] = [None] * len(batch)
        self.ready: dict[int, dict[str, Any]] = {}
        self.notes: dict[int, dict[str, Any]] = {}
        self.problem: str | None = None
        for index, thought in enumerate(batch):
            try:
                self.ready[index], self.notes[index] = _prepare(core, thought)
            except InvalidInput as error:
                self.verdicts[index] = Captured(status="refused", error=error.message, hint=error.hint)

    def embed(self) -> None:
        """Add vectors where the functions will not."""
        if self.core.gateway is None and self.problem is None:
            self.problem = _add_vectors(self.core, list(self.ready.values()), self.said)

    def stored(self) -> list[Captured]:
        """Store what is ready, with its notes where there is a mirror, and return the verdicts."""
        redacted = {index: note["redacted"] for index, note in self.notes.items()}
        captured(self.core, self.ready, redacted, self.verdicts, self._store)
        return [verdict for verdict in self.verdicts if verdict is not None]

    def _store(self) -> None:
        ready = dict(self.ready)
        if self.core.gateway is not None:
            self.problem = _through_gateway(self.core.gateway, ready, self.notes, self.verdicts)
        else:
            self.embed()
        if not ready:
            return
        answers = self.core.call("capture_thoughts", many=True, thoughts=[_wire(t) for t in ready.values()])
        for index, answer in zip(ready, answers, strict=True):
            note = self.notes[index]
            warnings = note["warnings"] + ([self.problem] if self.problem else [])
            self.verdicts[index] = Captured(**answer, redacted=note["redacted"], warnings=warnings)


def _embedded(core: Core, batch: list[dict[str, Any]], said: dict[str, str | None]) -> _Batch:
    prepared = _Batch(core, batch, said)
    prepared.embed()
    return prepared


def _through_gateway(
    gateway: Gateway,
    ready: dict[int, dict[str, Any]],
    notes: dict[int, dict[str, Any]],
    verdicts: list[Captured | None],
) -> str | None:
    """Have the functions embed, tag and store; what stays in `ready` goes to the database without them.

    The sentence that says why, when they are away: no thought is lost for that.
    """
    for index in [i for i, thought in ready.items() if CAPTURED.issuperset(thought)]:
        try:
            answer = gateway.call("capture", _wire(ready[index]))
        except ProviderUnavailable as error:
            return f"stored without a vector, to be embedded later: {error}"
        except InvalidInput as error:
            verdicts[index] = Captured(status="refused", error=error.message, hint=error.hint)
        else:
            masked_here = set(notes[index]["redacted"])
            answer["redacted"] = sorted(masked_here | set(answer.get("redacted", [])))
            verdicts[index] = Captured(**answer)
        del ready[index]
    return None


def _prepare(core: Core, thought: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The thought as it is stored, and what to tell about it."""
    given = checked_values({name: value for name, value in thought.items() if value is not None})
    clean = {name: without_nul(value) for name, value in given.items()}
    clean["content"] = checked_content(thought.get("content", ""))
    clean.setdefault("namespace", core.settings.namespace)
    redacted: list[str] = []
    if core.settings.redact:
        clean, redacted = masked(clean)
    warnings = _add_metadata(core, clean)
    return clean, {"redacted": redacted, "warnings": warnings}


def _add_metadata(core: Core, thought: dict[str, Any]) -> list[str]:
    """Fill what the caller left open from the rule-based extractor."""
    if core.settings.extractor == "none" or core.gateway is not None or "extractor" in thought:
        return []
    try:
        from pgcortex.extraction import extract

        found = extract(thought["content"], now=thought.get("occurred_at") or datetime.now(UTC))
    except (DependencyMissing, ImportError):
        return []
    for name, value in found.model_dump(exclude={"warnings"}).items():
        if value not in (None, [], ""):
            thought.setdefault(name, value)
    return found.warnings


def _add_vectors(core: Core, thoughts: list[dict[str, Any]], said: dict[str, str | None]) -> str | None:
    """Embed what has no vector yet; the sentence that says why not, when the embedder is away."""
    open_thoughts = [t for t in thoughts if "embedding" not in t]
    if core.embedder is None or not open_thoughts:
        return None
    context = _contexts(core, open_thoughts, said)
    texts = [embedding_text(t) for t in open_thoughts] + list(dict.fromkeys(context.values()))
    try:
        vectors = core.embed(texts)
    except (ProviderUnavailable, ProviderRefused) as error:
        return f"stored without a vector, to be embedded later: {error}"
    by_text = dict(zip(texts, vectors, strict=True))
    for index, thought in enumerate(open_thoughts):
        vector = vectors[index]
        if index in context:
            vector = blend(vector, by_text[context[index]], core.settings.context_weight)
        thought["embedding"] = vector
        thought["embedding_model"] = core.embedder.model
    return None


def embedding_text(thought: dict[str, Any]) -> str:
    """The text that is embedded: the content, under a title that says more than its first words."""
    content: str = thought["content"]
    title = thought.get("title")
    return content if not title or content.startswith(title.rstrip("….")) else f"{title}\n{content}"


def _contexts(core: Core, thoughts: list[dict[str, Any]], said: dict[str, str | None]) -> dict[int, str]:
    """For each thought of a session, what was said just before it; `said` keeps the last of every session."""
    if core.settings.context_weight == 0:
        return {}
    contexts: dict[int, str] = {}
    for index, thought in enumerate(thoughts):
        session = thought.get("session_id")
        if not session:
            continue
        if session not in said:
            before = core.call("list_thoughts", many=True, repeatable=True, match_count=1, session_id=session)
            said[session] = before[0]["content"] if before else None
        previous = said[session]
        if previous:
            contexts[index] = previous
        said[session] = thought["content"]
    return contexts


def blend(vector: Sequence[float], context: Sequence[float], weight: float) -> list[float]:
    """normalise(vector + weight · context): what was said, turned a little towards what it answered."""
    mixed = [a + weight * b for a, b in zip(vector, context, strict=True)]
    length = math.sqrt(math.fsum(x * x for x in mixed)) or 1.0
    return [x / length for x in mixed]


def _wire(thought: dict[str, Any]) -> dict[str, Any]:
    """JSON for the RPC."""
    return {
        name: vector_text(value)
        if name == "embedding"
        else value.isoformat()
        if isinstance(value, datetime)
        else str(value)
        if isinstance(value, UUID)
        else list(value)
        if isinstance(value, tuple | set)
        else value
        for name, value in thought.items()
    }


def _field_and_problem(error: str) -> tuple[str, str]:
    field, _, problem = error.partition(": ")
    return field, problem or error


__all__ = ["BATCH", "blend", "capture", "capture_each", "capture_many", "embedding_text"]
