"""The rule API: all that a rule file needs, and all it may import from the engine.

A rule says how the types and shapes of a node's outputs follow from its inputs, for the operator versions it names::

    @rule("Squeeze", since=(1, 11, 13, 21, 23, 24, 25))
    def squeeze(ctx: Context) -> Result: ...

It returns one result for a single output, or a list with one per output. A result is a shape (a tuple of dims, ``None``
for a dim that only a run can tell), ``None`` for an unknown rank, or a whole :class:`~shapeinfer.types.ValueType` where
the element type follows from more than the schema's type variables.

A value rule says which elements an output has, so that shapes computed inside the graph can be followed::

    @value_rule("Shape", since=(1, 13, 15, 19, 21, 23, 24, 25))
    def shape_elements(ctx: Context) -> Array | None: ...

An operator that ``onnx`` does not define is added with ``register_operator(OperatorSchema(...))``.
"""

from __future__ import annotations

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.context import Context, Maybe, Result, Unknown
from shapeinfer.diagnostics import Code, Severity, define
from shapeinfer.dims import Dim, Facts, Shape
from shapeinfer.registry import moved, rule, rules, value_rule, value_rules
from shapeinfer.schema import AttributeSchema, FormalParameter, OperatorSchema, TypeConstraint
from shapeinfer.schema import register as register_operator
from shapeinfer.types import (
    ElementType,
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
)
from shapeinfer.values import Array, GraphResult, Value, entries, from_entries

__all__ = [
    "Array",
    "AttributeSchema",
    "Code",
    "Context",
    "Dim",
    "ElementType",
    "Facts",
    "FormalParameter",
    "GraphResult",
    "MapType",
    "Maybe",
    "OperatorSchema",
    "OptionalType",
    "Result",
    "SequenceType",
    "Severity",
    "Shape",
    "SparseTensorType",
    "TensorType",
    "TypeConstraint",
    "Unknown",
    "Value",
    "ValueType",
    "codes",
    "define",
    "dims",
    "entries",
    "from_entries",
    "moved",
    "register_operator",
    "rule",
    "rules",
    "value_rule",
    "value_rules",
]
