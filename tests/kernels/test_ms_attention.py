from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shapeinfer.kernels import KernelError
from tests.kernels.domains import agrees, onnxruntime_gives, run

MS = "com.microsoft"
Array = NDArray[Any]
B, S, N, H, P = 2, 3, 2, 4, 2
D = N * H


def floats(*shape: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *shape)).standard_normal(shape).astype(np.float32)


def whole(*values: Any) -> Array:
    return np.array(values, dtype=np.int32)


MASKS = [
    None,
    whole([1, 1, 0], [1, 0, 0]),
    whole(2, 3),
    whole(3, 2, 1, 0),
    np.tril(np.ones((B, S, S), dtype=np.int32)),
]


@pytest.mark.parametrize("unidirectional", [0, 1])
@pytest.mark.parametrize("mask", MASKS)
def test_attention(mask: Array | None, unidirectional: int) -> None:
    inputs = [floats(B, S, 5), floats(5, 3 * D), floats(3 * D), mask]
    agrees(MS, "Attention", inputs, 2, num_heads=N, unidirectional=unidirectional)


@pytest.mark.parametrize("unidirectional", [0, 1])
def test_attention_with_past(unidirectional: int) -> None:
    inputs = [floats(B, S, 5), floats(5, 3 * D), floats(3 * D)]
    past = floats(2, B, N, P, H)
    agrees(MS, "Attention", [*inputs, None, past], 2, num_heads=N, unidirectional=unidirectional, scale=0.3)
    bias = floats(B, N, S, S)
    agrees(MS, "Attention", [*inputs, None, None, bias], 2, num_heads=N, unidirectional=unidirectional)


def test_values_of_another_size() -> None:
    inputs = [floats(B, S, 5), floats(5, 2 * D + 6), floats(2 * D + 6)]
    agrees(MS, "Attention", inputs, num_heads=N, qkv_hidden_sizes=[D, D, 6])


def test_qattention() -> None:
    rng = np.random.default_rng(0)
    inputs = [
        rng.integers(0, 255, (B, S, 5)).astype(np.uint8),
        rng.integers(-20, 20, (5, 3 * D)).astype(np.int8),
        floats(3 * D),
        np.float32(0.01).reshape(1),
        np.float32(0.1).reshape(1),
        whole([1, 1, 0], [1, 1, 1]),
        np.array([100], np.uint8),
        np.array([1], np.int8),
    ]
    agrees(MS, "QAttention", inputs, num_heads=N)


@pytest.mark.parametrize("mask", [None, whole([1, 1, 0, 1], [1, 0, 0, 1]), whole(2, 4)])
def test_multi_head_attention(mask: Array | None) -> None:
    inputs = [floats(B, S, D), floats(B, 4, D, seed=1), floats(B, 4, D, seed=2), floats(3 * D), mask]
    agrees(MS, "MultiHeadAttention", inputs, num_heads=N)


def test_multi_head_attention_packed() -> None:  # ONNX Runtime's CPU provider refuses packed inputs
    query, key, value = (floats(B, S, D, seed=i) for i in range(3))
    plain = run(MS, "MultiHeadAttention", [query, key, value], num_heads=N)
    split = [each.reshape(B, S, N, H) for each in (query, key, value)]
    packed = run(MS, "MultiHeadAttention", [np.stack(split, axis=3)], num_heads=N)
    np.testing.assert_allclose(packed, plain, rtol=1e-5)
    halves = run(MS, "MultiHeadAttention", [query, np.stack(split[1:], axis=3)], num_heads=N)
    np.testing.assert_allclose(halves, plain, rtol=1e-5)


def test_keys_of_another_sequence() -> None:
    inputs = [floats(B, S, D), floats(B, N, 4, H, seed=1), floats(B, N, 4, H, seed=2), None]
    agrees(MS, "MultiHeadAttention", inputs, num_heads=N, scale=0.4)


@pytest.mark.parametrize("unidirectional", [0, 1])
def test_multi_head_attention_with_past(unidirectional: int) -> None:
    parts = [floats(B, S, D, seed=i) for i in range(3)]
    inputs = [*parts, None, None, floats(1, N, S, P + S), floats(B, N, P, H), floats(B, N, P, H, seed=3)]
    agrees(MS, "MultiHeadAttention", inputs, 3, num_heads=N, unidirectional=unidirectional)


