"""Writes types as messages: dims as numbers or text, unknown parts left out."""

from __future__ import annotations

from collections.abc import Container

import onnx

from shapeinfer import dims
from shapeinfer.dims import Dim
from shapeinfer.types import MapType, OptionalType, SequenceType, SparseTensorType, TensorType, ValueType

_MOST = 2**63
_VALUE_INFO = 13 << 3 | 2  # field numbers of GraphProto.value_info, ValueInfoProto.name and .type
_NAME = 1 << 3 | 2
_TYPE = 2 << 3 | 2


class Writer:
    """Serialises each distinct type once and frames the entries by hand: many values share few types."""

    def __init__(self, known: Container[str] | None = None) -> None:
        """``known``: the symbols that may be written."""
        self._known = known
        self._bodies: dict[int, tuple[ValueType, bytes]] = {}
        self._parts: list[bytes] = []

    def add(self, name: str, kind: ValueType) -> None:
        """Adds an entry for a value."""
        found = self._bodies.get(id(kind))
        if found is None:
            proto = onnx.TypeProto()
            write_type(proto, kind, self._known)
            found = self._bodies[id(kind)] = (kind, _framed(_TYPE, proto.SerializeToString()))
        self._parts.append(_framed(_VALUE_INFO, _framed(_NAME, name.encode()) + found[1]))

    def put(self, graph: onnx.GraphProto) -> None:
        """Appends the entries to the ``value_info`` of a graph, and begins anew."""
        graph.MergeFromString(b"".join(self._parts))
        self._parts.clear()


def _framed(tag: int, data: bytes) -> bytes:
    """A field of a message: its tag, the length and the data."""
    length = len(data)
    if length < 128:
        return bytes((tag, length)) + data
    head = bytearray((tag,))
    while length >= 128:
        head.append(length & 127 | 128)
        length >>= 7
    head.append(length)
    return bytes(head) + data


def write_type(proto: onnx.TypeProto, kind: ValueType | None, known: Container[str] | None = None) -> None:
    """Writes a type into an empty message.

    Args:
        proto: the message.
        kind: the type.
        known: the symbols that may be written; a dim with another is left out.
    """
    match kind:
        case TensorType(elem=elem, shape=shape):
            proto.tensor_type.elem_type = elem
            if shape is not None:
                add_shape(proto.tensor_type, shape, known)
        case SparseTensorType(elem=elem, shape=shape):
            proto.sparse_tensor_type.elem_type = elem
            if shape is not None:
                add_shape(proto.sparse_tensor_type, shape, known)
        case SequenceType(elem=inner):
            proto.sequence_type.SetInParent()
            write_type(proto.sequence_type.elem_type, inner, known)
        case OptionalType(elem=inner):
            proto.optional_type.SetInParent()
            write_type(proto.optional_type.elem_type, inner, known)
        case MapType(key=key, value=inner):
            proto.map_type.key_type = key
            write_type(proto.map_type.value_type, inner, known)


def add_shape(
    tensor: onnx.TypeProto.Tensor | onnx.TypeProto.SparseTensor,
    shape: tuple[Dim, ...],
    known: Container[str] | None = None,
) -> None:
    """Writes a shape where there is none yet."""
    tensor.shape.SetInParent()
    for dim in shape:
        proto = tensor.shape.dim.add()
        if known is None or all(symbol.name in known for symbol in dims.free_symbols(dim)):
            write_dim(proto, dim)


def write_dim(proto: onnx.TensorShapeProto.Dimension, dim: Dim) -> None:
    """Writes a dim; a number that the field cannot hold is left out."""
    if type(dim) is not int:
        proto.dim_param = dims.text(dim)
    elif dim < _MOST:
        proto.dim_value = dim
