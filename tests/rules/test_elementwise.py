from __future__ import annotations

import numpy as np
import onnx
import pytest

from shapeinfer import loader, registry, schema
from tests.support import assert_rule_agrees, errors, graph, model, names, node_model, requirements, type_of

loader.load_packs(())
SAME_SHAPE = sorted(
    (op, since)
    for domain, op, since in registry.registered()
    if not domain and registry.find_rule((domain, op, since)).__name__ == "same_shape"  # type: ignore[union-attr]
)


@pytest.mark.parametrize(("op", "since"), SAME_SHAPE)
def test_every_version_keeps_the_shape(op: str, since: int) -> None:
    found = schema.lookup(op, "", since)
    assert found is not None
    kind = next(k for k in ("float", "bool", "int64") if f"tensor({k})" in found.inputs[0].types)
    out = kind if f"tensor({kind})" in found.outputs[0].types else "bool"
    assert type_of(graph(f"{kind}[N, 0, 3] x", f"y = {op} (x)"), opset=since, ir=10) == f"{out}[N, 0, 3]"
    assert type_of(graph(f"{kind}[] x", f"y = {op} (x)"), opset=since, ir=10) == f"{out}[...]"


@pytest.mark.parametrize("version", [1, 6])
def test_early_clip_has_attributes(version: int) -> None:
    assert type_of(graph("float[N] x", "y = Clip <min = 0.0> (x)"), opset=version) == "float[N]"


@pytest.mark.parametrize("version", [11, 12, 13])
def test_clip_bounds_are_scalars(version: int) -> None:
    proto = node_model("Clip", [(1, ["N"]), (1, []), None], version)
    assert errors(proto) == []
    proto = node_model("Clip", [(1, ["N"]), (1, []), (1, [2])], version)
    assert errors(proto) == ["rank"]


def test_a_list_of_one_element_for_a_scalar_is_a_warning() -> None:
    # The specification wants scalars; ONNX Runtime takes lists of one element, and real models have them.
    assert names(graph("float[N] x, float[1] low", "y = Clip (x, low)")) == ["scalar-as-list"]
    assert names(graph("float[N] x, int64[1] a", "y = CumSum (x, a)")) == ["scalar-as-list"]
    assert names(graph("int64 a, int64[1] b", "y = Range (a, b, b)")) == ["scalar-as-list", "scalar-as-list"]
    assert requirements(graph("float[N] x, float[K] low", "y = Clip (x, low)")) == ["K == 1"]


def test_gelu_approximates_in_one_of_two_ways() -> None:
    assert type_of(graph("float[N] x", 'y = Gelu <approximate = "tanh"> (x)')) == "float[N]"
    assert errors(graph("float[N] x", 'y = Gelu <approximate = "erf"> (x)')) == ["attribute-value"]


def test_identity_passes_on_any_kind_of_value() -> None:
    assert type_of(graph("seq(float[N]) x", "y = Identity (x)")) == "seq(float[N])"
    assert type_of(graph("optional(float[N]) x", "y = Identity (x)")) == "optional(float[N])"
    assert type_of(graph("string[N, 2] x", "y = Identity (x)"), opset=1) == "string[N, 2]"


def test_identity_passes_on_sizes() -> None:
    assert type_of(graph("float[N, 2] x", "s = Shape (x) t = Identity (s) y = ConstantOfShape (t)")) == "float[N, 2]"


@pytest.mark.parametrize("version", [1, 6])
def test_early_prelu_takes_any_slope(version: int) -> None:
    assert type_of(graph("float[N, 3] x, float[2] s", "y = PRelu (x, s)"), opset=version) == "float[N, 3]"


@pytest.mark.parametrize("version", [7, 9, 16])
def test_prelu_slope_broadcasts_to_the_input(version: int) -> None:
    def prelu(x: str, slope: str) -> onnx.ModelProto:
        return model(graph(f"float{x} x, float{slope} s", "y = PRelu (x, s)"), version)

    assert errors(prelu("[N, 3]", "[3]")) == []
    assert errors(prelu("[N, 3]", "[1, 1]")) == []
    assert errors(prelu("[N, 3]", "[2]")) == ["broadcast"]
    assert errors(prelu("[N, 1]", "[3]")) == ["broadcast"]
    assert errors(prelu("[3]", "[1, 3]")) == ["rank"]
    assert requirements(prelu("[N, 1]", "[M]")) == ["M == 1"]
    assert requirements(prelu("[N, 3]", "[M]")) == ["3 == M or M == 1"]


@pytest.mark.parametrize("op", ["Relu", "Exp", "Not", "IsNaN", "Softplus", "Sign", "Identity", "Erf", "HardSwish"])
@pytest.mark.parametrize("shape", [(), (0,), (2, 3)])
def test_claims_hold_in_a_run(op: str, shape: tuple[int, ...]) -> None:
    dtype = np.bool_ if op == "Not" else np.float32
    proto = node_model(op, [(9 if op == "Not" else 1, [f"d{i}" for i in range(len(shape))])], 21)
    proto.ir_version = 10
    out = 9 if op in ("Not", "IsNaN") else 1
    proto.graph.output[0].type.tensor_type.elem_type = out
    assert_rule_agrees(proto, {"x0": np.zeros(shape, dtype)})
