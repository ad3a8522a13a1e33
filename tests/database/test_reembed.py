"""Another embedding model for a whole brain: resumable, and searched rightly all the while."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from pgcortex import local
from pgcortex._errors import Conflict, EmbeddingMismatch, NotAuthorized, ProviderRefused, ProviderUnavailable
from pgcortex._operations._capture import embedding_text
from pgcortex._reembed import BATCH, Reembedding, reembed
from pgcortex.cli._app import app
from tests.database.conftest import ADA, BEN, Person
from tests.support.brains import FAST, root_directory
from tests.support.provider import Provider

OLD = "text-embedding-3-small@3"


class Letters:
    """Counts letters: texts of the same words are near each other. `fails_after` texts it goes away."""

    match_threshold = 0.1

    def __init__(self, dimensions: int, *, fails_after: int = 10**6, refuses: str | None = None) -> None:
        self.dimensions = dimensions
        self.model = f"letters@{dimensions}"
        self.texts: list[str] = []
        self._fails_after = fails_after
        self._refuses = refuses

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        if len(self.texts) + len(texts) > self._fails_after:
            raise ProviderUnavailable("the model is away")
        if any(self._refuses and self._refuses in text for text in texts):
            raise ProviderRefused("not this text")
        self.texts += texts
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float]:
        counts = [1.0] * self.dimensions
        for letter in text.lower():
            counts[ord(letter) % self.dimensions] += 1
        length = sum(count * count for count in counts) ** 0.5
        return [count / length for count in counts]


Brain = tuple[str, Person, psycopg.Connection[Any]]


@pytest.fixture
def brain(postgresql: psycopg.Connection[Any]) -> Iterator[Brain]:
    """A database of its own, since the length of its vectors changes: the owner's address, Ada, a console."""
    dsn = postgresql.info.dsn
    with psycopg.connect(dsn, autocommit=True) as conn:
        yield dsn, Person(conn, ADA), conn


def models(conn: psycopg.Connection[Any]) -> dict[str | None, int]:
    return dict(conn.execute("select embedding_model, count(*) from memories group by 1").fetchall())


def found(person: Person, text: str | None = None, vector: object = None, **options: Any) -> dict[str, str]:
    hits = person.call(
        "search_thoughts",
        query_text=text,
        query_embedding=vector and str(vector),
        match_threshold=-1,
        **options,
    )
    return {hit["content"]: "+".join(hit["found_by"]) for hit in hits}


def test_another_model_of_the_same_length_replaces_every_vector(brain: Brain) -> None:
    dsn, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]", title="Ferry")
    Person(conn, BEN).capture("Ben's own", embedding="[0,1,0]")

    done = reembed(dsn, Letters(3))

    assert done == Reembedding("letters@3", 3, embedded=2)
    assert models(conn) == {"letters@3": 2}
    assert found(ada, vector=Letters(3).vector("ferry")) == {"The ferry leaves at nine": "vector"}


def test_another_length_replaces_every_vector_and_the_index(brain: Brain) -> None:
    dsn, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]")
    ada.capture("Said long ago", embedding="[1,0,0]")
    conn.execute(
        "update memories set archived_at = now(), archive_reason = 'faded' where content like 'Said%'"
    )

    done = reembed(dsn, Letters(5))

    assert (done.embedded, done.waiting) == (2, 0)
    assert conn.execute("select cortex.embedding_dimensions()").fetchone() == (5,)
    assert conn.execute("select to_regclass('public.memories_embedding_idx') is not null").fetchone() == (
        True,
    )
    assert found(ada, vector=Letters(5).vector("ferry")) == {"The ferry leaves at nine": "vector"}
    ada.capture("Tickets are cheap", embedding=str(Letters(5).vector("Tickets are cheap")))
    assert models(conn) == {"letters@5": 3}


