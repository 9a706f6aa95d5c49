"""Writes types as messages: dims as numbers or text, unknown parts left out."""

from __future__ import annotations

from collections.abc import Container

import onnx

from shapeinfer import dims
from shapeinfer.dims import Dim
from shapeinfer.types import MapType, OptionalType, SequenceType, SparseTensorType, TensorType, ValueType

_MOST = 2**63


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
