"""Lints about what a model could do without, each with near misses."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import numpy_helper

from shapeinfer import check
from tests.support import model


def count(text: str, name: str) -> int:
    return [each.name for each in check(model(text)).lints].count(name)


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [(11, 1, 1), (10, 1, 0), (16, 1, 0), (7, 1, 0), (1, 1, 2)],
)
def test_casts_there_and_back(first: int, second: int, told: int) -> None:
    text = f"g (float[N] x) => (y) {{ c = Cast <to = {first}> (x) d = Cast <to = {second}> (c) y = Relu (d) }}"
    assert count(text, "redundant-cast") == told


def test_a_wide_integer_does_not_fit_into_a_float() -> None:
    text = "g (int32[N] x) => (y) { c = Cast <to = %d> (x) d = Cast <to = 6> (c) y = Abs (d) }"
    assert count(text % 1, "redundant-cast") == 0
    assert count(text % 11, "redundant-cast") == 1
    assert count(text % 7, "redundant-cast") == 1


def test_a_reshape_that_needs_something_is_not_redundant() -> None:
    text = "g (float[N, 3] x) => (y) <int64[2] s = {2, 3}> { r = Reshape (x, s) y = Relu (r) }"
    assert count(text, "redundant-reshape") == 0


def test_transposes_that_undo_each_other() -> None:
    text = (
        "g (float[A, B, C] x) => (y) { t = Transpose <perm = [%s]> (x) u = Transpose <perm = [%s]> (t) y = Relu (u) }"
    )
    assert count(text % ("1, 2, 0", "2, 0, 1"), "redundant-transpose") == 1
    assert count(text % ("1, 2, 0", "1, 2, 0"), "redundant-transpose") == 0


def test_squeeze_then_unsqueeze() -> None:
    text = """g (float[%s, 1, 3] x) => (y) <int64[1] a = {1}, int64[1] b = {%d}> {
        s = Squeeze (x, a) u = Unsqueeze (s, b) y = Relu (u)
    }"""
    assert count(text % ("N", 1), "squeeze-unsqueeze-pair") == 1
    assert count(text % ("N", -2), "squeeze-unsqueeze-pair") == 1
    assert count(text % ("N", 0), "squeeze-unsqueeze-pair") == 0


def test_a_pair_that_requires_a_size_is_kept() -> None:
    text = "g (float[N, 3] x) => (y) <int64[1] a = {0}> { s = Squeeze (x, a) u = Unsqueeze (s, a) y = Relu (u) }"
    assert count(text, "squeeze-unsqueeze-pair") == 0


def test_an_identity_that_names_an_output() -> None:
    assert count("g (float[N] x) => (y, z) { y = Relu (x) z = Identity (y) }", "redundant-identity") == 0
    assert count("g (float[N] x) => (z) { y = Relu (x) z = Identity (y) }", "redundant-identity") == 1


def test_what_only_an_inner_graph_takes_is_used() -> None:
    text = """g (bool c, float[N] x, float[N] z) => (y) <float[1] w = {1}> {
        n = Neg (z)
        y = If (c) <then_branch = t () => (a) { a = Add (x, w) }, else_branch = e () => (b) { b = Relu (n) }>
    }"""
    found = {each.name for each in check(model(text)).lints}
    assert not found & {"dead-node", "unused-input", "unused-initializer"}


def test_dead_nodes_inside_of_a_branch() -> None:
    text = """g (bool c, float[N] x) => (y) {
        y = If (c) <then_branch = t () => (a) { a = Neg (x) d = Abs (x) }, else_branch = e () => (b) { b = Relu (x) }>
    }"""
    assert count(text, "dead-node") == 1


def test_what_only_dead_nodes_take_is_dead_as_well() -> None:
    assert count("g (float[N] x) => (y) { y = Relu (x) a = Neg (x) b = Abs (a) }", "dead-node") == 2


def test_equal_numbers_of_different_shape_are_no_duplicates() -> None:
    text = "g (float[2] x) => (y) <float[2] v = {1, 2}, float[1, 2] w = {1, 2}> { a = Add (x, v) y = Mul (a, w) }"
    assert count(text, "duplicate-initializer") == 0


def test_duplicates_are_found_whichever_way_they_are_stored() -> None:
    proto = model("g (float[2] x) => (y) <float[2] v = {1, 2}, float[2] w = {1, 2}> { a = Add (x, v) y = Mul (a, w) }")
    for tensor in proto.graph.initializer:
        tensor.CopyFrom(numpy_helper.from_array(np.array([1, 2], np.float32), tensor.name))
    assert [each.name for each in check(proto).lints] == ["duplicate-initializer"]


def test_an_input_that_is_an_output_is_used() -> None:
    assert count("g (float[N] x, float[N] z) => (y, z) { y = Relu (x) }", "unused-input") == 0
