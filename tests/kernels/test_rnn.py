from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
T, B, SIZE, H = 5, 3, 4, 2
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def arguments(op: str, rng: np.random.Generator, directions: int = 1) -> list[Any]:
    g = GATES[op]
    shapes = [(T, B, SIZE), (directions, g * H, SIZE), (directions, g * H, H), (directions, 2 * g * H)]
    x, w, r, b = (rng.standard_normal(each).astype(np.float32) for each in shapes)
    return [x, w, r, b]


def outputs(op: str) -> int:
    return 3 if op == "LSTM" else 2


def states(op: str, rng: np.random.Generator, directions: int) -> list[Any]:
    return [rng.standard_normal((directions, B, H)).astype(np.float32) for _ in range(outputs(op) - 1)]


@pytest.mark.parametrize("op", GATES)
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
def test_directions_and_lengths(agrees: Agrees, rng: np.random.Generator, op: str, direction: str) -> None:
    directions = 2 if direction == "bidirectional" else 1
    inputs = arguments(op, rng, directions)
    lengths = np.array([5, 2, 3], np.int32)
    for given in (inputs[:3], inputs, [*inputs, lengths, *states(op, rng, directions)]):
        for opset in (7, 14, 22):
            agrees(op, given, opset, outputs(op), like=14, direction=direction, hidden_size=H)


@pytest.mark.parametrize("op", GATES)
def test_the_first_version(run: Run, rng: np.random.Generator, op: str) -> None:
    inputs = arguments(op, rng)
    now = run(op, inputs, 22, 2, direction="forward")
    then = run(op, inputs, 1, 2)
    np.testing.assert_array_equal(now[0], then[0])


@pytest.mark.parametrize("op", GATES)
def test_layout(run: Run, rng: np.random.Generator, op: str) -> None:
    inputs, start = arguments(op, rng, 2), states(op, rng, 2)
    first = run(op, [*inputs, None, *start], 14, outputs(op), direction="bidirectional")
    moved = [inputs[0].swapaxes(0, 1), *inputs[1:], None, *(each.swapaxes(0, 1) for each in start)]
    second = run(op, moved, 14, outputs(op), direction="bidirectional", layout=1)
    np.testing.assert_allclose(second[0], first[0].transpose(2, 0, 1, 3), rtol=1e-6)
    for a, b in zip(first[1:], second[1:], strict=True):
        np.testing.assert_allclose(b, a.swapaxes(0, 1), rtol=1e-6)


ACTIVATIONS: list[dict[str, Any]] = [
    {"activations": ["HardSigmoid", "LeakyRelu"], "activation_alpha": [0.3, 0.1], "activation_beta": [0.4]},
    {"activations": ["Sigmoid", "Elu"]},
    {"activations": ["Sigmoid", "ScaledTanh"], "activation_alpha": [0.5], "activation_beta": [0.8]},
    {"activations": ["Sigmoid", "ThresholdedRelu"], "activation_alpha": [0.2]},
    {"activations": ["Softsign", "Softplus"]},
    {"activations": ["Sigmoid", "Affine"], "activation_alpha": [0.5], "activation_beta": [0.1]},
    {"activations": ["Sigmoid", "Relu"], "clip": 0.5},
]


@pytest.mark.parametrize("attributes", ACTIVATIONS)
def test_activations(agrees: Agrees, rng: np.random.Generator, attributes: dict[str, Any]) -> None:
    agrees("GRU", arguments("GRU", rng), 14, 2, hidden_size=H, rtol=1e-4, **attributes)
    names = [*attributes["activations"], "Tanh"]
    if "clip" not in attributes:
        agrees("LSTM", arguments("LSTM", rng), 14, 3, hidden_size=H, rtol=1e-4, **{**attributes, "activations": names})


@pytest.mark.parametrize("clip", [None, 0.3])
def test_reset_after_the_product(agrees: Agrees, rng: np.random.Generator, clip: float | None) -> None:
    given = {} if clip is None else {"clip": clip}
    agrees("GRU", arguments("GRU", rng), 14, 2, hidden_size=H, linear_before_reset=1, rtol=1e-4, **given)


def test_peepholes(agrees: Agrees, rng: np.random.Generator) -> None:
    p = rng.standard_normal((1, 3 * H)).astype(np.float32)
    inputs = [*arguments("LSTM", rng), None, *states("LSTM", rng, 1), p]
    agrees("LSTM", inputs, 14, 3, hidden_size=H)
    agrees("LSTM", inputs, 14, 3, hidden_size=H, input_forget=1)


def test_the_cell_is_clipped_only_as_the_argument_of_an_activation(run: Run) -> None:
    one = np.ones((1, 1, 1), np.float32)
    w, r, b = np.zeros((1, 4, 1), np.float32), np.zeros((1, 4, 1), np.float32), np.zeros((1, 8), np.float32)
    cell = one * 8
    affine = {"activations": ["Sigmoid", "Tanh", "Affine"], "clip": 1.0}
    y, _, c = run("LSTM", [one, w, r, b, None, one, cell], 14, 3, **affine)
    assert c.item() == 4  # half of 8 is kept
    assert y.item() == 0.5  # half of 4 clipped to 1


def test_float16_is_computed_in_float32(run: Run, rng: np.random.Generator) -> None:
    inputs = [each.astype(np.float16) for each in arguments("LSTM", rng)]
    y = run("LSTM", inputs, 14)
    wide = run("LSTM", [each.astype(np.float32) for each in inputs], 14)
    assert y.dtype == np.float16
    np.testing.assert_array_equal(y, wide.astype(np.float16))


def test_what_does_not_fit(run: Run, rng: np.random.Generator) -> None:
    x, w, r, b = arguments("RNN", rng)
    for bad in ([x[0], w, r], [x, w[:, :1], r], [x, w, r, b[:, :1]], [x, w, r, b, np.array([9, 1, 1], np.int32)]):
        with pytest.raises(KernelError):
            run("RNN", bad, 14)
    for attributes in ({"direction": "up"}, {"hidden_size": 7}, {"activations": ["Cosine"]}, {"layout": 2}):
        with pytest.raises(KernelError):
            run("RNN", [x, w, r, b], 14, **attributes)
    with pytest.raises(KernelError, match="1 activations, where 2"):
        run("RNN", arguments("RNN", rng, 2), 14, direction="bidirectional", activations=["Tanh"])
