"""Split cuts a tensor into parts along an axis.

Versions: 1 takes the lengths from an attribute or a second input of the data's own type; 2 from the attribute; from 13
on they are an int64 input. Without lengths all parts are equal, one for each output. 11 names the range of ``axis``.
18 adds ``num_outputs``, which must be given where the lengths are not: then all parts but the last have the size
``ceil(dim / num_outputs)``, and the last one has what is left.
"""

from __future__ import annotations

from shapeinfer.rule import Array, Context, Dim, Maybe, Result, codes, dims, moved, rule, value_rule

from .movement import same_length, total

VERSIONS = (1, 2, 11, 13, 18)


@rule("Split", since=VERSIONS)
def split(ctx: Context) -> Result:
    """One shape for each output."""
    count = len(ctx.node.outputs)
    lengths = stated_lengths(ctx, count)
    ctx.best([None] * count)
    shape = ctx.shape("input")
    axis = ctx.axis(ctx.attr_int("axis") if ctx.has_attr("axis") or ctx.version > 1 else 0, len(shape))
    if lengths is None:
        lengths = even_lengths(ctx, shape[axis], axis, count)
    else:
        lengths = check_sum(ctx, shape[axis], axis, lengths)
    result: list[Maybe] = [(*shape[:axis], length, *shape[axis + 1 :]) for length in lengths]
    return result


def stated_lengths(ctx: Context, count: int) -> list[Dim | None] | None:
    """The lengths that an attribute or input states; ``None`` where none are given. There is one for each output."""
    if ctx.given("split"):
        found = input_lengths(ctx, count)
    elif ctx.has_attr("split"):
        found = ctx.attr_ints("split")
    else:
        return None
    if ctx.has_attr("num_outputs"):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="num_outputs", value="given", expected="left out beside split")
    if found is None:
        return [None] * count
    same_length(ctx, "split", len(found), count)
    for part, length in enumerate(found):
        if length is not None:
            ctx.require_at_least(
                length, 0, codes.SIZE_VALUE, what=f"split[{part}]", value=length, expected="at least 0"
            )
    return list(found)


def input_lengths(ctx: Context, count: int) -> tuple[Dim | None, ...] | None:
    """The lengths in the second input, which in version 1 is of the data's type."""
    same_length(ctx, "split", ctx.length("split"), count)
    known: Array | None = ctx.elements("split")
    if known is None:
        return None
    items = known.ravel().tolist()
    return tuple(int(item) if isinstance(item, float) and item.is_integer() else item for item in items)


def check_sum(ctx: Context, dim: Dim, axis: int, lengths: list[Dim | None]) -> list[Dim | None]:
    """Requires the lengths to add up to the dim. A single unknown one is what the others leave."""
    opened = [part for part, length in enumerate(lengths) if length is None]
    what = f"the sum of split and the size at axis {axis}"
    if not opened:
        whole = total(lengths)
        assert whole is not None
        ctx.require_equal(dim, whole, codes.SIZES_DIFFER, what=what, left=whole, right=dim)
        return lengths
    known = dims.add(*[length for length in lengths if length is not None])
    ctx.require_at_least(dim, known, codes.SIZES_DIFFER, what=what, left=known, right=dim)
    if len(opened) == 1:
        left = dims.sub(dim, known)
        return [left if length is None else length for length in lengths]
    return [0 if length is None and ctx.facts.equal(dim, known) else length for length in lengths]


def even_lengths(ctx: Context, dim: Dim, axis: int, count: int) -> list[Dim | None]:
    """The lengths where none are stated."""
    if ctx.version < 18:
        what = f"the size at axis {axis}, which is split into equal parts"
        ctx.require_divisible(dim, count, codes.DIVISIBLE, what=what, dim=dim, divisor=count)
        return [dims.floordiv(ctx.facts.reduce(dim), count)] * count
    if not ctx.has_attr("num_outputs"):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="num_outputs", value="left out", expected="given where split is not")
    parts = ctx.attr_int("num_outputs")
    if parts < 1:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="num_outputs", value=parts, expected="at least 1")
    same_length(ctx, "the list of outputs", count, parts)
    length = dims.ceildiv(dim, parts)
    if parts < 3:
        return [length, dims.floordiv(dim, 2)][:parts]
    last = dims.sub(dim, dims.mul(length, parts - 1))
    ctx.require_at_least(last, 0, codes.AT_LEAST, what="the size of the last part", found=last, least=0)
    return [length] * (parts - 1) + [last]


value_rule("Split", since=VERSIONS)(moved)
