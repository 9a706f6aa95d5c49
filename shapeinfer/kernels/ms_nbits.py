"""com.microsoft: weights packed into few bits."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array, is_integer, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS, check_vector
from shapeinfer.kernels.registry import kernel

# ruff: noqa: N803  (attributes have the names of the specification)

_FP4 = (0.0, 1 / 192, 2 / 3, 1.0, 1 / 3, 1 / 2, 1 / 6, 1 / 4)  # of the library bitsandbytes; 8 to 15 are negative
_NF4 = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
    -0.09105003625154495, 0.0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
)  # fmt: skip


def unpacked(data: Array, bits: int, count: int) -> Array:
    """Unsigned integers of few bits that lie along the last axis, the lowest bits first; the first ``count`` of them.

    Raises:
        KernelError: when the bytes hold fewer.
    """
    if data.shape[-1] * 8 < count * bits:
        raise KernelError(f"{data.shape[-1]} bytes hold no {count} entries of {bits} bits")
    if bits == 8:
        return data[..., :count]
    if bits in (2, 4):
        parts = (data[..., None] >> np.arange(0, 8, bits, dtype=np.uint8)) & np.uint8((1 << bits) - 1)
        return parts.reshape(*data.shape[:-1], -1)[..., :count]
    single = np.unpackbits(data, axis=-1, bitorder="little")[..., : count * bits]
    single = single.reshape(*data.shape[:-1], count, bits)
    return np.asarray((single << np.arange(bits, dtype=np.uint8)).sum(axis=-1, dtype=np.uint8))


@kernel("MatMulNBits", since=(1,), domain=MS)
def matmul_nbits(
    a: Array,
    b: Array,
    scales: Array,
    zero_points: Array | None = None,
    g_idx: Array | None = None,
    bias: Array | None = None,
    *,
    K: int,
    N: int,
    accuracy_level: int = 0,
    bits: int = 4,
    block_size: int,
    weight_prepacked: int = 0,
) -> Array:
    """``A`` times the transpose of the packed matrix ``[N, K]``, whose blocks have a scale and a zero point."""
    if a.ndim == 0 or a.shape[-1] != K:
        raise KernelError(f"the last dim of {shape_text(a.shape)} is not K, {K}")
    if weight_prepacked:
        raise KernelError("weights that are packed for one kind of hardware are not supported")
    check_vector(bias, N, "the bias")
    if b.size == 0:
        product = np.zeros((*a.shape[:-1], N), dtype=np.float32)
    else:
        product = np.matmul(widen(a), _rows(b, scales, zero_points, g_idx, K, N, bits, block_size).T)
    return narrow(product if bias is None else product + widen(bias), a.dtype)


def _rows(
    b: Array,
    scales: Array,
    zero_points: Array | None,
    g_idx: Array | None,
    inner: int,
    columns: int,
    bits: int,
    block: int,
) -> Array:
    blocks = -(-inner // block)
    if b.shape != (columns, blocks, block * bits // 8):
        raise KernelError(f"B is {shape_text(b.shape)}, not {shape_text((columns, blocks, block * bits // 8))}")
    whole = unpacked(b, bits, block).reshape(columns, blocks * block)[:, :inner].astype(np.float32)
    factors = widen(scales).reshape(columns, blocks)
    zeros: Array = np.full((columns, blocks), 1 << (bits - 1), dtype=np.float32)
    if zero_points is not None and is_integer(zero_points.dtype):
        zeros = unpacked(zero_points.reshape(columns, -1), bits, blocks).astype(np.float32)
    elif zero_points is not None:
        zeros = widen(zero_points).reshape(columns, blocks)
    of_block = np.arange(inner) // block if g_idx is None else g_idx[:inner]
    return np.asarray((whole - zeros[:, of_block]) * factors[:, of_block])


@kernel("MatMulBnb4", since=(1,), domain=MS)
def matmul_bnb4(
    a: Array,
    b: Array,
    absmax: Array,
    *,
    K: int,
    N: int,
    block_size: int,
    quant_type: int,
    training_mode: int = 0,
    transB: int = 1,
) -> Array:
    """``A`` times a matrix of ``N * K`` codes, the high half of a byte first, in blocks with a largest value each.

    The codes stand for the 16 values of the formats FP4 (0) and NF4 (1) of the library bitsandbytes.
    """
    if quant_type not in (0, 1):
        raise KernelError(f"quant_type is {quant_type}, not 0 or 1")
    count = N * K
    codes = np.stack([b.reshape(-1) >> 4, b.reshape(-1) & 15], axis=-1).reshape(-1)
    blocks = -(-count // block_size)
    if codes.size < count or absmax.size != blocks:
        raise KernelError(f"{b.size} bytes and {absmax.size} scales for {count} entries in blocks of {block_size}")
    values = _NF4 if quant_type else (*_FP4, *(-each for each in _FP4))
    flat = np.array(values, dtype=np.float32)[codes[:count]]
    factors = np.repeat(widen(absmax).reshape(-1), block_size)[:count]
    weights = (flat * factors).reshape(N, K)
    return narrow(np.matmul(widen(a), weights.T if transB else weights), a.dtype)


@kernel("GatherBlockQuantized", since=(1,), domain=MS)
def gather_block_quantized(
    data: Array,
    indices: Array,
    scales: Array,
    zero_points: Array | None = None,
    *,
    bits: int = 4,
    block_size: int = 128,
    gather_axis: int = 0,
    quantize_axis: int = 1,
) -> Array:
    """Slices of a quantised tensor, which has a scale and a zero point for each block of one axis, as floats."""
    rank = data.ndim
    gather, quantize = normalise_axis(gather_axis, rank), normalise_axis(quantize_axis, rank)
    default = 0
    if data.dtype == np.uint8:
        default = 1 << (bits - 1)
        data = unpacked(data, bits, data.shape[-1] * 8 // bits)
        if zero_points is not None:
            zero_points = unpacked(zero_points, bits, scales.shape[-1])
    size = data.shape[gather]
    at = np.where(indices < 0, indices + size, indices)
    if ((at < 0) | (at >= size)).any():
        raise KernelError(f"an index is out of range for {size} slices")
    whole = data.astype(np.float32)

    def spread(value: Array) -> Array:
        repeated = np.repeat(value.astype(np.float32), block_size, axis=quantize)
        return repeated[(slice(None),) * quantize + (slice(data.shape[quantize]),)]

    whole = (whole - (default if zero_points is None else spread(zero_points))) * spread(scales)
    return narrow(np.take(whole, at, axis=gather), scales.dtype)
