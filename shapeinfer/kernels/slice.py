"""Slice."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.kernels.arguments import integers, normalise_axes, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Slice", since=(1,))
def slice_attribute(
    data: Array, *, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int] | None = None
) -> Array:
    """From ``starts`` up to ``ends`` along each of ``axes``, by default the first ones."""
    return _sliced(data, starts, ends, axes, None)


@kernel("Slice", since=(10, 11, 13))
def slice_input(
    data: Array, starts: Array, ends: Array, axes: Array | None = None, steps: Array | None = None
) -> Array:
    """Every ``steps``-th entry from ``starts`` up to ``ends`` along each of ``axes``, by default the first ones."""
    return _sliced(
        data,
        integers(starts, "starts"),
        integers(ends, "ends"),
        None if axes is None else integers(axes, "axes"),
        None if steps is None else integers(steps, "steps"),
    )


def _sliced(
    data: Array,
    starts: Sequence[int],
    ends: Sequence[int],
    axes: Sequence[int] | None,
    steps: Sequence[int] | None,
) -> Array:
    count = len(starts)
    axes = range(count) if axes is None else axes
    steps = (1,) * count if steps is None else steps
    if not len(ends) == len(axes) == len(steps) == count:
        lengths = (count, len(ends), len(axes), len(steps))
        raise KernelError(f"starts, ends, axes and steps have the lengths {shape_text(lengths)}")
    index = [slice(None)] * data.ndim
    for axis, start, end, step in zip(normalise_axes(axes, data.ndim), starts, ends, steps, strict=True):
        index[axis] = _range(start, end, step, data.shape[axis])
    return data[tuple(index)]


def _range(start: int, end: int, step: int, size: int) -> slice:
    """Clamped as the specification says: a start before the first element is the first one, also going backwards."""
    if step == 0:
        raise KernelError("a step is 0")
    if size == 0:
        return slice(0, 0)
    start = start + size if start < 0 else start
    end = end + size if end < 0 else end
    if step > 0:
        return slice(min(max(start, 0), size), min(max(end, 0), size), step)
    last = min(max(end, -1), size - 1)
    return slice(min(max(start, 0), size - 1), None if last < 0 else last, step)
