"""The two kinds of broadcasting: that of the first operator sets, by attributes, and NumPy's from version 7 on."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import normalise_axis, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import SIZES, KernelError


def legacy(a: Array, b: Array, broadcast: int, axis: int | None) -> Array:
    """``b`` in a shape that NumPy broadcasts to that of ``a``.

    With ``broadcast`` it may have one element, or the sizes of a run of axes of ``a`` that begins at ``axis``, and
    without ``axis`` is the last one. The specification adds that a dim of 1 is not expanded "yet", but its own test
    models do so, and it is allowed here.

    Raises:
        KernelError: when ``b`` has another shape.
    """
    if not broadcast:
        if a.shape != b.shape:
            raise KernelError(f"{shape_text(a.shape)} and {shape_text(b.shape)} differ and broadcast is not set")
        return b
    if b.size == 1 and b.ndim <= a.ndim:
        return b.reshape(())
    first = a.ndim - b.ndim if axis is None else normalise_axis(axis, a.ndim)
    run = a.shape[max(first, 0) : first + b.ndim]
    if len(run) != b.ndim or any(size not in (1, target) for size, target in zip(b.shape, run, strict=True)):
        raise KernelError(f"{shape_text(b.shape)} is no run of the sizes {shape_text(a.shape)} at axis {first}")
    return b.reshape(b.shape + (1,) * (a.ndim - first - b.ndim))


def check_onto(shape: tuple[int, ...], target: tuple[int, ...], what: str) -> None:
    """Refuses a shape that does not broadcast to ``target`` in one direction.

    Raises:
        KernelError: when it does not.
    """
    try:
        fits = np.broadcast_shapes(shape, target) == target
    except ValueError:
        fits = False
    if not fits:
        raise KernelError(f"{what} {shape_text(shape)} does not broadcast to {shape_text(target)}", code=SIZES)
