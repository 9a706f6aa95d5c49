"""Lints about dynamic shapes, each with near misses."""

from __future__ import annotations

import pytest

from shapeinfer import check
from shapeinfer.report import Diagnostic
from tests.support import model


def lints(text: str, name: str, **options: object) -> list[Diagnostic]:
    report = check(model(text), **options)  # type: ignore[arg-type]  # options of check
    return [each for each in report.lints if each.name == name]


def count(text: str, name: str, **options: object) -> int:
    return len(lints(text, name, **options))


# ------------------------------------------------------------------------------------------------------------ squeeze


def test_squeeze_without_axes_is_told_once_the_sizes_tell() -> None:
    text = "g (float[N, 1, 3] x) => (y) { y = Squeeze (x) }"
    assert count(text, "squeeze-without-axes") == 0  # check says so: S422
    assert count(text, "squeeze-without-axes", dims={"N": "2.."}) == 1


def test_squeeze_with_an_attribute_for_axes() -> None:
    header = '<ir_version: 6, opset_import: ["" : 11]>\n'
    assert count(header + "g (float[1, 3] x) => (y) { y = Squeeze <axes = [0]> (x) }", "squeeze-without-axes") == 0
    assert count(header + "g (float[1, 3] x) => (y) { y = Squeeze (x) }", "squeeze-without-axes") == 1


def test_empty_axes_that_are_meant() -> None:
    text = "g (float[N] x) => (y) <int64[0] a = {}> { y = ReduceSum <noop_with_empty_axes = 1> (x, a) }"
    assert count(text, "empty-axes") == 0
    assert count("g (float[N] x) => (y) { y = ReduceSum (x) }", "empty-axes") == 0


# ------------------------------------------------------------------------------------------------------------ reshape


@pytest.mark.parametrize(
    ("shape", "told"),
    [
        ("{1, 12}", True),
        ("{8, 12}", True),
        ("{-1, 12}", False),
        ("{0, 12}", False),
        ("{0, 3, 4}", False),
        ("{5, -1}", True),
        ("{4, -1}", False),
        ("{0, -1}", False),
    ],
)
def test_a_reshape_to_a_literal(shape: str, told: bool) -> None:
    length = shape.count(",") + 1
    text = f"g (float[N, 3, 4] x) => (y) <int64[{length}] s = {shape}> {{ y = Reshape (x, s) }}"
    assert count(text, "hard-coded-reshape") == told


def test_a_reshape_that_folds_the_batch_away_when_the_batch_is_fixed_later() -> None:
    text = """g (float[N, 3, 4] x, float[12, 2] w) => (y) <int64[2] s = {1, -1}> {
        r = Reshape (x, s) y = MatMul (r, w)
    }"""
    found = lints(text, "hard-coded-reshape")
    assert [each.hint for each in found] == ["reshape to [-1, 12] instead"]
    flexible = text.replace("float[12, 2] w", "float[K, 2] w")
    assert count(flexible, "hard-coded-reshape") == 0


def test_a_reshape_that_copies_the_batch_where_more_than_one_size_is_dynamic() -> None:
    text = """g (float[N, S, 4] x, float[3, 4] z) => (y, c) <int64[3] s = {3, -1, 2}> {
        y = Reshape (x, s) c = Relu (z)
    }"""
    assert [each.hint for each in lints(text, "hard-coded-reshape")] == ["let an entry of -1 follow the input"]
    fixed = """g (float[N, S, 4] x, float[3, 1, 4] z) => (y, c) <int64[3] s = {3, -1, 2}> {
        y = Reshape (x, s) c = Concat <axis = 1> (x, z)
    }"""
    assert [each.hint for each in lints(fixed, "hard-coded-reshape")] == ["reshape to [0, -1, 2] instead"]


def test_a_static_reshape_is_no_matter() -> None:
    text = "g (float[2, 3, 4] x) => (y) <int64[2] s = {1, 24}> { y = Reshape (x, s) }"
    assert count(text, "hard-coded-reshape") == 0


# ----------------------------------------------------------------------------------------------------- literal sizes


