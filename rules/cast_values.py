"""Follows sizes through Cast and CastLike: between integer types as they are, to floats and back while exact.

A cast to a narrower type than 32 bits may wrap, so it is followed only where all entries are numbers.
"""

from __future__ import annotations

from shapeinfer.rule import Array, Context, value_rules

from .entrywise import BOOLS, FLOATS, FOLLOWED, WHOLE, Entry, operand, output_elem, packed
from .exact_floats import held, numeric, to_whole


@value_rules({"Cast": (6, 9, 13, 19, 21, 23, 24, 25, 28), "CastLike": (15, 19, 21, 23, 24, 25)})
def cast(ctx: Context) -> Array | None:
    """The entries in the new type."""
    data = operand(ctx, 0)
    source, target = ctx.elem(0), output_elem(ctx)
    if data is None or source not in FOLLOWED:
        return None
    items = [None if entry is None else converted(ctx, entry, source, target) for entry in data.ravel().tolist()]
    return packed(ctx, items, data.shape, target)


def converted(ctx: Context, entry: Entry, source: int, target: int) -> Entry:
    """One known entry in the new type; ``None`` where it may be rounded or wrapped."""
    if target in BOOLS:
        return to_bool(ctx, entry, source)
    if target in WHOLE:
        return to_whole(ctx, entry, source) if source in FLOATS else int(entry) if source in BOOLS else entry
    if type(entry) in (int, float, bool):
        return numeric(float, (entry,), target)
    if source in FLOATS and not held(ctx, source, entry):
        return None
    return entry


def to_bool(ctx: Context, entry: Entry, source: int) -> bool | None:
    """Whether an entry is not zero."""
    if type(entry) in (int, float, bool):
        return bool(entry)
    if source in FLOATS:
        return None
    answer = ctx.facts.equal(entry, 0)
    return None if answer is None else not answer
