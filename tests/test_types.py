from __future__ import annotations

import onnx
import onnx.defs
import pytest

from shapeinfer import type_sets
from shapeinfer.types import (
    ELEMENT_TYPES,
    FIRST_IR,
    IR_VERSIONS,
    ElementType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
    element_types,
    type_string,
)

CONSTRAINTS = {
    frozenset(constraint.allowed_type_strs): f"{schema.name}-{schema.since_version} {constraint.type_param_str}"
    for schema in onnx.defs.get_all_schemas_with_history()
    for constraint in schema.type_constraints
}


def test_element_types_are_those_of_tensor_proto() -> None:
    assert {e.name: e.value for e in ElementType} == dict(onnx.TensorProto.DataType.items())


def test_every_element_type_came_with_some_ir_version() -> None:
    assert set(FIRST_IR) == set(ELEMENT_TYPES.values()) == set(ElementType) - {ElementType.UNDEFINED}


def test_element_types_in_schemas_are_known() -> None:
    tensors = {text for types in CONSTRAINTS for text in types if text.startswith("tensor(")}
    assert tensors == {f"tensor({label})" for label in ELEMENT_TYPES}


@pytest.mark.parametrize(
    ("ir_version", "count"),
    [(2, 0), (3, 15), (4, 16), (8, 16), (9, 20), (10, 22), (11, 23), (12, 24), (13, 26), (14, 28)],
)
def test_number_of_element_types(ir_version: int, count: int) -> None:
    assert len(element_types(ir_version)) == count


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "?"),
        (TensorType(), "tensor(?)"),
        (TensorType(ElementType.FLOAT, (2, 3)), "tensor(float)"),
        (TensorType(ElementType.FLOAT8E4M3FN), "tensor(float8e4m3fn)"),
        (SparseTensorType(ElementType.INT64), "sparse_tensor(int64)"),
        (SparseTensorType(), "sparse_tensor(?)"),
        (SequenceType(TensorType(ElementType.INT64)), "seq(tensor(int64))"),
        (SequenceType(), "seq(?)"),
        (OptionalType(SequenceType(TensorType(ElementType.BOOL))), "optional(seq(tensor(bool)))"),
        (MapType(ElementType.STRING, TensorType(ElementType.FLOAT)), "map(string, float)"),
        (SequenceType(MapType(ElementType.INT64, TensorType(ElementType.FLOAT))), "seq(map(int64, float))"),
        (MapType(), "map(?, ?)"),
    ],
)
def test_type_string(value: ValueType | None, text: str) -> None:
    assert type_string(value) == text


def test_types_of_containers_are_written_as_schemas_write_them() -> None:
    written = {text for types in CONSTRAINTS for text in types}
    assert type_string(SequenceType(MapType(ElementType.INT64, TensorType(ElementType.FLOAT)))) in written
    assert type_string(MapType(ElementType.STRING, TensorType(ElementType.DOUBLE))) in written


# ----------------------------------------------------------------------------------------------------------- type sets


@pytest.mark.parametrize("each", type_sets.type_sets(), ids=lambda each: each.name)
def test_every_named_set_is_the_constraint_of_some_operator(each: type_sets.TypeSet) -> None:
    if each.name == "all tensor types up to IRv14":  # operators of opset 28 take it only along with sequences
        sequences = {f"seq({text})" for text in each.types}
        assert frozenset({*each.types, *sequences}) in CONSTRAINTS
    else:
        assert frozenset(each.types) in CONSTRAINTS


def test_names_and_sets_are_one_to_one() -> None:
    sets = type_sets.type_sets()
    assert len({each.name for each in sets}) == len({frozenset(each.types) for each in sets}) == len(sets)


@pytest.mark.parametrize("ir", IR_VERSIONS, ids=lambda ir: f"IRv{ir.version}")
def test_tensor_types_up_to_an_ir_version_are_labelled_and_reach_it(ir: object) -> None:
    version = ir.version  # type: ignore[attr-defined]
    whole = type_sets.tensor_types(version)
    assert set(whole.types) == {f"tensor({e.label})" for e in element_types(version)}
    assert type_sets.label(whole.types) == f"all tensor types up to IRv{version}"
    assert type_sets.ir_version(whole.types) == version
    assert type_sets.label(whole.types[1:]) is None


def test_an_ir_version_without_new_types_has_no_set() -> None:
    with pytest.raises(KeyError):
        type_sets.tensor_types(5)


@pytest.mark.parametrize(
    ("op", "version", "variable", "label"),
    [
        ("Squeeze", 1, "T", "all tensor types up to IRv3"),
        ("Squeeze", 13, "T", "all tensor types up to IRv4"),
        ("Constant", 19, "T", "all tensor types up to IRv9"),
        ("Squeeze", 21, "T", "all tensor types up to IRv10"),
        ("Squeeze", 23, "T", "all tensor types up to IRv11"),
        ("Squeeze", 24, "T", "all tensor types up to IRv12"),
        ("Squeeze", 25, "T", "all tensor types up to IRv13"),
        ("Conv", 1, "T", "float types up to IRv3"),
        ("Conv", 22, "T", "float types up to IRv4"),
        ("EyeLike", 9, "T1", "numeric and boolean types up to IRv3"),
        ("EyeLike", 22, "T1", "numeric and boolean types up to IRv4"),
        ("Gather", 1, "Tind", "index types"),
        ("SequenceAt", 11, "S", "all sequence types up to IRv3"),
        ("Optional", 28, "V", "all tensor and sequence types up to IRv14"),
        ("Identity", 14, "V", "all tensor types up to IRv4, sequence types up to IRv3"),
        ("QuantizeLinear", 10, "T1", None),
        ("CastMap", 1, "T1", None),
        ("Shape", 1, "T1", None),
    ],
)
def test_label(op: str, version: int, variable: str, label: str | None) -> None:
    schema = onnx.defs.get_schema(op, version, "ai.onnx.ml" if op == "CastMap" else "")
    types = {each.type_param_str: each.allowed_type_strs for each in schema.type_constraints}
    assert type_sets.label(types[variable]) == label


@pytest.mark.parametrize(
    ("types", "version"),
    [
        (["tensor(float)"], 3),
        (["tensor(float)", "tensor(bfloat16)"], 4),
        (["seq(tensor(int4))"], 10),
        (["map(int64, float)", "seq(map(string, float))"], 3),
        (["optional(seq(tensor(float6e3m2)))"], 14),
        (["tensor(posit8)"], None),
        ([], 3),
    ],
)
def test_ir_version(types: list[str], version: int | None) -> None:
    assert type_sets.ir_version(types) == version


def test_types_are_ordered_for_reading() -> None:
    assert type_sets.by_number(["seq(tensor(float))", "tensor(int64)", "map(int64, float)", "tensor(float)"]) == (
        *("tensor(float)", "tensor(int64)", "map(int64, float)", "seq(tensor(float))"),
    )
