"""search_thoughts answers exactly what a brute-force reading of the tables says it must."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from tests.database.conftest import Person
from tests.support import oracle
from tests.support.filling import fill
from tests.support.oracle import Hit, Query

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODEL, OTHER_MODEL = "all-test@3", "older@3"
EPS = 1e-4
# Shrinking an example takes minutes of searches; the seed that is printed brings it back.
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]

WORDS = [
    *("the coffee", "coffees", "garden", "gardening", "budget", "deploy", "résumé", "yes"),
    *("Ada", "Rae Sato", "PR-1234", "api_key", "tests/unit/a.py", "FGY2WhTYpPnrIDTdsKH5"),
    *("資料確認", "会議室", "to be or not to be"),
]
QUERIES = [*WORDS, "FGY2Wh", "who is Rae", "資料", "the of and", "unheard-of", "gard", "coffee coffee deploy"]
VECTORS = st.tuples(*[st.integers(-4, 4)] * 3).filter(any).map(list)
TOPICS = st.sampled_from([["home"], ["work"], ["home", "tea"], ["work", "home"]])
PEOPLE = st.sampled_from([["Ada"], ["Rae Sato"], ["Ben", "Ada"]])
NONE: st.SearchStrategy[list[str]] = st.just([])
MOMENTS = st.integers(-200 * 86400, 5 * 86400).map(
    lambda s: NOW + timedelta(seconds=s, microseconds=s % 1000)
)
# Some fall together, so that a range ends where something happened.
DAYS = MOMENTS | st.sampled_from([-1, -20, -60]).map(lambda days: NOW + timedelta(days=days))
FRACTIONS = st.floats(0, 1, width=32)
NAMES = {
    "thought_type": ["observation", "task"],
    "store": ["episodic", "semantic", "prospective"],
    "category": ["fact", "decision"],
    "source": ["conversation", "cron"],
    "namespace": ["default", "project"],
    "session_id": ["s1", "s2"],
}


def mostly(usual: st.SearchStrategy[Any], other: Any) -> st.SearchStrategy[Any]:
    """The other one time in five."""
    return st.one_of(usual, usual, usual, usual, st.just(other))


def _memories(fewest: int) -> st.SearchStrategy[list[dict[str, Any]]]:
    memory = st.fixed_dictionaries(
        {
            "words": st.lists(st.sampled_from(WORDS), min_size=1, max_size=6),
            "title": st.none() | st.sampled_from(WORDS),
            "embedding": mostly(VECTORS, None),
            "embedding_model": mostly(st.just(MODEL), OTHER_MODEL),
            "topics": NONE | TOPICS,
            "people": NONE | PEOPLE,
            "tags": NONE | TOPICS,
            "confidence": FRACTIONS,
            "valence": st.sampled_from([0.0, 0.5, 0.7, -0.9]),
            "arousal": st.sampled_from([0.0, 0.7, 0.9]),
            "pinned": st.booleans(),
            "occurred_at": DAYS,
            "ended": st.sampled_from([None] * 9 + ["superseded", "faded", "forgotten"]),
            "strength": FRACTIONS,
            "access_count": st.sampled_from([0, 1, 3, 40]),
            "last_accessed_at": MOMENTS,
            **{name: st.sampled_from(values) for name, values in NAMES.items()},
        }
    )
    return st.lists(memory, min_size=fewest, max_size=14)


def _columns(drawn: dict[str, Any], serial: int) -> dict[str, Any]:
    """The row of a drawn memory."""
    row = {k: v for k, v in drawn.items() if k not in ("words", "ended")}
    row |= {"id": UUID(int=serial * 7919 % 2**16), "content": " ".join([*drawn["words"], "!" * serial])}
    if drawn["embedding"] is None:
        del row["embedding"], row["embedding_model"]
    else:
        row["embedding"] = str(drawn["embedding"])
    if drawn["ended"] == "superseded":
        row["valid_to"] = NOW
    elif drawn["ended"]:
        row |= {"archived_at": NOW, "archive_reason": drawn["ended"]}
    return row


FILTERS: dict[str, st.SearchStrategy[Any]] = {
    "topics": TOPICS,
    "people": PEOPLE,
    "tags": TOPICS,
    "since": DAYS,
    "until": DAYS,
    "min_confidence": st.floats(0, 1),
    "include_archived": st.just(True),
    "include_superseded": st.just(True),
    **{name: st.sampled_from(values) for name, values in NAMES.items()},
}


@st.composite
def _filters(draw: st.DrawFn) -> dict[str, Any]:
    """At most two: more would leave nothing."""
    names = draw(st.lists(st.sampled_from(sorted(FILTERS)), max_size=2))
    return {name: draw(FILTERS[name]) for name in names}


WEIGHTS: st.SearchStrategy[dict[str, float]] = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(["relevance", "strength", "recency", "access"], FRACTIONS)
)
SEARCHES = st.fixed_dictionaries(
    {
        "query_embedding": mostly(VECTORS, None),
        "query_text": st.none() | st.lists(st.sampled_from(QUERIES), min_size=1, max_size=3).map(" ".join),
        # No cosine of two small vectors of whole numbers is as near to these as rounding errors are.
        "match_threshold": st.sampled_from([-1.5, -0.43217, 0.29873, 0.71317]),
        "match_count": st.integers(1, 30),
        "filters": _filters(),
        "weights": WEIGHTS,
        "as_of": MOMENTS,
        "embedding_model": st.sampled_from([None, None, None, MODEL, OTHER_MODEL]),
    }
).filter(lambda search: search["query_embedding"] or search["query_text"])
SETTINGS = st.fixed_dictionaries(
    {},
    optional={
        "gate_exponent": st.sampled_from([0, 1, 16]),
        "weight_lexical": FRACTIONS,
        "lexical_coverage": FRACTIONS,
        "people_boost": st.sampled_from([0, 2]),
        "recency_half_life_days": st.sampled_from([0.5, 400]),
        "access_saturation": st.sampled_from([1, 100]),
        "bm25_k1": st.sampled_from([0, 2]),
        "bm25_b": st.sampled_from([0, 1]),
        "lexeme_rows": st.just(10),
    },
)


@dataclass
class Brains:
    """Makes brains, each of an owner of its own, in one database."""

    db: psycopg.Connection[Any]
    default_settings: list[tuple[Any, ...]]

    def configure(self, changed: dict[str, Any]) -> None:
        for key, value in {**dict(self.default_settings), "embedding_model": MODEL, **changed}.items():
            self.db.execute(
                "update cortex.settings set value = %(v)s where key = %(k)s and value <> %(v)s",
                {"k": key, "v": Jsonb(value)},
            )

    def of(self, memories: list[dict[str, Any]]) -> Person:
        return self.of_rows([_columns(drawn, serial) for serial, drawn in enumerate(memories, 1)])

    def of_rows(self, rows: list[dict[str, Any]]) -> Person:
        owner_id = uuid4()
        fill(self.db, owner_id, rows)
        return Person(self.db, owner_id)


@pytest.fixture
def brains(db: psycopg.Connection[Any], default_settings: list[tuple[Any, ...]]) -> Brains:
    made = Brains(db, default_settings)
    made.configure({})
    return made


def compare(brains: Brains, person: Person, search: dict[str, Any]) -> list[dict[str, Any]]:
    """Ask both, and hold the answer against the oracle's; the answer."""
    assert person.owner_id
    text, vector = search.get("query_text"), search.get("query_embedding")
    lexemes = brains.db.execute("select cortex.query_lexemes(%s)", [text or ""]).fetchall()
    query = Query(
        as_of=search["as_of"],
        embedding=vector,
        lexemes=[lexeme for (lexeme,) in lexemes],
        threshold=search["match_threshold"],
        count=search["match_count"],
        filters=search.get("filters", {}),
        weights=search.get("weights", {}),
        model=search.get("embedding_model"),
    )
    expected = oracle.expected_hits(oracle.read_brain(brains.db, [person.owner_id]), person.owner_id, query)
    arguments = {
        **{key: value for key, value in search.items() if key != "filters"},
        **query.filters,
        "query_embedding": str(list(vector)) if vector else None,
        "weights": Jsonb(query.weights),
    }
    answer: list[dict[str, Any]] = person.call("search_thoughts", **arguments)
    hold_against(expected, query.count, answer)
    return answer


