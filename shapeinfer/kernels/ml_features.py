"""ai.onnx.ml: features. Selecting, thresholding, scaling, filling in, and laying side by side."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, is_integer
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ml_arguments import ML, rows, stated
from shapeinfer.kernels.registry import kernel


@kernel("ArrayFeatureExtractor", since=(1,), domain=ML)
def array_feature_extractor(x: Array, y: Array) -> Array:
    """The entries of the last axis at the indices; an input of rank 1 is a single row."""
    if not x.ndim:
        raise KernelError("the input is a scalar")
    indices = y.reshape(-1)
    size = x.shape[-1]
    if not indices.size:
        raise KernelError("there are no indices")
    outside = indices[(indices < 0) | (indices >= size)]
    if outside.size:
        raise KernelError(f"the index {outside[0]} is out of range for {size} features")
    return (x[None] if x.ndim == 1 else x)[..., indices]


@kernel("Binarizer", since=(1,), domain=ML)
def binarizer(x: Array, *, threshold: float) -> Array:
    """1 above the threshold, else 0."""
    return (x > threshold).astype(x.dtype)


@kernel("Scaler", since=(1,), domain=ML)
def scaler(x: Array, *, offset: Sequence[float] | None = None, scale: Sequence[float] | None = None) -> Array:
    """``(X - offset) * scale``, with one number for all features or one for each."""
    result = x if x.dtype == np.float64 else x.astype(np.float32)
    if offset is not None:
        result = result - _by_feature(offset, x, "offset").astype(result.dtype)
    if scale is not None:
        result = result * _by_feature(scale, x, "scale").astype(result.dtype)
    return np.asarray(result, dtype=np.float32)


def _by_feature(values: Sequence[float], x: Array, what: str) -> Array:
    features = x.shape[-1] if x.ndim else 1
    if len(values) not in (1, features):
        raise KernelError(f"{what} has {len(values)} entries for {features} features of {shape_text(x.shape)}")
    return np.array(values)


@kernel("Imputer", since=(1,), domain=ML)
def imputer(
    x: Array,
    *,
    imputed_value_floats: Sequence[float] | None = None,
    imputed_value_int64s: Sequence[int] | None = None,
    replaced_value_float: float,
    replaced_value_int64: int,
) -> Array:
    """The input with another value where it is the one to replace, which may be NaN."""
    name, values = stated(imputed_value_floats=imputed_value_floats, imputed_value_int64s=imputed_value_int64s)
    whole = is_integer(x.dtype)
    if whole != (name == "imputed_value_int64s"):
        raise KernelError(f"{name} is stated for an input of {x.dtype}")
    replaced = replaced_value_int64 if whole else replaced_value_float
    missing = np.isnan(x) if replaced != replaced else x == replaced
    return np.where(missing, _by_feature(values, x, name).astype(x.dtype), x)


@kernel("Normalizer", since=(1,), domain=ML)
def normalizer(x: Array, *, norm: str) -> Array:
    """Each row divided by its largest entry, its sum of absolute values or its Euclidean length; rows of 0 stay."""
    wide = x if x.dtype == np.float64 else x.astype(np.float32)
    by_row = rows(wide)
    if norm == "MAX":
        size = by_row.max(axis=1, keepdims=True, initial=-np.inf)
    elif norm == "L1":
        size = np.abs(by_row).sum(axis=1, keepdims=True)
    elif norm == "L2":
        size = np.sqrt((by_row * by_row).sum(axis=1, keepdims=True))
    else:
        raise KernelError(f"there is no norm {norm!r}")
    result = by_row / np.where(size == 0, 1, size)
    return np.asarray(result, dtype=np.float32).reshape(x.shape)


@kernel("FeatureVectorizer", since=(1,), domain=ML)
def feature_vectorizer(*x: Array, inputdimensions: Sequence[int] | None = None) -> Array:
    """The inputs side by side as floats, each cut or filled with 0 to the width that is stated."""
    blocks = [rows(each).astype(np.float32) for each in x]
    if inputdimensions is None:
        widths: Sequence[int] = [block.shape[1] for block in blocks]
    else:
        widths = inputdimensions
    if len(widths) != len(blocks):
        raise KernelError(f"inputdimensions has {len(widths)} entries for {len(blocks)} inputs")
    if len({block.shape[0] for block in blocks}) > 1:
        raise KernelError(f"the inputs differ in rows: {', '.join(shape_text(block.shape) for block in blocks)}")
    result = np.zeros((blocks[0].shape[0], sum(widths)), dtype=np.float32)
    begin = 0
    for block, width in zip(blocks, widths, strict=True):
        used = min(width, block.shape[1])
        result[:, begin : begin + used] = block[:, :used]
        begin += width
    return result
