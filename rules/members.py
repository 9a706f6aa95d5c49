"""The members of a sequence or optional, where they are known one by one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.rule import Array, Context, OptionalType, SequenceType, Value, ValueType, codes

from .sizes import scalar_value

LIMIT = 256  # longer sequences are not followed member by member


def members(ctx: Context, which: int | str) -> list[Value] | None:
    """The members of a sequence, in order, or what an optional holds; ``None`` where they are not known."""
    known = ctx.elements(which)
    if known is None or known.ndim != 1:
        return None
    values = known.tolist()
    return values if all(type(value) is Value for value in values) else None


def as_elements(values: Sequence[Value]) -> Array | None:
    """What the members are kept as; ``None`` where there are too many."""
    if len(values) > LIMIT:
        return None
    array = np.empty(len(values), dtype=object)
    for i, value in enumerate(values):
        array[i] = value
    return array


def inner_type(ctx: Context, which: int | str) -> ValueType | None:
    """What is known of every member; ``None`` where that is nothing."""
    kind = ctx.type(which)
    return kind.elem if isinstance(kind, SequenceType | OptionalType) else None


def position(ctx: Context, which: str, size: int, default: int | None) -> int | None:
    """A place counted from the front, of ``size`` places from ``-(size - 1)`` or ``-size`` on; ``None`` if unknown.

    ``default`` is for an input that is left out. A place that does not exist is an error.
    """
    place = scalar_value(ctx, which) if ctx.given(which) else default
    if type(place) is not int:
        if size == 0:
            ctx.fail(codes.INDEX_RANGE, index="the last" if place is None else place, axis=0, size=0)
        return None
    low = -size if which_counts_all(ctx) else 1 - size
    if not low <= place < size:
        ctx.fail(codes.INDEX_RANGE, index=place, axis=0, size=size)
    return place if place >= 0 else place - low