SHAPE = """
    select p.oid::regprocedure::text, pg_get_functiondef(p.oid), p.proacl::text,
      obj_description(p.oid, 'pg_proc')
    from pg_proc p where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace)
      and p.prokind = 'f' and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    union all select 'thoughts', pg_get_viewdef(c.oid) || c.reloptions::text,
      (select string_agg(a::text, ' ' order by a::text) from unnest(c.relacl) a),
      obj_description(c.oid, 'pg_class')
    from pg_class c where c.oid = 'public.thoughts'::regclass
    union all select t.tgname, pg_get_triggerdef(t.oid), null, null from pg_trigger t where not t.tgisinternal
    union all select i.indexname, i.indexdef, null, null from pg_indexes i where i.schemaname = 'public'
    union all select c.conname, pg_get_constraintdef(c.oid), null, null from pg_constraint c
      where c.conrelid = 'public.memories'::regclass
    union all select 'storage', a.attstorage::text, null, null from pg_attribute a
      where a.attrelid = 'public.memories'::regclass and a.attname = 'embedding'
    order by 1, 2
"""


def test_all_else_in_the_schema_is_as_before(brain: Brain) -> None:
    dsn, ada, conn = brain
    before = conn.execute(SHAPE).fetchall()

    reembed(dsn, Letters(5))

    assert conn.execute(SHAPE).fetchall() == before
    ada.query("insert into thoughts (content) values ('through the view')")
    assert ada.query("select content from thoughts") == [{"content": "through the view"}]


def test_what_is_not_embedded_yet_is_found_by_its_words(brain: Brain) -> None:
    _, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]")
    ada.capture("Ferries are slow", embedding="[1,0,0]")
    new = Letters(3)
    conn.execute("select cortex.begin_reembed(%s, 3)", [new.model])
    first = conn.execute(
        "select owner_id, id, version, embedding_text from cortex.reembed_batch(1)"
    ).fetchone()
    assert first is not None
    items = psycopg.types.json.Jsonb(
        [
            {
                "owner_id": str(first[0]),
                "id": str(first[1]),
                "version": first[2],
                "embedding": str(new.vector("x")),
            }
        ]
    )
    assert conn.execute("select cortex.store_vectors(%s, %s)", [new.model, items]).fetchone() == (1,)

    assert models(conn) == {new.model: 1, OLD: 1}
    assert found(ada, vector=new.vector("ferry")) == {first[3]: "vector"}  # the old vector is not compared
    assert found(ada, vector="[1,0,0]", embedding_model=OLD).keys() != {first[3]}
    assert len(found(ada, text="ferry", vector=new.vector("ferry"))) == 2


def test_an_interrupted_run_goes_on_where_it_ended(brain: Brain) -> None:
    dsn, ada, conn = brain
    for number in range(BATCH + 10):
        ada.capture(f"note number {number}", embedding="[1,0,0]")
    steps: list[tuple[int, int]] = []
    with pytest.raises(ProviderUnavailable):
        reembed(dsn, Letters(5, fails_after=BATCH + 5), told=lambda *step: steps.append(step))
    assert models(conn) == {"letters@5": BATCH, None: 10}
    assert len(found(ada, text="number", match_count=100)) == BATCH + 10
    assert len(found(ada, vector=Letters(5).vector("note"), match_count=100)) > 0

    again = Letters(5)
    done = reembed(dsn, again, told=lambda *step: steps.append(step))

    assert (done.embedded, done.waiting) == (10, 0)
    assert len(again.texts) == 1 + 10  # the first to try it out
    assert models(conn) == {"letters@5": BATCH + 10}
    assert steps == [(BATCH, BATCH + 10), (10, 10)]
    assert reembed(dsn, Letters(5)).embedded == 0


@pytest.mark.parametrize("dimensions", [3, 5])
def test_neither_the_dates_nor_the_audit_trail_notice(brain: Brain, dimensions: int) -> None:
    dsn, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]", extractor="caller")
    state = "select updated_at, enrichment_status, (select count(*) from memory_events) from memories"
    before = conn.execute(state).fetchone()

    reembed(dsn, Letters(dimensions))

    assert conn.execute(state).fetchone() == before
    assert models(conn) == {f"letters@{dimensions}": 1}


def test_what_waited_for_its_first_vector_is_done_and_tied(brain: Brain) -> None:
    dsn, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]", extractor="caller")
    waiting = ada.capture("The ferry leaves at ten", extractor="caller")

    reembed(dsn, Letters(3))

    row = conn.execute("select enrichment_status from memories where id = %s", [waiting]).fetchone()
    assert row == ("done",)
    assert conn.execute("select type from memory_links where from_id = %s", [waiting]).fetchall() == [
        ("related",)
    ]


