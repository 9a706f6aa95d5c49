"""What the walk over a graph needs of an operator's schema, compiled for speed."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import onnx

from shapeinfer.schema import FormalParameter, Key, OperatorSchema
from shapeinfer.types import ELEMENT_TYPES, TensorType, ValueType, type_string

UNBOUNDED = 2**31 - 1
"""The greatest number of inputs or outputs where there is no limit."""

_KINDS: dict[str, int] = dict(onnx.AttributeProto.AttributeType.items())
_TENSOR_BITS = {f"tensor({label})": 1 << element for label, element in ELEMENT_TYPES.items()}


@dataclass(frozen=True, slots=True)
class Formal:
    """An input or output.

    Attributes:
        variable: the type variable, ``None`` where the type is fixed.
        slot: the position of the variable in :attr:`Signature.variables`; ``-1`` where the values that the parameter
            stands for need not agree with anything: the type is fixed, or it is variadic and not homogeneous.
        tensor_mask: the element types allowed for dense tensors: bit ``1 << ElementType``.
        elem: the only element type a value can have; ``0`` where there are more or other than dense tensors.
        others: the allowed types that are not dense tensors of a known element type, as type strings.
        types: every allowed type, as type strings.
    """

    name: str
    variable: str | None
    slot: int
    tensor_mask: int
    elem: int
    others: frozenset[str]
    optional: bool
    variadic: bool
    homogeneous: bool
    min_arity: int
    types: tuple[str, ...]

    def admits(self, value: ValueType | None) -> bool | None:
        """Whether a value of this type is allowed; ``None`` where what is known of it does not decide."""
        if type(value) is TensorType:
            if value.elem:
                return bool(self.tensor_mask >> value.elem & 1)
            return None if self.tensor_mask else False
        text = type_string(value)
        if "?" not in text:
            return text in self.others
        pattern = re.compile(re.escape(text).replace(r"\?", ".+"))
        return None if any(pattern.fullmatch(each) for each in self.types) else False


@dataclass(frozen=True, slots=True)
class Attribute:
    """An attribute: ``kind`` is an ``AttributeProto.AttributeType``, ``default`` a value of it or ``None``."""

    kind: int
    required: bool
    default: Any


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """A compiled schema.

    Attributes:
        schema: what it was made from.
        key: domain, operator, since-version.
        variables: the type variables of inputs and outputs.
        input_index: the position of each input by name.
        required: the names of the attributes that a node must state.
        open_attributes: whether a node may state other attributes too.
        max_inputs: :data:`UNBOUNDED` where there is no limit; ``max_outputs`` too.
    """

    schema: OperatorSchema = field(repr=False)
    key: Key
    since_version: int
    deprecated: bool
    inputs: tuple[Formal, ...]
    outputs: tuple[Formal, ...]
    attributes: dict[str, Attribute]
    required: tuple[str, ...]
    open_attributes: bool
    variables: tuple[str, ...]
    input_index: dict[str, int]
    min_inputs: int
    max_inputs: int
    min_outputs: int
    max_outputs: int

    def input(self, position: int) -> Formal | None:
        """The parameter that an input belongs to; ``None`` for an input too many."""
        return _parameter_at(self.inputs, position)

    def output(self, position: int) -> Formal | None:
        """The parameter that an output belongs to; ``None`` for an output too many."""
        return _parameter_at(self.outputs, position)

    def input_name(self, position: int) -> str:
        """What to call an input: its name in the schema, with a number where the parameter is variadic."""
        return _name_at(self.inputs, position, "input")

    def output_name(self, position: int) -> str:
        """What to call an output: its name in the schema, with a number where the parameter is variadic."""
        return _name_at(self.outputs, position, "output")


def _parameter_at(parameters: tuple[Formal, ...], position: int) -> Formal | None:
    if position < len(parameters):
        return parameters[position]
    return parameters[-1] if parameters and parameters[-1].variadic else None


def _name_at(parameters: tuple[Formal, ...], position: int, kind: str) -> str:
    parameter = _parameter_at(parameters, position)
    if parameter is None:
        return f"{kind} {position}"
    return f"{parameter.name}[{position - len(parameters) + 1}]" if parameter.variadic else parameter.name


@cache
def signature(schema: OperatorSchema) -> Signature:
    """The compiled form of a schema."""
    names = {constraint.name for constraint in schema.type_constraints}
    slots: dict[str, int] = {}
    inputs = tuple(_formal(each, names, slots) for each in schema.inputs)
    outputs = tuple(_formal(each, names, slots) for each in schema.outputs)
    max_inputs, max_outputs = schema.max_inputs, schema.max_outputs
    return Signature(
        schema=schema,
        key=schema.key,
        since_version=schema.since_version,
        deprecated=schema.deprecated,
        inputs=inputs,
        outputs=outputs,
        attributes={each.name: Attribute(_KINDS[each.kind], each.required, each.default) for each in schema.attributes},
        required=tuple(each.name for each in schema.attributes if each.required),
        open_attributes=schema.open_attributes,
        variables=tuple(slots),
        input_index={each.name: position for position, each in enumerate(inputs)},
        min_inputs=schema.min_inputs,
        max_inputs=UNBOUNDED if max_inputs is None else max_inputs,
        min_outputs=schema.min_outputs,
        max_outputs=UNBOUNDED if max_outputs is None else max_outputs,
    )


@cache
def _compiled(types: tuple[str, ...]) -> tuple[int, int, frozenset[str]]:
    mask = 0
    others = []
    for each in types:
        bit = _TENSOR_BITS.get(each)
        if bit is None:
            others.append(each)
        else:
            mask |= bit
    elem = mask.bit_length() - 1 if mask.bit_count() == 1 and not others else 0
    return mask, elem, frozenset(others)


def _formal(parameter: FormalParameter, names: set[str], slots: dict[str, int]) -> Formal:
    variable = parameter.type_str if parameter.type_str in names else None
    variadic = parameter.option == "variadic"
    slot = -1
    if variable is not None and (parameter.homogeneous or not variadic):
        slot = slots.setdefault(variable, len(slots))
    mask, elem, others = _compiled(parameter.types)
    return Formal(
        name=parameter.name,
        variable=variable,
        slot=slot,
        tensor_mask=mask,
        elem=elem,
        others=others,
        optional=parameter.option == "optional",
        variadic=variadic,
        homogeneous=parameter.homogeneous,
        min_arity=parameter.min_arity,
        types=parameter.types,
    )
