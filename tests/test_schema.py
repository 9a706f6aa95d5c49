from __future__ import annotations

import re
from collections.abc import Iterator

import onnx
import onnx.defs
import pytest
from onnx import AttributeProto
from pydantic import ValidationError

from shapeinfer import schema as schemas
from shapeinfer.schema import (
    AttributeSchema,
    FormalParameter,
    OperatorSchema,
    TypeConstraint,
    UnknownOperatorError,
    UnknownVersionError,
    lookup,
    register,
    resolve,
    versions,
)
from shapeinfer.signature import Formal, Signature, signature
from shapeinfer.types import ELEMENT_TYPES, ElementType, MapType, OptionalType, SequenceType, TensorType, ValueType

SOURCES = onnx.defs.get_all_schemas_with_history()
IDS = [f"{each.domain}.{each.name}-{each.since_version}" for each in SOURCES]
every_operator = pytest.mark.parametrize("source", SOURCES, ids=IDS)


def get(name: str, version: int, domain: str = "") -> OperatorSchema:
    found = lookup(name, domain, version)
    assert found is not None
    return found


def compiled(name: str, version: int, domain: str = "") -> Signature:
    return signature(get(name, version, domain))


# ------------------------------------------------------------------------------------------------ the same as onnx.defs


@every_operator
def test_schema_says_what_onnx_says(source: onnx.defs.OpSchema) -> None:
    found = get(source.name, source.since_version, source.domain)
    assert found.key == (source.domain, source.name, source.since_version)
    assert found.deprecated == source.deprecated
    assert found.doc == (source.doc or "").strip("\n")
    assert found.function_body == (source.has_function or source.has_context_dependent_function)  # type: ignore[attr-defined]
    assert found.non_deterministic == source.non_deterministic  # type: ignore[attr-defined]
    assert (found.min_inputs, found.min_outputs) == (source.min_input, source.min_output)
    assert (found.max_inputs, found.max_outputs) == (_limit(source.max_input), _limit(source.max_output))
    assert [(each.name, list(each.types), each.description) for each in found.type_constraints] == [
        (each.type_param_str, each.allowed_type_strs, each.description) for each in source.type_constraints
    ]
    for ours, theirs in ((found.inputs, source.inputs), (found.outputs, source.outputs)):
        assert [_parameter(each) for each in ours] == [
            (p.name, p.type_str, p.description, str(p.option).split(".")[1].lower(), p.is_homogeneous, p.min_arity)
            for p in theirs
        ]
        assert [{_with_tensor(text) for text in each.types} for each in ours] == [each.types for each in theirs]
    assert {each.name for each in found.attributes} == set(source.attributes)
    for each in found.attributes:
        theirs_attribute = source.attributes[each.name]
        assert f"AttrType.{each.kind}" == str(theirs_attribute.type)
        assert (each.required, each.description) == (theirs_attribute.required, theirs_attribute.description)
        assert each.default == _default(theirs_attribute.default_value)


def _with_tensor(text: str) -> str:
    """Schemas write ``map(int64, float)``; where onnx resolves them, it writes ``map(int64,tensor(float))``."""
    return re.sub(r"map\((\w+), (\w+)\)", r"map(\1,tensor(\2))", text)


def _limit(count: int) -> int | None:
    return None if count == 2**31 - 1 else count


def _parameter(each: FormalParameter) -> tuple[str, str, str, str, bool, int]:
    return each.name, each.type_str, each.description, each.option, each.homogeneous, each.min_arity


def _default(value: AttributeProto) -> object:
    if value.type == AttributeProto.UNDEFINED:
        return None
    decoded = onnx.helper.get_attribute_value(value)
    if isinstance(decoded, bytes):
        return decoded.decode()
    return (
        tuple(each.decode() if isinstance(each, bytes) else each for each in decoded)
        if value.ints or value.strings
        else decoded
    )


@every_operator
def test_schema_survives_json(source: onnx.defs.OpSchema) -> None:
    found = get(source.name, source.since_version, source.domain)
    assert OperatorSchema.model_validate_json(found.model_dump_json()) == found


