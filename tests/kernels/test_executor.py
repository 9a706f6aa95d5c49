from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper, numpy_helper

from shapeinfer.kernels import Executor, KernelError, run_node

HEADER = '<ir_version: 10, opset_import: ["" : 21]>\n'


def model(text: str) -> onnx.ModelProto:
    return onnx.parser.parse_model(text if text.startswith("<ir") else HEADER + text)


def run(text: str, outputs: list[str] | None = None, **inputs: Any) -> list[Any]:
    return Executor(model(text)).run({name: np.asarray(value) for name, value in inputs.items()}, outputs)


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


SUM = "g (float[N] a, float[N] b) => (float[N] c) { t = Add (a, b) c = Relu (t) }"


def test_runs_in_the_order_of_the_outputs() -> None:
    (c,) = run(SUM, a=floats(1, -5), b=floats(2, 3))
    assert c.tolist() == [3, 0]
    t, c = run(SUM, ["t", "c"], a=floats(1, -5), b=floats(2, 3))
    assert (t.tolist(), c.tolist()) == ([3, -2], [3, 0])


def test_runs_again() -> None:
    executor = Executor(model(SUM))
    for size in (2, 3):
        assert executor.run({"a": np.ones(size, np.float32), "b": np.ones(size, np.float32)})[0].tolist() == [2] * size


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"a": floats(1)}, "the input 'b' is missing"),
        ({"a": floats(1), "b": floats(1), "x": floats(1)}, "no input 'x'; the inputs are a, b"),
        ({"a": floats(1), "b": np.ones(1)}, r"the input 'b' is double\[1\], not of type float"),
        ({"a": floats(1), "b": np.ones((1, 1), np.float32)}, r"float\[1, 1\], not of rank 1"),
        ({"a": floats(1), "b": floats(1, 2)}, "but N at axis 0 is 1 in the input 'a'"),
    ],
)
def test_inputs_are_checked(inputs: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        Executor(model(SUM)).run(inputs)


def test_declared_sizes_are_checked() -> None:
    text = 'g (float[2, "?", M] x) => (float[2, K, M] y) { y = Identity (x) }'.replace('"?"', "K")
    assert run(text, x=np.zeros((2, 3, 4), np.float32))[0].shape == (2, 3, 4)
    with pytest.raises(KernelError, match="axis 0 is declared as 2"):
        run(text, x=np.zeros((3, 3, 4), np.float32))


def test_an_initializer_is_the_default_of_an_input() -> None:
    text = "g (float[1] x, float[1] w = {2.0}) => (float[1] y) { y = Mul (x, w) }"
    assert run(text, x=floats(3))[0].tolist() == [6]
    assert run(text, x=floats(3), w=floats(5))[0].tolist() == [15]
    with pytest.raises(KernelError, match="the input 'w' is double"):
        run(text, x=floats(3), w=np.ones(1))


def test_what_follows_from_a_default_changes_with_it() -> None:
    executor = Executor(model("g (float[1] x, float[1] w = {2.0}) => (float[1] y) { v = Neg (w) y = Mul (x, v) }"))
    for _ in range(2):
        assert executor.run({"x": floats(3)})[0].tolist() == [-6]
        assert executor.run({"x": floats(3), "w": floats(5)})[0].tolist() == [-15]
        assert executor.run({"x": floats(3), "w": floats(5)}, ["v"])[0].tolist() == [-5]


def test_errors_name_the_node_and_its_inputs() -> None:
    proto = model("g (float[N] a, float[M] b) => (float[K] c) { c = Add (a, b) }")
    proto.graph.node[0].name = "sum"
    with pytest.raises(KernelError, match=r"Add-14 'sum': .* \(inputs: float\[2\], float\[3\]\)") as caught:
        Executor(proto).run({"a": floats(1, 2), "b": floats(1, 2, 3)})
    assert (caught.value.node, caught.value.op) == ("sum", "Add-14")


def test_a_node_without_a_name_goes_by_its_output() -> None:
    with pytest.raises(KernelError, match="Squeeze-21 'y'"):
        run("g (float[N] x) => (float[M] y) { a = Constant <value_ints = [0]> () y = Squeeze (x, a) }", x=floats(1, 2))


def test_types_are_checked() -> None:
    with pytest.raises(KernelError, match="Add-14 'c': input B is double"):
        run("g (float[N] a, double[N] b) => (float[N] c) { c = Add (a, b) }", a=floats(1), b=np.ones(1))
    with pytest.raises(KernelError, match=r"Relu-14 'y': input X cannot be string\[1\]"):
        run("g (string[N] x) => (string[N] y) { y = Relu (x) }", x=np.array(["a"]))


def test_attributes_are_checked_when_it_is_the_nodes_turn() -> None:
    executor = Executor(model("g (float[N] x) => (float[N] y) { y = Relu <alpha = 1.0> (x) }"))
    with pytest.raises(KernelError, match="there is no attribute alpha"):
        executor.run({"x": floats(1)})
    executor = Executor(model("g (float[N, M] x) => (float[M, N] y) { y = Flatten <axis = 1.0> (x) }"))
    with pytest.raises(KernelError, match="axis must be of kind INT"):
        executor.run({"x": np.zeros((1, 1), np.float32)})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("g (float[N] x) => (float[N] y) { y = Nothing (x) }", "there is no operator Nothing in version 21"),
        ("g (float[N] x) => (float[N] y) { y = Upsample (x, x) }", "deprecated"),
        ("g (float[N] x) => (float[N] y) { y = other.Relu (x) }", "imports no operator set of the domain other"),
        ("g (float[N] x) => (float[N] y) { z = Relu (x) }", "the output 'y' is made by no node"),
        ("g (float[N] x) => (float[N] y) { y = Relu (z) }", "Relu-14 'y': the value 'z' is made by no node"),
        ("g (float[N] x) => (float[N] y) { y = Relu (x) y = Relu (x) }", "the value 'y' is made twice"),
        ("g (float[N] x) => (float[N] x) { x = Relu (x) }", "the value 'x' is made twice"),
        ("g (float[N] x) => (float[N] y) { z = Relu (y) y = Relu (z) }", "it depends on its own output"),
        ('<ir_version: 10, opset_import: ["" : 9999]>\ng (float[N] x) => (float[N] y) { y = Relu (x) }', "newer than"),
    ],
)
def test_what_cannot_be_prepared(text: str, message: str) -> None:
    with pytest.raises(KernelError, match=message):
        Executor(model(text))


