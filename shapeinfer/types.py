"""Element types and value types: what ONNX can say about a value, and from which IR version on.

Source: the ``TensorProto.DataType`` and ``TypeProto`` messages of the ONNX IR specification.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict

if TYPE_CHECKING:
    from shapeinfer.dims import Dim


class ElementType(IntEnum):
    """The element types of tensors, numbered as in ``TensorProto.DataType``."""

    UNDEFINED = 0
    FLOAT = 1
    UINT8 = 2
    INT8 = 3
    UINT16 = 4
    INT16 = 5
    INT32 = 6
    INT64 = 7
    STRING = 8
    BOOL = 9
    FLOAT16 = 10
    DOUBLE = 11
    UINT32 = 12
    UINT64 = 13
    COMPLEX64 = 14
    COMPLEX128 = 15
    BFLOAT16 = 16
    FLOAT8E4M3FN = 17
    FLOAT8E4M3FNUZ = 18
    FLOAT8E5M2 = 19
    FLOAT8E5M2FNUZ = 20
    UINT4 = 21
    INT4 = 22
    FLOAT4E2M1 = 23
    FLOAT8E8M0 = 24
    UINT2 = 25
    INT2 = 26
    FLOAT6E2M3 = 27
    FLOAT6E3M2 = 28

    @property
    def label(self) -> str:
        """The name as type strings write it: ``float``, ``int64``, ``bfloat16``."""
        return self.name.lower()


_NUMBERS = frozenset(int(e) for e in ElementType)


def known_element(number: int) -> int:
    """The number of an element type as a file states it; ``0`` for one that no element type has."""
    return number if number in _NUMBERS else 0


ELEMENT_TYPES: Mapping[str, ElementType] = {e.label: e for e in ElementType if e}
"""Element types by the name that type strings use."""


class IrVersion(BaseModel):
    """The element types that came with one version of the IR."""

    model_config = ConfigDict(frozen=True)

    version: int
    added: tuple[ElementType, ...]


_E = ElementType

IR_VERSIONS: tuple[IrVersion, ...] = (
    IrVersion(
        version=3,
        added=(
            *(_E.FLOAT, _E.UINT8, _E.INT8, _E.UINT16, _E.INT16, _E.INT32, _E.INT64, _E.STRING, _E.BOOL),
            *(_E.FLOAT16, _E.DOUBLE, _E.UINT32, _E.UINT64, _E.COMPLEX64, _E.COMPLEX128),
        ),
    ),
    IrVersion(version=4, added=(_E.BFLOAT16,)),
    IrVersion(version=9, added=(_E.FLOAT8E4M3FN, _E.FLOAT8E4M3FNUZ, _E.FLOAT8E5M2, _E.FLOAT8E5M2FNUZ)),
    IrVersion(version=10, added=(_E.UINT4, _E.INT4)),
    IrVersion(version=11, added=(_E.FLOAT4E2M1,)),
    IrVersion(version=12, added=(_E.FLOAT8E8M0,)),
    IrVersion(version=13, added=(_E.UINT2, _E.INT2)),
    IrVersion(version=14, added=(_E.FLOAT6E2M3, _E.FLOAT6E3M2)),
)
"""The IR versions that brought element types; a version not listed has those of the one before it."""

FIRST_IR: Mapping[ElementType, int] = {e: ir.version for ir in IR_VERSIONS for e in ir.added}
"""The IR version from which on each element type exists."""


def element_types(ir_version: int) -> frozenset[ElementType]:
    """The element types that exist in an IR version."""
    return frozenset(e for e, first in FIRST_IR.items() if first <= ir_version)


@dataclass(frozen=True, slots=True)
class TensorType:
    """A dense tensor: element type (``0`` where unknown) and shape (``None`` where the rank is unknown)."""

    elem: int = 0
    shape: tuple[Dim, ...] | None = None


@dataclass(frozen=True, slots=True)
class SparseTensorType:
    """A sparse tensor: element type and dense shape, unknown as in :class:`TensorType`."""

    elem: int = 0
    shape: tuple[Dim, ...] | None = None


@dataclass(frozen=True, slots=True)
class SequenceType:
    """A sequence; ``elem`` is what is known of every element, ``None`` where nothing is."""

    elem: ValueType | None = None


@dataclass(frozen=True, slots=True)
class OptionalType:
    """An optional; ``elem`` is what is known of the element it may hold."""

    elem: ValueType | None = None


@dataclass(frozen=True, slots=True)
class MapType:
    """A map from keys of one element type to values."""

    key: int = 0
    value: ValueType | None = None


ValueType: TypeAlias = TensorType | SparseTensorType | SequenceType | OptionalType | MapType
"""What is known of a value. Where nothing is known, not even whether it is a tensor, ``None`` stands."""


def type_string(value: ValueType | None) -> str:
    """The type without shapes, as schemas write it: ``tensor(float)``, ``seq(tensor(int64))``; ``?`` where unknown."""
    match value:
        case TensorType(elem=e):
            return f"tensor({ElementType(e).label})" if e else "tensor(?)"
        case SparseTensorType(elem=e):
            return f"sparse_tensor({ElementType(e).label})" if e else "sparse_tensor(?)"
        case SequenceType(elem=inner):
            return f"seq({type_string(inner)})"
        case OptionalType(elem=inner):
            return f"optional({type_string(inner)})"
        case MapType(key=key, value=inner):
            text = type_string(inner).removeprefix("tensor(").removesuffix(")") if type(inner) is TensorType else None
            return f"map({ElementType(key).label if key else '?'}, {text or type_string(inner)})"
        case None:
            return "?"
