"""com.microsoft: Fourier transforms and hashes."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import STRING, Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS
from shapeinfer.kernels.registry import kernel


def _check(signal_ndim: int, normalized: int, onesided: int) -> None:
    if signal_ndim != 1 or normalized or not onesided:
        raise KernelError("only one-sided transforms of one axis, not normalised, are supported")


@kernel("Rfft", since=(1,), domain=MS)
def rfft(x: Array, *, normalized: int = 0, onesided: int = 1, signal_ndim: int = 1) -> Array:
    """The transform of the last axis, with real and imaginary parts along a new one."""
    _check(signal_ndim, normalized, onesided)
    found = np.fft.rfft(widen(x), axis=-1)
    return narrow(np.stack([found.real, found.imag], axis=-1), x.dtype)


@kernel("Irfft", since=(1,), domain=MS)
def irfft(x: Array, *, normalized: int = 0, onesided: int = 1, signal_ndim: int) -> Array:
    """The reverse of Rfft, for an even number of entries."""
    _check(signal_ndim, normalized, onesided)
    if x.ndim < 2 or x.shape[-1] != 2:
        raise KernelError(f"{shape_text(x.shape)} does not end in real and imaginary parts")
    wide = widen(x)
    return narrow(np.fft.irfft(wide[..., 0] + 1j * wide[..., 1], axis=-1), x.dtype)


def _turned(x: Array, by: int) -> Array:
    return np.asarray((x << np.uint32(by)) | (x >> np.uint32(32 - by)))


def _mixed(words: Array) -> Array:
    return np.asarray(_turned(words * np.uint32(0xCC9E2D51), 15) * np.uint32(0x1B873593))


def _finished(state: Array, length: int) -> Array:
    state = state ^ np.uint32(length)
    state = (state ^ (state >> np.uint32(16))) * np.uint32(0x85EBCA6B)
    state = (state ^ (state >> np.uint32(13))) * np.uint32(0xC2B2AE35)
    return np.asarray(state ^ (state >> np.uint32(16)))


def murmur(data: Array, seed: int) -> Array:
    """MurmurHash3 in its 32-bit form, by Austin Appleby, of each row of bytes."""
    rows, length = data.shape
    state = np.full(rows, seed & 0xFFFFFFFF, dtype=np.uint32)
    whole = length // 4 * 4
    for word in np.ascontiguousarray(data[:, :whole]).view("<u4").reshape(rows, -1).T:
        state = _turned(state ^ _mixed(word), 13) * np.uint32(5) + np.uint32(0xE6546B64)
    if whole < length:
        tail = np.zeros((rows, 4), dtype=np.uint8)
        tail[:, : length - whole] = data[:, whole:]
        state = state ^ _mixed(tail.view("<u4").reshape(rows))
    return _finished(state, length)


@kernel("MurmurHash3", since=(1,), domain=MS)
def murmur_hash(x: Array, *, positive: int = 1, seed: int = 0) -> Array:
    """The hash of the bytes of each element, as an unsigned number unless ``positive`` is 0."""
    if x.dtype == STRING:
        texts = [np.frombuffer(each.encode(), dtype=np.uint8)[None] for each in x.reshape(-1).tolist()]
        result = np.array([murmur(each, seed)[0] for each in texts], dtype=np.uint32)
    else:
        flat = np.ascontiguousarray(x).reshape(-1)
        result = murmur(flat.view(np.uint8).reshape(flat.size, -1), seed) if flat.size else np.zeros(0, np.uint32)
    result = result.reshape(x.shape)
    return result if positive else result.view(np.int32)
