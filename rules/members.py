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


def position(ctx: Context, count: int, last: int, default: int | None = None) -> int | None:
    """The input ``position``, from ``-count`` to ``last``, counted from the front; ``None`` where it is not known.

    ``default`` is for an input that is left out. A place that does not exist is an error.
    """
    place = scalar_value(ctx, "position") if ctx.given("position") else default
    if last < 0 and type(place) is not int:
        ctx.fail(codes.INDEX_RANGE, index="whatever it is", axis=0, size=count)
    if type(place) is not int:
        return None
    if not -count <= place <= last:
        ctx.fail(codes.INDEX_RANGE, index=place, axis=0, size=count)
    return place + count if place < 0 else place
