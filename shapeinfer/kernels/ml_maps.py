"""ai.onnx.ml: maps, which are held as ``dict``, turned into tensors and made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from shapeinfer.kernels.dtypes import STRING, Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ml_arguments import ML, rows, stated
from shapeinfer.kernels.registry import kernel


def _mapping(x: Any) -> Mapping[Any, Any]:
    """The map that a value is, or that a tensor holds as its only element."""
    held = x.item() if isinstance(x, np.ndarray) and x.dtype == STRING and x.size == 1 else x
    if not isinstance(held, Mapping):
        raise KernelError(f"the input must be a map, not a {type(held).__name__}")
    return {key: each.reshape(())[()] if isinstance(each, np.ndarray) else each for key, each in held.items()}


@kernel("CastMap", since=(1,), domain=ML)
def cast_map(x: Any, *, cast_to: str, map_form: str, max_map: int) -> Array:
    """One row of the map's values by ascending key; with the form SPARSE, each stands at the place its key says."""
    found = dict(sorted(_mapping(x).items()))
    dtypes: dict[str, np.dtype[Any]] = {
        "TO_FLOAT": np.dtype(np.float32),
        "TO_INT64": np.dtype(np.int64),
        "TO_STRING": STRING,
    }
    dtype = dtypes.get(cast_to)
    if dtype is None:
        raise KernelError(f"cast_to is {cast_to!r}")
    values = [_cast(value, dtype) for value in found.values()]
    if map_form == "DENSE":
        dense: Array = np.empty((1, len(values)), dtype=dtype)
        dense[0] = values
        return dense
    if map_form != "SPARSE":
        raise KernelError(f"map_form is {map_form!r}")
    keys = list(found)
    if keys and not (keys[0] >= 0 and keys[-1] < max_map):
        raise KernelError(f"the keys {keys[0]} to {keys[-1]} do not lie in 0 to {max_map - 1}")
    result: Array = np.full((1, max_map), "" if dtype == STRING else 0, dtype=dtype)
    result[0, keys] = values
    return result


def _cast(value: Any, dtype: np.dtype[Any]) -> Any:
    if dtype == STRING:
        return value if isinstance(value, str) else f"{value:f}"
    try:
        number = float(value)
    except ValueError:
        raise KernelError(f"{value!r} is no number") from None
    return number if dtype.kind == "f" else int(number)


@kernel("DictVectorizer", since=(1,), domain=ML)
def dict_vectorizer(
    x: Any, *, int64_vocabulary: Sequence[int] | None = None, string_vocabulary: Sequence[str] | None = None
) -> Array:
    """The map's values at the places of their keys in the vocabulary, and zeros; 1-D."""
    _, vocabulary = stated(int64_vocabulary=int64_vocabulary, string_vocabulary=string_vocabulary)
    found = _mapping(x)
    at = {key: place for place, key in enumerate(vocabulary)}
    unknown = [key for key in found if key not in at]
    if unknown:
        raise KernelError(f"the key {unknown[0]!r} is not in the vocabulary of {len(at)}")
    result: Array = np.zeros(len(vocabulary), dtype=_dtype(next(iter(found.values()), 0.0)))
    if result.dtype == STRING:
        result[:] = ""
    for key, value in found.items():
        result[at[key]] = value
    return result


def _dtype(value: Any) -> np.dtype[Any]:
    """The element type of a map's value: float32 for what is a plain float, or where there is none."""
    if isinstance(value, str):
        return STRING
    if isinstance(value, np.generic):
        return value.dtype
    return np.dtype(np.int64 if isinstance(value, int) else np.float32)


@kernel("ZipMap", since=(1,), domain=ML)
def zip_map(
    x: Array, *, classlabels_int64s: Sequence[int] | None = None, classlabels_strings: Sequence[str] | None = None
) -> list[dict[Any, float]]:
    """For each row a map from the labels to the row's numbers."""
    name, keys = stated(classlabels_int64s=classlabels_int64s or None, classlabels_strings=classlabels_strings or None)
    table = rows(x)
    if table.shape[1] != len(keys):
        raise KernelError(f"{table.shape[1]} columns for the {len(keys)} labels of {name}")
    return [dict(zip(keys, row, strict=True)) for row in table.tolist()]
