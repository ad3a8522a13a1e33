"""Search by words alone: scripts without spaces, identifiers, any text at all, and other languages."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.database.conftest import Person


def found(person: Person, words: str, **more: Any) -> list[UUID]:
    """Ids of what the words bring, best first, without a vector."""
    return [hit["id"] for hit in person.call("search_thoughts", query_text=words, **more)]


NOTES = [
    "明日会議室で資料確認",
    "会议记录在共享盘",
    "ノートパソコンを買う",
    "りんごを食べた",
    "회의실에서 자료를 확인합니다",
    "版本2024年發布",
    "𠮷野家で昼食",
    "dockerの資料",
    "明日は休み",
    "a plain note",
]
PARTS = [
    *("資料", "会議室", "確認", "料", "共享", "パソコン", "りんご", "자료", "회의", "發布", "𠮷野"),
    *("明日", "docker", "note"),
]


def test_any_part_of_a_text_without_spaces_is_found_case_c11(ada: Person) -> None:
    notes = {ada.capture(note): note for note in NOTES}
    for part in PARTS:
        assert {notes[hit] for hit in found(ada, part)} == {note for note in NOTES if part in note}


def test_both_halves_of_a_mixed_query_count_case_c11(ada: Person) -> None:
    only_cjk = ada.capture("明日会議室で資料確認")
    only_ascii = ada.capture("docker on the laptop")
    both = ada.capture("dockerの資料を読む")
    ada.capture("休み")
    ids = found(ada, "docker 資料")
    assert ids[0] == both
    assert set(ids) == {only_cjk, only_ascii, both}


def test_another_word_with_a_character_in_common_is_not_found_case_c11(ada: Person) -> None:
    ada.capture("明日会議室で資料確認")
    assert found(ada, "資金") == []
    assert found(ada, "議会") == []


IDENTIFIERS = [
    *("PR-1234", "pr-1234", "1234", "api_key", "API_KEY", "tests/unit/a.py", "a.py", "unit"),
    *("v2.3.1", "FGY2Wh"),
]


def test_identifiers_are_found_whole_and_in_part(ada: Person) -> None:
    wanted = ada.capture(
        "PR-1234 reads api_key in tests/unit/a.py since v2.3.1, document FGY2WhTYpPnrIDTdsKH5"
    )
    ada.capture("PR-77 is about the key of the door")
    for words in [
        "PR-1234",
        "pr-1234",
        "1234",
        "api_key",
        "API_KEY",
        "tests/unit/a.py",
        "a.py",
        "unit",
        "v2.3.1",
        "FGY2Wh",
    ]:
        assert found(ada, words)[0] == wanted, words


def test_the_exact_identifier_comes_before_a_longer_one(ada: Person) -> None:
    longer, exact = ada.capture("see PR-12345 please"), ada.capture("see PR-1234 please")
    assert found(ada, "PR-1234")[0] == exact
    assert set(found(ada, "PR-123")) == {longer, exact}


def test_rare_words_count_for_more_than_common_ones(ada: Person) -> None:
    for n in range(8):
        ada.capture(f"the budget meeting number {n}")
    rare = ada.capture("the zeppelin museum")
    assert found(ada, "budget zeppelin")[0] == rare


def test_what_was_said_before_in_the_session_counts_but_for_less(ada: Person) -> None:
    asked = ada.capture("Shall we visit the zeppelin museum?", session_id="s")
    answered = ada.capture("Yes, on Tuesday", session_id="s")
    ada.capture("No museum today", session_id="other")
    assert found(ada, "zeppelin") == [asked, answered]


TOUGH = [
    "what's team:x & <me@y.z> !",
    "what’s Rae’s “plan”",
    *("'", "''", '"', "\\", "\\'", "'\\", ":", ":*", "a:*", "a:b", "!", "!!", "! a", "& | ! <->", "(", "((a"),
    *("a <-> b", "a <2> b", "'a' & 'b", "%s %I $1 {}", "--", "/* */", ";drop table memories;"),
    *("\x7f\x1b[0m", "\ufffe\uffff", "🧠🧠", "e\u0301", "\u202e\u200d\ufeff", "\t\r\n x"),
    *("http://a.b/?q='x'&y=\\", "x" * 5000, "a" + "é" * 3000),
]


def test_tough_text_is_an_answer_or_nothing_case_c20(ada: Person) -> None:
    ids = {text: ada.capture(f"coffee {text}") for text in TOUGH}
    for text in TOUGH:
        assert ids[text] in found(ada, f"coffee {text}", match_count=len(TOUGH))
        assert set(found(ada, text)) <= set(ids.values())
        assert ada.call("explain_search", query_text=text)["memories"] == len(TOUGH)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=60)
    | st.text(st.sampled_from("ab 'x'\"\\:*&|!()<->@.,-_/#+’“資の한%$\t\n"), max_size=60)
)
def test_no_text_is_an_error_case_c20(ada: Person, text: str) -> None:
    assert isinstance(
        ada.call("search_thoughts", query_text=f"coffee {text}", query_embedding="[1,0,0]"), list
    )
    assert isinstance(ada.call("search_thoughts", query_text=text, query_embedding="[1,0,0]"), list)


def test_a_query_of_100_kb_is_answered_case_c20(ada: Person) -> None:
    wanted = ada.capture("coffee with Rae")
    words = " ".join(f"word{n}" for n in range(12_000))
    assert len(words) > 100_000
    assert found(ada, f"coffee {words}") in ([], [wanted])
    assert found(ada, "coffee " * 20_000) == [wanted]


def test_stop_words_alone_find_nothing_by_words(ada: Person) -> None:
    wanted = ada.capture("the cat and the hat", embedding="[1,0,0]")
    assert found(ada, "the of and") == []
    [hit] = ada.call("search_thoughts", query_text="the of and", query_embedding="[1,0.1,0]")
    assert (hit["id"], hit["found_by"], hit["lexical"]) == (wanted, ["vector"], None)


@pytest.mark.parametrize("blank", ["", "  \n", None])
def test_neither_words_nor_vector_is_refused_by_field(ada: Person, blank: str | None) -> None:
    with pytest.raises(psycopg.Error, match="query_text: is blank") as refused:
        ada.call("search_thoughts", query_text=blank)
    assert refused.value.sqlstate == "PT400"


def test_a_brain_without_vectors_is_searched_by_words(ada: Person) -> None:
    wanted = ada.capture("coffee with Rae")
    ada.capture("tea with Ben")
    [hit] = ada.call("search_thoughts", query_text="coffee", query_embedding="[1,0,0]")
    assert (hit["id"], hit["found_by"], hit["similarity"]) == (wanted, ["words"], None)
    assert (hit["lexical"], hit["relevance"]) == (1, 1)
    assert ada.call("search_thoughts", query_embedding="[1,0,0]") == []


def test_words_and_meaning_each_bring_what_the_other_misses(ada: Person) -> None:
    by_words = ada.capture("coffee with Rae")
    by_meaning = ada.capture("an espresso in the sun", embedding="[1,0.1,0]")
    both = ada.capture("coffee in the sun", embedding="[1,0,0]")
    hits = ada.call("search_thoughts", query_text="coffee", query_embedding="[1,0,0]")
    assert {hit["id"]: hit["found_by"] for hit in hits} == {
        by_words: ["words"],
        by_meaning: ["vector"],
        both: ["vector", "words"],
    }
    assert hits[0]["id"] == both


def test_another_language_holds_after_reindexing(ada: Person, db: psycopg.Connection[Any]) -> None:
    house = ada.capture("Die Häuser am Fluss")
    assert found(ada, "Haus") == []
    db.execute("""update cortex.settings set value = '"german"' where key = 'text_search_config'""")
    assert db.execute("select cortex.reindex_text()").fetchone() == (1,)
    assert db.execute("select cortex.reindex_text()").fetchone() == (0,)
    assert found(ada, "Haus") == [house]
    assert found(ada, "die am") == []