@pytest.mark.parametrize(
    "maker",
    [
        "e = Expand (z, s)",
        "e = ConstantOfShape (s)",
        "t = Expand (z, s) e = Relu (t)",
        "t = Expand (z, s) u = Transpose <perm = [1, 0]> (t) e = Transpose <perm = [1, 0]> (u)",
    ],
)
def test_a_constant_size_is_found_where_it_was_made(maker: str) -> None:
    text = f"g (float[N, 4] x, float[1, 4] z) => (y) <int64[2] s = {{8, 4}}> {{ {maker} y = Add (x, e) }}"
    found = lints(text, "literal-size")
    assert len(found) == 1
    assert found[0].op in ("Expand", "ConstantOfShape")
    assert "constant of node 0" in lints(text, "specialised-dim")[0].message


def test_a_size_that_the_input_declares_is_no_constant() -> None:
    text = "g (float[N, 4] x, float[8, 4] z) => (y) { y = Add (x, z) }"
    assert count(text, "literal-size") == 0
    assert count(text, "specialised-dim") == 1


def test_tiled_positions() -> None:
    text = "g (float[N, 4] x, float[1, 4] z) => (y) <int64[2] r = {8, 1}> { t = Tile (z, r) y = Add (x, t) }"
    assert count(text, "literal-size") == 1


def test_a_slice_that_cuts_nothing() -> None:
    text = "g (float[S, 4] x) => (y) <int64[1] b = {0}, int64[1] e = {128}> { y = Slice (x, b, e) }"
    assert count(text, "slice-cuts") == 1
    assert count(text, "slice-cuts", dims={"S": "1..64"}) == 0


def test_a_resize_of_a_static_axis() -> None:
    text = "g (float[1, 3, 8, 8] x) => (y) <int64[4] s = {1, 3, 32, 16}> { y = Resize (x, , , s) }"
    assert count(text, "fixed-resize") == 0


# -------------------------------------------------------------------------------------------------------- broadcasts


def test_two_expressions_over_one_name_are_not_ambiguous() -> None:
    text = """g (float[N] x) => (y) <int64[1] b = {1}, int64[1] e = {9223372036854775807}> {
        s = Slice (x, b, e) y = Add (x, s)
    }"""
    assert count(text, "ambiguous-broadcast") == 0


def test_two_names_that_facts_make_one_are_not_ambiguous() -> None:
    text = "g (float[A] x, float[B] z) => (y) { y = Add (x, z) }"
    assert count(text, "ambiguous-broadcast") == 1
    assert count(text, "ambiguous-broadcast", dims={"B": "A"}) == 0


def test_two_names_that_another_node_makes_one_are_not_ambiguous() -> None:
    text = "g (float[A] x, float[B] z) => (y, d) { y = Add (x, z) d = MatMul (x, z) }"
    assert count(text, "ambiguous-broadcast") == 0


# --------------------------------------------------------------------------------------------------- data-dependent


def test_how_far_a_size_reaches() -> None:
    text = "g (float[N] x) => (y, z) { n = NonZero (x) t = Transpose (n) y = Cast <to = 1> (t) z = Relu (x) }"
    (found,) = lints(text, "data-dependent-size")
    assert "3 values" in found.message
    assert found.message.endswith("reaches the graph output y")


# ------------------------------------------------------------------------------------------------------------- zeros


def test_a_reduction_of_what_is_never_empty() -> None:
    text = "g (float[N, 3] x) => (y) { y = ReduceMax <keepdims = 0> (x) }"
    assert count(text, "empty-reduction") == 1
    assert count(text, "empty-reduction", dims={"N": "1.."}) == 0


def test_a_computed_entry_that_copies_itself() -> None:
    text = """g (float[N, C] x) => (y) <int64[1] m = {-1}> {
        s = Shape <end = 1> (x) t = Concat <axis = 0> (s, m) y = Reshape (x, t)
    }"""
    assert count(text, "zero-copies") == 0


# ------------------------------------------------------------------------------------------------------------ tables


