from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]


def normal(rng: np.random.Generator, *shape: int, dtype: Any = np.float32) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def qkv(rng: np.random.Generator, heads: int = 4, groups: int = 2, queries: int = 3, keys: int = 5) -> list[Any]:
    return [normal(rng, 2, heads, queries, 8), normal(rng, 2, groups, keys, 8), normal(rng, 2, groups, keys, 6)]


def weights_by_hand(q: Any, k: Any, allowed: Any) -> Any:
    scores = np.einsum("bhqd,bhkd->bhqk", q, np.repeat(k, q.shape[1] // k.shape[1], axis=1)) / np.sqrt(q.shape[3])
    powers = np.where(allowed, np.exp(scores), 0)
    total = powers.sum(-1, keepdims=True)
    return np.divide(powers, total, out=np.zeros_like(powers), where=total > 0)


@pytest.mark.parametrize("opset", [23, 24])
@pytest.mark.parametrize(
    "attributes", [{}, {"is_causal": 1}, {"scale": 0.3}, {"softcap": 2.0}, {"softmax_precision": 11}]
)
def test_heads_in_groups(agrees: Agrees, rng: np.random.Generator, opset: int, attributes: dict[str, Any]) -> None:
    agrees("Attention", qkv(rng), opset, like=23, **attributes)


@pytest.mark.parametrize("mode", [0, 1, 2, 3])
def test_scores(run: Run, rng: np.random.Generator, mode: int) -> None:
    q, k, v = qkv(rng)
    mask = normal(rng, 3, 5)
    found = run("Attention", [q, k, v, mask], 23, 4, qk_matmul_output_mode=mode, softcap=1.5)[3]
    scores = np.einsum("bhqd,bhkd->bhqk", q, np.repeat(k, 2, axis=1)) / np.sqrt(8)
    capped = 1.5 * np.tanh(scores / 1.5)
    powers = np.exp(capped + mask)
    wanted = (scores, capped, capped + mask, powers / powers.sum(-1, keepdims=True))[mode]
    np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)


def test_packed_heads(run: Run, rng: np.random.Generator) -> None:
    q, k, v = qkv(rng)
    y = run("Attention", [q, k, v], 23)
    packed = [each.swapaxes(1, 2).reshape(2, each.shape[2], -1) for each in (q, k, v)]
    z = run("Attention", packed, 23, q_num_heads=4, kv_num_heads=2)
    np.testing.assert_allclose(z, y.swapaxes(1, 2).reshape(2, 3, -1), rtol=1e-6)


def test_a_past(run: Run, rng: np.random.Generator) -> None:
    q, k, v = qkv(rng, keys=3)
    past_k, past_v = normal(rng, 2, 2, 4, 8), normal(rng, 2, 2, 4, 6)
    y, key, value = run("Attention", [q, k, v, None, past_k, past_v], 23, 3, is_causal=1)
    np.testing.assert_array_equal(key, np.concatenate((past_k, k), 2))
    np.testing.assert_array_equal(value, np.concatenate((past_v, v), 2))
    allowed = np.arange(7) <= np.arange(3)[:, None] + 4
    wanted = weights_by_hand(q, key, allowed) @ np.repeat(value, 2, axis=1)
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-5)


def test_padded_keys_are_aligned_at_the_end(run: Run, rng: np.random.Generator) -> None:
    q, k, v = qkv(rng)
    lengths = np.array([5, 2])
    weights = run("Attention", [q, k, v, None, None, None, lengths], 24, 4, is_causal=1, qk_matmul_output_mode=3)[3]
    j, i, n = np.arange(5), np.arange(3)[:, None], lengths.reshape(2, 1, 1, 1)
    allowed = (j <= i + n - 3) & (j < n)
    np.testing.assert_allclose(weights, weights_by_hand(q, k, allowed), rtol=1e-4, atol=1e-6)
    assert (weights[1, :, 0] == 0).all()  # no key is left for this query


def test_windows(run: Run, rng: np.random.Generator) -> None:
    q, k, v = qkv(rng, queries=4, keys=6)
    weights = run("Attention", [q, k, v], 25, 4, left_window_size=2, right_window_size=1, qk_matmul_output_mode=3)[3]
    seen = [np.flatnonzero(row).tolist() for row in weights[0, 0]]
    assert seen == [[0, 1], [0, 1, 2], [0, 1, 2, 3], [1, 2, 3, 4]]  # the specification's own example
    causal = run("Attention", [q, k, v], 25, 4, right_window_size=1, is_causal=1, qk_matmul_output_mode=3)[3]
    assert np.count_nonzero(causal[0, 0]) == 1 + 2 + 3 + 4


def test_masks(run: Run, rng: np.random.Generator) -> None:
    q, k, v = qkv(rng)
    mask = np.array([[1, 0, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1]], bool)
    weights = run("Attention", [q, k, v, mask], 24, 4, qk_matmul_output_mode=3)[3]
    allowed = np.concatenate((mask, np.zeros((3, 1), bool)), axis=1)
    np.testing.assert_allclose(weights, weights_by_hand(q, k, allowed), rtol=1e-4, atol=1e-6)
    with pytest.raises(KernelError, match="attn_mask"):
        run("Attention", [q, k, v, mask], 23)


