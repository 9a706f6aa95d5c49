from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import onnx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from onnx import TensorProto, helper

from shapeinfer import check
from shapeinfer.kernels import Executor
from shapeinfer.types import ElementType
from tests.support import assert_kernel_agrees, errors, model, names, type_of

VERSIONS = (9, 22)
PLAIN = "float16 float double int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool".split()


def eye(kind: str, attributes: str = "", opset: int = 22) -> str:
    stated = f"<{attributes}> " if attributes else ""
    return f'<ir_version: 10, opset_import: ["" : {opset}]>\ng ({kind} x) => (y) {{ y = EyeLike {stated}(x) }}'


@pytest.mark.parametrize("opset", VERSIONS)
def test_the_shape_is_the_inputs(opset: int) -> None:
    assert type_of(eye("float[R, C]", opset=opset)) == "float[R, C]"
    assert type_of(eye("int64[3, 4]", "dtype = 1, k = -1", opset)) == "float[3, 4]"


@pytest.mark.parametrize("kind", PLAIN)
def test_without_dtype_the_input_gives_the_type(kind: str) -> None:
    assert type_of(eye(f"{kind}[2, 2]")) == f"{kind}[2, 2]"


def test_an_unknown_rank_still_gives_two_dims() -> None:
    assert type_of(eye("float[]", "dtype = 7")) == "int64[u0, u1]"


@pytest.mark.parametrize("shape", ["", "[3]", "[1, 2, 3]"])
def test_the_rank_must_be_two(shape: str) -> None:
    proto = model(eye(f"float{shape or '[1]'}"))
    if not shape:
        del proto.graph.input[0].type.tensor_type.shape.dim[:]
    assert errors(proto) == ["rank"]


@pytest.mark.parametrize("kind", ["string", "complex64", "complex128"])
@pytest.mark.parametrize("opset", VERSIONS)
def test_strings_and_complex_numbers_are_never_taken(kind: str, opset: int) -> None:
    assert errors(eye(f"{kind}[2, 2]", "dtype = 1", opset)) == ["type-not-allowed"]
    elem = ElementType[kind.upper()].value
    assert errors(eye("float[2, 2]", f"dtype = {elem}", opset)) == ["element-type"]


def test_bfloat16_from_22() -> None:
    assert type_of(eye("bfloat16[2, 2]")) == "bfloat16[2, 2]"
    assert type_of(eye("float[2, 2]", "dtype = 16")) == "bfloat16[2, 2]"
    assert errors(eye("bfloat16[2, 2]", opset=21)) == ["type-not-allowed"]
    assert errors(eye("float[2, 2]", "dtype = 16", 21)) == ["element-type"]


@pytest.mark.parametrize("dtype", [0, -1, 29, 77])
def test_a_dtype_that_is_no_data_type(dtype: int) -> None:
    report = check(model(eye("float[2, 2]", f"dtype = {dtype}")))
    assert [e.name for e in report.errors] == ["element-type"]
    assert f"is {dtype}, which is no data type" in report.errors[0].message


def test_dtype_must_be_an_integer() -> None:
    assert errors(eye("float[2, 2]", 'dtype = "float"')) == ["attribute-kind"]


@pytest.mark.parametrize("k", [3, 4, -2, -9])
def test_a_diagonal_outside_is_a_warning(k: int) -> None:
    assert names(eye("float[2, 3]", f"k = {k}")) == ["eyelike-all-zeros"]


@pytest.mark.parametrize("k", [2, 0, -1])
def test_a_diagonal_inside_is_fine(k: int) -> None:
    assert names(eye("float[2, 3]", f"k = {k}")) == []


def test_a_diagonal_that_may_lie_inside_is_fine() -> None:
    assert names(eye("float[N, 3]", "k = -5")) == []
    report = check(model(eye("float[N, 3]", "k = -5")), dims={"N": "1..5"})
    assert [w.name for w in report.warnings] == ["eyelike-all-zeros"]


def test_a_matrix_without_elements_has_no_diagonal_to_miss() -> None:
    assert names(eye("float[0, 3]", "k = 5")) == []


# ---------------------------------------------------------------------------------------------- rule against kernel


@st.composite
def cases(draw: st.DrawFn) -> tuple[onnx.ModelProto, list[dict[str, Any]]]:
    """An EyeLike of any version, and feeds for every binding of N and M."""
    version = draw(st.sampled_from(VERSIONS))
    shape: list[int | str] = draw(st.lists(st.sampled_from([0, 1, 3, "N", "M"]), min_size=1, max_size=3))
    node = helper.make_node("EyeLike", ["x"], ["y"])
    if draw(st.booleans()):
        node.attribute.append(helper.make_attribute("dtype", draw(st.integers(-1, 30))))
    if draw(st.booleans()):
        node.attribute.append(helper.make_attribute("k", draw(st.integers(-4, 4))))
    elem = draw(st.sampled_from([1, 7, 9, 10]))
    dtype = {1: np.float32, 7: np.int64, 9: np.bool_, 10: np.float16}[elem]
    proto = helper.make_model(
        helper.make_graph(
            [node], "g", [helper.make_tensor_value_info("x", elem, shape)], [onnx.ValueInfoProto(name="y")]
        ),
        opset_imports=[helper.make_opsetid("", version)],
        ir_version=13,
    )
    feeds: list[dict[str, Any]] = []
    for n, m in product((0, 1, 2), repeat=2):
        sizes = [{"N": n, "M": m}[d] if isinstance(d, str) else d for d in shape]
        feeds.append({"x": np.ones(sizes, dtype)})
    return proto, feeds


@settings(max_examples=300, deadline=None)
@given(cases())
def test_claims_hold_whenever_the_kernel_runs(case: tuple[onnx.ModelProto, list[dict[str, Any]]]) -> None:
    proto, feeds = case
    analysis = assert_kernel_agrees(proto, feeds)
    if any(f.code.name == "eyelike-all-zeros" for f in analysis.findings):
        executor = Executor(proto)
        assert not any(executor.run(feed)[0].any() for feed in feeds if 0 not in feed["x"].shape)


def test_the_type_is_the_output_constraint_of_the_version() -> None:
    for version, count in ((9, 12), (22, 13)):
        taken = [elem for elem in range(1, 29) if not errors(eye("float[2, 2]", f"dtype = {elem}", version))]
        assert len(taken) == count
    assert TensorProto.BFLOAT16 in taken
