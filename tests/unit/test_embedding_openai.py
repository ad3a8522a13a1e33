"""The OpenAI-compatible embedder against a real HTTP server that also answers badly."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pydantic import SecretStr

from pgcortex import _errors as errors
from pgcortex._retry import RetryPolicy, retry_after_seconds
from pgcortex._settings import Settings
from pgcortex.embedding import create_embedder
from pgcortex.embedding._openai import OpenAIEmbedder
from tests.support.provider import Provider
from tests.support.provider_answers import vector_for

KEY = "sk-very-secret-key-1234567890"


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    with Provider() as provider:
        provider.hang = 5.0
        yield provider


@pytest.fixture
def provider(server: Provider) -> Provider:
    server.reset()
    server.context = 8192
    return server


@pytest.fixture
def waits() -> list[float]:
    return []


@pytest.fixture
def make(provider: Provider, waits: list[float]) -> Callable[..., OpenAIEmbedder]:
    def build(name: str = "text-embedding-3-small", dimensions: int = 64, **more: Any) -> OpenAIEmbedder:
        return OpenAIEmbedder(
            base_url=provider.url,
            api_key=SecretStr(KEY),
            name=name,
            dimensions=dimensions,
            sleep=waits.append,
            **{"timeout": 5.0, **more},
        )

    return build


Make = Callable[..., OpenAIEmbedder]


def near(vector: list[float], text: str) -> bool:
    expected = vector_for(text, len(vector))
    return math.isclose(sum(a * b for a, b in zip(vector, expected, strict=True)), 1.0, abs_tol=1e-4)


def test_settings_make_the_embedder(provider: Provider) -> None:
    settings = Settings(
        embedder="openai", openai_base_url=provider.url, openai_api_key=SecretStr(KEY), _env_file=None
    )
    embedder = create_embedder(settings)
    assert embedder is not None
    assert embedder.model == "text-embedding-3-small@1536"
    assert len(embedder.embed(["hello"])[0]) == 1536
    assert KEY not in repr(embedder) + repr(settings)


def test_openai_itself_needs_a_key() -> None:
    with pytest.raises(errors.InvalidInput) as caught:
        create_embedder(Settings(embedder="openai", _env_file=None))
    assert caught.value.field == "openai_api_key"


def test_c26_floats_are_asked_for_and_nothing_is_sent_as_null(make: Make, provider: Provider) -> None:
    make().embed(["a", "b"])
    assert provider.sent("embeddings") == [
        {"model": "text-embedding-3-small", "input": ["a", "b"], "encoding_format": "float", "dimensions": 64}
    ]


def test_c26_dimensions_are_asked_only_of_models_that_take_them(make: Make, provider: Provider) -> None:
    make("nomic-embed-text", 768).embed(["a"])
    assert provider.sent("embeddings") == [
        {"model": "nomic-embed-text", "input": ["a"], "encoding_format": "float"}
    ]


def test_c26_base64_sent_unasked_is_read_at_its_full_width(make: Make, provider: Provider) -> None:
    provider.always("base64")
    assert near(make().embed(["a note"])[0], "a note")


def test_c22_vectors_go_to_the_texts_their_index_names(make: Make, provider: Provider) -> None:
    provider.always("out_of_order")
    texts = ["alpha", "beta", "gamma"]
    assert all(map(near, make().embed(texts), texts))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("short", "3 texts were sent, but 2 vectors came back"),
        ("duplicate_index", "index 0 twice"),
        ("index_range", "index 3; expected 0 to 2"),
        ("no_index", "index None"),
        ("nan", "NaN"),
        ("zero", "all zeros"),
        ("html", "not JSON"),
    ],
)
def test_c22_a_reply_that_cannot_be_trusted_fails_the_batch(
    make: Make, provider: Provider, fault: str, message: str
) -> None:
    provider.always(fault)
    with pytest.raises(errors.ProviderRefused, match=message):
        make().embed(["a", "b", "c"])
    assert len(provider.requests) == 1, "a wrong answer is not asked for again"


def test_c07_c26_a_vector_of_another_width_is_refused_with_both_numbers(
    make: Make, provider: Provider
) -> None:
    provider.always("wrong_dimension")
    with pytest.raises(errors.EmbeddingMismatch, match=r"32 dimensions, 64 were expected"):
        make().embed(["a"])


@pytest.mark.parametrize("blank", ["", " \n"])
def test_c23_a_blank_text_is_refused_before_anything_is_sent(
    make: Make, provider: Provider, blank: str
) -> None:
    with pytest.raises(errors.InvalidInput) as caught:
        make().embed(["a", blank, "b"])
    assert caught.value.field == "texts[1]"
    assert provider.requests == []


@pytest.mark.parametrize(
    "text",
    ["Our plan for the third quarter is to spend less. " * 820, "会議室で資料を確認する予定" * 700],
    ids=["40 kB of English", "9,000 CJK characters"],
)
def test_c24_a_text_longer_than_the_context_is_sent_whole_in_windows(
    make: Make, provider: Provider, text: str
) -> None:
    [vector] = make().embed([text + " zebra zebra zebra"])
    pieces = [piece for body in provider.sent("embeddings") for piece in body["input"]]
    assert len(pieces) > 1
    assert pieces[0].startswith(text[:200])
    assert pieces[-1].endswith("zebra zebra zebra")
    assert math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-9)


def test_c24_the_end_of_a_long_text_can_be_found(make: Make) -> None:
    filler = "committee agenda tuesday remarks minutes " * 400
    with_tail, without, question = make("small-model", 1536).embed(
        [filler + "sourdough starter rye flour " * 20, filler, "sourdough rye"]
    )
    assert sum(map(lambda a, b: a * b, question, with_tail)) > sum(map(lambda a, b: a * b, question, without))


def test_c24_a_context_smaller_than_known_is_met_by_cutting_finer(make: Make, provider: Provider) -> None:
    provider.context = 100
    embedder = make("small-model", 1536)
    [vector] = embedder.embed(["seven words of a sentence about tea. " * 60])
    assert len(vector) == 1536
    assert provider.sent("embeddings")[-1]["input"] != provider.sent("embeddings")[0]["input"]
    before = len(provider.requests)
    embedder.embed(["seven words of a sentence about tea. " * 60])
    assert len(provider.requests) == before + 1, "the smaller window is remembered"


def test_a_batch_larger_than_a_request_may_be_is_split_in_order(make: Make, provider: Provider) -> None:
    texts = [f"note{i}" for i in range(600)]
    vectors = make().embed(texts)
    assert [len(body["input"]) for body in provider.sent("embeddings")] == [256, 256, 88]
    assert all(near(vectors[i], texts[i]) for i in (0, 255, 256, 599))


def test_c27_a_rate_limit_is_waited_out_as_long_as_it_says(
    make: Make, provider: Provider, waits: list[float]
) -> None:
    provider.next("ok", "ok", "429:2")
    embedder = make()
    for i in range(10):
        assert near(embedder.embed([f"note {i}"])[0], f"note {i}")
    assert waits == [2.0]
    assert len(provider.requests) == 11


@pytest.mark.parametrize("fault", ["429", "500", "503", "drop"])
def test_c27_failures_that_may_pass_are_retried_a_few_times(
    make: Make, provider: Provider, waits: list[float], fault: str
) -> None:
    provider.always(fault)
    with pytest.raises(errors.ProviderUnavailable):
        make(policy=RetryPolicy(attempts=3, base=1.0, cap=8.0)).embed(["a"])
    assert len(provider.requests) == 3
    assert 0.5 <= waits[0] <= 1.0 <= waits[1] <= 2.0


def test_c27_a_wait_longer_than_ours_is_handed_to_the_caller(make: Make, provider: Provider) -> None:
    provider.always("429:600")
    with pytest.raises(errors.ProviderUnavailable) as caught:
        make().embed(["a"])
    assert caught.value.retry_after == 600
    assert len(provider.requests) == 1


def test_a_provider_that_does_not_answer_is_given_up_at_the_time_limit(
    make: Make, provider: Provider
) -> None:
    provider.always("timeout")
    started = time.monotonic()
    with pytest.raises(errors.ProviderUnavailable, match="in time"):
        make(timeout=0.2, policy=RetryPolicy(attempts=2)).embed(["a"])
    assert time.monotonic() - started < 3


@pytest.mark.parametrize("status", ["400", "401", "403", "404", "422"])
def test_c27_a_refusal_is_not_retried_and_shows_no_key(make: Make, provider: Provider, status: str) -> None:
    provider.always(status)
    with pytest.raises(errors.ProviderRefused, match=f"HTTP {status}") as caught:
        make().embed(["my private note"])
    assert len(provider.requests) == 1
    assert KEY not in str(caught.value) + repr(caught.value)
    assert "private" not in str(caught.value)


def test_an_address_where_nobody_listens_is_unavailable() -> None:
    embedder = OpenAIEmbedder(
        base_url="http://127.0.0.1:9/v1",
        api_key=None,
        name="any",
        dimensions=8,
        policy=RetryPolicy(attempts=1),
    )
    with pytest.raises(errors.ProviderUnavailable, match="could not be reached"):
        embedder.embed(["a"])


def test_the_billed_tokens_are_counted(make: Make) -> None:
    _, tokens = make().embed_counted(["four letters each", "again"])
    assert tokens > 3


def test_retry_after_is_read_in_all_its_forms() -> None:
    assert retry_after_seconds({"retry-after": "1.5"}) == 1.5
    assert retry_after_seconds({"retry-after-ms": "250", "retry-after": "9"}) == 0.25
    assert retry_after_seconds({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0.0
    assert retry_after_seconds({"retry-after": "soon"}) is None
    assert retry_after_seconds({}) is None


def test_waits_double_up_to_the_cap_and_jitter_takes_at_most_half() -> None:
    policy = RetryPolicy(attempts=6, base=1.0, cap=4.0)
    longest = [policy.wait(n, None, 0.0) for n in range(1, 7)]
    assert longest == [1.0, 2.0, 4.0, 4.0, 4.0, None]
    chance = random.Random(1).random()
    waited = policy.wait(2, None, chance)
    assert waited is not None
    assert 1.0 <= waited <= 2.0