@every_operator
def test_signature_says_what_the_schema_says(source: onnx.defs.OpSchema) -> None:
    schema = get(source.name, source.since_version, source.domain)
    made = signature(schema)
    assert made is compiled(source.name, source.since_version, source.domain)
    assert (made.key, made.schema, made.deprecated) == (schema.key, schema, schema.deprecated)
    assert (made.min_inputs, made.max_inputs) == (source.min_input, source.max_input)
    assert (made.min_outputs, made.max_outputs) == (source.min_output, source.max_output)
    constraints = {each.name for each in schema.type_constraints}
    for formals, parameters in ((made.inputs, schema.inputs), (made.outputs, schema.outputs)):
        for formal, parameter in zip(formals, parameters, strict=True):
            assert formal.name == parameter.name
            assert (formal.variable or "tensor") == (
                parameter.type_str if parameter.type_str in constraints else "tensor"
            )
            assert _types(formal) == set(parameter.types)
            assert formal.slot == -1 or made.variables[formal.slot] == formal.variable
            assert (formal.slot >= 0) == (formal.variable is not None and formal.homogeneous)
            assert formal.elem == 0 or _types(formal) == {f"tensor({ElementType(formal.elem).label})"}
    for attribute in schema.attributes:
        short = made.attributes[attribute.name]
        assert AttributeProto.AttributeType.Name(short.kind) == attribute.kind
        assert (short.required, short.default) == (attribute.required, attribute.default)
    assert made.required == tuple(each.name for each in schema.attributes if each.required)


def _types(formal: Formal) -> set[str]:
    tensors = {f"tensor({label})" for label, element in ELEMENT_TYPES.items() if formal.tensor_mask >> element & 1}
    return tensors | formal.others


def test_all_operators_are_those_of_onnx_and_those_registered() -> None:
    of_onnx = {(each.domain, each.name, each.since_version) for each in SOURCES}
    added = set(schemas.all_operators()) - of_onnx
    assert set(schemas.all_operators()) >= of_onnx
    assert not {(domain, name) for domain, name, _ in added} & {(domain, name) for domain, name, _ in of_onnx}


@pytest.mark.parametrize(("domain", "name"), sorted({(each.domain, each.name) for each in SOURCES}))
def test_versions_are_those_of_onnx(domain: str, name: str) -> None:
    known = versions(name, domain)
    assert known == tuple(sorted(each.since_version for each in SOURCES if (each.domain, each.name) == (domain, name)))
    latest = lookup(name, domain)
    assert latest is not None
    assert latest.since_version == known[-1]


# ------------------------------------------------------------------------------------------------------ literal facts

IR3 = {
    *("tensor(bool)", "tensor(complex128)", "tensor(complex64)", "tensor(double)", "tensor(float)", "tensor(float16)"),
    *("tensor(int16)", "tensor(int32)", "tensor(int64)", "tensor(int8)", "tensor(string)", "tensor(uint16)"),
    *("tensor(uint32)", "tensor(uint64)", "tensor(uint8)"),
}
IR4 = IR3 | {"tensor(bfloat16)"}
IR10 = IR4 | {
    *("tensor(float8e4m3fn)", "tensor(float8e4m3fnuz)", "tensor(float8e5m2)", "tensor(float8e5m2fnuz)"),
    *("tensor(int4)", "tensor(uint4)"),
}
IR11 = IR10 | {"tensor(float4e2m1)"}
IR12 = IR11 | {"tensor(float8e8m0)"}
IR13 = IR12 | {"tensor(int2)", "tensor(uint2)"}

SQUEEZE = [
    *((1, 15, IR3, 3), (11, 15, IR3, 3), (13, 16, IR4, 4), (21, 22, IR10, 10)),
    *((23, 23, IR11, 11), (24, 24, IR12, 12), (25, 26, IR13, 13)),
]


