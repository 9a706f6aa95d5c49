"""Fourier transforms, window functions and mel weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from shapeinfer.kernels.arguments import normalise_axis, scalar, shape_text
from shapeinfer.kernels.cast import cast
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import OUT_OF_RANGE, SIZES, KernelError
from shapeinfer.kernels.registry import kernel


@kernel("DFT", since=(17,))
def dft_attribute(input: Array, dft_length: Array | None = None, *, axis: int, inverse: int, onesided: int) -> Array:
    """As :func:`dft`, with the axis as an attribute."""
    return _transformed(input, dft_length, axis, bool(inverse), bool(onesided))


@kernel("DFT", since=(20,))
def dft(
    input: Array, dft_length: Array | None = None, axis: Array | None = None, *, inverse: int, onesided: int
) -> Array:
    """The Fourier transform along an axis, which is cut or padded with zeros to ``dft_length``.

    Numbers lie along the last axis, real ones as 1 part and complex ones as 2. ``onesided`` transforms real numbers
    to the first half of their spectrum, and with ``inverse`` such a half to real numbers.
    """
    at = -2 if axis is None else int(scalar(axis, "axis"))
    return _transformed(input, dft_length, at, bool(inverse), bool(onesided))


def _transformed(data: Array, length: Array | None, axis: int, inverse: bool, onesided: bool) -> Array:
    numbers = _numbers(data, 2 if onesided and inverse else 1 if onesided else None)
    at = normalise_axis(axis, data.ndim)
    if at == data.ndim - 1:
        raise KernelError(f"axis {axis} is that of the parts of a number", code=OUT_OF_RANGE)
    size = data.shape[at]
    default = 2 * (size - 1) if onesided and inverse else size
    n = default if length is None else int(scalar(length, "dft_length"))
    if n < 1:
        raise KernelError(f"dft_length is {n}")
    if onesided and inverse:
        return narrow(np.fft.irfft(numbers, n, axis=at)[..., None], data.dtype)
    if onesided:
        return _parts(np.fft.rfft(numbers, n, axis=at), data.dtype)
    return _parts((np.fft.ifft if inverse else np.fft.fft)(numbers, n, axis=at), data.dtype)


def _numbers(data: Array, expected: int | None) -> Array:
    """The numbers that the parts along the last axis stand for."""
    parts = data.shape[-1] if data.ndim > 1 else 0
    if parts not in (1, 2) or (expected is not None and parts != expected):
        wanted = "1 (real) or 2 (complex)" if expected is None else str(expected)
        raise KernelError(f"{wanted} parts of a number are expected in the last dim of {shape_text(data.shape)}")
    wide = widen(data)
    if parts == 1:
        return wide[..., 0]
    return np.ascontiguousarray(wide).view(np.complex64 if wide.dtype == np.float32 else np.complex128)[..., 0]


def _parts(numbers: Array, dtype: np.dtype[Any]) -> Array:
    return narrow(np.stack((numbers.real, numbers.imag), axis=-1), dtype)


@kernel("STFT", since=(17,))
def stft(
    signal: Array,
    frame_step: Array,
    window: Array | None = None,
    frame_length: Array | None = None,
    *,
    onesided: int,
) -> Array:
    """The Fourier transforms of the frames of a signal, each times the window: ``[batch, frames, bins, 2]``.

    A signal without a dim for the parts of a number is real; the specification has none, but models do.
    """
    whole = signal[..., None] if signal.ndim == 2 else signal
    if whole.ndim != 3:
        raise KernelError(f"the signal must be [batch, length, 1 or 2], not {shape_text(signal.shape)}")
    numbers = _numbers(whole, 1 if onesided else None)
    step = int(scalar(frame_step, "frame_step"))
    length = signal.shape[1] if window is None else window.size
    if frame_length is not None:
        length = int(scalar(frame_length, "frame_length"))
    if window is not None and window.shape != (length,):
        raise KernelError(f"a window {shape_text(window.shape)} for frames of {length}", code=SIZES)
    if step < 1 or not 1 <= length <= numbers.shape[1]:
        raise KernelError(f"frames of {length}, {step} apart, in a signal of {numbers.shape[1]}")
    frames = sliding_window_view(numbers, length, axis=1)[:, ::step]
    weighted = frames if window is None else frames * widen(window)
    return _parts((np.fft.rfft if onesided else np.fft.fft)(weighted, axis=2), signal.dtype)


def _window(op: str, terms: tuple[float, ...]) -> None:
    @kernel(op, since=(17,))
    def run(size: Array, *, output_datatype: int, periodic: int) -> Array:
        count = int(scalar(size, "size"))
        if count < 0:
            raise KernelError(f"size is {count}")
        period = count if periodic else max(count - 1, 1)
        angle = 2 * np.pi * np.arange(count) / period if count else np.zeros(0)
        waves = [(-1) ** i * term * np.cos(i * angle) for i, term in enumerate(terms)]
        return cast(np.sum(waves, axis=0), to=output_datatype)


_window("HannWindow", (0.5, 0.5))
_window("HammingWindow", (25 / 46, 21 / 46))
_window("BlackmanWindow", (0.42, 0.5, 0.08))


@kernel("MelWeightMatrix", since=(17,))
def mel_weight_matrix(
    num_mel_bins: Array,
    dft_length: Array,
    sample_rate: Array,
    lower_edge_hertz: Array,
    upper_edge_hertz: Array,
    *,
    output_datatype: int,
) -> Array:
    """``[dft_length // 2 + 1, num_mel_bins]``: of each mel band the triangle over the bins of a spectrum.

    The text leaves open how the bands divide the range and meet the bins. As in its test, the range has one step more
    than there are bands and edges, and edges are rounded down to bins of ``sample_rate / (dft_length + 1)``.
    """
    bands, length = int(scalar(num_mel_bins, "num_mel_bins")), int(scalar(dft_length, "dft_length"))
    rate = int(scalar(sample_rate, "sample_rate"))
    if bands < 0 or length < 0 or rate < 1:
        raise KernelError(f"{bands} bands of a spectrum of length {length} at rate {rate}")
    low, high = (_mel(float(scalar(e, "an edge"))) for e in (lower_edge_hertz, upper_edge_hertz))
    mels = low + np.arange(bands + 2) * ((high - low) / (bands + 2))
    hertz = 700 * (10 ** (mels / 2595) - 1)
    edges = np.floor((length + 1) * hertz / rate)
    left, peak, right = edges[:-2], edges[1:-1], edges[2:]
    at = np.arange(length // 2 + 1)[:, None]
    rising = np.where(peak > left, (at - left) / np.where(peak > left, peak - left, 1), 1)
    falling = (right - at) / np.where(right > peak, right - peak, 1)
    result = np.where((at >= left) & (at <= peak), rising, 0)
    return cast(np.where((at > peak) & (at < right), falling, result), to=output_datatype)


def _mel(hertz: float) -> float:
    return float(2595 * np.log10(1 + hertz / 700))
