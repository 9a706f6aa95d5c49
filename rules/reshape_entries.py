"""The entries of Reshape's ``shape``, one by one: numbers, -1, 0 for a copy, symbolic, unknown."""

from __future__ import annotations

from dataclasses import dataclass, field

from shapeinfer.rule import Context, Dim, Shape, codes, dims


@dataclass(slots=True)
class Entries:
    """What the entries say.

    Attributes:
        dims: the output's dims; ``None`` for one that is inferred or unknown.
        inferred: the axis of the -1, if there is one for certain.
        copies: for the axes whose symbolic entry may be 0 in a run: the entry, and the dim that it copies then.
    """

    dims: tuple[Dim | None, ...]
    inferred: int | None = None
    copies: dict[int, tuple[Dim, Dim]] = field(default_factory=dict)

    def known(self, axis: int | None = None) -> tuple[Dim, ...]:
        """The dims that are known; with ``axis``, that one as its entry says, without the case of a copy."""
        plain = self.copies[axis][0] if axis is not None else None
        found = (plain if at == axis and plain is not None else dim for at, dim in enumerate(self.dims))
        return tuple(dim for dim in found if dim is not None)


def read_entries(ctx: Context, shape: Shape | None, listed: tuple[Dim | None, ...]) -> Entries:
    """Reads and checks the entries; ``shape`` is the input's, ``None`` where not even its rank is known."""
    allow_zero = bool("allowzero" in ctx.signature.attributes and ctx.attr_int("allowzero"))
    inferred = [axis for axis, entry in enumerate(listed) if type(entry) is int and entry == -1]
    check_numbers(ctx, listed, inferred, allow_zero)
    found = Entries((), inferred[0] if inferred else None)
    out: list[Dim | None] = []
    for axis, entry in enumerate(listed):
        if entry is None or axis in inferred:
            out.append(None)
        elif type(entry) is int:
            out.append(entry if entry or allow_zero else copied(ctx, shape, axis))
        else:
            out.append(symbolic(ctx, shape, found, axis, entry, allow_zero))
    found.dims = tuple(out)
    if shape is not None:
        rule_out_copies(ctx, shape, found)
    if inferred:
        beside_inferred(ctx, found)
        settle(ctx, found)
    return found


def check_numbers(ctx: Context, listed: tuple[Dim | None, ...], inferred: list[int], allow_zero: bool) -> None:
    """What the numbers among the entries must keep to."""
    for axis, entry in enumerate(listed):
        if entry is not None and ctx.facts.at_least(entry, -1) is False:
            ctx.fail(codes.SIZE_VALUE, what=f"shape[{axis}]", value=entry, expected="a size, 0 or -1")
    if len(inferred) > 1:
        ctx.fail(codes.SIZE_VALUE, what=f"shape[{inferred[1]}]", value=-1, expected="a size: only one can be inferred")
    if inferred and allow_zero and 0 in [entry for entry in listed if type(entry) is int]:
        ctx.fail(codes.SIZE_VALUE, what="an entry of shape", value=0, expected="positive beside -1 under allowzero")


def copied(ctx: Context, shape: Shape | None, axis: int) -> Dim | None:
    """The input's dim that a 0 copies."""
    if shape is None:
        return None
    if axis >= len(shape):
        expected = f"a size: it would copy axis {axis} of an input of rank {len(shape)}"
        ctx.fail(codes.SIZE_VALUE, what=f"shape[{axis}]", value=0, expected=expected)
    return shape[axis]


def symbolic(ctx: Context, shape: Shape | None, found: Entries, axis: int, entry: Dim, allow_zero: bool) -> Dim | None:
    """The dim of an entry that depends on the sizes of a run: it may be 0 there, or even -1."""
    if not ctx.facts.at_least(entry, 0):
        if found.inferred is None:
            return None
        require_least(ctx, axis, entry, 0)
    if allow_zero or ctx.facts.at_least(entry, 1):
        return entry
    if shape is None:
        return None
    if axis >= len(shape):
        require_least(ctx, axis, entry, 1)
        return entry
    if dims.divide_exact(shape[axis], entry) is not None:
        return entry
    zero = ctx.facts.fork()
    zero.assume_equal(entry, 0)
    copy = zero.reduce(shape[axis])
    if zero.equal(copy, 0):
        return entry
    found.copies[axis] = entry, copy
    return either(entry, entry, copy)


def either(entry: Dim, size: Dim, at_zero: Dim) -> Dim:
    """``size`` where ``entry`` is not 0, and ``at_zero`` where it is. ``size`` is 0 there if it is the entry itself."""
    is_zero = dims.sub(1, dims.minimum(entry, 1))
    if size is entry:
        return (
            dims.maximum(entry, 1)
            if type(at_zero) is int and at_zero == 1
            else dims.add(size, dims.mul(at_zero, is_zero))
        )
    return dims.add(dims.mul(size, dims.minimum(entry, 1)), dims.mul(at_zero, is_zero))


def require_least(ctx: Context, axis: int, dim: Dim, least: int) -> None:
    """The size at an axis must be at least this: of a product of symbols, each must be at least 1."""
    what = f"the size at axis {axis} of shape"
    if least == 1:
        for symbol in sorted(dims.free_symbols(dim), key=str):
            rest = dims.divide_exact(dim, symbol)
            if rest is not None:
                ctx.require_at_least(symbol, 1, codes.AT_LEAST, what=what, found=dim, least=1)
                dim = rest
    ctx.require_at_least(dim, least, codes.AT_LEAST, what=what, found=dim, least=least)


def rule_out_copies(ctx: Context, shape: Shape, found: Entries) -> None:
    """Where a 0 would leave another number of elements than there are, the entry cannot be 0 in a run."""
    if None in found.dims:
        return
    for axis, (entry, _) in list(found.copies.items()):
        zero = ctx.facts.fork()
        zero.assume_equal(entry, 0)
        if zero.equal(zero.reduce(dims.mul(*shape)), zero.reduce(dims.mul(*found.known()))) is False:
            require_least(ctx, axis, entry, 1)
            plain(found, axis)


def beside_inferred(ctx: Context, found: Entries) -> None:
    """Beside -1 no size can be 0: what is left would be undefined."""
    for axis, dim in enumerate(found.dims):
        if dim is not None and not positive(ctx, found, axis, dim):
            require_least(ctx, axis, dim, 1)


def positive(ctx: Context, found: Entries, axis: int, dim: Dim) -> bool:
    """Whether a dim of the output is never 0."""
    if axis in found.copies and ctx.facts.at_least(found.copies[axis][1], 1):
        return True
    return ctx.facts.at_least(dim, 1) is True


def settle(ctx: Context, found: Entries) -> None:
    """Drops the case of a copy where the entry has turned out not to be 0."""
    for axis, (entry, _) in list(found.copies.items()):
        if ctx.facts.at_least(entry, 1):
            plain(found, axis)


def plain(found: Entries, axis: int) -> None:
    """The dim at the axis is its entry, never a copy."""
    entry, _ = found.copies.pop(axis)
    found.dims = tuple(entry if at == axis else dim for at, dim in enumerate(found.dims))
