"""The arithmetic of Resize: sizes times scales in 32-bit floats, and sizes that keep their proportions."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from shapeinfer.rule import Context, Dim, Shape, codes, dims

from .exact_floats import numerator

LONGEST = 2**12  # a scale p/q with a larger p, or a larger q, is not followed for symbolic sizes
LEAST_RANGE = 2**12  # nor is one that is certain only for sizes less than this


def scaled(ctx: Context, size: Dim, scale: Any) -> Dim | None:
    """``floor(size * scale)`` where it is certain."""
    if type(scale) is float:
        return scaled_by_number(ctx, size, scale)
    found = None if scale is None else numerator(scale)
    if found is None:
        return None
    top, places = found
    return dims.floordiv(dims.mul(size, top), 2**places)


def scaled_by_number(ctx: Context, size: Dim, scale: float) -> Dim | None:
    """``floor(size * scale)`` where rounding to 32 bits makes no difference."""
    if not math.isfinite(scale):
        return None
    exact = Fraction(scale)
    if type(size) is int:
        rounded = int(np.floor(np.float32(size) * np.float32(scale)))
        return rounded if rounded == size * exact // 1 else None
    short = exact if max(exact.numerator, exact.denominator) <= LONGEST else exact.limit_denominator(1000)
    if short != exact:
        limit = int(1 / (short.denominator * (exact - short + exact / 2**24)))
        if short > exact or limit < LEAST_RANGE:
            return None
        ctx.require_at_least(limit, size, codes.FLOAT_INEXACT, dim=size, limit=limit)
    return dims.floordiv(dims.mul(size, short.numerator), short.denominator)


def in_proportion(old: Shape, wanted: tuple[Dim | None, ...], least: bool) -> tuple[Dim | None, ...]:
    """All sizes times the least or the greatest ``wanted / old``, rounded, halves up."""
    known = [size for size in wanted if size is not None]
    if len(known) != len(old) or any(type(size) is int and size == 0 for size in old):
        return (None,) * len(old)
    if all(type(size) is int for size in (*old, *known)):
        return tuple(proportional(int(size), old, known, least) for size in old)
    choose = dims.minimum if least else dims.maximum
    return tuple(choose(*(half_up(size, new, base) for new, base in zip(known, old, strict=True))) for size in old)


def half_up(size: Dim, new: Dim, base: Dim) -> Dim:
    """``size * new / base``, rounded, halves up."""
    if size is base or size == base:
        return new
    return dims.floordiv(dims.add(dims.mul(2, size, new), base), dims.mul(2, base))


def proportional(size: int, old: Shape, wanted: list[Any], least: bool) -> int | None:
    """As :func:`half_up` with numbers; ``None`` where 32-bit floats may round a half the other way."""
    choose = min if least else max
    exact = size * choose(Fraction(new, int(base)) for new, base in zip(wanted, old, strict=True))
    factor = np.float32(choose(np.float32(new) / np.float32(base) for new, base in zip(wanted, old, strict=True)))
    found = int((exact + Fraction(1, 2)) // 1)
    return found if found == int(np.floor(factor * np.float32(size) + np.float32(0.5))) else None
