"""Stored tensors as arrays: dense, sparse, of strings, and those whose elements lie in a file beside the model."""

from __future__ import annotations

from math import prod
from pathlib import Path, PurePosixPath, PureWindowsPath

import numpy as np
from onnx import SparseTensorProto, TensorProto, numpy_helper

from shapeinfer.kernels.dtypes import STRING, Array, label, to_dtype
from shapeinfer.kernels.errors import WEIGHTS, KernelError

_BITS = {"int4": 4, "uint4": 4, "float4e2m1": 4, "int2": 2, "uint2": 2, "float6e2m3": 6, "float6e3m2": 6}


def to_array(tensor: TensorProto, base_dir: str | Path | None = None) -> Array:
    """The elements of a stored tensor, external ones from a file below ``base_dir``; strings as ``str``.

    Raises:
        KernelError: when they cannot be read, or the file would lie elsewhere.
    """
    try:
        if tensor.data_location == TensorProto.EXTERNAL:
            tensor = _with_bytes(tensor, _external(tensor, base_dir))
        array: Array = numpy_helper.to_array(tensor)
    except KernelError as error:
        raise KernelError(f"the tensor {tensor.name!r} cannot be read: {error.message}", code=WEIGHTS) from error
    except Exception as error:  # onnx raises many kinds for what is malformed
        raise KernelError(f"the tensor {tensor.name!r} cannot be read: {error}", code=WEIGHTS) from error
    if array.dtype.kind in "OUS":
        return as_text(array)
    return array.astype(to_dtype(tensor.data_type), copy=False)


def _with_bytes(tensor: TensorProto, data: bytes) -> TensorProto:
    return TensorProto(name=tensor.name, data_type=tensor.data_type, dims=tensor.dims, raw_data=data)


def _external(tensor: TensorProto, base_dir: str | Path | None) -> bytes:
    entries = {each.key: each.value for each in tensor.external_data}
    if base_dir is None:
        raise KernelError("its elements lie in a file, and the model comes from none: read the model from its path")
    path = _inside(Path(base_dir), entries.get("location", ""))
    offset, expected = _number(entries, "offset", 0), _length(tensor)
    length = _number(entries, "length", expected)
    if length != expected:
        raise KernelError(f"length {length} is stated where {expected} bytes are needed")
    try:
        with path.open("rb") as file:
            file.seek(offset)
            data = file.read(length)
    except OSError as error:
        raise KernelError(f"{path}: {error.strerror or error}") from error
    if len(data) != length:
        raise KernelError(f"{path} has {len(data)} bytes from {offset} on where {length} are needed")
    return data


def _inside(base: Path, location: str) -> Path:
    """The file, which must lie in the model's directory or below it, links followed.

    Raises:
        KernelError: when the location is absolute or leads out.
    """
    if not location or "\0" in location:
        raise KernelError(f"{location!r} is no location of a file")
    parts = PureWindowsPath(location).parts
    if PurePosixPath(location).is_absolute() or PureWindowsPath(location).anchor or ".." in parts:
        raise KernelError(f"the location {location!r} leads out of the directory of the model")
    path = base / PurePosixPath(location.replace("\\", "/"))
    if not path.resolve().is_relative_to(base.resolve()):
        raise KernelError(f"the location {location!r} is a link out of the directory of the model")
    if not path.is_file():
        raise KernelError(f"there is no file {path}")
    return path


def _number(entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key, "")
    if not text:
        return default
    if not text.isascii() or not text.isdigit():
        raise KernelError(f"{key} {text!r} is no number of bytes")
    return int(text)


def _length(tensor: TensorProto) -> int:
    if any(size < 0 for size in tensor.dims):
        raise KernelError(f"it has a negative size in {list(tensor.dims)}")
    dtype = to_dtype(tensor.data_type)
    if dtype == STRING:
        raise KernelError("strings cannot lie in a file of their own")
    bits: int = prod(tensor.dims) * _BITS.get(label(dtype), dtype.itemsize * 8)
    return (bits + 7) // 8


def as_text(array: Array) -> Array:
    """An array of strings as ``str`` objects."""
    result = np.empty(array.shape, dtype=STRING)
    result.reshape(-1)[:] = [
        each.decode("utf-8", "replace") if isinstance(each, bytes) else str(each) for each in array.reshape(-1).tolist()
    ]
    return result


def to_dense(sparse: SparseTensorProto, base_dir: str | Path | None = None) -> Array:
    """A stored sparse tensor with all its elements.

    Raises:
        KernelError: when its parts cannot be read or an index is out of range.
    """
    values, indices = to_array(sparse.values, base_dir), to_array(sparse.indices, base_dir)
    shape = tuple(sparse.dims)
    try:
        dense = np.zeros(shape, dtype=values.dtype)
        if indices.ndim == 1:
            if indices.size and indices.min() < 0:
                raise IndexError("an index is negative")
            dense.reshape(-1)[indices] = values
        else:
            if indices.size and indices.min() < 0:
                raise IndexError("an index is negative")
            dense[tuple(indices.T)] = values
    except (IndexError, ValueError, MemoryError) as error:
        raise KernelError(f"the sparse tensor {sparse.values.name!r} cannot be read: {error}", code=WEIGHTS) from error
    return dense
