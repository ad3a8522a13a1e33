"""One contract, every transport: what a signed-in user stores they find, list, count and forget, alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from pydantic import SecretStr

from pgcortex import (
    AsyncCortex,
    Conflict,
    Cortex,
    Filters,
    InvalidInput,
    NotAuthorized,
    NotFound,
    SchemaOutOfDate,
    Settings,
)
from pgcortex.embedding import Embedder, create_embedder
from tests.clients.test_lite import with_supabase_js
from tests.support.databases import new_database
from tests.support.functions import Functions, token
from tests.support.lite import Lite, lite

SignIn = Callable[[UUID], Cortex]
TRANSPORTS = ["postgres", "supabase", "functions"]


@pytest.fixture(scope="module")
def dsn() -> str:
    return new_database("contract", dimensions=384)


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    made = create_embedder(Settings(_env_file=None))  # type: ignore[call-arg]
    assert made is not None
    return made


@pytest.fixture(scope="module")
def rest(dsn: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lite]:
    with lite(dsn, tmp_path_factory.mktemp("rest")) as served:
        yield served


@pytest.fixture(scope="module")
def functions(dsn: str) -> Iterator[Functions]:
    with Functions({"PGCORTEX_DATABASE_URL": dsn, "PGCORTEX_EMBEDDER": "local"}) as served:
        yield served


def settings(**values: Any) -> Settings:
    return Settings(_env_file=None, **values)


@pytest.fixture(params=TRANSPORTS)
def sign_in(request: pytest.FixtureRequest, dsn: str, embedder: Embedder) -> Iterator[SignIn]:
    """Opens clients of the transport, each as the user it is given."""
    with ExitStack() as opened:

        def of(user: UUID) -> Cortex:
            if request.param == "postgres":
                chosen, own = settings(database_url=dsn, owner_id=user), embedder
            elif request.param == "supabase":
                api: Lite = request.getfixturevalue("rest")
                keys = {"supabase_key": api.publishable_key, "access_token": api.token(user)}
                chosen, own = settings(supabase_url=api.url, **keys), embedder
            else:
                url = request.getfixturevalue("functions").url
                chosen = settings(
                    database_url=dsn,
                    owner_id=user,
                    functions_url=url,
                    embedder="none",
                    access_token=token(user),
                )
                own = None
            return opened.enter_context(Cortex(chosen, embedder=own))

        yield of


@pytest.fixture
def ada(sign_in: SignIn) -> Cortex:
    return sign_in(uuid4())


def test_a_thought_is_captured_once_and_found_by_its_meaning(ada: Cortex) -> None:
    first = ada.capture("We are spending too much on API calls", topics=["costs"])
    again = ada.capture("We are spending too much on API calls")
    assert (first.status, again.status) == ("created", "exists")
    assert first.id == again.id
    assert first.enrichment_status == "done"
    found = ada.search("budget concerns")
    assert [hit.id for hit in found] == [first.id]
    assert found[0].topics == ["costs"]
    assert found[0].found_by == ["vector"]
    assert found.notice is None


def test_what_is_given_is_kept_through_every_transport(ada: Cortex) -> None:
    moment = datetime(2026, 3, 1, 9, 30, tzinfo=UTC)
    ada.remember(
        "Émile: the café's wifi is “Olm” 🌿\nsecond line",
        title="Wifi, at the café",
        store="semantic",
        category="fact",
        tags=["a,b", 'say "hi"', "{braces}"],
        people=["Émile"],
        confidence=0.95,
        metadata={"nested": {"list": [1, None, "x"]}},
        occurred_at=moment,
        session_id="s/1",
    )
    (thought,) = ada.list_thoughts()
    assert thought.content == "Émile: the café's wifi is “Olm” 🌿\nsecond line"
    assert thought.title == "Wifi, at the café"
    assert (thought.store, thought.category, thought.session_id) == ("semantic", "fact", "s/1")
    assert thought.tags == ["a,b", 'say "hi"', "{braces}"]
    assert thought.people == ["Émile"]
    assert thought.confidence == pytest.approx(0.95)
    assert thought.metadata["nested"] == {"list": [1, None, "x"]}
    assert thought.occurred_at == moment


def test_recall_reinforces_and_search_does_not(ada: Cortex) -> None:
    ada.capture("The deploy command is make ship")
    assert ada.search("how do we deploy?")[0].access == 0
    ada.recall("how do we deploy?", reinforce=False)
    assert ada.search("how do we deploy?")[0].access == 0
    ada.recall("how do we deploy?")
    assert ada.search("how do we deploy?")[0].access > 0


def test_filters_narrow_every_read(ada: Cortex) -> None:
    old = datetime(2025, 1, 1, tzinfo=UTC)
    task = ada.capture("Call the printer about paper", thought_type="task", topics=["office"]).id
    idea = ada.capture("Print the handbook on thin paper", thought_type="idea", occurred_at=old).id
    assert [hit.id for hit in ada.search("paper", filters=Filters(thought_type="task"))] == [task]
    assert [t.id for t in ada.list_thoughts(filters=Filters(until=datetime(2025, 6, 1, tzinfo=UTC)))] == [
        idea
    ]
    assert [t.id for t in ada.list_thoughts(filters=Filters(topics=["office", "none"]))] == [task]


def test_lists_page_through_everything_once(ada: Cortex) -> None:
    verdicts = ada.capture_many({"content": f"entry {n}"} for n in range(7))
    assert [verdict.status for verdict in verdicts] == ["created"] * 7
    assert {t.id for t in ada.iterate(page=3)} == {verdict.id for verdict in verdicts}
    assert ada.stats().total == 7


def test_one_bad_thought_in_a_batch_does_not_cost_the_others(ada: Cortex) -> None:
    """Case C23."""
    verdicts = ada.capture_many([{"content": "a good one"}, {"content": " "}, {"content": "another"}])
    assert [verdict.status for verdict in verdicts] == ["created", "refused", "created"]
    assert "content" in (verdicts[1].error or "")


def test_forgotten_is_gone_from_every_read_and_can_be_restored_or_erased(ada: Cortex) -> None:
    """Case C14, through every transport."""
    id = ada.capture("The safe is behind the painting").id
    assert id is not None
    assert ada.forget(id, reason="too public").status == "forgotten"
    assert len(ada.search("where is the safe?")) == 0
    assert ada.list_thoughts(filters=Filters(include_archived=True)) == []
    assert ada.stats().total == 0
    with pytest.raises(NotFound):
        ada.get(id)
    assert ada.restore(id).status == "restored"
    assert ada.get(id).content == "The safe is behind the painting"
    assert ada.forget(id, hard=True).status == "erased"
    with pytest.raises(NotFound):
        ada.restore(id)


def test_an_edit_is_found_by_its_new_words_only(ada: Cortex) -> None:
    """Case C10."""
    id = ada.capture("Rae works at Alpha").id
    assert id is not None
    before = ada.get(id).updated_at
    assert ada.update_thought(id, content="Rae works at Alpha").status == "unchanged"
    assert ada.get(id).updated_at == before
    assert ada.update_thought(id, content="Rae works at Beta").status == "updated"
    assert [hit.content for hit in ada.search("Beta")] == ["Rae works at Beta"]
    assert "words" not in [leg for hit in ada.search("Alpha") for leg in hit.found_by]


def test_decisions_topics_and_briefings_come_back_typed(ada: Cortex) -> None:
    old = ada.remember("We decided on MySQL because it was there", category="decision", store="semantic").id
    new = ada.remember(
        "We decided on Postgres because of vector search",
        category="decision",
        store="semantic",
        supersedes=old,
    ).id
    assert old and new
    ada.remember("Migrate the data to Postgres", due_at=datetime.now(UTC) + timedelta(days=1))
    ada.checkpoint({"summary": "Schema drafted", "next_steps": ["migrate"]}, session_id="db")
    assert {d.id for d in ada.why_did_we("why Postgres?").decisions} >= {new}
    assert ada.what_do_i_know("Postgres").count >= 2
    morning = ada.wake()
    assert morning.checkpoint is not None
    assert morning.checkpoint.state == {"summary": "Schema drafted", "next_steps": ["migrate"]}
    assert morning.due.count == 1
    assert [d.id for d in morning.decisions] == [new]
    assert ada.memory_stats().superseded == 1
    with pytest.raises(Conflict):
        ada.supersede(new, old)


def test_two_users_do_not_see_each_other(sign_in: SignIn) -> None:
    """Case C40: search, recall, list, get, stats, edit, forget, link, wake."""
    ada, ben = sign_in(uuid4()), sign_in(uuid4())
    hers = ada.capture("my home is the lighthouse").id
    his = ben.capture("my home is the mill").id
    assert hers and his
    for client, own in ((ada, hers), (ben, his)):
        assert [hit.id for hit in client.search("where is home?")] == [own]
        assert [hit.id for hit in client.recall("where is home?")] == [own]
        assert [thought.id for thought in client.list_thoughts()] == [own]
        assert client.stats().total == client.wake().size.memories == 1
    for attempt in (
        lambda: ben.get(hers),
        lambda: ben.update_thought(hers, content="my home is gone"),
        lambda: ben.pin(hers),
        lambda: ben.forget(hers, hard=True),
        lambda: ben.link_memories(his, hers),
        lambda: ben.supersede(hers, his),
    ):
        with pytest.raises(NotFound):
            attempt()
    assert ben.mark_used([hers]).unknown == [hers]
    assert ada.get(hers).content == "my home is the lighthouse"


def test_the_same_words_of_two_users_are_two_memories(sign_in: SignIn) -> None:
    ada, ben = sign_in(uuid4()), sign_in(uuid4())
    assert ada.capture("tea at four").status == ben.capture("tea at four").status == "created"


def test_refusals_name_the_field_and_what_to_do(ada: Cortex) -> None:
    with pytest.raises(InvalidInput) as blank:
        ada.capture(" \n")
    assert (blank.value.field, bool(blank.value.hint)) == ("content", True)
    with pytest.raises(InvalidInput) as cursor:
        ada.list_thoughts(cursor="page 2")
    assert cursor.value.field == "cursor"
    with pytest.raises(InvalidInput) as unknown:
        ada.capture("x", thought_type="dream")  # type: ignore[arg-type]
    assert unknown.value.field == "thought_type"
    with pytest.raises(NotFound):
        ada.forget(uuid4())


def test_a_call_that_the_database_does_not_know_says_which_side_to_update(ada: Cortex) -> None:
    """Case C03: an argument of another version is not a riddle about a schema cache."""
    for function, arguments in (("search_thoughts", {"result_limit": 3}), ("dream", {})):
        with pytest.raises(SchemaOutOfDate) as error:
            ada.core.call(function, **arguments)
        assert "supabase db push" in (error.value.hint or "")


def test_a_secret_is_masked_before_it_leaves(ada: Cortex) -> None:
    """Case C45."""
    key = "ghp_" + "a1B2" * 9
    verdict = ada.capture(f"the deploy token is {key}")
    assert verdict.redacted
    assert key not in ada.list_thoughts()[0].content


@pytest.mark.anyio
@pytest.mark.parametrize("anyio_backend", ["asyncio"])
async def test_the_async_client_does_the_same(dsn: str, embedder: Embedder) -> None:
    chosen = settings(database_url=dsn, owner_id=uuid4())
    async with AsyncCortex(chosen, embedder=embedder) as brain:
        captured = await brain.capture("Bread rises overnight in the fridge")
        found = await brain.recall("how to make bread?")
        assert [hit.id for hit in found] == [captured.id]


def test_an_expired_token_and_a_service_key_are_refused_and_never_quoted(rest: Lite) -> None:
    old = rest.token(uuid4(), seconds=-60)
    keys = {"supabase_url": rest.url, "supabase_key": rest.publishable_key, "access_token": old}
    with Cortex(settings(**keys, embedder="none")) as client:
        with pytest.raises(NotAuthorized) as expired:
            client.stats()
        for words in (repr(client), repr(client.core), str(expired.value), repr(settings(**keys))):
            assert old not in words
            assert rest.publishable_key not in words
    with pytest.raises(NotAuthorized, match="service key") as refused:
        Cortex(settings(supabase_url=rest.url, supabase_key=rest.secret_key))
    assert rest.secret_key not in str(refused.value)
    allowed = settings(supabase_url=rest.url, supabase_key=SecretStr(rest.secret_key), allow_service_key=True)
    Cortex(allowed).close()


def test_the_functions_refuse_a_forged_token(functions: Functions, dsn: str) -> None:
    chosen = settings(
        database_url=dsn,
        owner_id=uuid4(),
        functions_url=functions.url,
        embedder="none",
        access_token="forged",
    )
    with Cortex(chosen) as client, pytest.raises(NotAuthorized) as refused:
        client.capture("a thought of nobody")
    assert "forged" not in str(refused.value)


def test_functions_that_are_away_cost_no_thought_and_hide_none(dsn: str) -> None:
    chosen = settings(database_url=dsn, owner_id=uuid4(), functions_url="http://127.0.0.1:9", embedder="none")
    with Cortex(chosen) as client:
        verdict = client.capture("The kettle is in the tall cupboard")
        assert (verdict.status, verdict.enrichment_status) == ("created", "pending")
        assert "to be embedded later" in verdict.warnings[0]
        found = client.search("kettle")
        assert [hit.id for hit in found] == [verdict.id]
        assert "the functions are away" in (found.degraded or "")


def test_two_users_of_supabase_js_capture_search_recall_list_count_and_forget(rest: Lite) -> None:
    ada, ben = uuid4(), uuid4()
    (captured,) = with_supabase_js(
        rest, ada, [{"rpc": "capture_thought", "args": {"content": "my home is the lighthouse"}}]
    )
    id = captured["data"]["id"]
    reads = [
        {"rpc": "search_thoughts", "args": {"query_text": "home"}},
        {"rpc": "recall", "args": {"query_text": "home"}},
        {"rpc": "list_thoughts", "args": {"match_count": 5}},
    ]
    count = {"rpc": "thought_stats", "args": {}}
    forget = {"rpc": "forget", "args": {"id": id}}
    *seen, stats = with_supabase_js(rest, ada, [*reads, count])
    assert [[row["id"] for row in answer["data"]] for answer in seen] == [[id]] * 3
    assert stats["data"]["total"] == 1
    *unseen, empty, refused = with_supabase_js(rest, ben, [*reads, count, forget])
    assert [answer["data"] for answer in unseen] == [[]] * 3
    assert empty["data"]["total"] == 0
    assert refused["error"]["code"] == "PT404"
    gone, *after = with_supabase_js(rest, ada, [forget, *reads])
    assert gone["data"]["status"] == "forgotten"
    assert [answer["data"] for answer in after] == [[]] * 3