def hold_against(expected: list[Hit], wanted: int, answer: list[dict[str, Any]]) -> None:
    """The same rows, parts and order; where scores differ by no more than EPS, either order is right."""
    assert len(answer) == min(wanted, len(expected))
    by_id = {hit.id: hit for hit in expected}
    for row, at_its_place in zip(answer, expected, strict=False):
        hit = by_id[row["id"]]
        for part in ("similarity", "lexical", "relevance", "strength", "recency", "access", "score"):
            assert row[part] == pytest.approx(getattr(hit, part), abs=EPS), part
        assert row["found_by"] == hit.found_by
        assert hit.score == pytest.approx(at_its_place.score, abs=EPS)
    order = [(-row["score"], -row["relevance"], row["id"]) for row in answer]
    assert order == sorted(order)


@settings(
    max_examples=20,
    deadline=None,
    phases=PHASES,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(_memories(6), _memories(0), SETTINGS, st.lists(SEARCHES, min_size=3, max_size=5))
def test_any_search_is_what_the_oracle_says(
    brains: Brains, mine: list[Any], others: list[Any], changed: dict[str, Any], searches: list[Any]
) -> None:
    brains.configure(changed)
    person = brains.of(mine)
    brains.of(others)
    for search in searches:
        compare(brains, person, search)


def scattered(rows: int, seed: int) -> list[dict[str, Any]]:
    """Memories all of which have a vector, no two in the same direction."""
    chance = random.Random(seed)
    return [
        {
            "id": UUID(int=serial),
            "content": " ".join(chance.choices(WORDS, k=3)) + "!" * serial,
            "embedding": str([chance.uniform(-1, 1) for _ in range(3)]),
            "embedding_model": MODEL,
            "occurred_at": NOW - timedelta(days=chance.uniform(0, 90)),
            "strength": chance.random(),
            "access_count": chance.randrange(5),
            "last_accessed_at": NOW - timedelta(days=chance.uniform(0, 60)),
        }
        for serial in range(1, rows + 1)
    ]


def search_for(embedding: list[float] | None, text: str | None, **more: Any) -> dict[str, Any]:
    """A search that leaves out nothing for its likeness."""
    search = {"query_embedding": embedding, "query_text": text, "match_threshold": -1.5}
    return search | {"match_count": 5, "as_of": NOW} | more


CUT = {"search_candidates": 10, "vector_candidates": 10}
# Numbers that half precision holds exactly, so that the oracle asks with the very same vector.
QUESTIONS = [
    ([1, 0.25, -0.375], None),
    ([-0.5, 1, 0.125], "coffee for Rae"),
    (None, "deploy the garden coffee"),
]


@pytest.mark.parametrize(("embedding", "text"), QUESTIONS)
def test_only_the_best_of_each_leg_are_ranked(brains: Brains, embedding: Any, text: str | None) -> None:
    brains.configure(CUT)
    person = brains.of_rows(scattered(50, seed=1))
    compare(brains, person, search_for(embedding, text))
    compare(brains, person, search_for(embedding, text, match_count=20, filters={"until": NOW}))


def force_hnsw(db: psycopg.Connection[Any]) -> None:
    """Make HNSW the way of every vector search, and its index the only way the planner has."""
    db.execute("update cortex.settings set value = '0' where key = 'exact_scan_cells'")
    db.execute("set enable_sort = off; set enable_seqscan = off; set enable_bitmapscan = off")


@pytest.mark.parametrize("weights", [{}, {"relevance": 1, "strength": 0, "recency": 0, "access": 0}])
@pytest.mark.parametrize(("embedding", "text"), QUESTIONS[:2])
def test_with_hnsw_the_answer_is_the_same(
    brains: Brains, weights: dict[str, float], embedding: Any, text: str | None
) -> None:
    brains.configure(CUT)
    brains.of_rows(scattered(40, seed=2))
    person = brains.of_rows(scattered(40, seed=3))
    search = search_for(embedding, text, weights=weights)
    exact = compare(brains, person, search)
    force_hnsw(brains.db)
    plan = person.call("explain_search", query_embedding=str(embedding), query_text=text, match_count=5)
    assert plan["plan"] == "hnsw"
    assert compare(brains, person, search) == exact


def test_more_than_hnsw_has_is_all_there_is(brains: Brains) -> None:
    person = brains.of_rows(scattered(30, seed=4))
    force_hnsw(brains.db)
    assert len(compare(brains, person, search_for([1, 0, 0], None, match_count=100))) == 30


def test_the_arithmetic_of_a_hit_is_that_of_the_functions(brains: Brains) -> None:
    rows = scattered(40, seed=5)
    for n, row in enumerate(rows):
        row |= {
            "valence": [0.7, -0.9, 1][n % 3],
            "arousal": [0.7, 0.9][n % 2],
            "pinned": n % 7 == 0,
            "store": "prospective" if n % 5 == 0 else "semantic",
        }
    person = brains.of_rows(rows)
    hits = person.call(
        "search_thoughts", query_embedding="[1,0,0]", match_threshold=-2, match_count=40, as_of=NOW
    )
    by_functions = brains.db.execute(
        """
        select m.id,
               cortex.strength_at(a.strength, a.last_accessed_at,
                                  cortex.decay_rate(m.valence, m.arousal, m.store, m.pinned), %(now)s),
               cortex.recency_at(m.occurred_at, case when a.access_count > 0 then a.last_accessed_at end,
                                 cortex.setting('recency_half_life_days'), %(now)s),
               cortex.access_score(a.access_count, cortex.setting('access_saturation'))
        from memories m join memory_activation a on a.owner_id = m.owner_id and a.memory_id = m.id
        where m.owner_id = %(owner)s
        """,
        {"now": NOW, "owner": person.owner_id},
    ).fetchall()
    inlined = {(hit["id"], hit["strength"], hit["recency"], hit["access"]) for hit in hits}
    assert inlined == set(by_functions)


@pytest.mark.parametrize("times", [1, 2, 5, 20])
def test_a_words_frequency_is_read_from_its_rank(db: psycopg.Connection[Any], times: int) -> None:
    said, said_before = oracle.term_frequency([[(n, "C") for n in range(times)]]), [[(1, "D")]]
    assert said == pytest.approx(times, abs=0.11)
    assert oracle.term_frequency(said_before) == pytest.approx(0.4, abs=0.01)
    [(rank,)] = db.execute(
        "select ts_rank('{0.65,1,1,1}', setweight(to_tsvector(repeat('word ', %s)), 'C'), 'word')", [times]
    )
    assert (1 / (1 - rank) - 1) * 6 / math.pi**2 == pytest.approx(said, rel=1e-4)
