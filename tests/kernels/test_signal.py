from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]


def number(value: float, dtype: Any = np.int64) -> Any:
    return np.asarray(value, dtype=dtype)


def as_complex(x: Any) -> Any:
    return x[..., 0] + 1j * x[..., 1]


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("length", [None, 4, 9])
@pytest.mark.parametrize("inverse", [0, 1])
def test_dft(run: Run, rng: np.random.Generator, parts: int, length: int | None, inverse: int) -> None:
    x = rng.standard_normal((2, 6, 5, parts)).astype(np.float32)
    numbers = x[..., 0] if parts == 1 else as_complex(x)
    wanted = (np.fft.ifft if inverse else np.fft.fft)(numbers, length, axis=1)
    n = None if length is None else number(length)
    for opset in (17, 20):
        given = [x, n] if opset == 17 else [x, n, number(1)]
        y = run("DFT", given, opset, inverse=inverse)
        np.testing.assert_allclose(as_complex(y), wanted, atol=1e-5)
    # The last axis of the signal is the default from version 20 on, the first after the batch before.
    np.testing.assert_array_equal(run("DFT", [x], 17), run("DFT", [x, None, number(-3)], 20))
    np.testing.assert_array_equal(run("DFT", [x], 17, axis=2), run("DFT", [x], 20))


@pytest.mark.parametrize("size", [5, 6])
def test_one_sided_there_and_back(run: Run, rng: np.random.Generator, size: int) -> None:
    x = rng.standard_normal((2, size, 1)).astype(np.float32)
    half = run("DFT", [x], 20, onesided=1)
    assert half.shape == (2, size // 2 + 1, 2)
    np.testing.assert_allclose(as_complex(half), np.fft.rfft(x[..., 0]), atol=1e-5)
    back = run("DFT", [half, number(size)], 20, onesided=1, inverse=1)
    np.testing.assert_allclose(back, x, atol=1e-5)
    assert run("DFT", [half], 20, onesided=1, inverse=1).shape == (2, 2 * (size // 2), 1)


def test_what_dft_refuses(run: Run) -> None:
    real, complex_ = np.zeros((2, 4, 1), np.float32), np.zeros((2, 4, 2), np.float32)
    for inputs, attributes in (
        ([real, None, number(2)], {}),
        ([real, number(0)], {}),
        ([complex_], {"onesided": 1}),
        ([real], {"onesided": 1, "inverse": 1}),
        ([np.zeros((2, 4, 3), np.float32)], {}),
    ):
        with pytest.raises(KernelError):
            run("DFT", inputs, 20, **attributes)


@pytest.mark.parametrize("onesided", [0, 1])
def test_stft(agrees: Agrees, run: Run, rng: np.random.Generator, onesided: int) -> None:
    signal, window = rng.standard_normal((2, 32, 1)).astype(np.float32), rng.uniform(0, 1, 8).astype(np.float32)
    tolerance = {"rtol": 1e-3, "atol": 1e-4, "onesided": onesided}
    y = agrees("STFT", [signal, number(3), window, number(8)], 17, **tolerance)[0]
    agrees("STFT", [signal, number(3), None, number(8)], 17, **tolerance)
    np.testing.assert_array_equal(run("STFT", [signal, number(3), window], 17, onesided=onesided), y)
    np.testing.assert_array_equal(run("STFT", [signal[..., 0], number(3), window], 17, onesided=onesided), y)
    assert run("STFT", [signal, number(1)], 17, onesided=onesided).shape[1] == 1  # a frame as long as the signal


def test_stft_of_complex_numbers(run: Run, rng: np.random.Generator) -> None:
    signal = rng.standard_normal((1, 10, 2)).astype(np.float32)
    y = run("STFT", [signal, number(2), None, number(4)], 17, onesided=0)
    np.testing.assert_allclose(as_complex(y)[0, 1], np.fft.fft(as_complex(signal)[0, 2:6]), atol=1e-5)
    with pytest.raises(KernelError, match="parts"):
        run("STFT", [signal, number(2), None, number(4)], 17)


def test_what_stft_refuses(run: Run) -> None:
    signal, window = np.zeros((1, 10, 1), np.float32), np.ones(4, np.float32)
    for bad in (
        [signal, number(0), window],
        [signal, number(1), None, number(11)],
        [signal, number(1), window, number(5)],
    ):
        with pytest.raises(KernelError):
            run("STFT", bad, 17)


@pytest.mark.parametrize("op", ["HannWindow", "HammingWindow", "BlackmanWindow"])
@pytest.mark.parametrize("periodic", [0, 1])
def test_windows(agrees: Agrees, run: Run, op: str, periodic: int) -> None:
    agrees(op, [number(10)], 17, periodic=periodic, rtol=1e-3, atol=1e-5)
    assert run(op, [number(0)], 17, periodic=periodic).shape == (0,)
    assert run(op, [number(5)], 17, periodic=periodic, output_datatype=16).dtype == ml_dtypes.bfloat16
    assert run(op, [number(4)], 17, output_datatype=7).dtype == np.int64


def test_mel_weights(agrees: Agrees, run: Run) -> None:
    edges = [number(0, np.float32), number(4000, np.float32)]
    agrees("MelWeightMatrix", [number(8), number(64), number(8192), *edges], 17, rtol=1e-4)
    agrees("MelWeightMatrix", [number(16), number(16), number(8192), *edges], 17, rtol=1e-4)
    with pytest.raises(KernelError):
        run("MelWeightMatrix", [number(8), number(64), number(0), *edges], 17)
