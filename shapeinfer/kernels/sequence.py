"""Sequences of tensors, held as lists: made, taken apart and changed."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from shapeinfer.kernels.arguments import integers, normalise_axis, scalar, shape_text, type_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import OUT_OF_RANGE, SIZES, KernelError
from shapeinfer.kernels.registry import kernel


@kernel("SequenceConstruct", since=(11,))
def sequence_construct(*inputs: Array) -> list[Array]:
    """The tensors as a sequence."""
    return list(inputs)


@kernel("SequenceEmpty", since=(11,))
def sequence_empty(*, dtype: int | None = None) -> list[Array]:
    """A sequence of no tensors."""
    return []


def _list(value: Any) -> list[Array]:
    if not isinstance(value, list):
        raise KernelError(f"{type_text(value)} is no sequence")
    return value


def _place(position: Array, low: int, high: int) -> int:
    """A position that lies from ``low`` to ``high``."""
    at = int(scalar(position, "position"))
    if not low <= at <= high:
        raise KernelError(f"position {at} is not from {low} to {high}", code=OUT_OF_RANGE)
    return at


@kernel("SequenceInsert", since=(11,))
def sequence_insert(input_sequence: list[Array], tensor: Array, position: Array | None = None) -> list[Array]:
    """The sequence with the tensor before a position, or at its end."""
    given = list(_list(input_sequence))
    if given and given[0].dtype != tensor.dtype:
        raise KernelError(f"{type_text(tensor)} into a sequence of {type_text(given[0])}")
    at = len(given) if position is None else _place(position, -len(given), len(given))
    given.insert(at, tensor)
    return given


@kernel("SequenceErase", since=(11,))
def sequence_erase(input_sequence: list[Array], position: Array | None = None) -> list[Array]:
    """The sequence without the tensor at a position, or without the last one."""
    given = list(_list(input_sequence))
    at = _place(np.asarray(-1) if position is None else position, -len(given), len(given) - 1)
    del given[at]
    return given


@kernel("SequenceAt", since=(11,))
def sequence_at(input_sequence: list[Array], position: Array) -> Array:
    """The tensor at a position."""
    given = _list(input_sequence)
    return given[_place(position, -len(given), len(given) - 1)]


@kernel("SequenceLength", since=(11,))
def sequence_length(input_sequence: list[Array]) -> Array:
    """How many tensors there are."""
    return np.asarray(len(_list(input_sequence)), dtype=np.int64)


@kernel("SplitToSequence", since=(11, 24))
def split_to_sequence(input: Array, split: Array | None = None, *, axis: int, keepdims: int) -> list[Array]:
    """Parts along the axis: of one size, of given sizes, or of size 1, with or without their dim."""
    at = normalise_axis(axis, input.ndim)
    size = input.shape[at]
    before = (slice(None),) * at
    if split is None:
        return [input[(*before, slice(i, i + 1) if keepdims else i, ...)] for i in range(size)]
    lengths = _pieces(size, split)
    ends = np.cumsum([0, *lengths]).tolist()
    return [input[(*before, slice(low, high))] for low, high in pairwise(ends)]


def _pieces(size: int, split: Array) -> Sequence[int]:
    if split.ndim:
        lengths = integers(split, "split")
        if any(each < 0 for each in lengths) or sum(lengths) != size:
            raise KernelError(f"split {shape_text(lengths)} does not add up to {size}", code=SIZES)
        return lengths
    length = int(split)
    if length < 1:
        raise KernelError(f"parts of size {length}")
    return [min(length, size - start) for start in range(0, size, length)]


@kernel("ConcatFromSequence", since=(11,))
def concat_from_sequence(input_sequence: list[Array], *, axis: int, new_axis: int) -> Array:
    """The tensors one after the other along an axis, which with ``new_axis`` is a new one."""
    given = _list(input_sequence)
    if not given:
        raise KernelError("the sequence is empty")
    rank = given[0].ndim
    if any(each.ndim != rank for each in given):
        raise KernelError(f"the ranks of {', '.join(map(type_text, given))} differ", code=SIZES)
    if new_axis:
        return np.stack(given, axis=normalise_axis(axis, rank + 1))
    return np.concatenate(given, axis=normalise_axis(axis, rank))
