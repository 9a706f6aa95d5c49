"""What is written into the graphs inside nodes."""

from __future__ import annotations

import onnx

from shapeinfer import infer_shapes
from tests.support import model


def inner(text: str, node: int = 0, attribute: str = "body") -> dict[str, list[int | str | None]]:
    proto = infer_shapes(model(text))
    graph = next(a.g for a in proto.graph.node[node].attribute if a.name == attribute)
    return {
        info.name: [
            d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in info.type.tensor_type.shape.dim
        ]
        for info in graph.value_info
    }


IF = """g (float[N, 3] x, bool c) => (y) {
    y = If (c) <
        then_branch = a () => (p) { q = Relu (x) p = Exp (q) },
        else_branch = b () => (p) { q = Transpose (x) r = NonZero (q) p = Exp (x) }
    >
}"""


def test_a_branch() -> None:
    assert inner(IF, attribute="then_branch") == {"q": ["N", 3]}


def test_a_symbol_of_the_inner_graph_is_left_out() -> None:
    assert inner(IF, attribute="else_branch") == {"q": [3, "N"], "r": [2, None]}


LOOP = """g (float[N, 3] x, int64 n, bool c) => (y, z) {
    y, z = Loop (n, c, x) <
        body = b (int64 i, bool go, float[?, 3] s) => (go2, t, part) {
            go2 = Identity (go) d = Transpose (x) a = Relu (s) t = Concat <axis = 0> (a, x) part = Exp (x)
        }
    >
}"""


def test_a_body_that_runs_again_and_again() -> None:
    assert inner(LOOP) == {"d": [3, "N"], "a": [None, 3]}


def test_what_the_file_says_stays_where_not_all_is_known() -> None:
    proto = model(LOOP)
    body = proto.graph.node[0].attribute[0].g
    body.value_info.append(onnx.helper.make_tensor_value_info("a", onnx.TensorProto.FLOAT, ["grows", 3]))
    result = infer_shapes(proto).graph.node[0].attribute[0].g
    assert result.value_info[0].type.tensor_type.shape.dim[0].dim_param == "grows"


def test_a_graph_inside_a_graph() -> None:
    text = """g (float[N] x, bool c) => (y) {
        y = If (c) <
            then_branch = a () => (p) {
                p = If (c) <
                    then_branch = d () => (r) { q = Relu (x) r = Exp (q) },
                    else_branch = e () => (r) { r = Exp (x) }
                >
            },
            else_branch = b () => (p) { p = Exp (x) }
        >
    }"""
    proto = infer_shapes(model(text))
    outer = next(a.g for a in proto.graph.node[0].attribute if a.name == "then_branch")
    nested = next(a.g for a in outer.node[0].attribute if a.name == "then_branch")
    assert [info.name for info in nested.value_info] == ["q"]


def test_the_argument_is_not_changed() -> None:
    proto = model(IF)
    before = proto.SerializeToString(deterministic=True)
    infer_shapes(proto)
    assert proto.SerializeToString(deterministic=True) == before


def test_the_result_is_a_model_that_onnx_accepts() -> None:
    onnx.checker.check_model(infer_shapes(model(IF)))
