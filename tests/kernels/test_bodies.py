"""Functions of a model, and operators that run through the function that defines them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import helper

from shapeinfer.kernels import Executor, KernelError, bodies
from shapeinfer.kernels.nodes import signature
from shapeinfer.kernels.plan import Plan, Scope, Step

HEADER = '<ir_version: 10, opset_import: ["" : 21, "own" : 1]>\n'


def run(text: str, **inputs: Any) -> list[Any]:
    return Executor(onnx.parser.parse_model(HEADER + text)).run(inputs)


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


def test_a_function() -> None:
    text = """g (float[N] x) => (float[N] y) { y = own.Twice (x) }
    <domain: "own", opset_import: ["" : 21]> Twice (x) => (y) { y = Add (x, x) }"""
    assert run(text, x=floats(1, 2))[0].tolist() == [2, 4]


def test_functions_call_functions_and_pass_attributes_on() -> None:
    text = """g (float[N, M] x) => (float[N, M] y, float[N, M] z) {
        y = own.Outer <axis = 0> (x)
        z = own.Outer (x)
    }
    <domain: "own", opset_import: ["" : 21, "own" : 1]> Outer <axis: int = 1> (x) => (y) {
        a = own.Inner <along: int = @axis> (x)
        y = Neg (a)
    }
    <domain: "own", opset_import: ["" : 21]> Inner <along> (x) => (y) { y = Softmax <axis: int = @along> (x) }"""
    y, z = run(text, x=np.zeros((2, 4), np.float32))
    assert y.tolist() == [[-0.5] * 4] * 2
    assert z.tolist() == [[-0.25] * 4] * 2


def test_an_attribute_that_is_left_out_is_left_out_inside() -> None:
    text = """g (float[N, M] x) => (float[N, M] y) { y = own.Soft (x) }
    <domain: "own", opset_import: ["" : 21]> Soft <axis> (x) => (y) { y = Softmax <axis: int = @axis> (x) }"""
    assert run(text, x=np.zeros((2, 4), np.float32))[0].tolist() == [[0.25] * 4] * 2


def test_a_function_has_operator_sets_of_its_own() -> None:
    text = """g (float[1, N] x) => (float[N] y) { y = own.Flat (x) }
    <domain: "own", opset_import: ["" : 11]> Flat (x) => (y) { y = Squeeze <axes = [0]> (x) }"""
    assert run(text, x=floats(1, 2).reshape(1, 2))[0].tolist() == [1, 2]


def test_overloads() -> None:
    text = """g (float[N] x) => (float[N] y, float[N] z) { y = own.F (x) z = own.F (x) }
    <domain: "own", opset_import: ["" : 21]> F (x) => (y) { y = Neg (x) }
    <domain: "own", opset_import: ["" : 21]> G (x) => (y) { y = Abs (x) }"""
    model = onnx.parser.parse_model(HEADER + text)
    model.functions[0].overload, model.functions[1].overload = "minus", "plus"
    model.functions[1].name = "F"
    model.graph.node[0].overload, model.graph.node[1].overload = "minus", "plus"
    y, z = Executor(model).run({"x": floats(-1)})
    assert (y.tolist(), z.tolist()) == ([1], [1])


def test_inputs_and_outputs_left_out() -> None:
    text = """g (float[N] x) => (float[N] y) { y = own.Cut (x) }
    <domain: "own", opset_import: ["" : 21]> Cut (x, low) => (y, z) { y = Clip (x, low) z = Neg (x) }"""
    assert run(text, x=floats(-1, 2))[0].tolist() == [-1, 2]


def test_a_graph_in_a_function_refers_to_its_attributes() -> None:
    text = """g (bool c, float[N] x) => (float[N] y) { y = own.Pick <a = 2.5> (c, x) }
    <domain: "own", opset_import: ["" : 21]> Pick <a> (c, x) => (y) {
        y = If (c) <
            then_branch = t () => (p) { q = Constant <value_float: float = @a> () p = Mul (x, q) },
            else_branch = e () => (r) { r = Neg (x) }
        >
    }"""
    assert run(text, c=np.array(True), x=floats(2))[0].tolist() == [5]


def test_errors_name_the_node_inside() -> None:
    text = """g (float[N] x, float[M] z) => (float[N] y) { y = own.Plus (x, z) }
    <domain: "own", opset_import: ["" : 21]> Plus (x, z) => (y) { [sum] y = Add (x, z) }"""
    with pytest.raises(
        KernelError, match=r"Add-14 'sum': .*float\[1\], float\[2\]|Add-14 'sum': .*float\[3\]"
    ) as caught:
        run(text, x=floats(1, 2, 3), z=floats(1, 2))
    assert caught.value.code == "R710"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            """g (float[N] x) => (float[N] y) { y = own.F (x) }
            <domain: "own", opset_import: ["own" : 1]> F (x) => (y) { y = own.G (x) }
            <domain: "own", opset_import: ["own" : 1]> G (x) => (y) { y = own.F (x) }""",
            "a function calls itself: F -> G -> F",
        ),
        (
            """g (float[N] x) => (float[N] y) { y = own.F <a = 1> (x) }
            <domain: "own", opset_import: ["" : 21]> F (x) => (y) { y = Neg (x) }""",
            "the function F has no attribute a",
        ),
        (
            """g (float[N] x) => (float[N] y) { y = own.F (x, x) }
            <domain: "own", opset_import: ["" : 21]> F (x) => (y) { y = Neg (x) }""",
            "2 inputs and 1 outputs are too many",
        ),
        (
            """g (float[N] x) => (float[N] y) { y = own.F (x) }
            <domain: "own", opset_import: ["" : 21]> F (x) => (y) { z = Neg (x) }""",
            "there is no value 'y'",
        ),
    ],
)
def test_functions_that_cannot_run(text: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        run(text, x=floats(1))


def through_its_body(op: str, opset: int, inputs: list[Any], **attributes: Any) -> list[Any]:
    """Runs an operator by the function of its schema, as if it had no kernel."""
    names = [f"x{i}" for i in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], **attributes)
    step = Step(node, Scope({"": opset}), frozenset(names))
    plan = step.body_for(tuple((1 if each.dtype == np.float32 else 7, each.shape) for each in inputs))
    assert plan is not None
    model = helper.make_model(
        helper.make_graph([node], "g", [onnx.ValueInfoProto(name=n) for n in names], [onnx.ValueInfoProto(name="y")]),
        opset_imports=[helper.make_opsetid("", opset)],
    )
    executor = Executor(model)
    for each in executor._plan.steps:
        each.kernel = None
    return executor.run(dict(zip(names, inputs, strict=True)))


@pytest.mark.parametrize(
    ("op", "opset", "inputs", "attributes"),
    [
        ("Softsign", 18, [floats(-1, 2)], {}),
        ("HardSwish", 14, [floats(-4, 1, 4)], {}),
        ("LeakyRelu", 16, [floats(-4, 1)], {"alpha": 0.25}),
        ("LayerNormalization", 17, [np.arange(6, dtype=np.float32).reshape(2, 3), floats(1, 2, 3)], {"axis": 1}),
        ("MeanVarianceNormalization", 13, [np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4)], {}),
        ("Celu", 12, [floats(-4, 1)], {}),
    ],
)
def test_operators_run_through_their_bodies(op: str, opset: int, inputs: list[Any], attributes: dict[str, Any]) -> None:
    if not bodies.available(signature("", op, opset)):
        pytest.skip(f"{op}-{opset} is no function")
    (got,) = through_its_body(op, opset, inputs, **attributes)
    names = [f"x{i}" for i in range(len(inputs))]
    node = helper.make_node(op, names, ["y"], **attributes)
    graph = helper.make_graph(
        [node], "g", [onnx.ValueInfoProto(name=n) for n in names], [onnx.ValueInfoProto(name="y")]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    (expected,) = Executor(model).run(dict(zip(names, inputs, strict=True)))
    np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-6)


def test_plans_of_functions_are_shared_between_calls() -> None:
    text = """g (float[N] x) => (float[N] y) { a = own.Twice (x) y = own.Twice (a) }
    <domain: "own", opset_import: ["" : 21]> Twice (x) => (y) { y = Add (x, x) }"""
    steps = Executor(onnx.parser.parse_model(HEADER + text))._plan.steps
    assert isinstance(steps[0].body, Plan)
    assert steps[0].body is steps[1].body