def test_positions_within_the_table() -> None:
    text = """g (float[S, 2] x) => (y) <float[4, 2] t = {1,2,3,4,5,6,7,8}, int64 zero = {0}, int64 one = {1}> {
        s = Shape (x) n = Gather (s, zero) i = Range (zero, n, one) o = Add (i, one) y = Gather (t, o)
    }"""
    (found,) = lints(text, "beyond-table")
    assert "S + 1 <= 4" in found.message
    assert count(text, "beyond-table", dims={"S": "1..3"}) == 0
    assert count(text, "beyond-table", dims={"S": "1..4"}) == 1


def test_a_sliced_table() -> None:
    text = """g (float[S, 2] x) => (y) <float[4, 2] t = {1,2,3,4,5,6,7,8}, int64[1] z = {0}> {
        s = Shape <end = 1> (x) p = Slice (t, z, s) q = Transpose (x) y = MatMul (q, p)
    }"""
    assert count(text, "beyond-table") == 1
    assert count(text, "beyond-table", dims={"S": "1..4"}) == 0


# ----------------------------------------------------------------------------------------------------- inner graphs


def test_branches_of_one_rank_and_branches_that_are_decided() -> None:
    text = """g (float[1, N] x) => (y) {
        c = Constant <value = bool {1}> ()
        y = If (c) <then_branch = t () => (a) { a = ReduceSum <keepdims = 0> (x) },
                    else_branch = e () => (b) { b = Neg (x) }>
    }"""
    assert count(text, "branch-ranks") == 0


def test_a_branch_inside_of_a_branch() -> None:
    inner = """b = If (c) <then_branch = p () => (u) { u = ReduceSum <keepdims = 0> (x) },
                           else_branch = q () => (v) { v = Neg (x) }>"""
    text = f"""g (bool c, float[1, N] x) => (y) {{
        y = If (c) <then_branch = t () => (a) {{ a = Neg (x) }}, else_branch = e () => (b) {{ {inner} }}>
    }}"""
    assert [len(each.path) for each in lints(text, "branch-ranks")] == [2]


def test_a_carried_value_that_changes_its_rank_is_worse() -> None:
    body = "b (int64 i, bool k, float[R, N] v) => (l, w) { l = Identity (k) w = %s }"
    text = "g (int64 m, bool c, float[1, N] x) => (y) { y = Loop (m, c, x) <body = " + body + "> }"
    (grows,) = lints(text % "Concat <axis = 0> (v, v)", "carried-shape-changes")
    assert grows.severity == "note"
    (rank,) = lints(text % "ReduceSum <keepdims = 0> (v)", "carried-shape-changes")
    assert rank.severity == "warning"


# ---------------------------------------------------------------------------------------------------------- overflow


def test_element_counts_of_bounded_sizes() -> None:
    text = "g (float[N, 1] x, float[1, N] z) => (y) { y = Add (x, z) }"
    assert count(text, "element-count") == 0
    assert count(text, "element-count", dims={"N": "1..100000"}) == 1
    assert count(text, "element-count", dims={"N": "1..1000"}) == 0


def test_sizes_in_int32_of_bounded_sizes() -> None:
    text = """g (float[N, N] x) => (y) { s = Shape (x) i = Cast <to = 6> (s) y = ReduceProd <keepdims = 0> (i) }"""
    assert count(text, "int32-overflow") == 0
    assert count(text, "int32-overflow", dims={"N": "1..100000"}) == 1
    assert count(text, "int32-overflow", dims={"N": "1..1000"}) == 0


# ----------------------------------------------------------------------------------------------------------- EyeLike


def test_eyelike_of_a_value_that_keeps_its_type() -> None:
    assert count("g (float[3, 3] x) => (y) { r = Relu (x) y = EyeLike (r) }", "eyelike-type-follows") == 0
    text = "g (float[3, 3] x) => (y) { c = Cast <to = 7> (x) t = Transpose (c) y = EyeLike (t) }"
    assert count(text, "eyelike-type-follows") == 1


def test_a_diagonal_that_is_always_inside() -> None:
    text = "g (float[N, N] x) => (y) { y = EyeLike <k = -2> (x) }"
    assert count(text, "eyelike-diagonal-leaves") == 1
    assert count(text, "eyelike-diagonal-leaves", dims={"N": "3.."}) == 0
    assert count("g (float[3, 3] x) => (y) { y = EyeLike <k = 3> (x) }", "eyelike-diagonal-leaves") == 0  # S427
