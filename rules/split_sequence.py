"""SplitToSequence (11, 24) cuts a tensor into a sequence, SequenceMap (17) applies a graph to each member of one.

The optional ``split`` is a list of lengths, or the one length of all parts but the last, which may be shorter. Without
it the parts are 1 long, and with ``keepdims=0`` lose the axis, which elsewhere has no effect. 24 adds element types.
"""

from __future__ import annotations

from shapeinfer.rule import (
    Array,
    Context,
    Dim,
    Result,
    SequenceType,
    Shape,
    TensorType,
    Value,
    codes,
    dims,
    entries,
    rule,
    value_rule,
)

from .members import LIMIT, as_elements
from .sizes import tie

VERSIONS = (11, 24)


@rule("SplitToSequence", since=VERSIONS)
def split_to_sequence(ctx: Context) -> Result:
    """A sequence of parts; their shape is known where they have one length."""
    elem = ctx.elem("input")
    ctx.best(SequenceType(TensorType(elem)))
    given = check_split(ctx)
    shape = ctx.shape("input")
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    if not given:
        part = (1,) if ctx.attr_int("keepdims") else ()
        return SequenceType(TensorType(elem, (*shape[:axis], *part, *shape[axis + 1 :])))
    lengths = part_lengths(ctx, shape[axis])
    length = common_length(ctx, lengths) if lengths else uniform_length(ctx, shape[axis])
    if length is None:
        return SequenceType(TensorType(elem))
    return SequenceType(TensorType(elem, (*shape[:axis], length, *shape[axis + 1 :])))


def check_split(ctx: Context) -> bool:
    """Whether ``split`` is given; it must be a scalar of at least 1, or a list of lengths that are not negative."""
    keep = ctx.attr_int("keepdims")
    if keep not in (0, 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="keepdims", value=keep, expected="0 or 1")
    if not ctx.given("split"):
        return False
    shape = ctx.shape_or_none("split")
    if shape is not None and len(shape) > 1:
        ctx.fail(codes.RANK, input="split", shape=shape, expected="0 or 1")
    known = ctx.elements("split")
    least = 1 if shape == () else 0
    for length in entries(known) if known is not None else ():
        if length is not None:
            ctx.require_at_least(length, least, codes.AT_LEAST, what="a length in split", found=length, least=least)
    return True


def part_lengths(ctx: Context, size: Dim) -> list[Dim | None] | None:
    """The length of each part; ``None`` where not even their number is known."""
    if not ctx.given("split"):
        return [1] * size if type(size) is int and size <= LIMIT else None
    known = ctx.elements("split")
    if ctx.shape("split") == ():
        step = entries(known)[0] if known is not None else None
        if type(step) is not int or type(size) is not int or step < 1 or size > step * LIMIT:
            return None
        return [min(step, size - start) for start in range(0, size, step)]
    if known is None:
        count = ctx.length("split")
        return [None] * count if type(count) is int and count <= LIMIT else None
    lengths = list(entries(known))
    stated = [length for length in lengths if length is not None]
    if len(stated) == len(lengths):
        tie(ctx, "the size of the axis and the sum of split", size, dims.add(0, *stated))
    elif len(stated) == len(lengths) - 1:
        lengths[lengths.index(None)] = dims.sub(size, dims.add(0, *stated))
    return lengths


def common_length(ctx: Context, lengths: list[Dim | None]) -> Dim | None:
    """The length of all parts, if they have one."""
    first = lengths[0]
    alike = first is not None and all(each is not None and ctx.facts.equal(first, each) for each in lengths)
    return first if alike else None


def uniform_length(ctx: Context, size: Dim) -> Dim | None:
    """The one length that a scalar ``split`` gives to all parts, if it leaves no remainder."""
    known = ctx.elements("split")
    if known is None or known.shape != ():
        return None
    step = entries(known)[0]
    if type(step) is int:
        return step if ctx.facts.divisible(size, step) else None
    return step if step is not None and dims.divide_exact(size, step) is not None else None


@value_rule("SplitToSequence", since=VERSIONS)
def parts(ctx: Context) -> Array | None:
    """The parts, where their number is known."""
    shape = ctx.shape("input")
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    lengths = part_lengths(ctx, shape[axis])
    if lengths is None:
        return None
    drop = not ctx.given("split") and not ctx.attr_int("keepdims")
    whole = ctx.elements("input")
    made: list[Value] = []
    start = 0
    for length in lengths:
        size = ctx.fresh(0, axis) if length is None else length
        kind = TensorType(ctx.elem("input"), part_shape(shape, axis, size, drop))
        elements = None
        if whole is not None and type(length) is int:
            cut = whole.take(range(start, start + length), axis)
            elements = cut.reshape(part_shape(whole.shape, axis, length, drop))
            start += length
        else:
            whole = None
        made.append(Value(ctx.node.outputs[0], kind, ctx.node, elements))
    return as_elements(made)


def part_shape(shape: Shape, axis: int, size: Dim, drop: bool) -> tuple[Dim, ...]:
    """The shape of a part."""
    return (*shape[:axis], *(() if drop else (size,)), *shape[axis + 1 :])
