"""all-MiniLM-L6-v2 with int8 weights on onnxruntime: 384 dimensions, 256 tokens, no network.

Pooling follows the model card (https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2): the mean of
the last hidden state over the attention mask, then L2 normalisation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import TYPE_CHECKING, Any

from pgcortex._errors import DependencyMissing
from pgcortex.embedding._artifacts import model_path, tokenizer_path
from pgcortex.embedding._chunking import token_windows
from pgcortex.embedding._protocol import require_text
from pgcortex.embedding._thresholds import match_threshold_for

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_MODEL = "all-MiniLM-L6-v2-int8"
_DIMENSIONS = 384
_MAX_TOKENS = 256
_OVERLAP = 32
_TOKENS_PER_BATCH = 512
_TEXTS_PER_SLICE = 1024
_WORKERS = 2

# WordPiece turns a word of over 100 characters into one unknown token, whatever it says. A break inside
# such a word (a blob, or a script that writes no spaces) keeps its pieces.
_LONG_WORD = re.compile(r"\w{90}(?=\w)")

# One window: the text's position and its token ids without the special ones.
_Window = tuple[int, list[int]]


class LocalEmbedder:
    """The local model. Loading it takes under a second; a call is safe from any thread."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._loaded: tuple[Any, Any, int, int] | None = None

    model = _MODEL
    dimensions = _DIMENSIONS
    match_threshold = match_threshold_for(_MODEL)

    def __repr__(self) -> str:
        return f"LocalEmbedder(model={self.model!r}, dimensions={self.dimensions})"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Return one unit vector of 384 floats per text, in order.

        A text of over 254 tokens is embedded in overlapping windows whose vectors are averaged, so memory
        stays bounded and its end counts as much as its beginning. Raises `InvalidInput` for a blank text
        and `DependencyMissing` without the `local` extra.
        """
        clean = [_LONG_WORD.sub(r"\g<0> ", text) for text in require_text(texts)]
        vectors: list[list[float]] = []
        for start in range(0, len(clean), _TEXTS_PER_SLICE):
            vectors.extend(self._embed_slice(clean[start : start + _TEXTS_PER_SLICE]).tolist())
        return vectors

    def _embed_slice(self, texts: list[str]) -> Floats:
        import numpy as np

        session, tokenizer, cls, sep = self._load()
        encoded = tokenizer.encode_batch(texts, add_special_tokens=False)
        windows = [
            (position, ids[start:stop])
            for position, ids in enumerate(encoding.ids for encoding in encoded)
            for start, stop in token_windows(len(ids), _MAX_TOKENS - 2, _OVERLAP) or [(0, 0)]
        ]
        # Texts of like length share a batch, so that little of it is padding.
        windows.sort(key=lambda window: len(window[1]))
        sums = np.zeros((len(texts), _DIMENSIONS), dtype=np.float32)

        def run(batch: list[_Window]) -> tuple[list[int], Floats]:
            return [position for position, _ in batch], _forward(session, batch, cls, sep)

        batches = list(_batches(windows))
        if len(batches) == 1:
            results = [run(batches[0])]
        else:
            with ThreadPoolExecutor(_WORKERS) as pool:
                results = list(pool.map(run, batches))
        for positions, vectors in results:
            np.add.at(sums, positions, vectors)
        return _unit(sums)

    def _load(self) -> tuple[Any, Any, int, int]:
        """Return the session, the tokenizer and the ids of `[CLS]` and `[SEP]`."""
        with self._lock:
            if self._loaded is None:
                self._loaded = _load_model()
            return self._loaded


def _load_model() -> tuple[Any, Any, int, int]:
    try:
        import numpy  # noqa: F401
        import onnxruntime
        from tokenizers import Tokenizer
    except ImportError as error:
        raise DependencyMissing(
            f"the local embedding model needs the package {error.name}", hint='pip install "pgcortex[local]"'
        ) from error
    tokenizer = Tokenizer.from_file(str(tokenizer_path()))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    options = onnxruntime.SessionOptions()
    # Whole batches run side by side on threads of ours: cheaper than splitting every matrix product.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])
    vocabulary = tokenizer.get_vocab()
    return session, tokenizer, vocabulary["[CLS]"], vocabulary["[SEP]"]


def _batches(windows: list[_Window]) -> Iterator[list[_Window]]:
    """Yield runs of windows whose padded size stays within the token budget."""
    batch: list[_Window] = []
    for window in windows:
        # Sorted by length, so the newest window is the longest.
        if batch and (len(batch) + 1) * (len(window[1]) + 2) > _TOKENS_PER_BATCH:
            yield batch
            batch = []
        batch.append(window)
    if batch:
        yield batch


def _forward(session: Any, batch: list[_Window], cls: int, sep: int) -> Floats:
    """Return the unit vectors of one batch, shape (windows, 384)."""
    import numpy as np

    width = max(len(ids) for _, ids in batch) + 2
    tokens = np.zeros((len(batch), width), dtype=np.int64)
    mask = np.zeros((len(batch), width), dtype=np.int64)
    for row, (_, ids) in enumerate(batch):
        tokens[row, : len(ids) + 2] = [cls, *ids, sep]
        mask[row, : len(ids) + 2] = 1
    inputs = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
    hidden: Floats = session.run(None, inputs)[0]
    weights = mask.astype(np.float32)
    # The L2 norm takes out the count that would make this sum a mean.
    return _unit(np.einsum("bsd,bs->bd", hidden, weights))


def _unit(vectors: Floats) -> Floats:
    """Return the rows at length 1."""
    import numpy as np

    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit: Floats = (vectors / np.maximum(norms, 1e-12)).astype(np.float32, copy=False)
    return unit
