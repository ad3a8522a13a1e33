"""Search by brute force: what `search_thoughts` must answer, computed row by row from what the tables hold.

    brain = read_brain(conn)
    hits = expected_hits(brain, owner_id, Query(lexemes=..., embedding=..., as_of=...))

Nothing is indexed, estimated or cut short here; the settings are read from the brain. Only the splitting of
a text into lexemes is left to Postgres: memories bring their search vectors, queries their lexemes.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import psycopg
from psycopg.rows import dict_row

Posting = list[tuple[int, str]]
"""Where a lexeme stands in a memory: (position, weight A to D), by position."""


@dataclass(frozen=True)
class Memory:
    """One memory with its activation: the columns, the vector as floats, the lexemes with their places."""

    columns: Mapping[str, Any]
    vector: list[float] | None
    lexemes: Mapping[str, Posting]

    def __getattr__(self, name: str) -> Any:
        return self.columns[name]


@dataclass(frozen=True)
class Brain:
    """All memories of all owners, and the settings."""

    memories: list[Memory]
    settings: Mapping[str, Any]


@dataclass(frozen=True)
class Query:
    """The arguments of one search; `lexemes` stand for query_text, None for no text."""

    as_of: datetime
    embedding: Sequence[float] | None = None
    lexemes: Sequence[str] | None = None
    threshold: float | None = None
    count: int = 10
    filters: Mapping[str, Any] = field(default_factory=dict)
    weights: Mapping[str, float] = field(default_factory=dict)
    model: str | None = None


@dataclass(frozen=True)
class Term:
    """A lexeme of the query, how many memories hold it, and what finding it is worth."""

    lexeme: str
    prefix: bool
    df: int
    idf: float

    def postings(self, memory: Memory) -> list[Posting]:
        if self.prefix:
            return [places for lexeme, places in memory.lexemes.items() if lexeme.startswith(self.lexeme)]
        return [memory.lexemes[self.lexeme]] if self.lexeme in memory.lexemes else []


@dataclass(frozen=True)
class Hit:
    """One answer and every part of its score, named as in thought_hit."""

    id: UUID
    similarity: float | None
    lexical: float | None
    relevance: float
    strength: float
    recency: float
    access: float
    score: float
    found_by: list[str]


_ROWS = """
    select m.*, m.embedding::text as embedding,
           m.confidence::float8 as confidence, m.valence::float8 as valence, m.arousal::float8 as arousal,
           a.strength::float8 as strength, a.access_count, a.last_accessed_at,
           (select jsonb_agg(array[to_jsonb(l.lexeme), to_jsonb(l.positions), to_jsonb(l.weights)])
            from unnest(m.fts) l) as lexemes
    from public.memories m
    join public.memory_activation a on a.owner_id = m.owner_id and a.memory_id = m.id
"""


def read_brain(conn: psycopg.Connection[Any], owners: Sequence[UUID] | None = None) -> Brain:
    """Every row, as the database owner; `owners` leaves out the rest."""
    with conn.cursor(row_factory=dict_row) as cursor:
        rows = cursor.execute(
            _ROWS + " where %(all)s or m.owner_id = any (%(owners)s)",
            {"all": owners is None, "owners": list(owners or [])},
        ).fetchall()
        settings = cursor.execute("select key, value from cortex.settings").fetchall()
    return Brain([_memory(row) for row in rows], {s["key"]: s["value"] for s in settings})


def _memory(row: dict[str, Any]) -> Memory:
    vector = json.loads(row.pop("embedding") or "null")
    lexemes = {
        name: list(zip(places, weights, strict=True)) for name, places, weights in row.pop("lexemes") or []
    }
    return Memory(row, vector, lexemes)


def expected_hits(brain: Brain, owner_id: UUID, query: Query) -> list[Hit]:
    """Every hit of a search, best first, ties by id; the first `query.count` of them are its answer."""
    setting = brain.settings
    own = [memory for memory in brain.memories if memory.owner_id == owner_id]
    allowed = [memory for memory in own if passes(memory, query.filters)]
    terms = query_terms(own, query.lexemes or [])
    wanted = max(2 * query.count, int(setting["search_candidates" if terms else "vector_candidates"]))
    bm25 = bm25_of(own, terms, setting)
    by_words = _matches(allowed, query, terms, bm25, setting, wanted)
    by_vector = _nearest(allowed, query, setting)[:wanted]
    candidates = list({memory.id: memory for memory in by_vector + by_words}.values())
    threshold = setting["match_threshold"] if query.threshold is None else query.threshold
    rated = rate(candidates, query, terms, bm25, threshold, setting)
    word_ids = {memory.id for memory in by_words}
    legs = ({memory.id for memory in by_vector}, word_ids)
    kept = [
        r for r in rated if (r.similarity is not None and r.similarity > threshold) or r.memory.id in word_ids
    ]
    top = max((r.boosted for r in kept), default=0.0)
    hits = [_score(r, query, setting, top, legs) for r in kept]
    return sorted(hits, key=lambda hit: (-hit.score, -hit.relevance, hit.id))


def passes(memory: Memory, filters: Mapping[str, Any]) -> bool:
    """Whether a default read, or one with these filters, may return this memory."""
    if memory.archived_at and (not filters.get("include_archived") or memory.archive_reason == "forgotten"):
        return False
    if memory.valid_to and not filters.get("include_superseded"):
        return False
    tests: dict[str, Callable[[Any], bool]] = {
        "since": lambda wanted: memory.occurred_at >= wanted,
        "until": lambda wanted: memory.occurred_at < wanted,
        "min_confidence": lambda wanted: memory.confidence >= _as_real(round(wanted, 9)),
        "include_archived": lambda wanted: True,
        "include_superseded": lambda wanted: True,
    }
    tests |= {
        name: lambda wanted, name=name: bool(set(memory.columns[name]) & set(wanted))  # type: ignore[misc]
        for name in ("topics", "people", "tags")
    }
    return all(
        tests[name](wanted) if name in tests else memory.columns[name] == wanted
        for name, wanted in filters.items()
    )


def _as_real(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])


def query_terms(own: list[Memory], lexemes: Sequence[str]) -> list[Term]:
    """The query's lexemes, rarest first; one that nobody wrote is taken for the beginning of words."""
    counted: list[tuple[int, str, bool]] = []
    for lexeme in lexemes:
        for prefix in (False, True):
            df = sum(bool(Term(lexeme, prefix, 0, 0).postings(memory)) for memory in own)
            if df > 0 or prefix or len(lexeme) < 3:
                # Common words are judged by the latest 200: in the brains of these tests, by all.
                counted.append((df, lexeme, prefix))
                break
    return [
        Term(lexeme, prefix, df, math.log(1 + (len(own) - df + 0.5) / (df + 0.5)))
        for df, lexeme, prefix in sorted(counted)
    ]


