"""Seeded, clustered memories, loaded by COPY past triggers, so that a million rows take a minute.

Vectors of real text lie in clusters of low intrinsic dimension, uniform noise does not: here a memory is the
centre of one of a few hundred clusters (of unequal size), plus variation within a 24-dimensional subspace of
that cluster, plus isotropic noise. Words follow Zipf's law, half of them the cluster's own.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from bench._brain import Connection
from bench._report import note, track
from bench._words import Vocabulary, make_vocabulary, zipf

Floats = NDArray[np.float32]

MODEL = "bench"
_CHUNK = 10_000
_VOCABULARY = 8_000
_WORDS_PER_MEMORY = 12
_OWN_WORDS = 40
_INTRINSIC = 24
_SPREAD, _NOISE, _QUERY_NOISE = 0.6, 0.25, 0.25
_DAY_US = 86_400_000_000
# 2026-01-01 in Postgres' microseconds since 2000-01-01; memories lie in the year before it.
_NEWEST_US = 9497 * _DAY_US
_COLUMNS = (
    "owner_id, id, content, content_hash, fts, topics, occurred_at, created_at, updated_at,"
    " embedding, embedding_model, enrichment_status"
)
_HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)
_TRAILER = struct.pack(">h", -1)


@dataclass(frozen=True)
class Query:
    """A question near one stored memory: its vector, and a few of its words."""

    owner: UUID
    vector: Floats
    text: str

    @property
    def literal(self) -> str:
        """The vector as pgvector reads it."""
        return vector_literal(self.vector)


@dataclass
class Corpus:
    """`rows` memories of the given owners; shares are each owner's part and add up to 1."""

    rows: int
    dimensions: int
    owners: Sequence[UUID]
    shares: Sequence[float]
    seed: int = 7
    clusters: int = 256
    _rng: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._rng = np.random.default_rng(self.seed)
        shape = (self.clusters, self.dimensions)
        self._centres = _unit(self._rng.standard_normal(shape, dtype=np.float32))
        directions = self._rng.standard_normal((*shape, min(_INTRINSIC, self.dimensions)), dtype=np.float32)
        self._subspaces = directions / np.linalg.norm(directions, axis=1, keepdims=True)
        self._sizes = 1 / np.arange(4, self.clusters + 4)
        self._sizes /= self._sizes.sum()
        self._own_words = self._rng.integers(100, _VOCABULARY, (self.clusters, _OWN_WORDS))

    def vectors(self, clusters: NDArray[np.int64]) -> Floats:
        """Return one new unit vector of each given cluster, shape (len(clusters), dimensions)."""
        out = np.empty((len(clusters), self.dimensions), dtype=np.float32)
        inner = self._rng.standard_normal((len(clusters), self._subspaces.shape[2]), dtype=np.float32)
        inner *= _SPREAD / np.sqrt(inner.shape[1])
        for cluster in np.unique(clusters):
            rows = clusters == cluster
            out[rows] = self._centres[cluster] + inner[rows] @ self._subspaces[cluster].T
        noise = self._rng.standard_normal(out.shape, dtype=np.float32)
        return _unit(out + noise * np.float32(_NOISE / np.sqrt(self.dimensions)))

    def load(self, conn: Connection, queries_per_owner: Sequence[int]) -> list[Query]:
        """Fill the brain and index it; return that many questions for each owner, shuffled.

        Indexes on vectors and words are built after the load, as for a restore; statistics are up to date.
        """
        vocabulary = make_vocabulary(conn, _VOCABULARY)
        indexes = _drop_indexes(conn)
        queries: list[Query] = []
        left = list(queries_per_owner)
        chunks = [min(_CHUNK, self.rows - start) for start in range(0, self.rows, _CHUNK)]
        conn.execute("set session_replication_role = replica")
        with conn.cursor().copy(f"copy public.memories ({_COLUMNS}) from stdin (format binary)") as copy:
            copy.write(_HEADER)
            for size in track(chunks, f"loading {self.rows:,} × {self.dimensions}"):
                owners = self._rng.choice(len(self.owners), size, p=np.asarray(self.shares))
                clusters = self._rng.choice(self.clusters, size, p=self._sizes)
                vectors = self.vectors(clusters)
                words = self._words(clusters)
                copy.write(b"".join(self._rows(vocabulary, owners, clusters, vectors, words)))
                share = [int(np.ceil(n * size / self.rows)) for n in queries_per_owner]
                queries += self._questions(vocabulary, owners, vectors, words, left, share)
            copy.write(_TRAILER)
        conn.execute("set session_replication_role = origin")
        _activate(conn)
        for name, definition in indexes:
            note(f"building {name}")
            conn.execute(definition)
        conn.execute("vacuum (analyze) public.memories")
        conn.execute("vacuum (analyze) public.memory_activation")
        self._rng.shuffle(queries)
        return queries

    def _words(self, clusters: NDArray[np.int64]) -> NDArray[np.int64]:
        half = _WORDS_PER_MEMORY // 2
        common = zipf(self._rng, _VOCABULARY, (len(clusters), half))
        picks = zipf(self._rng, _OWN_WORDS, (len(clusters), _WORDS_PER_MEMORY - half))
        return np.hstack([self._own_words[clusters[:, None], picks], common])

    def _rows(
        self,
        vocabulary: Vocabulary,
        owners: NDArray[np.int64],
        clusters: NDArray[np.int64],
        vectors: Floats,
        words: NDArray[np.int64],
    ) -> Iterator[bytes]:
        ids = self._rng.bytes(16 * len(owners))
        times = _NEWEST_US - (self._rng.random(len(owners)) * 365 * _DAY_US).astype(np.int64)
        halves = vectors.astype(">f2").tobytes()
        width = 2 * self.dimensions
        head = struct.pack(">HH", self.dimensions, 0)
        model, status = _field(MODEL.encode()), _field(b"done")
        for n, word_ids in enumerate(words.tolist()):
            content = vocabulary.text(word_ids).encode()
            time = _field(struct.pack(">q", times[n]))
            yield b"".join(
                (
                    struct.pack(">h", 12),
                    _field(self.owners[owners[n]].bytes),
                    _field(ids[16 * n : 16 * n + 16]),
                    _field(content),
                    _field(hashlib.sha256(content).digest()),
                    _field(vocabulary.tsvector(word_ids)),
                    _field(_text_array(f"topic-{clusters[n]}".encode())),
                    time,
                    time,
                    time,
                    _field(head + halves[n * width : (n + 1) * width]),
                    model,
                    status,
                )
            )

    def _questions(
        self,
        vocabulary: Vocabulary,
        owners: NDArray[np.int64],
        vectors: Floats,
        words: NDArray[np.int64],
        left: list[int],
        share: Sequence[int],
    ) -> Iterator[Query]:
        """Take each owner's questions from all chunks alike, as far as the owner has rows here."""
        for owner in range(len(left)):
            rows = np.flatnonzero(owners == owner)[: min(left[owner], share[owner])]
            left[owner] -= len(rows)
            for row in rows:
                noise = self._rng.standard_normal(self.dimensions, dtype=np.float32)
                vector = _unit(vectors[row : row + 1] + noise * _QUERY_NOISE / np.sqrt(self.dimensions))[0]
                # Three words of its subject and a common one.
                yield Query(self.owners[owner], vector, vocabulary.text([*words[row, :3], words[row, -1]]))


