"""Windows cover the whole text, overlap, and stay within the size: properties that hold for any text."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgcortex.embedding._chunking import estimate_tokens, text_spans, text_windows, token_windows

sizes = st.tuples(st.integers(8, 300), st.integers(0, 100)).filter(lambda pair: pair[1] <= pair[0] // 2)


@given(length=st.integers(1, 5000), sizes=sizes)
def test_token_windows_cover_every_token_in_full_windows(length: int, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    windows = token_windows(length, size, overlap)
    assert windows[0][0] == 0
    assert windows[-1][1] == length
    assert all(stop - start == min(size, length) for start, stop in windows)
    for (_, stop), (start, _) in pairwise(windows):
        assert stop - start >= overlap


@given(sizes=sizes)
def test_no_tokens_make_no_window(sizes: tuple[int, int]) -> None:
    assert token_windows(0, *sizes) == []


@given(text=st.text(alphabet=st.characters(exclude_categories=["Cs"]), min_size=1, max_size=400), sizes=sizes)
def test_text_windows_stay_within_the_size_and_lose_nothing(text: str, sizes: tuple[int, int]) -> None:
    size, overlap = sizes
    spans = text_spans(text, size, overlap)
    assert spans[0][0] == 0
    assert spans[-1][1] == len(text)
    assert all(estimate_tokens(text[start:stop]) <= size + 1 for start, stop in spans)
    for (start, stop), (next_start, next_stop) in pairwise(spans):
        assert start < next_start <= stop < next_stop


@given(text=st.text(alphabet=" \nab", max_size=200))
def test_no_piece_is_blank(text: str) -> None:
    assert all(piece.strip() for piece in text_windows(text, 8, 2))


def test_neighbouring_pieces_share_text_and_are_cut_between_words() -> None:
    text = " ".join(f"word{i} again" for i in range(400))
    pieces = text_windows(text, 200, 25)
    for before, after in pairwise(pieces):
        assert before[-1] == " "
        shared = next(n for n in range(min(len(before), len(after)), 0, -1) if before.endswith(after[:n]))
        assert estimate_tokens(after[:shared]) >= 15


def test_c24_the_estimate_is_never_below_what_a_real_tokenizer_counts() -> None:
    from tokenizers import Tokenizer

    from pgcortex.embedding._artifacts import tokenizer_path

    tokenizer = Tokenizer.from_file(str(tokenizer_path()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    for text in (
        "We decided to move the billing service off Kubernetes because of its cost. " * 20,
        "明日の会議室で資料を確認する" * 40,
        '{"id": 12345, "value": [1.5, 2.25, "x_y"], "url": "https://example.org/a?b=c&d=e"}' * 10,
        "Привет, как дела? Это заметка о бюджете. " * 20,
        "🙂👍🏽🎉 well done " * 30,
        "qzxvkj wqpzx jjqkxz " * 30,
    ):
        assert estimate_tokens(text) >= len(tokenizer.encode(text, add_special_tokens=False).ids)


@pytest.mark.parametrize(("size", "overlap"), [(0, 0), (10, 10), (10, -1)])
def test_an_overlap_that_does_not_fit_is_refused(size: int, overlap: int) -> None:
    with pytest.raises(ValueError, match="does not fit"):
        token_windows(5, size, overlap)
