"""What the operators that move elements share: sums, ties between sizes, constant indices, entries to be moved."""

from __future__ import annotations

from collections.abc import Iterable

from shapeinfer.rule import Array, Context, Dim, codes, dims

from .entrywise import operand


def tie(ctx: Context, what: str, left: Dim, right: Dim) -> Dim:
    """Requires two sizes to be equal and returns the more definite one."""
    return ctx.require_equal(left, right, codes.SIZES_DIFFER, what=what, left=left, right=right)


def merged(ctx: Context, what: str, left: Dim | None, right: Dim | None) -> Dim | None:
    """As :func:`tie`, of sizes that may be unknown."""
    if left is None or right is None:
        return right if left is None else left
    return tie(ctx, what, left, right)


def total(sizes: Iterable[Dim | None]) -> Dim | None:
    """The sum; ``None`` where one is unknown."""
    known: list[Dim] = []
    for size in sizes:
        if size is None:
            return None
        known.append(size)
    return dims.add(*known)


def same_length(ctx: Context, what: str, found: Dim | None, expected: Dim | None) -> None:
    """Requires a list to have so many entries."""
    if found is not None and expected is not None:
        ctx.require_equal(found, expected, codes.LENGTH, what=what, found=found, expected=expected)


def one_entry(ctx: Context, which: str) -> None:
    """An input that must be a scalar or a 1-D tensor of one element."""
    shape = ctx.shape_or_none(which)
    if shape is None or shape == ():
        return
    if len(shape) > 1:
        ctx.fail(codes.RANK, input=which, shape=shape, expected="0, or 1 with one element")
    same_length(ctx, which, shape[0], 1)


def whole_entry(ctx: Context, which: str) -> Dim | None:
    """The one element of an input as an integer, as Cast makes one of it; ``None`` where unknown."""
    array = ctx.elements(which)
    if array is None or array.size != 1:
        return None
    entry = array.ravel().tolist()[0]
    if isinstance(entry, float):
        return int(entry) if entry == entry and abs(entry) < 2**63 else None
    return entry if type(entry) is int or dims.is_symbolic(entry) else None


def check_indices(ctx: Context, indices: Array | None, size: Dim, axis: int) -> None:
    """Requires constant indices to be in ``[-size, size-1]``."""
    if indices is None:
        return
    known = [index for index in indices.ravel().tolist() if type(index) is int]
    if not known:
        return
    low, high = min(known), max(known)
    if high >= 0:
        ctx.require_at_least(size, high + 1, codes.INDEX_RANGE, index=high, axis=axis, size=size)
    if low < 0:
        ctx.require_at_least(size, -low, codes.INDEX_RANGE, index=low, axis=axis, size=size)


def operands(ctx: Context) -> list[Array] | None:
    """The elements of all inputs, with unknown entries where only the shape is known; ``None`` if one is too large.

    Where nothing at all is known of any of them, the answer is ``None`` too.
    """
    if all(ctx.elements(index) is None for index in range(len(ctx.inputs))):
        return None
    arrays: list[Array] = []
    for index in range(len(ctx.inputs)):
        array = operand(ctx, index)
        if array is None:
            return None
        arrays.append(array)
    return arrays
