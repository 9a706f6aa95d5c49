from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from onnx import TensorProto

from tests.support import assert_rule_agrees, errors, node_model, reference, requirements, type_of


def text(x: str, image: str, block: str, attributes: str = "") -> str:
    sizes = [f"int64[{len(values.split(','))}] {name} = {{{values}}}" for name, values in (("i", image), ("b", block))]
    return f"g (float{x} x) => (y) <{', '.join(sizes)}> {{ y = Col2Im {attributes} (x, i, b) }}"


def test_shape() -> None:
    assert type_of(text("[N, 5, 5]", "5, 5", "1, 5")) == "float[N, 1, 5, 5]"
    assert type_of(text("[N, 30, L]", "5, 6", "1, 5")) == "float[N, 6, 5, 6]"
    assert type_of(text("[N, C, L]", "5, 6", "1, 5")) == "float[N, C//5, 5, 6]"
    assert type_of(text("[]", "5, 6", "1, 5")) == "float[u0, u1, 5, 6]"
    assert requirements(text("[N, C, L]", "5, 6", "1, 5")) == ["L == 10", "C % 5 == 0"]


def test_what_only_a_run_tells() -> None:
    late = "g (float[N, C, L] x, int64[{}] i, int64[{}] b) => (y) {{ y = Col2Im {} (x, i, b) }}"
    assert type_of(late.format(2, "K", "")) == "float[N, u0, u1, u2]"
    assert type_of(late.format("K", 3, "")) == "float[N, u0, u1, u2, u3]"
    assert type_of(late.format("K", "K", "<pads = [0, 0, 0, 0]>")) == "float[N, u0, u1, u2]"
    assert type_of(late.format("K", "K", "")) == "float[...]"


def test_faults() -> None:
    assert errors(text("[N, 7, 10]", "5, 6", "1, 5")) == ["not-divisible"]
    assert errors(text("[N, 5, 9]", "5, 6", "1, 5")) == ["sizes-differ"]
    assert errors(text("[N, 5]", "5, 6", "1, 5")) == ["rank"]
    assert errors(text("[N, 5, 10]", "5, 6", "1, 5, 1")) == ["length"]
    assert errors(text("[N, 5, 10]", "5, 6", "1, 5", "<strides = [1]>")) == ["length"]
    assert errors(text("[N, 5, 10]", "5, 6", "1, 5", "<dilations = [1, 0]>")) == ["size-value"]
    assert errors(text("[N, 5, 10]", "5, 4", "1, 5")) == ["too-small"]
    assert errors(text("[N, 5, 10]", "5, 6", "0, 5")) == ["too-small"]


@pytest.mark.parametrize("pads", [[0, 0, 0, 0], [1, 0, 1, 2]])
def test_reference_runs_as_claimed(pads: list[int]) -> None:
    columns = (5 + pads[0] + pads[2] - 1) * (6 + pads[1] + pads[3] - 2)
    inputs: list[Any] = [(int(TensorProto.FLOAT), ["N", "C", "L"]), np.array([5, 6]), np.array([2, 3])]
    proto = node_model("Col2Im", inputs, 18, pads=pads)
    assert_rule_agrees(proto, {"x0": np.zeros((2, 12, columns), np.float32)}, reference)
