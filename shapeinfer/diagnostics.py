"""Codes and findings: what can be said about a model, in words kept in one place.

A :class:`Code` is an entry of the catalogue (``shapeinfer/catalogue``): a stable short id, a name, a default severity,
a message with named fields, and an explanation with a bad and a good example. A :class:`Finding` is one use of a code.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from pydantic import BaseModel, ConfigDict

from shapeinfer import dims
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


class Severity(StrEnum):
    """How much a finding matters: an error means that no run of the model can be right."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Code(BaseModel):
    """One kind of finding. ``message`` and ``hint`` are format strings over the fields of the finding."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    severity: Severity
    message: str
    explanation: str
    hint: str = ""
    bad: str = ""
    """A model in ONNX's text form that triggers the code; empty where only a file can."""
    good: str = ""
    """The same model, repaired."""


_codes: dict[str, Code] = {}


def define(
    id: str,
    name: str,
    severity: Severity,
    message: str,
    *,
    explanation: str,
    hint: str = "",
    bad: str = "",
    good: str = "",
) -> Code:
    """Adds a code to the catalogue; users' rule packs define theirs in the same way.

    Raises:
        ValueError: when the id or the name is taken.
    """
    if any(id == code.id or name == code.name for code in _codes.values()):
        raise ValueError(f"code {id} {name!r} is defined already")
    code = Code(
        id=id, name=name, severity=severity, message=message, explanation=explanation, hint=hint, bad=bad, good=good
    )
    _codes[id] = code
    return code


def defined_codes() -> Mapping[str, Code]:
    """Every code by id, in order of definition."""
    return _codes


@dataclass(frozen=True, slots=True)
class Where:
    """The place of a finding: the graph path from the main graph down, and the node in it."""

    path: tuple[str, ...] = ()
    node: str = ""
    index: int | None = None
    op: str = ""
    domain: str = ""
    version: int | None = None

    def __str__(self) -> str:
        parts = list(self.path)
        if self.op:
            operator = f"{self.domain}.{self.op}" if self.domain else self.op
            version = f"-{self.version}" if self.version else ""
            name = f" '{self.node}'" if self.node else ""
            parts.append(f"node {self.index}{name} ({operator}{version})")
        return " / ".join(parts) or "model"


@dataclass(frozen=True, slots=True)
class Finding:
    """One use of a code: where, with which actual values, and where these came from."""

    code: Code
    where: Where
    fields: Mapping[str, object] = field(default_factory=dict)
    sources: tuple[str, ...] = ()
    """The types and shapes involved, a line each, with where each came from."""
    softened: Severity | None = None
    """A milder severity than the code's, for a part of the model that need not run."""

    @property
    def severity(self) -> Severity:
        """How much the finding matters where it is."""
        return self.softened or self.code.severity

    @property
    def message(self) -> str:
        """The code's message with the actual values."""
        return self.code.message.format(**{k: show(v) for k, v in self.fields.items()})

    @property
    def hint(self) -> str:
        """What a person can do about it; empty where there is nothing to add."""
        return self.code.hint.format(**{k: show(v) for k, v in self.fields.items()})


def show(value: object) -> str:
    """A field of a message as text: dims and shapes in their own notation, types as schemas write them."""
    match value:
        case bool() | float() | str():
            return str(value)
        case ElementType():
            return value.label
        case int():
            return str(value)
        case TensorType() | SparseTensorType() | SequenceType() | OptionalType() | MapType():
            return type_text(value)
        case tuple() | list():
            return "[" + ", ".join("?" if item is None else show(item) for item in value) + "]"
        case frozenset() | set():
            return ", ".join(sorted(show(item) for item in value))
        case None:
            return "?"
    return dims.text(value) if dims.is_symbolic(value) else str(value)


def shape_text(shape: Iterable[object] | None) -> str:
    """``[N, 3]``; ``[...]`` for an unknown rank."""
    return "[...]" if shape is None else show(tuple(shape))


def type_text(value: ValueType | None) -> str:
    """A type with its shape, for people: ``float[N, 3]``, ``seq(int64[...])``."""
    match value:
        case TensorType(elem=elem, shape=shape):
            return (ElementType(elem).label if elem else "?") + shape_text(shape)
        case SparseTensorType(elem=elem, shape=shape):
            return f"sparse({ElementType(elem).label if elem else '?'}{shape_text(shape)})"
        case SequenceType(elem=inner):
            return f"seq({type_text(inner)})"
        case OptionalType(elem=inner):
            return f"optional({type_text(inner)})"
    return type_string(value)