def bm25_of(
    own: list[Memory], terms: list[Term], setting: Mapping[str, Any]
) -> Callable[[Memory], float | None]:
    """BM25 over one owner's memories; None without words."""
    latest = sorted(own, key=lambda memory: (memory.occurred_at, memory.id), reverse=True)[:100]
    average = max(1.0, sum(len(memory.lexemes) for memory in latest) / max(1, len(latest)))
    k1, b = float(setting["bm25_k1"]), float(setting["bm25_b"])

    def score(memory: Memory) -> float:
        k = k1 * (1 - b + b * len(memory.lexemes) / average)
        return sum(
            term.idf * tf * (k1 + 1) / (tf + k)
            for term in terms
            if (tf := term_frequency(term.postings(memory))) > 0
        )

    return score if terms else lambda memory: None


def term_frequency(postings: list[Posting]) -> float:
    """Occurrences of a term, as the product counts them: from ts_rank, capped, weight D counting for less."""
    rank = min(0.999, sum(_ts_rank(places) for places in postings))
    return (1 / (1 - rank) - 1) * 6 / math.pi**2


def _ts_rank(places: Posting) -> float:
    """What ts_rank('{0.65,1,1,1}', …) gives for one lexeme: weights over the squares of 1, 2, 3, …

    The first of the greatest weights counts as if it stood first.
    """
    weights = [0.65 if weight == "D" else 1.0 for _, weight in places]
    first = weights.index(max(weights)) + 1
    terms = sum(weight / n**2 for n, weight in enumerate(weights, 1))
    return (terms + max(weights) - max(weights) / first**2) / (math.pi**2 / 6)


def _matches(
    allowed: list[Memory],
    query: Query,
    terms: list[Term],
    bm25: Callable[[Memory], Any],
    setting: Mapping[str, Any],
    wanted: int,
) -> list[Memory]:
    """The best matches of the rarest words; of all words, where a filter leaves fewer than wanted."""
    most = int(setting["lexeme_rows"])
    held = [term for term in terms if term.df > 0]
    offered = [sum(term.df for term in held[:n]) for n in range(1, len(held) + 1)]
    choosing = max(1, sum(rows <= most for rows in offered))

    def best(some: list[Term], known: list[Memory], newest: bool) -> list[Memory]:
        ids = {memory.id for memory in known}
        holders = [m for m in allowed if m.id not in ids and any(term.postings(m) for term in some)]
        if newest:
            holders.sort(key=lambda memory: (memory.occurred_at, memory.id), reverse=True)
            del holders[most:]
        return sorted(holders, key=lambda memory: (-bm25(memory), memory.id))[: wanted - len(known)]

    chosen = best(held[:choosing], [], newest=bool(offered) and offered[0] > most)
    if len(chosen) < wanted and (query.filters or not chosen):
        chosen += best(held[choosing:], chosen, newest=True)
    return chosen


