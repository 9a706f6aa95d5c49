"""The number of elements that Reshape keeps: a check, and where one dim is open, the way to find it."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.rule import Context, Dim, Shape, codes, dims

from .reshape_entries import Entries, either, positive


def check_count(ctx: Context, shape: Shape, found: Entries) -> None:
    """Requires input and output to have the same number of elements."""
    left, right = cancelled(ctx, shape, found.known())
    if holds_without_copies(ctx, shape, found):
        return
    ctx.require_equal(left, right, codes.SIZES_DIFFER, what="the number of elements", left=left, right=right)


def holds_without_copies(ctx: Context, shape: Shape, found: Entries) -> bool:
    """Whether the counts agree wherever no symbolic entry is 0, if there are such entries."""
    if not found.copies:
        return False
    plain = [found.copies[axis][0] if axis in found.copies else dim for axis, dim in enumerate(found.dims)]
    return ctx.facts.equal(dims.mul(*shape), dims.mul(*[dim for dim in plain if dim is not None])) is True


def cancelled(ctx: Context, left: Sequence[Dim], right: Sequence[Dim]) -> tuple[Dim, Dim]:
    """The two products without the sizes that are on both sides and never 0."""
    rest, other = list(left), []
    for dim in right:
        if dim in rest and ctx.facts.at_least(dim, 1):
            rest.remove(dim)
        else:
            other.append(dim)
    first, second = dims.mul(*rest), dims.mul(*other)
    exact = dims.divide_exact(first, second) if type(second) is int and second else None
    return (first, second) if exact is None else (exact, 1)


def infer(ctx: Context, shape: Shape, found: Entries) -> Dim | None:
    """The one dim that is open, from the number of elements; ``None`` where the other dims may be 0.

    It does not matter why it is open: a -1 is this number by definition, anything else must be it.
    """
    known = found.known()
    if found.inferred is None and not all(
        dim is None or positive(ctx, found, i, dim) for i, dim in enumerate(found.dims)
    ):
        return None
    if not found.copies:
        return quotient(ctx, shape, known)
    if len(found.copies) == 1:
        return by_cases(ctx, shape, found)
    return dims.floordiv(dims.mul(*shape), dims.mul(*known))


def quotient(ctx: Context, shape: Shape, known: Sequence[Dim]) -> Dim:
    """The number of elements over the other dims, none of which is 0; that nothing remains is required."""
    count, divisor = reduced(dims.mul(*shape), known)
    if type(divisor) is int and divisor == 1:
        return count
    what = "the number of elements"
    ctx.require_divisible(count, divisor, codes.DIVISIBLE, what=what, dim=count, divisor=divisor)
    return dims.floordiv(ctx.facts.reduce(count), divisor)


def reduced(count: Dim, known: Sequence[Dim]) -> tuple[Dim, Dim]:
    """The count and the product of ``known``, both divided by those that divide the count."""
    left: list[Dim] = []
    for dim in known:
        exact = dims.divide_exact(count, dim)
        if exact is None:
            left.append(dim)
        else:
            count = exact
    divisor = dims.mul(*left)
    exact = dims.divide_exact(count, divisor)
    return (count, divisor) if exact is None else (exact, 1)


def by_cases(ctx: Context, shape: Shape, found: Entries) -> Dim:
    """As :func:`quotient`, where one symbolic entry copies a dim when it is 0."""
    ((axis, (entry, _)),) = found.copies.items()
    size, divisor = reduced(dims.mul(*shape), found.known(axis))
    zero = ctx.facts.fork()
    zero.assume_equal(entry, 0)
    at_zero, rest = reduced(zero.reduce(dims.mul(*shape)), [zero.reduce(dim) for dim in found.known()])
    if divisor == 1 and (rest == 1 or zero.equal(at_zero, 0)):
        at_zero = 0 if zero.equal(at_zero, 0) else at_zero
        return size if zero.equal(size, at_zero) else either(entry, size, at_zero)
    return quotient(ctx, shape, found.known())
