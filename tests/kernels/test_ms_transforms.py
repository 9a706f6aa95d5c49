from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, onnxruntime_gives, run

MS = "com.microsoft"
Array = NDArray[Any]


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def test_fourier() -> None:  # only for GPUs in ONNX Runtime
    x = floats(2, 6)
    there = run(MS, "Rfft", [x])
    assert (there.dtype, there.shape) == (np.float32, (2, 4, 2))
    np.testing.assert_allclose(run(MS, "Irfft", [there], signal_ndim=1), x, rtol=1e-4, atol=1e-6)
    with pytest.raises(KernelError, match="only one-sided"):
        run(MS, "Rfft", [x], onesided=0)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("dtype", [np.int32, np.uint32, np.int64, np.uint64, np.float32, np.float64])
def test_hashes_of_numbers(dtype: type, positive: int) -> None:
    agrees(MS, "MurmurHash3", [np.array([[0, 1, 3], [4, 5, 99]]).astype(dtype)], positive=positive, seed=7)


def test_hashes_of_strings() -> None:
    agrees(MS, "MurmurHash3", [np.array(["", "a", "ab", "abcd", "the quick fox"], dtype=object)])


def test_dropout_outside_of_training() -> None:  # ONNX Runtime has these for training only
    x, bias = floats(5, 8), floats(8)
    result, kept = run(MS, "BiasDropout", [x, bias, x], 2)
    np.testing.assert_allclose(result, 2 * x + bias, rtol=1e-6)
    assert kept.all()
    assert run(MS, "BitmaskDropout", [x], 2)[1].tolist() == [2**32 - 1, 2**8 - 1]


def test_dropout_in_training() -> None:
    x = np.ones((100, 100), np.float32)
    inputs = [x, np.array(0.25, np.float32), np.array(True)]
    result, bits = run(MS, "BitmaskDropout", inputs, 2, seed=3)
    kept = np.unpackbits(bits.view(np.uint8), bitorder="little")[: x.size].reshape(x.shape) == 1
    assert 0.7 < kept.mean() < 0.8
    np.testing.assert_allclose(result, np.where(kept, 1 / 0.75, 0), rtol=1e-6)


def test_is_all_finite() -> None:
    x = np.array([1, np.inf], np.float32)
    assert run(MS, "IsAllFinite", [floats(3), x]).tolist() is False
    assert run(MS, "IsAllFinite", [x], isnan_only=1).tolist() is True


@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_quantised_lstm(direction: str) -> None:
    count, hidden, rng = 2 if direction == "bidirectional" else 1, 4, np.random.default_rng(0)
    w, r = (rng.integers(-100, 100, (count, size, 4 * hidden)).astype(np.int8) for size in (3, hidden))
    scale, zero = np.full(count, 0.01, np.float32), np.zeros(count, np.int8)
    inputs = [floats(5, 2, 3), w, r, floats(count, 8 * hidden), None, None, None, None, scale, zero, scale, zero]
    options = {"direction": direction, "hidden_size": hidden}
    got = run(MS, "DynamicQuantizeLSTM", inputs, 3, **options)
    for mine, theirs in zip(got, onnxruntime_gives(MS, "DynamicQuantizeLSTM", inputs, 3, **options), strict=True):
        assert mine.shape == theirs.shape
        np.testing.assert_allclose(mine, theirs, atol=0.05)  # the runtime rounds inputs and states to 8 bits