def test_a_text_that_changed_meanwhile_gets_no_vector_of_its_old_words(brain: Brain) -> None:
    dsn, ada, _ = brain
    ferry = ada.capture("The ferry leaves at nine", embedding="[1,0,0]")

    class Slow(Letters):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if "The ferry leaves at nine" in texts:
                ada.call("update_thought", id=ferry, content="The ferry leaves at ten")
            return super().embed(texts)

    done = reembed(dsn, Slow(3))

    assert (done.embedded, done.waiting) == (0, 1)
    assert reembed(dsn, Slow(3)).embedded == 1


def test_what_was_forgotten_is_not_shown_to_the_new_model(brain: Brain) -> None:
    dsn, ada, _ = brain
    secret = ada.capture("Forget this", embedding="[1,0,0]")
    ada.call("forget", id=secret)
    new = Letters(5)

    assert reembed(dsn, new).embedded == 0
    assert new.texts == ["Is anybody there?"]


def test_a_text_the_model_refuses_holds_up_no_other(brain: Brain) -> None:
    dsn, ada, conn = brain
    bad = ada.capture("poison here", embedding="[1,0,0]")
    ada.capture("harmless", embedding="[1,0,0]")

    done = reembed(dsn, Letters(5, refuses="poison"))

    assert (done.embedded, done.waiting, done.refused) == (1, 1, {str(bad): "not this text"})
    assert models(conn) == {"letters@5": 1, None: 1}


def test_a_thought_of_a_session_is_turned_towards_the_one_before(brain: Brain) -> None:
    dsn, ada, conn = brain
    ada.capture("aaaa", session_id="s", occurred_at="2026-01-01")
    ada.capture("bbbb", session_id="s", occurred_at="2026-01-02")
    query = "select embedding::text from memories where content = 'bbbb'"

    reembed(dsn, Letters(5), context_weight=0)
    alone = conn.execute(query).fetchone()
    conn.execute("update memories set embedding = null, embedding_model = null")
    reembed(dsn, Letters(5), context_weight=0.5)

    assert conn.execute(query).fetchone() != alone


@pytest.mark.parametrize("title", [None, "", "Ferry", "The ferry", "The ferry…", "..."])
def test_the_text_embedded_is_the_one_captures_embed(db: psycopg.Connection[Any], title: str | None) -> None:
    thought = {"content": "The ferry leaves at nine", "title": title}
    row = db.execute(
        "select cortex.embedding_text(jsonb_populate_record(null::memories, %s))",
        [psycopg.types.json.Jsonb(thought)],
    ).fetchone()
    assert row == (embedding_text(thought),)


CALLS = [
    "cortex.begin_reembed('letters@3', 3)",
    "cortex.reembed_batch(1)",
    "cortex.store_vectors('letters@3', '[]')",
    "cortex.finish_reembed()",
    "cortex.reembed_waiting()",
    "cortex.resize_embedding(5)",
]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("who", ["ada", "anon", "service"])
def test_only_the_owner_of_the_database_may(who: str, call: str, request: pytest.FixtureRequest) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        request.getfixturevalue(who).query(f"select {call}")


def test_another_user_of_the_database_is_told_who_may(db: psycopg.Connection[Any]) -> None:
    dsn = psycopg.conninfo.make_conninfo(db.info.dsn, options="-c role=authenticated")
    with pytest.raises(NotAuthorized, match="only the owner"):
        reembed(dsn, Letters(5))
    assert db.execute("select cortex.embedding_dimensions()").fetchone() == (3,)


def test_an_owner_who_is_no_superuser_may(brain: Brain) -> None:
    dsn, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]")
    conn.execute("create role plain_owner in role authenticated")
    try:
        conn.execute("grant all on schema public, cortex, extensions to plain_owner")
        conn.execute(
            """do $$ declare thing text; begin
            for thing in
              select format('%s %s', case c.relkind when 'v' then 'view' else 'table' end, c.oid::regclass)
              from pg_class c where c.relnamespace in ('public'::regnamespace, 'cortex'::regnamespace)
                and c.relkind in ('r', 'v')
              union all select format('function %s', p.oid::regprocedure) from pg_proc p
              where p.pronamespace in ('public'::regnamespace, 'cortex'::regnamespace)
            loop execute format('alter %s owner to plain_owner', thing); end loop; end $$"""
        )
        done = reembed(psycopg.conninfo.make_conninfo(dsn, options="-c role=plain_owner"), Letters(5))
        assert (done.embedded, models(conn)) == (1, {"letters@5": 1})
        assert found(ada, vector=Letters(5).vector("ferry")) == {"The ferry leaves at nine": "vector"}
    finally:
        conn.execute("reassign owned by plain_owner to current_user")
        conn.execute("drop owned by plain_owner")
        conn.execute("drop role plain_owner")