def test_what_attention_refuses(run: Run, rng: np.random.Generator) -> None:
    q, k, v = qkv(rng)
    past = normal(rng, 2, 2, 1, 8)
    for bad in ([q, k[:, :1], v], [q[:, :3], k, v], [q, k[..., :7], v], [q[0], k, v], [q, k, v, None, past]):
        with pytest.raises(KernelError):
            run("Attention", bad, 23)
    with pytest.raises(KernelError, match="nonpad_kv_seqlen"):
        run("Attention", [q, k, v, None, None, None, np.array([6, 1])], 24)


@pytest.mark.parametrize("interleaved", [0, 1])
@pytest.mark.parametrize("part", [0, 4])
def test_rotary_embedding(agrees: Agrees, rng: np.random.Generator, interleaved: int, part: int) -> None:
    angles = rng.uniform(0, 6, (9, (part or 8) // 2)).astype(np.float32)
    at = rng.integers(0, 9, (2, 3))
    attributes = {"interleaved": interleaved, "rotary_embedding_dim": part}
    caches = [np.cos(angles), np.sin(angles)]
    agrees("RotaryEmbedding", [normal(rng, 2, 4, 3, 8), *caches, at], 23, **attributes)
    agrees("RotaryEmbedding", [normal(rng, 2, 3, 32), *caches, at], 23, num_heads=4, **attributes)
    spread = [each[at] for each in caches]
    agrees("RotaryEmbedding", [normal(rng, 2, 4, 3, 8), *spread], 23, **attributes)


def test_what_rotary_embedding_refuses(run: Run, rng: np.random.Generator) -> None:
    x, cache = normal(rng, 2, 4, 3, 8), normal(rng, 9, 4)
    for bad in (
        [x, cache, cache],
        [x, cache, cache, np.full((2, 3), 9)],
        [x, cache[:, :3], cache, np.zeros((2, 3), int)],
    ):
        with pytest.raises(KernelError):
            run("RotaryEmbedding", bad, 23)


def test_tensor_scatter(run: Run) -> None:
    cache, update = np.zeros((2, 4, 1), np.int32), np.array([[[1], [2]], [[3], [4]]], np.int32)
    found = run("TensorScatter", [cache, update, np.array([1, 2])], 24)
    assert found[..., 0].tolist() == [[0, 1, 2, 0], [0, 0, 3, 4]]
    around = run("TensorScatter", [cache, update, np.array([3, 6])], 24, mode="circular")
    assert around[..., 0].tolist() == [[2, 0, 0, 1], [0, 0, 3, 4]]
    assert run("TensorScatter", [cache, update], 24, axis=1)[..., 0].tolist() == [[1, 2, 0, 0], [3, 4, 0, 0]]
    for bad in ([cache, update, np.array([3, 0])], [cache, update[:, :, :0]], [cache, update, np.array([0])]):
        with pytest.raises(KernelError):
            run("TensorScatter", bad, 24)
    with pytest.raises(KernelError, match="batch"):
        run("TensorScatter", [cache, update], 24, axis=0)


@pytest.mark.parametrize("activation", ["none", "silu"])
def test_causal_convolution_in_parts(run: Run, rng: np.random.Generator, activation: str) -> None:
    x, w, b = normal(rng, 2, 3, 7), normal(rng, 3, 1, 4), normal(rng, 3)
    whole, state = run("CausalConvWithState", [x, w, b], 27, 2, activation=activation)
    first, kept = run("CausalConvWithState", [x[..., :2], w, b], 27, 2, activation=activation)
    second, end = run("CausalConvWithState", [x[..., 2:], w, b, kept], 27, 2, activation=activation)
    np.testing.assert_allclose(np.concatenate((first, second), 2), whole, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(end, state)
    padded = np.pad(x, ((0, 0), (0, 0), (3, 0)))
    wanted = run("Conv", [padded, w, b], 22, group=3)
    np.testing.assert_allclose(whole, wanted / (1 + np.exp(-wanted)) if activation == "silu" else wanted, rtol=1e-4)


@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("per_key", [False, True])
def test_linear_attention(run: Run, rng: np.random.Generator, rule: str, per_key: bool) -> None:
    q, k, v = normal(rng, 1, 3, 8), normal(rng, 1, 3, 4), normal(rng, 1, 3, 2)
    g = -np.abs(normal(rng, 1, 3, 4 if per_key else 1))
    beta = np.abs(normal(rng, 1, 3, 1))
    gated, delta = rule.startswith("gated"), rule.endswith("delta")
    inputs = [q, k, v, None, g if gated else None, beta if delta else None]
    y, state = run("LinearAttention", inputs, 27, 2, q_num_heads=2, kv_num_heads=1, update_rule=rule)
    s, rows = np.zeros((4, 2)), []
    for t in range(3):
        if gated:
            s = np.exp(g[0, t])[:, None] * s
        s = s + np.outer(k[0, t], beta[0, t] * (v[0, t] - s.T @ k[0, t]) if delta else v[0, t])
        rows.append((q[0, t].reshape(2, 4) @ s / 2).reshape(-1))
    np.testing.assert_allclose(y[0], rows, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(state[0, 0], s, rtol=1e-4, atol=1e-5)


def test_linear_attention_needs_its_inputs(run: Run, rng: np.random.Generator) -> None:
    inputs = [normal(rng, 1, 3, 4, dtype=ml_dtypes.bfloat16)] * 3
    assert run("LinearAttention", inputs, 27, q_num_heads=1, kv_num_heads=1, update_rule="linear").dtype.itemsize == 2
    for rule in ("gated", "delta"):
        with pytest.raises(KernelError, match="is none"):
            run("LinearAttention", inputs, 27, q_num_heads=1, kv_num_heads=1, update_rule=rule)