def test_nodes_out_of_order() -> None:
    assert run("g (float[N] x) => (float[N] y) { y = Neg (t) t = Relu (x) }", x=floats(-1, 2))[0].tolist() == [0, -2]


def test_watching() -> None:
    seen: dict[str, Any] = {}
    executor = Executor(model(SUM), watch=lambda name, value: seen.__setitem__(name, value.tolist()))
    executor.run({"a": floats(1), "b": floats(-3)})
    assert seen == {"a": [1], "b": [-3], "t": [-2], "c": [0]}


def test_only_what_is_asked_for_is_run() -> None:
    text = "g (float[N] x) => (float[N] y, float[M] z) { y = Relu (x) z = MatMul (x, x) w = Squeeze (z) }"
    seen: list[str] = []
    executor = Executor(model(text), watch=lambda name, _: seen.append(name))
    executor.run({"x": floats(1)}, ["y"])
    assert seen == ["x", "y"]
    with pytest.raises(KernelError, match="there is no value 'q'"):
        executor.run({"x": floats(1)}, ["q"])


def test_values_are_given_up_after_their_last_use() -> None:
    steps = Executor(model("g (float[N] x) => (float[N] y) { a = Relu (x) b = Neg (a) y = Add (a, b) }"))._plan.steps
    assert [set(step.last) for step in steps] == [{"x"}, set(), {"a", "b"}]


def test_outputs_are_the_callers_own() -> None:
    x = floats(1, 2)
    text = "g (float[N] x, float[1] w = {7.0}) => (float[N] y, float[1] w) { y = Identity (x) }"
    executor = Executor(model(text))
    y, w = executor.run({"x": x})
    y[0] = w[0] = 100
    assert x.tolist() == [1, 2]
    assert executor.run({"x": x})[1].tolist() == [7]


def test_an_expanded_output_can_be_changed() -> None:
    text = "g (float[1] x) => (float[N] y) { s = Constant <value_ints = [3]> () y = Expand (x, s) }"
    (y,) = run(text, x=floats(1))
    y[0] = 5
    assert y.tolist() == [5, 1, 1]


def test_outputs_left_out() -> None:
    node = helper.make_node("TopK", ["x", "k"], ["", "i"])
    assert run_node(node, 11, [floats(3, 9), np.array([1])])[1].tolist() == [1]