@pytest.mark.parametrize("op", ["Squeeze", "Unsqueeze"])
@pytest.mark.parametrize(("version", "count", "types", "ir_version"), SQUEEZE)
def test_types_of_squeeze_and_unsqueeze(op: str, version: int, count: int, types: set[str], ir_version: int) -> None:
    schema = get(op, version)
    (constraint,) = schema.type_constraints
    assert schema.since_version == version
    assert constraint.name == "T"
    assert len(constraint.types) == count == len(types)
    assert set(constraint.types) == types
    assert constraint.ir_version == ir_version
    assert constraint.label == f"all tensor types up to IRv{ir_version}"


@pytest.mark.parametrize(
    ("op", "output", "option"), [("Squeeze", "squeezed", "optional"), ("Unsqueeze", "expanded", "single")]
)
def test_parameters_of_squeeze_and_unsqueeze(op: str, output: str, option: str) -> None:
    for version in (1, 11):
        schema = get(op, version)
        assert [(each.name, each.type_str, each.option) for each in schema.inputs] == [("data", "T", "single")]
        assert [(each.name, each.kind, each.required) for each in schema.attributes] == [
            ("axes", "INTS", option == "single")
        ]
    for version in (13, 21, 23, 24, 25):
        schema = get(op, version)
        assert [(each.name, each.type_str, each.option) for each in schema.inputs] == [
            ("data", "T", "single"),
            ("axes", "tensor(int64)", option),
        ]
        assert schema.attributes == ()
    for version in versions(op):
        assert [(each.name, each.type_str) for each in get(op, version).outputs] == [(output, "T")]


EYE_9 = {
    *("tensor(float16)", "tensor(float)", "tensor(double)", "tensor(int8)", "tensor(int16)", "tensor(int32)"),
    *("tensor(int64)", "tensor(uint8)", "tensor(uint16)", "tensor(uint32)", "tensor(uint64)", "tensor(bool)"),
}


@pytest.mark.parametrize(("version", "count", "types"), [(9, 12, EYE_9), (22, 13, EYE_9 | {"tensor(bfloat16)"})])
def test_eye_like(version: int, count: int, types: set[str]) -> None:
    schema = get("EyeLike", version)
    assert [(each.name, len(each.types), set(each.types)) for each in schema.type_constraints] == [
        ("T1", count, types),
        ("T2", count, types),
    ]
    assert [(each.name, each.type_str) for each in schema.inputs] == [("input", "T1")]
    assert [(each.name, each.type_str) for each in schema.outputs] == [("output", "T2")]
    assert [(each.name, each.kind, each.required, each.default) for each in schema.attributes] == [
        ("dtype", "INT", False, None),
        ("k", "INT", False, 0),
    ]


def test_versions_of_the_three() -> None:
    assert versions("Squeeze") == versions("Unsqueeze") == (1, 11, 13, 21, 23, 24, 25)
    assert versions("EyeLike") == (9, 22)


@pytest.mark.parametrize(
    ("op", "version", "attribute", "default"),
    [
        ("LeakyRelu", 16, "alpha", 0.009999999776482582),
        ("Softmax", 11, "axis", 1),
        ("Conv", 11, "auto_pad", "NOTSET"),
        ("Conv", 11, "strides", None),
        ("LSTM", 14, "direction", "forward"),
    ],
)
def test_defaults(op: str, version: int, attribute: str, default: object) -> None:
    (found,) = [each.default for each in get(op, version).attributes if each.name == attribute]
    assert found == default
    assert type(found) is type(default)


# -------------------------------------------------------------------------------------------------------------- look-up


@pytest.mark.parametrize(
    ("name", "domain", "version", "since"),
    [
        ("Squeeze", "", 12, 11),
        ("Squeeze", "ai.onnx", 22, 21),
        ("Squeeze", "", None, 25),
        ("Squeeze", "", 2**62, 25),
        ("Squeeze", "", 0, None),
        ("Squeeze", "", -(2**62), None),
        ("GroupNormalization", "", 17, None),
        ("Upsample", "", 20, 10),
        ("Squeeze", "ai.onnx.ml", 3, None),
        ("Scaler", "ai.onnx.ml", 3, 1),
        ("squeeze", "", 13, None),
        ("", "", 13, None),
    ],
)
def test_lookup(name: str, domain: str, version: int | None, since: int | None) -> None:
    found = lookup(name, domain, version)
    assert (found.since_version if found else None) == since


