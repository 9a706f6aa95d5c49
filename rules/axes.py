"""The axes that Squeeze and Unsqueeze take: an attribute before version 13, an input since."""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, codes, entries

FIRST_STRICT = 23  # "1D tensor of integers"; before that the text says "list of integers", and scalars are in use


def listed_axes(ctx: Context) -> tuple[Dim | None, ...] | None:
    """The axes as far as they are known; ``None`` where not even their number is.

    A scalar is taken as one axis where the specification does not rule it out, with a warning.
    """
    if ctx.version < FIRST_STRICT and ctx.given("axes") and ctx.shape_or_none("axes") == ():
        ctx.warn(codes.AXES_SCALAR)
        known = ctx.elements("axes")
        return (None,) if known is None else entries(known)
    return ctx.ints("axes")


def check_negative(ctx: Context, axes: list[int]) -> None:
    """Without a rank: fails for an axis that this version may not count from the back."""
    for axis in axes:
        if axis < 0 and ctx.version < 11:
            ctx.fail(codes.AXIS_NEGATIVE, axis=axis, allowed=11)


def repeated(axes: list[int]) -> int | None:
    """The first axis that comes a second time."""
    return next((axis for position, axis in enumerate(axes) if axis in axes[:position]), None)
