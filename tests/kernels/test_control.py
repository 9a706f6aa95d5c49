"""Control flow: If, Loop, Scan in both forms, SequenceMap, one in another, with values from around them."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx import TensorProto, helper

from shapeinfer.kernels import Executor, KernelError


def run(text: str, outputs: list[str] | None = None, opset: int = 21, **inputs: Any) -> list[Any]:
    model = onnx.parser.parse_model(f'<ir_version: 10, opset_import: ["" : {opset}]>\n{text}')
    return Executor(model).run(inputs, outputs)


def floats(*values: float) -> Any:
    return np.array(values, np.float32)


LOOP = """g (int64 m, bool c, float[N] x) => (float[N] last, float[K, N] all) {
    last, all = Loop (MC, x) <body = body (int64 i, bool going, float[N] v) => (bool more, float[N] w, float[N] seen) {
        k = Cast <to = 1> (i)
        w = Add (v, x)
        seen = Add (v, k)
        bound = Constant <value_float = 10.0> ()
        total = ReduceSum <keepdims = 0> (w)
        more = Less (total, bound)
    }>
}"""


def test_a_loop_with_a_trip_count_reads_values_around_it() -> None:
    last, every = run(LOOP.replace("MC", "m, "), m=np.array(3), c=np.array(True), x=floats(0, 1))
    assert last.tolist() == [0, 4]
    assert every.tolist() == [[0, 1], [1, 3], [2, 5]]


def test_a_loop_with_a_condition() -> None:
    last, every = run(LOOP.replace("MC", ", c"), m=np.array(0), c=np.array(True), x=floats(1, 2))
    assert last.tolist() == [4, 8]
    assert every.shape == (3, 2)


def test_a_loop_that_never_runs() -> None:
    for form, count, condition in (("m, c", 0, True), ("m, c", 5, False), ("m, ", -1, True)):
        last, every = run(LOOP.replace("MC", form), m=np.array(count), c=np.array(condition), x=floats(1, 2))
        assert last.tolist() == [1, 2]
        assert every.shape[0] == 0
        assert every.dtype == np.float32


def test_the_shapes_of_iterations_must_agree() -> None:
    text = """g (int64 m, float[N] x) => (float[N] last, float[K, N] all) {
        last, all = Loop (m, , x) <body = body (int64 i, bool c, float[N] v) => (bool d, float[M] w, float[M] e) {
            d = Identity (c)
            w = Concat <axis = 0> (v, v)
            e = Identity (w)
        }>
    }"""
    with pytest.raises(KernelError, match=r"Loop-21 'last': iterations make float\[2\] and float\[4\]") as caught:
        run(text, m=np.array(2), x=floats(1))
    assert caught.value.code == "R710"


def test_a_loop_inside_a_branch_inside_a_loop() -> None:
    text = """g (float s) => (float y) {
        two = Constant <value_int = 2> ()
        y = Loop (two, , s) <body = outer (int64 i, bool c, float v) => (bool d, float w) {
            d = Identity (c)
            half = Cast <to = 9> (i)
            w = If (half) <
                then_branch = one () => (float a) {
                    a = Loop (two, , v) <body = inner (int64 j, bool e, float q) => (bool f, float r) {
                        f = Identity (e)
                        r0 = Add (q, s)
                        r = Add (r0, v)
                    }>
                },
                else_branch = two () => (float b) { b = Neg (v) }
            >
        }>
    }"""
    # s = 3: first -3; then twice (q + 3 - 3) from -3.
    assert run(text, s=np.array(3, np.float32))[0].tolist() == -3


def test_a_sequence_carried_by_a_loop() -> None:
    text = """g (int64 m, float[N] x) => (seq(float[N]) s) {
        e = SequenceEmpty ()
        s = Loop (m, , e) <body = body (int64 i, bool c, seq(float[N]) v) => (bool d, seq(float[N]) w) {
            d = Identity (c)
            w = SequenceInsert (v, x)
        }>
    }"""
    (s,) = run(text, m=np.array(3), x=floats(1, 2))
    assert [each.tolist() for each in s] == [[1, 2]] * 3
    s[0][0] = 7  # the caller's own


SCAN = """g (float[N] start, float[T, N] x) => (float[N] total, float[T, N] sums) {
    total, sums = Scan <num_scan_inputs = 1 MORE, body = body (float[N] a, float[N] b) => (float[N] c, float[N] d) {
        c = Add (a, b)
        d = Identity (c)
    }> (start, x)
}"""


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        ("", [[2, 3], [4, 6], [6, 9]]),
        (", scan_input_directions = [1]", [[2, 3], [4, 6], [6, 9]]),
        (", scan_output_directions = [1]", [[6, 9], [4, 6], [2, 3]]),
        (", scan_output_axes = [1]", [[2, 4, 6], [3, 6, 9]]),
        (", scan_output_axes = [-1]", [[2, 4, 6], [3, 6, 9]]),
    ],
)
def test_scan(more: str, expected: list[list[float]]) -> None:
    x = np.array([[2, 3]] * 3, np.float32)
    for opset in (9, 11, 16, 19, 21):
        total, sums = run(SCAN.replace("MORE", more), opset=opset, start=floats(0, 0), x=x)
        assert total.tolist() == [6, 9]
        assert sums.tolist() == expected


def test_scan_reads_along_an_axis_and_backwards() -> None:
    x = np.array([[1, 2, 3], [10, 20, 30]], np.float32)
    text = SCAN.replace("float[T, N] x", "float[N, T] x")
    more = ", scan_input_axes = [-1], scan_input_directions = [1]"
    total, sums = run(text.replace("MORE", more), start=floats(0, 0), x=x)
    assert total.tolist() == [6, 60]
    assert sums.tolist() == [[3, 30], [5, 50], [6, 60]]


def test_scan_over_nothing() -> None:
    total, sums = run(SCAN.replace("MORE", ""), start=floats(1, 2), x=np.zeros((0, 2), np.float32))
    assert total.tolist() == [1, 2]
    assert sums.shape[0] == 0


def test_scans_that_do_not_fit() -> None:
    x = np.zeros((2, 2), np.float32)
    for more, message in (
        (", scan_input_axes = [2]", "scan_input_axes 2 is out of range for rank 2"),
        (", scan_output_axes = [0, 1]", "must be 1 numbers"),
        (", scan_input_directions = [2]", "must be of 0 and 1"),
    ):
        with pytest.raises(KernelError, match=message):
            run(SCAN.replace("MORE", more), start=floats(0, 0), x=x)


def test_scan_8_has_batches_and_lengths() -> None:
    body = onnx.parser.parse_graph(
        "body (float[N] a, float[N] b) => (float[N] c, float[N] d) { c = Add (a, b) d = Identity (c) }"
    )
    node = helper.make_node("Scan", ["lengths", "start", "x"], ["total", "sums"], body=body, num_scan_inputs=1)
    inputs = [
        helper.make_tensor_value_info("lengths", TensorProto.INT64, ["B"]),
        helper.make_tensor_value_info("start", TensorProto.FLOAT, ["B", "N"]),
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["B", "T", "N"]),
    ]
    results = [onnx.ValueInfoProto(name=name) for name in ("total", "sums")]
    graph = helper.make_graph([node], "g", inputs, results)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 8)], ir_version=3)
    x = np.arange(12, dtype=np.float32).reshape(2, 3, 2)
    feeds = {"lengths": np.array([3, 2]), "start": np.zeros((2, 2), np.float32), "x": x}
    total, sums = Executor(model).run(feeds)
    assert total.tolist() == [[6, 9], [14, 16]]
    assert sums.tolist() == [[[0, 1], [2, 4], [6, 9]], [[6, 7], [14, 16], [0, 0]]]
    with pytest.raises(KernelError, match="sequence_lens"):
        Executor(model).run({**feeds, "lengths": np.array([4, 0])})


def test_a_graph_applied_to_each_element_of_sequences() -> None:
    text = """g (seq(float[N]) s, seq(float[M]) t, float[K] x) => (seq(float[L]) y, seq(int64[1]) z) {
        y, z = SequenceMap (s, t, x) <body = body (float[N] a, float[M] b, float[K] c) => (float[L] d, int64[1] e) {
            d = Concat <axis = 0> (a, b, c)
            e = Shape (d)
        }>
    }"""
    y, z = run(text, s=[floats(1), floats(2, 3)], t=[floats(4, 5), floats()], x=floats(6))
    assert [each.tolist() for each in y] == [[1, 4, 5, 6], [2, 3, 6]]
    assert [each.tolist() for each in z] == [[4], [3]]
    assert run(text, s=[], t=[], x=floats(6)) == [[], []]
    with pytest.raises(KernelError, match="sequences of 1 and of 0 elements"):
        run(text, s=[floats(1)], t=[], x=floats(6))


def test_values_inside_are_watched_by_their_path() -> None:
    model = onnx.parser.parse_model(
        '<ir_version: 10, opset_import: ["" : 21]>\n'
        "g (bool c, float[N] x) => (float[N] y) {"
        " [choice] y = If (c) <then_branch = one () => (float[N] a) { a = Neg (x) },"
        " else_branch = two () => (float[N] b) { b = Abs (x) }> }"
    )
    seen: list[str] = []
    Executor(model).run({"c": np.array(True), "x": floats(1)}, watch=lambda name, _: seen.append(name))
    assert seen == ["c", "x", "choice / then_branch / a", "y"]


def test_graphs_too_deep_one_in_another() -> None:
    inner = "y = Neg (x)"
    for _ in range(3):
        inner = (
            f"y = If (c) <then_branch = t () => (float[N] y) {{ {inner} }}, else_branch = e () => (float[N] x) {{ }}>"
        )
    text = f"g (bool c, float[N] x) => (float[N] y) {{ {inner} }}"
    assert run(text, c=np.array(True), x=floats(1))[0].tolist() == [-1]


def test_a_branch_that_is_not_there() -> None:
    node = helper.make_node("If", ["c"], ["y"], name="choice")
    graph = helper.make_graph(
        [node], "g", [helper.make_tensor_value_info("c", TensorProto.BOOL, [])], [onnx.ValueInfoProto(name="y")]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)])
    with pytest.raises(KernelError, match="If-21 'choice': the attribute then_branch is required"):
        Executor(model).run({"c": np.array(True)})
