"""ai.onnx.ml: support vector machines. Attributes as libsvm has them, whose decision functions these are."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ml_arguments import ML, labels, rows, transformed
from shapeinfer.kernels.ml_scores import best, two_scores
from shapeinfer.kernels.registry import kernel


def _similarity(x: Array, vectors: Array, kind: str, parameters: Sequence[float]) -> Array:
    """The kernel function of each row of ``x`` and each vector, ``[N, vectors]``."""
    gamma, offset, degree = parameters if parameters else (0.0, 0.0, 0.0)
    if kind == "RBF":
        lengths = (x * x).sum(axis=1)[:, None] + (vectors * vectors).sum(axis=1)
        return np.asarray(np.exp(-gamma * np.maximum(lengths - 2 * (x @ vectors.T), 0)))
    product = x @ vectors.T
    if kind == "LINEAR":
        return np.asarray(product)
    if kind == "POLY":
        return np.asarray((gamma * product + offset) ** degree)
    if kind == "SIGMOID":
        return np.asarray(np.tanh(gamma * product + offset))
    raise KernelError(f"there is no kernel function {kind!r}")


def _vectors(values: Sequence[float], count: int, features: int) -> Array:
    if len(values) != count * features:
        raise KernelError(f"{len(values)} numbers for {count} support vectors of {features} features")
    return np.array(values, dtype=np.float64).reshape(count, features)


@kernel("SVMRegressor", since=(1,), domain=ML)
def svm_regressor(
    x: Array,
    *,
    coefficients: Sequence[float] = (),
    kernel_params: Sequence[float] = (),
    kernel_type: str,
    n_supports: int,
    one_class: int,
    post_transform: str,
    rho: Sequence[float] = (),
    support_vectors: Sequence[float] = (),
) -> Array:
    """``K(X, vectors) @ coefficients + rho``, ``[N, 1]``; its sign, 1 or -1, for a single class.

    Without support vectors the coefficients are those of the features.
    """
    data = rows(x).astype(np.float64)
    vectors = _vectors(support_vectors, n_supports, data.shape[1]) if n_supports else None
    similar = data if vectors is None else _similarity(data, vectors, kernel_type, kernel_params)
    if len(coefficients) != similar.shape[1]:
        raise KernelError(f"{len(coefficients)} coefficients, not {similar.shape[1]}")
    scores = (similar @ np.array(coefficients) + (rho[0] if rho else 0))[:, None]
    if one_class:
        scores = np.where(scores > 0, 1, -1)
    return np.asarray(scores, dtype=np.float32)


@kernel("SVMClassifier", since=(1,), domain=ML)
def svm_classifier(
    x: Array,
    *,
    classlabels_ints: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
    coefficients: Sequence[float] = (),
    kernel_params: Sequence[float] = (),
    kernel_type: str,
    post_transform: str,
    prob_a: Sequence[float] = (),
    prob_b: Sequence[float] = (),
    rho: Sequence[float] = (),
    support_vectors: Sequence[float] = (),
    vectors_per_class: Sequence[int] = (),
) -> tuple[Array, Array]:
    """The labels, and the scores of each pair of classes or, with ``prob_a``, the probability of each class."""
    names = labels(classlabels_ints, classlabels_strings)
    data = rows(x).astype(np.float64)
    count = names.size
    if len(prob_a) != len(prob_b):
        raise KernelError(f"prob_a has {len(prob_a)} entries, prob_b {len(prob_b)}")
    if not vectors_per_class:
        return _without_vectors(data, names, coefficients, rho, post_transform)
    total = sum(vectors_per_class)
    similar = _similarity(data, _vectors(support_vectors, total, data.shape[1]), kernel_type, kernel_params)
    if len(coefficients) != (count - 1) * total:
        raise KernelError(f"{len(coefficients)} coefficients for {count} classes and {total} support vectors")
    pairs = _pairs(similar, np.array(coefficients).reshape(count - 1, total), vectors_per_class, rho)
    single = pairs.astype(np.float32)
    winner = best(_votes(single, count))
    if prob_a:
        result = _coupled(_pair_probabilities(pairs, prob_a, prob_b, count)).astype(np.float32)
        return names[winner], transformed(result, post_transform)
    if count == 2 and single.shape[1] == 1:
        return names[winner], two_scores(single, post_transform, complement="SOFTMAX" in post_transform)
    return names[winner], transformed(single, post_transform)


def _without_vectors(
    data: Array, names: Array, coefficients: Sequence[float], rho: Sequence[float], transform: str
) -> tuple[Array, Array]:
    """A linear model with one row of coefficients for each class."""
    if len(coefficients) != names.size * data.shape[1]:
        raise KernelError(f"{len(coefficients)} coefficients for {names.size} classes")
    weights = np.array(coefficients).reshape(names.size, data.shape[1])
    scores = (data @ weights.T + (rho[0] if rho else 0)).astype(np.float32)
    return names[best(scores)], transformed(scores, transform)


def _pairs(similar: Array, weights: Array, counts: Sequence[int], rho: Sequence[float]) -> Array:
    """The decision function of each pair of classes, ``[N, pairs]``."""
    bounds = np.concatenate([[0], np.cumsum(counts)]).tolist()
    columns = []
    for number, (i, j) in enumerate(combinations(range(len(counts)), 2)):
        first, second = slice(bounds[i], bounds[i + 1]), slice(bounds[j], bounds[j + 1])
        part = similar[:, first] @ weights[j - 1, first] + similar[:, second] @ weights[i, second]
        columns.append(part + (rho[number] if rho else 0))
    return np.stack(columns, axis=1) if columns else np.zeros((similar.shape[0], 0))


def _votes(pairs: Array, count: int) -> Array:
    """How many of the other classes each class beats."""
    votes = np.zeros((pairs.shape[0], count), dtype=np.int64)
    for number, (i, j) in enumerate(combinations(range(count), 2)):
        first = pairs[:, number] > 0
        votes[:, i] += first
        votes[:, j] += ~first
    return votes


def _pair_probabilities(pairs: Array, a: Sequence[float], b: Sequence[float], count: int) -> Array:
    """The probability of each class against each other one, ``[N, classes, classes]``."""
    if len(a) != pairs.shape[1]:
        raise KernelError(f"prob_a has {len(a)} entries for {pairs.shape[1]} pairs of classes")
    wins = np.clip(1 / (1 + np.exp(pairs * np.array(a) + np.array(b))), 1e-7, 1 - 1e-7)
    result = np.zeros((pairs.shape[0], count, count))
    for number, (i, j) in enumerate(combinations(range(count), 2)):
        result[:, i, j] = wins[:, number]
        result[:, j, i] = 1 - wins[:, number]
    return result


def _coupled(wins: Array) -> Array:
    """Probabilities of the classes from those of the pairs: the second method of Wu, Lin and Weng (2004).

    They minimise ``p.T @ Q @ p``, by passes over the classes until no gradient is off by more than 0.005 / classes.
    """
    count = wins.shape[1]
    q = -wins.transpose(0, 2, 1) * wins
    diagonal = (wins.transpose(0, 2, 1) ** 2).sum(axis=2)
    q[:, range(count), range(count)] = diagonal
    p = np.full(wins.shape[:2], 1 / count)
    active = np.arange(wins.shape[0])
    for _ in range(max(100, count)):
        part, guess = q[active], p[active]
        product = (part @ guess[..., None])[..., 0]
        value = (guess * product).sum(axis=1)
        wrong = np.abs(product - value[:, None]).max(axis=1, initial=0) >= 0.005 / count
        active, part, guess, product, value = active[wrong], part[wrong], guess[wrong], product[wrong], value[wrong]
        if not active.size:
            break
        for t in range(count):
            step = (value - product[:, t]) / part[:, t, t]
            guess[:, t] += step
            value = (value + step * (step * part[:, t, t] + 2 * product[:, t])) / (1 + step) ** 2
            product = (product + step[:, None] * part[:, t]) / (1 + step)[:, None]
            guess /= (1 + step)[:, None]
        p[active] = guess
    return p