@pytest.mark.parametrize("interleaved", [0, 1])
def test_rotary_embedding(interleaved: int) -> None:
    cos, sin = floats(8, H // 2), floats(8, H // 2, seed=1)
    places = np.array([[0, 1, 2], [5, 6, 7]])
    for data in (floats(B, S, D), floats(B, N, S, H)):
        for position in (places, np.array([4])):
            agrees(MS, "RotaryEmbedding", [data, position, cos, sin], interleaved=interleaved)


def test_rotary_embedding_of_a_part() -> None:
    cos, sin = floats(8, 2), floats(8, 2, seed=1)
    inputs = [floats(B, S, 2 * 8), np.array([1]), cos, sin]
    agrees(MS, "RotaryEmbedding", inputs, num_heads=2, rotary_embedding_dim=4)
    with pytest.raises(KernelError, match="do not lie in 8 rows"):
        run(MS, "RotaryEmbedding", [floats(B, S, D), np.array([7]), cos, sin], num_heads=2)


def grouped(length: int, past: int, ends: Array, heads: int = 4, groups: int = 2, size: int = 8) -> list[Any]:
    total = int(ends.max()) + 1
    batch = ends.size
    caches = [floats(batch, groups, past, size, seed=i) for i in (3, 4)]
    parts = [floats(batch, length, heads * size), *(floats(batch, length, groups * size, seed=i) for i in (1, 2))]
    return [*parts, *caches, ends, whole(total).reshape(())]


@pytest.mark.parametrize(("length", "past", "ends"), [(3, 0, (2, 2)), (1, 4, (4, 2)), (2, 3, (4,)), (1, 8, (4, 2))])
@pytest.mark.parametrize(
    "attributes", [{}, {"local_window_size": 2}, {"softcap": 0.7}, {"smooth_softmax": 1}, {"scale": 0.2}]
)
def test_group_query_attention(length: int, past: int, ends: tuple[int, ...], attributes: dict[str, Any]) -> None:
    inputs = grouped(length, past, whole(*ends))
    got = run(MS, "GroupQueryAttention", inputs, 3, num_heads=4, kv_num_heads=2, **attributes)
    want = onnxruntime_gives(MS, "GroupQueryAttention", inputs, 3, num_heads=4, kv_num_heads=2, **attributes)
    np.testing.assert_allclose(got[0], want[0], rtol=1e-4, atol=1e-5)
    for mine, theirs in zip(got[1:], want[1:], strict=True):
        assert mine.shape == theirs.shape
        for row, end in enumerate(ends):  # what lies behind is not specified
            np.testing.assert_allclose(mine[row, :, : end + 1], theirs[row, :, : end + 1], rtol=1e-5)


@pytest.mark.parametrize("interleaved", [0, 1])
def test_group_query_attention_turned(interleaved: int) -> None:
    inputs = grouped(1, 4, whole(4, 4), size=16)
    inputs += [floats(16, 8), floats(16, 8, seed=1)]
    options = {"num_heads": 4, "kv_num_heads": 2, "do_rotary": 1, "rotary_interleaved": interleaved}
    agrees(MS, "GroupQueryAttention", inputs, 3, **options)


def test_group_query_attention_packed_with_bias_and_sinks() -> None:
    size, heads, groups = 8, 4, 2
    query = floats(B, S, (heads + 2 * groups) * size)
    caches = [np.zeros((B, groups, 0, size), np.float32)] * 2
    inputs = [query, None, None, *caches, whole(2, 2), whole(3).reshape(()), None, None, None, floats(B, 1, S, S)]
    agrees(MS, "GroupQueryAttention", inputs, num_heads=heads, kv_num_heads=groups)
    agrees(MS, "GroupQueryAttention", [*inputs, floats(heads)], num_heads=heads, kv_num_heads=groups)


def test_what_does_not_fit() -> None:
    with pytest.raises(KernelError, match="cannot be cut into 3 heads"):
        run(MS, "MultiHeadAttention", [floats(B, S, D)] * 3, num_heads=3)
    with pytest.raises(KernelError, match="do not fit"):
        run(MS, "Attention", [floats(B, S, 5), floats(4, 3 * D)], num_heads=N)
    with pytest.raises(KernelError, match="cannot share"):
        run(MS, "GroupQueryAttention", grouped(3, 0, whole(2, 2)), num_heads=4, kv_num_heads=3)
