"""Experiments of the first operator sets of ONNX that ONNX Runtime goes on running."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.elementwise import softplus
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Affine", since=(1,))
def affine(x: Array, *, alpha: float = 1.0, beta: float = 0.0) -> Array:
    """``alpha * x + beta``."""
    return narrow(widen(x) * alpha + beta, x.dtype)


@kernel("Scale", since=(1,))
def scale_by(x: Array, *, scale: float = 1.0) -> Array:
    """``scale * x``."""
    return narrow(widen(x) * scale, x.dtype)


@kernel("ScaledTanh", since=(1,))
def scaled_tanh(x: Array, *, alpha: float = 1.0, beta: float = 1.0) -> Array:
    """``alpha * tanh(beta * x)``."""
    return narrow(np.tanh(widen(x) * beta) * alpha, x.dtype)


@kernel("ParametricSoftplus", since=(1,))
def parametric_softplus(x: Array, *, alpha: float = 1.0, beta: float = 1.0) -> Array:
    """``alpha * log(1 + exp(beta * x))``."""
    return narrow(softplus(widen(x) * np.asarray(beta, dtype=widen(x).dtype)) * alpha, x.dtype)


@kernel("ImageScaler", since=(1,))
def image_scaler(x: Array, *, bias: Sequence[float] = (), scale: float = 1.0) -> Array:
    """``scale * x`` and a bias for each channel of ``[N, C, H, W]``."""
    if x.ndim != 4 or (bias and len(bias) != x.shape[1]):
        raise KernelError(f"{len(bias)} biases for {shape_text(x.shape)}")
    scaled = widen(x) * scale
    return narrow(scaled + np.array(bias, dtype=scaled.dtype)[:, None, None] if bias else scaled, x.dtype)


@kernel("Crop", since=(1,))
def crop(x: Array, *, border: Sequence[int] = (0, 0, 0, 0), scale: Sequence[int] = ()) -> Array:
    """The image ``[N, C, H, W]`` without its borders (left, top, right, bottom), or of a size (height, width)."""
    if x.ndim != 4 or len(border) != 4:
        raise KernelError(f"a border of {len(border)} sizes for {shape_text(x.shape)}")
    left, top, right, bottom = border
    low, end = (top + scale[0], left + scale[1]) if scale else (x.shape[2] - bottom, x.shape[3] - right)
    if not (0 <= top <= low <= x.shape[2] and 0 <= left <= end <= x.shape[3]):
        raise KernelError(f"the border {shape_text(border)} does not fit into {shape_text(x.shape)}")
    return x[:, :, top:low, left:end]