def vector_literal(vector: Floats) -> str:
    """Return a vector as pgvector reads it."""
    return "[" + ",".join(f"{x:.6g}" for x in vector.tolist()) + "]"


def exact_ids(conn: Connection, query: Query, k: int) -> set[UUID]:
    """Return the owner's true k nearest memories, by comparing every one of them."""
    rows = conn.execute(
        "select id from public.memories where owner_id = %s"
        " order by (embedding <=> %s::halfvec) + 0, id limit %s",
        [query.owner, query.literal, k],
    ).fetchall()
    return {row[0] for row in rows if isinstance(row[0], UUID)}


def _unit(vectors: Floats) -> Floats:
    unit: Floats = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def _field(value: bytes) -> bytes:
    return struct.pack(">i", len(value)) + value


def _text_array(entry: bytes) -> bytes:
    """Return a one-element text[] in Postgres' binary format (25 is the type text)."""
    return struct.pack(">iiIii", 1, 0, 25, 1, 1) + _field(entry)


def _drop_indexes(conn: Connection) -> list[tuple[str, str]]:
    """Drop the secondary indexes of memories; return their names and definitions."""
    rows = conn.execute(
        "select i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) from pg_index i"
        " where i.indrelid = 'public.memories'::regclass and not i.indisunique"
    ).fetchall()
    for name, _ in rows:
        conn.execute(f"drop index {name}")
    return [(str(name), str(definition)) for name, definition in rows]


def _activate(conn: Connection) -> None:
    """Give every memory a strength, a last access and a number of accesses, spread as use spreads them."""
    conn.execute("select setseed(0.7)")
    conn.execute(
        "insert into public.memory_activation (owner_id, memory_id, strength, access_count, last_accessed_at)"
        " select owner_id, id, 0.3 + 0.7 * random(), floor(-2 * ln(1 - random())),"
        " occurred_at + random() * (timestamptz '2026-01-01' - occurred_at) from public.memories"
    )
