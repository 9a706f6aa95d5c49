"""Checks a node against its operator's signature: arity, attributes, and the types of its inputs."""

from __future__ import annotations

import difflib
from typing import TypeAlias

import onnx

from shapeinfer import catalogue as codes
from shapeinfer.context import Context
from shapeinfer.schema import lookup, versions
from shapeinfer.signature import Formal, Signature
from shapeinfer.types import (
    ElementType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
    type_string,
)

Bindings: TypeAlias = "dict[int, tuple[ValueType, int]]"
"""Type variable, by its slot in the signature → the type it is bound to and the input that bound it."""


def check_arity(ctx: Context, outputs: int) -> bool:
    """Whether the numbers of inputs and outputs fit; reports where they do not."""
    signature, given = ctx.signature, len(ctx.inputs)
    right = True
    if given > signature.max_inputs:
        ctx.error(codes.TOO_MANY_INPUTS, expected=signature.max_inputs, found=given)
        right = False
    missing = [
        formal.name
        for i, formal in enumerate(signature.inputs)
        if not (formal.optional or formal.variadic) and (i >= given or ctx.inputs[i] is None)
    ]
    if missing or given < signature.min_inputs:
        ctx.error(
            codes.TOO_FEW_INPUTS,
            expected=_count(signature.min_inputs, "input"),
            found=f"{sum(value is not None for value in ctx.inputs)} are",
            missing=f": {', '.join(missing)} is missing" if missing else "",
        )
        right = False
    if not signature.min_outputs <= outputs <= signature.max_outputs:
        low, high = signature.min_outputs, signature.max_outputs
        ctx.error(codes.OUTPUT_COUNT, expected=str(low) if low == high else f"{low} to {high}", found=outputs)
        right = False
    return right


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def check_attributes(ctx: Context, attributes: dict[str, onnx.AttributeProto]) -> bool:
    """Whether the attributes are known, of the right kind, and complete; reports where they are not."""
    known = ctx.signature.attributes
    right = True
    for name, attribute in attributes.items():
        declared = known.get(name)
        if declared is None:
            if ctx.signature.open_attributes:
                continue
            ctx.error(codes.ATTRIBUTE_UNKNOWN, attribute=name, suggestion=_suggestion(ctx, name))
            right = False
        elif attribute.type != declared.kind and not attribute.ref_attr_name and not _untyped(attribute):
            kinds = onnx.AttributeProto.AttributeType
            ctx.error(
                codes.ATTRIBUTE_KIND,
                attribute=name,
                found=kinds.Name(attribute.type),
                expected=kinds.Name(declared.kind),
            )
            right = False
    for name in ctx.signature.required:
        if name not in attributes:
            ctx.error(codes.ATTRIBUTE_MISSING, attribute=name)
            right = False
    return right


def _untyped(attribute: onnx.AttributeProto) -> bool:
    return attribute.type == onnx.AttributeProto.UNDEFINED  # as files of IR version 1 have them


def _suggestion(ctx: Context, name: str) -> str:
    signature = ctx.signature
    domain, op, _ = signature.key
    if name in signature.input_index:
        first = min(version for version in versions(op, domain) if _has_input(op, domain, version, name))
        return f": it became an input with version {first}"
    close = difflib.get_close_matches(name, signature.attributes, 1)
    return f"; did you mean '{close[0]}'?" if close else ""


def _has_input(op: str, domain: str, version: int, name: str) -> bool:
    schema = lookup(op, domain, version)
    return schema is not None and any(formal.name == name for formal in schema.inputs)


def check_types(ctx: Context) -> Bindings:
    """Binds each type variable to one type across the inputs; reports types that do not fit."""
    bindings: Bindings = {}
    signature = ctx.signature
    formals = signature.inputs
    if not formals:
        return bindings
    last = len(formals) - 1
    for i, value in enumerate(ctx.inputs):
        if value is None or value.type is None:
            continue
        kind = value.type
        if i > last and not formals[last].variadic:
            break  # an input too many has been told
        formal = formals[i if i < last else last]
        if type(kind) is TensorType:
            elem = kind.elem
            if not elem:
                continue
            if not formal.tensor_mask >> elem & 1:
                _not_allowed(ctx, i, formal, kind)
                continue
        elif formal.admits(kind) is False:
            _not_allowed(ctx, i, formal, kind)
            continue
        slot = formal.slot
        if slot >= 0:
            bound = bindings.get(slot)
            if bound is None:
                bindings[slot] = (kind, i)
            elif not _same(bound[0], kind):
                ctx.error(
                    codes.TYPE_MISMATCH,
                    input=ctx.signature.input_name(i),
                    found=type_string(kind),
                    other=ctx.signature.input_name(bound[1]),
                    bound=type_string(bound[0]),
                    variable=formal.variable,
                )
    return bindings


def _same(a: ValueType, b: ValueType) -> bool:
    if type(a) is TensorType and type(b) is TensorType:
        return a.elem == b.elem
    return type_string(a) == type_string(b) or "?" in type_string(a) + type_string(b)


def _not_allowed(ctx: Context, index: int, formal: Formal, kind: ValueType) -> None:
    allowed = [ElementType(e).label for e in range(1, 32) if formal.tensor_mask >> e & 1]
    text = ", ".join([f"tensors of {', '.join(allowed)}"] * bool(allowed) + sorted(formal.others))
    ctx.error(codes.TYPE_NOT_ALLOWED, input=ctx.signature.input_name(index), found=type_string(kind), allowed=text)


def output_types(signature: Signature, count: int, bindings: Bindings) -> tuple[ValueType | None, ...]:
    """What the signature says of the types of so many outputs."""
    return tuple(output_type(signature, i, bindings) for i in range(count))


def output_type(signature: Signature, index: int, bindings: Bindings) -> ValueType | None:
    """What the signature says of an output's type: its kind and element type, never its shape."""
    formal = signature.output(index)
    if formal is None:
        return None
    bound = bindings.get(formal.slot)
    if bound is not None:
        return without_shapes(bound[0])
    return None if formal.others else TensorType(formal.elem)


def without_shapes(kind: ValueType | None) -> ValueType | None:
    """A type of which only kinds and element types are kept."""
    if isinstance(kind, TensorType | SparseTensorType):
        return type(kind)(kind.elem)
    if isinstance(kind, SequenceType | OptionalType):
        return type(kind)(without_shapes(kind.elem))
    return MapType(kind.key, without_shapes(kind.value)) if isinstance(kind, MapType) else None
