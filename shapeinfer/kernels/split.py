"""Split."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.kernels.arguments import integers, normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel

Parts = tuple[Array, ...]


@kernel("Split", since=(1,), needs=("outputs",))
def split_first(
    input: Array, lengths: Array | None = None, *, axis: int = 0, split: Sequence[int] | None = None, _outputs: int
) -> Parts:
    """Parts of the lengths in the second input (of the data's type) or in the attribute, or else equal parts."""
    chosen = split if lengths is None else [int(length) for length in lengths.tolist()]
    return split_attribute(input, axis=axis, split=chosen, _outputs=_outputs)


@kernel("Split", since=(2, 11), needs=("outputs",))
def split_attribute(input: Array, *, axis: int, split: Sequence[int] | None = None, _outputs: int) -> Parts:
    """Parts of the lengths in the attribute ``split``, or else equal parts."""
    at = normalise_axis(axis, input.ndim)
    return _cut(input, at, _equal(input.shape[at], _outputs) if split is None else split, _outputs)


@kernel("Split", since=(13,), needs=("outputs",))
def split_input(input: Array, split: Array | None = None, *, axis: int, _outputs: int) -> Parts:
    """Parts of the lengths in the input ``split``, or else equal parts."""
    at = normalise_axis(axis, input.ndim)
    return _cut(input, at, _equal(input.shape[at], _outputs) if split is None else integers(split, "split"), _outputs)


@kernel("Split", since=(18,), needs=("outputs",))
def split(
    input: Array, split: Array | None = None, *, axis: int, num_outputs: int | None = None, _outputs: int
) -> Parts:
    """Parts of the lengths in the input ``split``, or ``num_outputs`` equal ones of which the last may be smaller."""
    if (split is None) == (num_outputs is None):
        raise KernelError("one of split and num_outputs must be given")
    at = normalise_axis(axis, input.ndim)
    if split is not None:
        return _cut(input, at, integers(split, "split"), _outputs)
    assert num_outputs is not None
    return _cut(input, at, _almost_equal(input.shape[at], num_outputs), _outputs)


def _equal(size: int, parts: int) -> list[int]:
    if size % parts:
        raise KernelError(f"{size} cannot be cut into {parts} equal parts")
    return [size // parts] * parts


def _almost_equal(size: int, parts: int) -> list[int]:
    if parts < 1:
        raise KernelError(f"num_outputs is {parts}")
    length = -(-size // parts)
    last = size - length * (parts - 1)
    if last < 0:
        raise KernelError(f"{size} in {parts} parts of {length} leaves {last} for the last")
    return [length] * (parts - 1) + [last]


def _cut(data: Array, axis: int, lengths: Sequence[int], outputs: int) -> Parts:
    if len(lengths) != outputs:
        raise KernelError(f"{len(lengths)} parts for {outputs} outputs")
    if any(length < 0 for length in lengths) or sum(lengths) != data.shape[axis]:
        raise KernelError(f"lengths {shape_text(lengths)} do not add up to {data.shape[axis]}")
    before = (slice(None),) * axis
    parts, start = [], 0
    for length in lengths:
        parts.append(data[(*before, slice(start, start + length))])
        start += length
    return tuple(parts)
