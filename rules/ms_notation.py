"""How the files ``ms_schemas_*`` write down the operators of ONNX Runtime's domain ``com.microsoft``.

``onnx.defs`` does not know these operators, so their facts are data here, taken from ONNX Runtime's public
documentation. All of them are version 1 of their domain; they have grown over the years and go on growing, so a node
may state attributes that are not listed.

A signature is one line: ``"A:T B:T bias?:T1 rest*:V -> Y:T"``. After each name comes a type variable or a type; ``?``
marks what may be left out, ``*`` a variadic parameter, ``~`` one whose values need not be of one type.
"""

from __future__ import annotations

from collections.abc import Mapping

from shapeinfer.rule import (
    AttributeSchema,
    FormalParameter,
    OperatorSchema,
    TypeConstraint,
    register_operator,
)

MS = "com.microsoft"

FLOATS = "float float16 bfloat16"
FLOATS_16_32 = "float float16"
FLOATS_64 = "float float16 double"
ALL_FLOATS = "float float16 double bfloat16"
HALVES = "float16 bfloat16"
BYTES = "uint8 int8"
WIDE = "float double int64 int32 uint64 uint32"
INDICES = "int32 int64"
INTEGERS = "uint8 uint16 uint32 uint64 int8 int16 int32 int64"
NUMBERS = f"{INTEGERS} float16 float double bfloat16"
PLAIN = f"{INTEGERS} float16 float double string bool complex64 complex128"

_KINDS = {int: "INT", float: "FLOAT", str: "STRING"}


def operator(
    name: str,
    signature: str,
    types: Mapping[str, str],
    *,
    required: str = "",
    optional: str = "",
    defaults: Mapping[str, int | float | str] | None = None,
    domain: str = MS,
    ended: int | None = None,
) -> None:
    """Registers version 1 of an operator.

    Args:
        types: for each type variable its element types, or whole types where they are not dense tensors.
        required: attributes that must be stated, as ``name:kind``; ``optional``: those without a default.
        defaults: the default of each other attribute, which also says what kind it is.
        ended: the version that deprecated the operator.
    """
    inputs, outputs = signature.split("->")
    attributes = [_attribute(each, required=True) for each in required.split()]
    attributes += [_attribute(each, required=False) for each in optional.split()]
    for attribute, default in (defaults or {}).items():
        kind = _KINDS[type(default)]
        attributes.append(AttributeSchema.model_validate({"name": attribute, "kind": kind, "default": default}))
    schema = OperatorSchema(
        domain=domain,
        name=name,
        since_version=1,
        type_constraints=tuple(
            TypeConstraint(name=variable, types=tuple(map(_type, allowed.split())))
            for variable, allowed in types.items()
        ),
        inputs=tuple(_parameter(each, types) for each in inputs.split()),
        outputs=tuple(_parameter(each, types) for each in outputs.split()),
        attributes=tuple(sorted(attributes, key=lambda each: each.name)),
        open_attributes=True,
    )
    register_operator(schema)
    if ended is not None:
        register_operator(schema.model_copy(update={"since_version": ended, "deprecated": True}))


def _type(text: str) -> str:
    return text if "(" in text else f"tensor({text})"


def _attribute(text: str, *, required: bool) -> AttributeSchema:
    name, kind = text.split(":")
    return AttributeSchema.model_validate({"name": name, "kind": kind.upper(), "required": required})


def _parameter(text: str, types: Mapping[str, str]) -> FormalParameter:
    name, kind = text.split(":")
    mixed, variadic, optional = "~" in name, "*" in name, "?" in name
    return FormalParameter(
        name=name.rstrip("?*~"),
        type_str=kind if kind in types else _type(kind),
        option="variadic" if variadic else "optional" if optional else "single",
        homogeneous=not mixed,
        min_arity=0 if optional else 1,
    )