@pytest.mark.parametrize(
    ("name", "domain", "version", "error", "words"),
    [
        ("Squeze", "", None, UnknownOperatorError, "did you mean Squeeze"),
        ("squeeze", "", 13, UnknownOperatorError, "did you mean Squeeze"),
        ("Scaler", "", None, UnknownOperatorError, "there is one in ai.onnx.ml"),
        ("Gelu", "com.nobody", None, UnknownOperatorError, "there is one in ai.onnx"),
        ("Frobnicate", "com.nobody", None, UnknownOperatorError, "the known domains are ai.onnx, ai.onnx.ml"),
        ("Qqqqqqqq", "", None, UnknownOperatorError, "no operator Qqqqqqqq in the domain ai.onnx$"),
        ("EyeLike", "", 8, UnknownVersionError, "does not exist at version 8; its versions are 9, 22"),
        ("EyeLike", "", 0, UnknownVersionError, "its versions are 9, 22"),
        ("EyeLike", "", 5000, UnknownVersionError, "higher than the newest known opset of ai.onnx"),
    ],
)
def test_resolve_says_what_is_wrong(
    name: str, domain: str, version: int | None, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        resolve(name, domain, version)


def test_resolve_takes_any_known_opset() -> None:
    assert resolve("Squeeze", "", 22) == resolve("Squeeze", "ai.onnx", 21)
    assert resolve("Squeeze", "", onnx.defs.onnx_opset_version()) == resolve("Squeeze")


def test_schemas_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        get("Squeeze", 13).name = "Other"


def test_summary_is_the_first_paragraph_on_one_line() -> None:
    assert get("Squeeze", 1).summary == (
        "Remove single-dimensional entries from the shape of a tensor. Takes a parameter `axes` with a list of axes to"
        " squeeze. If `axes` is not provided, all the single dimensions will be removed from the shape. If an axis is"
        " selected with shape entry not equal to one, an error is raised."
    )


# ------------------------------------------------------------------------------------------------------------- register


@pytest.fixture
def empty_registry(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(schemas, "_registered", {})
    yield
    lookup.cache_clear()


def custom(since: int = 1, name: str = "FusedThing", domain: str = "com.example") -> OperatorSchema:
    return OperatorSchema(
        domain=domain,
        name=name,
        since_version=since,
        type_constraints=(TypeConstraint(name="T", types=("tensor(float)", "tensor(bfloat16)")),),
        inputs=(
            FormalParameter(name="x", type_str="T"),
            FormalParameter(name="axes", type_str="tensor(int64)", option="optional"),
        ),
        outputs=(FormalParameter(name="y", type_str="T", option="variadic", min_arity=2),),
        attributes=(AttributeSchema(name="scales", kind="FLOATS", default=(1.0, 2.0)),),
    )


@pytest.mark.usefixtures("empty_registry")
def test_registered_operators_are_found() -> None:
    assert lookup("FusedThing", "com.example", 3) is None
    register(custom(1))
    register(custom(4))
    assert versions("FusedThing", "com.example") == (1, 4)
    assert get("FusedThing", 3, "com.example") == custom(1)
    assert get("FusedThing", 4, "com.example") == resolve("FusedThing", "com.example") == custom(4)
    assert ("com.example", "FusedThing", 4) in set(schemas.all_operators())
    short = compiled("FusedThing", 9, "com.example")
    assert (short.since_version, short.min_inputs, short.max_inputs, short.min_outputs) == (4, 1, 2, 2)


@pytest.mark.usefixtures("empty_registry")
def test_a_new_version_of_an_operator_of_onnx_can_be_registered() -> None:
    latest = versions("Squeeze")[-1]
    register(custom(latest + 100, name="Squeeze", domain="ai.onnx"))
    assert versions("Squeeze")[-2:] == (latest, latest + 100)
    assert get("Squeeze", latest + 99).since_version == latest
    assert get("Squeeze", latest + 100).since_version == latest + 100


@pytest.mark.usefixtures("empty_registry")
def test_a_second_registration_is_refused() -> None:
    register(custom())
    with pytest.raises(ValueError, match=r"com\.example\.FusedThing-1 is defined already"):
        register(custom())
    with pytest.raises(ValueError, match="Squeeze-13 is defined already"):
        register(custom(13, name="Squeeze", domain=""))


def test_allowed_types_are_filled_in_from_the_constraints() -> None:
    made = custom()
    assert made.inputs[0].types == ("tensor(float)", "tensor(bfloat16)")
    assert made.inputs[1].types == ("tensor(int64)",)


def test_faulty_schemas_are_refused() -> None:
    with pytest.raises(ValidationError, match="neither a type nor the name of a type constraint"):
        OperatorSchema(name="A", since_version=1, inputs=(FormalParameter(name="x", type_str="T"),))
    first = FormalParameter(name="x", type_str="tensor(float)", option="variadic")
    with pytest.raises(ValidationError, match="only the last parameter can be variadic"):
        OperatorSchema(name="A", since_version=1, inputs=(first, FormalParameter(name="y", type_str="tensor(float)")))


# ------------------------------------------------------------------------------------------------------------ signature


def test_positions_and_names() -> None:
    scan = compiled("Loop", 13)
    assert scan.input_index == {"M": 0, "cond": 1, "v_initial": 2}
    assert [scan.input_name(i) for i in (0, 2, 4)] == ["M", "v_initial[0]", "v_initial[2]"]
    assert scan.output_name(1) == "v_final_and_scan_outputs[1]"
    assert scan.input(7) is scan.inputs[2]
    relu = compiled("Relu", 14)
    assert (relu.input(1), relu.input_name(1)) == (None, "input 1")
    assert (relu.output(0), relu.output_name(0)) == (relu.outputs[0], "Y")


def test_type_variables_that_bind() -> None:
    where = compiled("Where", 16)
    assert where.variables == ("B", "T")
    assert [each.slot for each in (*where.inputs, *where.outputs)] == [0, 1, 1, 1]
    loop = compiled("Loop", 13)
    assert [each.slot for each in (*loop.inputs, *loop.outputs)] == [0, 1, -1, -1]
    assert loop.inputs[2].variable == "V"


def test_the_only_element_type() -> None:
    assert compiled("Shape", 13).outputs[0].elem == ElementType.INT64
    assert compiled("Squeeze", 13).inputs[1].elem == ElementType.INT64
    assert compiled("Squeeze", 13).inputs[0].elem == 0


FLOAT, INT64 = TensorType(ElementType.FLOAT), TensorType(ElementType.INT64)


@pytest.mark.parametrize(
    ("op", "domain", "value", "answer"),
    [
        ("Relu", "", FLOAT, True),
        ("Conv", "", INT64, False),
        ("Conv", "", TensorType(), None),
        ("Conv", "", None, None),
        ("Conv", "", SequenceType(FLOAT), False),
        ("Conv", "", SequenceType(), False),
        ("SequenceLength", "", SequenceType(FLOAT), True),
        ("SequenceLength", "", SequenceType(TensorType()), None),
        ("SequenceLength", "", SequenceType(), None),
        ("SequenceLength", "", SequenceType(SequenceType(FLOAT)), False),
        ("SequenceLength", "", FLOAT, False),
        ("SequenceLength", "", TensorType(), False),
        ("OptionalHasElement", "", OptionalType(SequenceType(FLOAT)), True),
        ("OptionalHasElement", "", OptionalType(), None),
        ("CastMap", "ai.onnx.ml", MapType(ElementType.INT64, FLOAT), True),
        ("CastMap", "ai.onnx.ml", MapType(ElementType.INT64, INT64), False),
        ("CastMap", "ai.onnx.ml", MapType(ElementType.INT64), None),
    ],
)
def test_first_input_admits(op: str, domain: str, value: ValueType | None, answer: bool | None) -> None:
    assert compiled(op, 25, domain).inputs[0].admits(value) is answer
