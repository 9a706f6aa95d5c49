"""Lints about what a model declares, each with near misses."""

from __future__ import annotations

from shapeinfer import check
from tests.support import model


def count(text: str, name: str) -> int:
    return [each.name for each in check(model(text)).lints].count(name)


def test_each_unnamed_dim_is_told() -> None:
    assert count("g (float[?, 3, ?] x) => (y) { y = Relu (x) }", "unnamed-dim") == 2


def test_a_declared_dim_that_holds_within_the_requirements() -> None:
    text = (
        "g (float[A, 2] x, float[B, 2] z) => (float[B, 2] y) { d = Concat <axis = 1> (x, z) y = Relu (x) w = Relu (d) }"
    )
    dead = text.replace("=> (float[B, 2] y)", "=> (float[B, 2] y, w)")
    assert count(dead, "declared-dim-wrong") == 0  # the concatenation needs A == B


def test_a_declared_name_of_its_own_is_no_claim() -> None:
    text = "g (float[N, 2] x) => (float[K] y) <int64[1] s = {-1}> { y = Reshape (x, s) }"
    assert count(text, "declared-dim-wrong") == 0
    assert count(text, "one-name-two-sizes") == 0


def test_one_name_for_equal_sizes() -> None:
    text = "g (float[N, 2] x) => (float[K, 2] y, float[K, 2] z) { y = Relu (x) z = Neg (x) }"
    assert count(text, "one-name-two-sizes") == 0


def test_an_expression_that_is_right() -> None:
    text = "g (float[N, 2] x) => (y) <int64[1] s = {-1}> { y = Reshape (x, s) }"
    proto = model(text)
    proto.graph.output[0].type.tensor_type.elem_type = 1
    proto.graph.output[0].type.tensor_type.shape.dim.add().dim_param = "2*N"
    assert not check(proto).lints
    proto.graph.output[0].type.tensor_type.shape.dim[0].dim_param = "3*N"
    assert [each.name for each in check(proto).lints] == ["declared-dim-wrong"]


def test_value_info_of_an_inner_graph_is_not_stale() -> None:
    text = """g (bool c, float[N] x) => (y) <float[N] a> {
        y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
    }"""
    assert count(text, "stale-value-info") == 0


def test_a_replaceable_weight_steers_no_shape() -> None:
    text = "g (float[2] x, float[2] w) => (y) <float[2] w = {1, 2}> { y = Add (x, w) }"
    assert count(text, "overridable-shape") == 0


def test_before_ir_version_4_initializers_are_constants() -> None:
    text = '<ir_version: 3, opset_import: ["" : 8]>\n'
    text += "g (float[2, 6] x, int64[2] s) => (y) <int64[2] s = {3, 4}> { y = Reshape (x, s) }"
    assert count(text, "overridable-shape") == 0
