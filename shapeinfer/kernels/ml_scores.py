"""ai.onnx.ml: from the scores of a model to its labels and to what it gives out as scores.

The specification leaves open what a classifier of two classes gives whose weights make a single score ``s``; here, as
in the common runtimes, they are ``[1 - s, s]`` or ``[-s, s]``.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.ml_arguments import logistic, probit


def two_scores(scores: Array, transform: str, *, complement: bool) -> Array:
    """The scores of both classes from that of the second, ``[N, 1]``.

    Args:
        complement: whether the first is ``1 - s``; else it is ``-s``.
    """
    if transform == "PROBIT":
        upper = probit(scores)
        return np.concatenate([-upper, upper], axis=1)
    if complement and transform == "LOGISTIC":
        scores = logistic(scores)
    if complement:
        return np.concatenate([1 - scores, scores], axis=1)
    both = np.concatenate([-scores, scores], axis=1)
    return logistic(both) if transform == "LOGISTIC" else both


def best(scores: Array) -> Array:
    """The position of the highest score of each row, the first of equal ones."""
    return scores.argmax(axis=1) if scores.shape[1] else np.zeros(scores.shape[0], dtype=np.intp)