def _nearest(allowed: list[Memory], query: Query, setting: Mapping[str, Any]) -> list[Memory]:
    model = query.model or setting["embedding_model"]
    comparable = [m for m in allowed if query.embedding and m.vector and m.embedding_model == model]
    return sorted(comparable, key=lambda m: (-cosine(m.vector or [], query.embedding or []), m.id))


def cosine(a: Sequence[float], b: Sequence[float]) -> float:
    """Cosine similarity."""
    return sum(x * y for x, y in zip(a, b, strict=True)) / math.hypot(*a) / math.hypot(*b)


@dataclass(frozen=True)
class Rated:
    """How relevant a candidate is, before and after the boost for people the query names."""

    memory: Memory
    similarity: float | None
    lexical: float | None
    relevance: float
    boosted: float


def rate(
    candidates: list[Memory],
    query: Query,
    terms: list[Term],
    bm25: Callable[[Memory], float | None],
    threshold: float,
    setting: Mapping[str, Any],
) -> list[Rated]:
    """Cosine between the worst candidate (or the threshold) and the best, BM25 over the best, mixed."""
    model = query.model or setting["embedding_model"]
    similarities = {
        m.id: cosine(m.vector, query.embedding)
        for m in candidates
        if m.vector and query.embedding is not None and m.embedding_model == model
    }
    near = max(similarities.values(), default=0)
    few = len(similarities) < setting["vector_candidates"]
    far = min([*similarities.values(), *([threshold] if few or not similarities else [])])
    enough = setting["lexical_coverage"] * sum(term.idf for term in terms)
    best = max([enough, *(bm25(m) or 0 for m in candidates)])
    share = setting["weight_lexical"]

    def relevance(meaning: float | None, words: float | None) -> float:
        if query.embedding is None or meaning is None:
            return words or 0
        return meaning if words is None else share * words + (1 - share) * meaning

    rated = []
    for memory in candidates:
        similarity = similarities.get(memory.id)
        meaning = None if similarity is None else (similarity - far) / (near - far) if near > far else 1.0
        words = (bm25(memory) or 0) / best if terms and best else None
        named = any(weight == "B" for t in terms for _, weight in memory.lexemes.get(t.lexeme, []))
        plain = relevance(meaning, words)
        rated.append(Rated(memory, similarity, words, plain, plain * (1 + setting["people_boost"] * named)))
    return rated


def decay_a_day(memory: Memory, setting: Mapping[str, Any]) -> float:
    """Strength lost a day."""
    if memory.pinned or memory.store == "prospective":
        return 0
    emotional = abs(memory.valence) > 0.7 and memory.arousal > 0.7
    return float(setting["decay_per_day_emotional" if emotional else "decay_per_day"])


def strength_of(memory: Memory, at: datetime, setting: Mapping[str, Any]) -> float:
    """Stored strength less the decay since the last access, never below 0."""
    lost = decay_a_day(memory, setting) * days_between(memory.last_accessed_at, at)
    return max(0.0, float(memory.strength) - lost)


def recency_of(memory: Memory, at: datetime, setting: Mapping[str, Any]) -> float:
    """1 now, halving every half-life since it happened or was last recalled."""
    since = memory.occurred_at
    if memory.access_count:
        since = max(since, memory.last_accessed_at)
    return float(0.5 ** min(1000, days_between(since, at) / setting["recency_half_life_days"]))


def access_of(memory: Memory, setting: Mapping[str, Any]) -> float:
    """How often it was used, logarithmic, at most 1."""
    return min(1.0, math.log1p(memory.access_count) / math.log1p(setting["access_saturation"]))


def days_between(start: datetime, end: datetime) -> float:
    """Days from start to end, 0 where end is earlier."""
    return max(timedelta(), end - start) / timedelta(days=1)


def _score(
    rated: Rated, query: Query, setting: Mapping[str, Any], top: float, legs: tuple[set[UUID], set[UUID]]
) -> Hit:
    memory, at = rated.memory, query.as_of
    relevance = rated.boosted / top if top else 0.0
    strength, recency = strength_of(memory, at, setting), recency_of(memory, at, setting)
    access = access_of(memory, setting)
    parts = ("relevance", "strength", "recency", "access")
    weight = {name: query.weights.get(name, setting[f"weight_{name}"]) for name in parts}
    rest = weight["strength"] * strength + weight["recency"] * recency + weight["access"] * access
    return Hit(
        id=memory.id,
        similarity=rated.similarity,
        lexical=rated.lexical,
        relevance=relevance,
        strength=strength,
        recency=recency,
        access=access,
        score=weight["relevance"] * relevance + relevance ** setting["gate_exponent"] * rest,
        found_by=[leg for leg, ids in zip(("vector", "words"), legs, strict=True) if memory.id in ids],
    )
