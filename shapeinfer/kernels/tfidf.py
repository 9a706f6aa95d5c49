"""TfIdfVectorizer: how often each n-gram of a pool occurs in a sequence of tokens."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import STRING, Array
from shapeinfer.kernels.errors import ATTRIBUTES, KernelError
from shapeinfer.kernels.registry import kernel


@kernel("TfIdfVectorizer", since=(9,))
def tf_idf_vectorizer(
    x: Array,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] | None = None,
    pool_strings: Sequence[str] | None = None,
    weights: Sequence[float] | None = None,
) -> Array:
    """Counts, or weights of what occurs (``IDF``), or counts times weights (``TFIDF``), each at its n-gram's index.

    The tokens of an n-gram lie up to ``max_skip_count`` others apart, always equally many.
    """
    pool: Sequence[int] | Sequence[str] | None = pool_int64s if pool_strings is None else pool_strings
    if pool is None or (pool_int64s is not None and pool_strings is not None):
        raise KernelError("one of pool_int64s and pool_strings must be given", code=ATTRIBUTES)
    if (x.dtype == STRING) != (pool_strings is not None):
        raise KernelError("strings are counted by pool_strings, integers by pool_int64s", code=ATTRIBUTES)
    if mode not in ("TF", "IDF", "TFIDF"):
        raise KernelError(f"there is no mode {mode!r}", code=ATTRIBUTES)
    if x.ndim not in (1, 2):
        raise KernelError(f"the input must be of rank 1 or 2, not of shape {shape_text(x.shape)}")
    rows = x.reshape(-1, x.shape[-1])
    counts = np.zeros((rows.shape[0], len(ngram_indexes)), np.float32)
    known = {token: number for number, token in enumerate(dict.fromkeys(pool))}
    tokens = np.array([known.get(each, -1) for each in rows.reshape(-1).tolist()], dtype=np.int64).reshape(rows.shape)
    numbers = np.array([known[each] for each in pool], dtype=np.int64)
    begin = 0
    for n, grams in enumerate(_by_length(numbers, ngram_counts), start=1):
        if begin + len(grams) > len(ngram_indexes):
            raise KernelError(f"{len(ngram_indexes)} ngram_indexes are too few", code=ATTRIBUTES)
        if min_gram_length <= n <= max_gram_length and len(grams):
            for skips in range(1 if n == 1 else max_skip_count + 1):
                _count(counts[:, begin : begin + len(grams)], tokens, grams, skips + 1)
        begin += len(grams)
    if mode == "IDF":
        counts = np.minimum(counts, 1)
    if mode != "TF" and weights is not None:
        if len(weights) != len(ngram_indexes):
            raise KernelError(f"{len(weights)} weights for {len(ngram_indexes)} n-grams", code=ATTRIBUTES)
        counts = counts * np.asarray(weights, np.float32)
    places = np.asarray(ngram_indexes, np.int64)
    result = np.zeros((rows.shape[0], max(ngram_indexes, default=-1) + 1), np.float32)
    np.add.at(result.T, places, counts.T)
    return result.reshape(*x.shape[:-1], -1) if result.shape[1] else result.reshape(*x.shape[:-1], 0)


def _by_length(pool: Array, starts: Sequence[int]) -> list[Array]:
    """The n-grams of each length, ``[n-grams, length]``."""
    found = []
    for n, (low, high) in enumerate(zip(starts, (*starts[1:], len(pool)), strict=True), start=1):
        if not 0 <= low <= high <= len(pool) or (high - low) % n:
            raise KernelError(f"ngram_counts {shape_text(starts)} for a pool of {len(pool)}", code=ATTRIBUTES)
        found.append(pool[low:high].reshape(-1, n))
    return found


def _count(counts: Array, tokens: Array, grams: Array, step: int) -> None:
    """Adds how often each n-gram occurs in each row, its tokens ``step`` apart."""
    n = grams.shape[1]
    places = tokens.shape[1] - (n - 1) * step
    if places <= 0:
        return
    at = np.arange(places)[:, None] + np.arange(n) * step
    found = tokens[:, at].reshape(-1, n)
    _, which = np.unique(np.concatenate((grams, found)), axis=0, return_inverse=True)
    which = which.reshape(-1)
    gram = np.full(which.max() + 1, -1)
    gram[which[: len(grams)]] = np.arange(len(grams))
    hit = gram[which[len(grams) :]]
    row = np.repeat(np.arange(tokens.shape[0]), places)
    np.add.at(counts, (row[hit >= 0], hit[hit >= 0]), 1)
