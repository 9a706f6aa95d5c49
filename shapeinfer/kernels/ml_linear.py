"""ai.onnx.ml: linear models."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ml_arguments import ML, labels, rows, transformed
from shapeinfer.kernels.ml_scores import best, two_scores
from shapeinfer.kernels.registry import kernel


def _product(x: Array, coefficients: Sequence[float], intercepts: Sequence[float] | None, count: int) -> Array:
    """``X @ W.T + b`` in float32 for ``count`` rows of coefficients."""
    data = rows(x).astype(np.float32)
    if len(coefficients) != count * data.shape[1]:
        raise KernelError(f"{len(coefficients)} coefficients for {count} times {data.shape[1]} features")
    scores = data @ np.array(coefficients, dtype=np.float32).reshape(count, data.shape[1]).T
    if intercepts:
        if len(intercepts) != count:
            raise KernelError(f"{len(intercepts)} intercepts, not {count}")
        scores = scores + np.array(intercepts, dtype=np.float32)
    return np.asarray(scores)


@kernel("LinearRegressor", since=(1,), domain=ML)
def linear_regressor(
    x: Array,
    *,
    coefficients: Sequence[float] = (),
    intercepts: Sequence[float] | None = None,
    targets: int,
    post_transform: str,
) -> Array:
    """``X @ W.T + b``, ``[N, targets]``."""
    return transformed(_product(x, coefficients, intercepts, targets), post_transform)


@kernel("LinearClassifier", since=(1,), domain=ML)
def linear_classifier(
    x: Array,
    *,
    coefficients: Sequence[float],
    intercepts: Sequence[float] | None = None,
    classlabels_ints: Sequence[int] | None = None,
    classlabels_strings: Sequence[str] | None = None,
    multi_class: int,
    post_transform: str,
) -> tuple[Array, Array]:
    """The label with the highest score, ``[N]``, and the scores ``[N, classes]``; ``multi_class`` changes nothing."""
    names = labels(classlabels_ints, classlabels_strings)
    features = rows(x).shape[1]
    count = len(intercepts) if intercepts else len(coefficients) // max(features, 1)
    scores = _product(x, coefficients, intercepts, count)
    if count == 1 and names.size == 2:
        chosen = (scores[:, 0] > 0).astype(np.intp)
        return names[chosen], two_scores(scores, post_transform, complement=True)
    if count != names.size:
        raise KernelError(f"{count} scores for {names.size} labels")
    return names[best(scores)], transformed(scores, post_transform)