def test_nothing_changes_when_the_model_makes_another_length_than_said(db: psycopg.Connection[Any]) -> None:
    class Liar(Letters):
        def vector(self, text: str) -> list[float]:
            return super().vector(text)[:-1]

    with pytest.raises(EmbeddingMismatch, match="makes 4 dimensions"):
        reembed(db.info.dsn, Liar(5))
    assert db.execute("select cortex.embedding_dimensions()").fetchone() == (3,)


def test_a_run_ends_when_another_moves_the_brain_elsewhere(brain: Brain) -> None:
    dsn, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]")

    class Overtaken(Letters):
        def embed(self, texts: Sequence[str]) -> list[list[float]]:
            if "The ferry leaves at nine" in texts:
                conn.execute("select cortex.begin_reembed('other@3', 3)")
            return super().embed(texts)

    with pytest.raises(Conflict, match="moved to other@3"):
        reembed(dsn, Overtaken(3))


def test_a_view_of_ones_own_over_thoughts_is_not_dropped(brain: Brain) -> None:
    dsn, ada, conn = brain
    conn.execute("create view mine as select content from thoughts")
    with pytest.raises(Conflict, match=r"view public\.mine depends on view"):
        reembed(dsn, Letters(5))
    assert conn.execute("select cortex.embedding_dimensions()").fetchone() == (3,)
    ada.query("insert into thoughts (content) values ('as before')")


Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "200")

    def command(*arguments: str) -> str:
        result = CliRunner().invoke(app, list(arguments))
        if result.exception:
            raise result.exception
        return result.output

    return command


def test_the_command_asks_a_provider(brain: Brain, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    dsn, ada, conn = brain
    ada.capture("The ferry leaves at nine", embedding="[1,0,0]")
    with Provider() as provider:
        monkeypatch.setenv("PGCORTEX_DATABASE_URL", dsn)
        monkeypatch.setenv("PGCORTEX_OPENAI_BASE_URL", provider.url)
        monkeypatch.setenv("PGCORTEX_OPENAI_API_KEY", "any")

        said = run("reembed", "--to", "text-embedding-3-large", "--dimensions", "64")

    assert "1 memories embedded with text-embedding-3-large@64" in said
    assert "PGCORTEX_EMBEDDING_DIMENSIONS=64" in said
    assert models(conn) == {"text-embedding-3-large@64": 1}


def test_over_the_api_the_command_says_what_it_needs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCORTEX_SUPABASE_URL", "http://127.0.0.1:1")
    with pytest.raises(Exception, match="only the owner of the database") as caught:
        run("reembed", "--to", "all-MiniLM-L6-v2-int8")
    assert "PGCORTEX_DATABASE_URL" in str(caught.value)


def test_a_local_brain_keeps_its_new_length(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with root_directory() as root, Provider() as provider:
        local.up(root / "brain", dimensions=8, settings=FAST)
        try:
            monkeypatch.setenv("PGCORTEX_DATA_DIR", str(root / "brain"))
            monkeypatch.setenv("PGCORTEX_EMBEDDER", "openai")
            monkeypatch.setenv("PGCORTEX_OPENAI_BASE_URL", provider.url)
            monkeypatch.setenv("PGCORTEX_EMBEDDING_DIMENSIONS", "16")
            run("reembed", "--to", "text-embedding-3-small@16", "--json")
            run("capture", "The ferry leaves at nine")
            assert "ferry" in run("search", "ferry")
            local.down(root / "brain")
            assert local.status(root / "brain").dimensions == 16
            assert local.up(root / "brain", settings=FAST).dimensions == 16
        finally:
            local.down(root / "brain")