def test_strings_go_in_and_out() -> None:
    text = "g (string[N] x) => (string[N] y) { y = Identity (x) }"
    for given in (["a", "b"], np.array(["a", "b"]), np.array(["a", "b"], object), np.array([b"a", b"b"])):
        (y,) = run(text, x=given)
        assert y.dtype == object
        assert y.tolist() == ["a", "b"]


def test_stored_strings_and_narrow_types() -> None:
    words = numpy_helper.from_array(np.array(["a", "b"], object), "w")
    half = helper.make_tensor("h", TensorProto.BFLOAT16, [1], [1.5])
    outputs = [onnx.ValueInfoProto(name="w"), onnx.ValueInfoProto(name="h")]
    proto = helper.make_model(helper.make_graph([], "g", [], outputs, [words, half]))
    w, h = Executor(proto).run({})
    assert w.tolist() == ["a", "b"]
    assert h.dtype == ml_dtypes.bfloat16


def test_sparse_initializers() -> None:
    values = numpy_helper.from_array(floats(5), "w")
    sparse = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([[1, 0]])), [2, 2])
    graph = helper.make_graph([], "g", [], [onnx.ValueInfoProto(name="w")])
    graph.sparse_initializer.append(sparse)
    assert Executor(helper.make_model(graph)).run({})[0].tolist() == [[0, 0], [5, 0]]


def test_external_data(tmp_path: Path) -> None:
    weights = np.arange(300, dtype=np.float32)
    graph = helper.make_graph([], "g", [], [onnx.ValueInfoProto(name="w")], [numpy_helper.from_array(weights, "w")])
    onnx.save_model(
        helper.make_model(graph), tmp_path / "m.onnx", save_as_external_data=True, location="m.bin", size_threshold=0
    )
    stored = onnx.load(tmp_path / "m.onnx", load_external_data=False)
    assert Executor(stored, tmp_path).run({})[0].tolist() == weights.tolist()
    (tmp_path / "m.bin").unlink()
    with pytest.raises(KernelError, match="the tensor 'w' cannot be read"):
        Executor(stored, tmp_path).run({})


BRANCHES = """g (bool c, float[N] x) => (float[N] y) {
    t = Neg (x)
    y = If (c) <
        then_branch = one () => (float[N] a) { a = Add (t, x) },
        else_branch = two () => (float[N] b) { u = Mul (x, x) b = Relu (u) }
    >
}"""


@pytest.mark.parametrize(("condition", "expected"), [(True, [0, 0]), (False, [4, 9])])
def test_branches_see_the_values_around_them(condition: bool, expected: list[float]) -> None:
    assert run(BRANCHES, c=np.array(condition), x=floats(2, -3))[0].tolist() == expected


def test_errors_inside_a_branch() -> None:
    text = BRANCHES.replace("Add (t, x)", "MatMul (t, c)")
    with pytest.raises(KernelError, match="MatMul-13 'a'"):
        run(text, c=np.array(True), x=floats(1))


def test_random_dropout_can_be_repeated() -> None:
    text = """g (float[N] x) => (float[N] y) {
        r = Constant <value_float = 0.5> () t = Constant <value = bool {1}> () y = Dropout (x, r, t)
    }"""
    x = np.ones(100, np.float32)
    first, second = (Executor(model(text), seed=seed).run({"x": x})[0] for seed in (1, 1))
    assert first.tolist() == second.tolist()
    assert set(first.tolist()) == {0, 2}


@pytest.mark.parametrize("opset", [1, 6, 7, 10, 12, 13, 22])
def test_dropout_drops_nothing_in_inference(opset: int) -> None:
    x = floats(1, 2)
    y, mask = run_node(helper.make_node("Dropout", ["x"], ["y", "mask"]), opset, [x])
    assert y.tolist() == [1, 2]
    assert mask.dtype == (bool if opset >= 10 else np.float32)
    assert mask.tolist() == [1, 1]


def test_models_older_than_operator_sets() -> None:
    proto = helper.make_model(
        helper.make_graph(
            [helper.make_node("Add", ["a", "b"], ["c"], broadcast=1, consumed_inputs=[0, 0])],
            "g",
            [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N"]) for name in "ab"],
            [helper.make_tensor_value_info("c", TensorProto.FLOAT, ["N"])],
        )
    )
    del proto.opset_import[:]
    assert Executor(proto).run({"a": floats(1), "b": floats(2)})[0].tolist() == [3]
