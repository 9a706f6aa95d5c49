from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

from tests.support import assert_rule_agrees, graph, node_model, type_of


@pytest.mark.parametrize("opset", [1, 13, 15, 19, 21])
def test_one_entry_for_each_dim(opset: int) -> None:
    assert type_of(graph("float[N, 0, 3] x", "y = Shape (x)"), opset=opset) == "int64[3]"
    assert type_of(graph("float[] x", "y = Shape (x)"), opset=opset) == "int64[u0]"
    assert type_of(graph("float[N, 0, 3] x", "y = Size (x)"), opset=opset) == "int64[]"
    assert type_of(graph("float[] x", "y = Size (x)"), opset=opset) == "int64[]"


def test_the_elements_are_the_dims() -> None:
    assert type_of(graph("float[N, 0, 3] x", "s = Shape (x) y = ConstantOfShape (s)")) == "float[N, 0, 3]"


def test_the_size_is_their_product() -> None:
    def size(shape: str) -> str:
        body = "n = Size (x) z = Constant <value_int = 0> () o = Constant <value_int = 1> () y = Range (z, n, o)"
        return type_of(graph(f"float{shape} x", body))

    assert size("[N, M, 3]") == "int64[3*M*N]"
    assert size("[N, 0]") == "int64[0]"


@pytest.mark.parametrize(("start", "end"), list(product([None, 0, 1, -1, -2, 5, -5], repeat=2)))
def test_slices_are_clamped(start: int | None, end: int | None) -> None:
    attributes: dict[str, Any] = {k: v for k, v in {"start": start, "end": end}.items() if v is not None}
    proto = node_model("Shape", [(1, ["A", "B", "C"])], 15, **attributes)
    proto.ir_version = 8
    proto.graph.output[0].type.tensor_type.elem_type = 7
    assert_rule_agrees(proto, {"x0": np.zeros((2, 0, 4), np.float32)})
