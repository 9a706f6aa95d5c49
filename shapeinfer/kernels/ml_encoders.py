"""ai.onnx.ml: encoders. Values replaced by others that a list pairs with them, or by their place in a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from shapeinfer.kernels.dtypes import STRING, Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ml_arguments import ML, prepared, stated
from shapeinfer.kernels.registry import kernel


def places(x: Array, keys: Array, *, bitwise: bool = False) -> Array:
    """For each element the position of the last key that equals it; -1 where none does.

    Args:
        bitwise: whether floats are equal when their bits are; else when they are equal as numbers, or both NaN.
    """
    if x.dtype == STRING:
        known = {key: position for position, key in enumerate(keys.tolist())}
        return np.array([known.get(each, -1) for each in x.reshape(-1).tolist()], dtype=np.intp).reshape(x.shape)
    if not keys.size:
        return np.full(x.shape, -1, dtype=np.intp)
    if bitwise and x.dtype.kind == "f":
        whole = np.dtype(f"i{x.dtype.itemsize}")
        x, keys = np.ascontiguousarray(x).view(whole).reshape(x.shape), np.ascontiguousarray(keys).view(whole)
    order = np.argsort(keys, kind="stable")  # NaNs come last
    at = np.searchsorted(keys[order], x, side="right") - 1
    found = order[np.maximum(at, 0)]
    same = keys[found] == x
    if x.dtype.kind == "f":
        same |= np.isnan(keys[found]) & np.isnan(x)
    return np.where((at >= 0) & same, found, -1)


def _replaced(at: Array, values: Array, default: Any) -> Array:
    """The value at each place, or the default at -1."""
    table = np.empty(values.size + 1, dtype=values.dtype)
    table[:-1], table[-1] = values, default
    return np.asarray(table[at])


def _array(name: str, values: Any) -> Array:
    """A list of keys or values in the element type that its name says."""
    if isinstance(values, np.ndarray):
        if values.ndim != 1:
            raise KernelError(f"{name} must be 1-D")
        return values
    dtypes: dict[str, Any] = {"floats": np.float32, "int64s": np.int64, "strings": STRING}
    result: Array = np.array(values, dtype=dtypes[name.rpartition("_")[2]])
    return result


@kernel("LabelEncoder", since=(1,), domain=ML)
def label_encoder_classes(
    x: Array, *, classes_strings: Sequence[str] = (), default_int64: int, default_string: str
) -> Array:
    """The string at each position of the list, or the position of each string."""
    classes = np.array(classes_strings, dtype=STRING)
    if x.dtype == STRING:
        return _replaced(places(x, classes), np.arange(classes.size, dtype=np.int64), default_int64)
    return _replaced(np.where((x >= 0) & (x < classes.size), x, -1), classes, default_string)


@kernel("CategoryMapper", since=(1,), domain=ML)
def category_mapper(
    x: Array,
    *,
    cats_int64s: Sequence[int] = (),
    cats_strings: Sequence[str] = (),
    default_int64: int,
    default_string: str,
) -> Array:
    """Strings for the integers that the lists pair with them, or integers for strings."""
    if len(cats_int64s) != len(cats_strings):
        raise KernelError(f"cats_int64s has {len(cats_int64s)} entries, cats_strings {len(cats_strings)}")
    integers, strings = np.array(cats_int64s, dtype=np.int64), np.array(cats_strings, dtype=STRING)
    if x.dtype == STRING:
        return _replaced(places(x, strings), integers, default_int64)
    return _replaced(places(x, integers), strings, default_string)


@kernel("LabelEncoder", since=(2, 4), domain=ML, needs=("version",))
def label_encoder(
    x: Array,
    *,
    keys_floats: Sequence[float] | None = None,
    keys_int64s: Sequence[int] | None = None,
    keys_strings: Sequence[str] | None = None,
    keys_tensor: Array | None = None,
    values_floats: Sequence[float] | None = None,
    values_int64s: Sequence[int] | None = None,
    values_strings: Sequence[str] | None = None,
    values_tensor: Array | None = None,
    default_float: float,
    default_int64: int,
    default_string: str,
    default_tensor: Array | None = None,
    _version: int,
) -> Array:
    """Each element replaced by the value that stands beside its key, or by the default.

    Float keys are compared bit by bit in version 2; in version 4 as numbers, with NaN equal to NaN.
    """
    every: dict[str, Any] = {"floats": keys_floats, "int64s": keys_int64s, "strings": keys_strings}
    others: dict[str, Any] = {"floats": values_floats, "int64s": values_int64s, "strings": values_strings}
    key, keys = stated(**{f"keys_{kind}": each for kind, each in every.items()}, keys_tensor=keys_tensor)
    value, values = stated(**{f"values_{kind}": each for kind, each in others.items()}, values_tensor=values_tensor)
    from_, to = prepared(_array, key, keys), prepared(_array, value, values)
    if from_.size != to.size:
        raise KernelError(f"{key} has {from_.size} entries, {value} {to.size}")
    if from_.dtype != x.dtype:
        raise KernelError(f"{key} is of {from_.dtype}, the input of {x.dtype}")
    default: Any
    if default_tensor is not None:
        if default_tensor.size != 1 or default_tensor.dtype != to.dtype:
            raise KernelError(f"default_tensor must be one element of {to.dtype}")
        default = default_tensor.reshape(-1)[0]
    elif to.dtype == STRING:
        default = default_string
    else:
        default = default_float if to.dtype.kind == "f" else default_int64
    return _replaced(places(x, from_, bitwise=_version < 4), to, default)


@kernel("OneHotEncoder", since=(1,), domain=ML)
def one_hot_encoder(
    x: Array, *, cats_int64s: Sequence[int] | None = None, cats_strings: Sequence[str] | None = None, zeros: int
) -> Array:
    """A new last axis with 1 at the element's category; without ``zeros``, every element must have one."""
    name, _ = stated(cats_int64s=cats_int64s, cats_strings=cats_strings)
    if (x.dtype == STRING) != (name == "cats_strings"):
        raise KernelError(f"{name} is stated for an input of {'strings' if x.dtype == STRING else x.dtype}")
    categories = np.array(cats_strings or cats_int64s or (), dtype=STRING if cats_strings else np.int64)
    at = places(x if x.dtype == STRING else x.astype(np.int64), categories)
    if not zeros and (at < 0).any():
        raise KernelError(f"{x[at < 0].reshape(-1)[0]!r} is none of the {categories.size} categories")
    return np.asarray(at[..., None] == np.arange(categories.size), dtype=np.float32)
