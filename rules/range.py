"""Range counts from ``start`` in steps of ``delta`` up to, but not including, ``limit``.

It has ``max(ceil((limit - start) / delta), 0)`` elements. Versions: 27 adds the 16-bit floats with ``stash_type``. All
inputs are scalars; a ``delta`` of 0 is an error.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from shapeinfer.rule import Array, Context, Dim, Result, codes, dims, rule, value_rule

from .entrywise import FLOATS, LIMIT, WHOLE, Entry, greatest, not_negative, packed
from .exact_floats import held, quotient, rational, whole
from .scalars import check_scalar

INPUTS = ("start", "limit", "delta")


@rule("Range", since=(11, 27))
def range_(ctx: Context) -> Result:
    """A list whose length follows from the three numbers."""
    for name in INPUTS:
        check_scalar(ctx, name)
    start, limit, delta = (scalar(ctx, name) for name in INPUTS)
    if type(delta) in (int, float) and delta == 0:
        ctx.fail(codes.SIZE_VALUE, what="delta", value=0, expected="other than 0")
    return (length(ctx, start, limit, delta),)


def scalar(ctx: Context, name: str) -> Entry:
    """The one element of an input, as far as it is known."""
    known = ctx.elements(name)
    return known.ravel().tolist()[0] if known is not None and known.size == 1 else None


def length(ctx: Context, start: Entry, limit: Entry, delta: Entry) -> Dim | None:
    """How many numbers there are."""
    elem = ctx.elem("start") or ctx.elem("limit") or ctx.elem("delta")
    known = [entry for entry in (start, limit, delta) if entry is not None]
    if len(known) < 3:
        return 0 if not (start is None or limit is None) and start is limit and elem in WHOLE else None
    if all(type(entry) in (int, float) for entry in known):
        return counted(start, limit, delta)
    if elem in FLOATS:
        return float_length(ctx, [rational(entry) for entry in known], elem)
    return steps(ctx, dims.sub(limit, start), delta)


def counted(start: float, limit: float, delta: float) -> int | None:
    """The length for numbers; ``None`` where it depends on how a runtime rounds."""
    if not all(math.isfinite(x) for x in (start, limit, delta)):
        return None
    exact = math.ceil((Fraction(limit) - Fraction(start)) / Fraction(delta))
    if all(type(x) is int for x in (start, limit, delta)):
        return max(exact, 0)
    single = np.float32
    with np.errstate(all="ignore"):
        ways = {
            exact,
            math.ceil((limit - start) / delta),
            math.ceil(float(single(limit) - single(start)) / float(single(delta))),
        }
    return max(exact, 0) if len(ways) == 1 else None


def float_length(ctx: Context, entries: list[Any], elem: int) -> Dim | None:
    """The length for exact floats."""
    if any(entry is None for entry in entries):
        return None
    start, limit, delta = entries
    distance = dims.sub(limit, start)
    ratio = quotient(ctx, distance, delta)
    if ratio is None or not held(ctx, elem, ratio, distance, *entries):
        return None
    return greatest(ctx, ratio if whole(ratio) else dims.ceil(ratio), 0)


def steps(ctx: Context, distance: Dim, delta: Dim) -> Dim | None:
    """``max(ceil(distance / delta), 0)`` for integers; ``None`` where the sign of ``delta`` is not known."""
    if ctx.facts.at_least(-1, delta):
        distance, delta = dims.neg(distance), dims.neg(delta)
    if not not_negative(ctx, delta):
        return None
    return greatest(ctx, dims.ceildiv(distance, delta), 0)


@value_rule("Range", since=(11, 27))
def range_elements(ctx: Context) -> Array | None:
    """``start + i * delta``, where the length is known."""
    shape = ctx.output_shape()
    start, delta, elem = scalar(ctx, "start"), scalar(ctx, "delta"), ctx.elem("start")
    if shape is None or start is None or delta is None or elem not in WHOLE:
        return None
    count = shape[0]
    if type(count) is not int or count > LIMIT:
        return None
    items = [dims.add(start, dims.mul(i, delta)) for i in range(count)]
    return packed(ctx, items, (count,), elem)
