"""Col2Im (18) puts blocks, which lie in columns, back into an image; where they overlap, they add up.

The input has shape ``(N, C * b1 * ... * bn, L)`` for blocks of ``block_shape`` ``(b1, ..., bn)``. The output has shape
``(N, C, *image_shape)``, in which there are L positions for a block, counted as :mod:`.windows` does with ``strides``,
``pads`` and ``dilations``.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, codes, dims, rule

from .image import quotient
from .resize import listed
from .windows import Windows, checked, per_axis


@rule("Col2Im", since=(18,))
def col2im(ctx: Context) -> Result:
    """Batch, channels, and ``image_shape``."""
    sizes, blocks = listed(ctx, 1), listed(ctx, 2)
    columns = ctx.shape_or_none(0)
    if columns is not None:
        ctx.require_rank(0, 3)
    count = spatial_axes(ctx, sizes, blocks)
    if count is None:
        return None
    batch = columns[0] if columns is not None else None
    if sizes is None:
        sizes = (None,) * count
    at_least(ctx, "image_shape", sizes, 0)
    if blocks is None or columns is None:
        return (batch, None, *sizes)
    at_least(ctx, "block_shape", blocks, 1)
    check_positions(ctx, sizes, blocks, columns[2])
    if None in blocks:
        return (batch, None, *sizes)
    entries = dims.mul(*[block for block in blocks if block is not None])
    return (batch, quotient(ctx, columns[1], entries, "axis 1 of the input by entries of a block"), *sizes)


def spatial_axes(ctx: Context, *lists: tuple[Dim | None, ...] | None) -> int | None:
    """The number of spatial axes, by whatever lists a number for each."""
    counts = [len(values) for values in lists if values is not None]
    for name, each in (("strides", 1), ("dilations", 1), ("pads", 2)):
        values = ctx.attr_ints(name)
        if values is not None:
            counts.append(len(values) // each)
    for found in counts[1:]:
        if found != counts[0]:
            ctx.fail(codes.LENGTH, what="image_shape, block_shape or an attribute", found=found, expected=counts[0])
    return counts[0] if counts else None


def at_least(ctx: Context, name: str, values: tuple[Dim | None, ...], least: int) -> None:
    """Requires each known entry to be at least so much."""
    for i, value in enumerate(values):
        if value is not None:
            what = f"{name}[{i}]"
            ctx.require_at_least(value, least, codes.AT_LEAST, what=what, found=value, least=least)


def check_positions(ctx: Context, sizes: tuple[Dim | None, ...], blocks: tuple[Dim | None, ...], columns: Dim) -> None:
    """Requires as many columns as there are positions for a block."""
    count = len(sizes)
    pads = checked(ctx, "pads", ctx.attr_ints("pads") or (0,) * 2 * count, 2 * count, 0)
    strides, dilations = per_axis(ctx, "strides", count, 1, 1), per_axis(ctx, "dilations", count, 1, 1)
    windows = Windows(blocks, strides, dilations, pads[:count], pads[count:])
    positions = [windows.positions(ctx, size, axis) for axis, size in enumerate(sizes)]
    known = [position for position in positions if position is not None]
    if len(known) == count:
        total = dims.mul(*known)
        what = "columns and positions of a block"
        ctx.require_equal(columns, total, codes.SIZES_DIFFER, what=what, left=columns, right=total)
