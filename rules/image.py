"""Operators that rearrange, sample, crop and load images.

DepthToSpace (1, 11, 13, 28) and SpaceToDepth (1, 13, 28) move blocks of ``blocksize * blocksize`` entries between the
channels and the two spatial axes of a 4-D image. ``mode`` came with DepthToSpace 11 and SpaceToDepth 28.

GridSample samples an image of n spatial axes at the positions of ``grid``, ``(N, o1, ..., on, n)``: n is 2 in version
16, any number from 20 on, where the modes have other names. AffineGrid (20) makes such a grid for n = 2 or 3 from
matrices ``theta``, ``(N, n, n+1)``, and ``size``, the shape of the image to sample.

CenterCropPad (18) gives the sizes in ``shape`` to ``axes``. ImageDecoder (20) reads an image of a size that only the
file tells, as (height, width, channels).
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, Shape, codes, dims, rule

from .conv import same_rank
from .resize import axes_of, check_length, listed
from .windows import image, positive


@rule("DepthToSpace", since=(1, 11, 13, 28))
def depth_to_space(ctx: Context) -> Result:
    """Fewer channels, larger sides."""
    block = blocksize(ctx)
    ctx.best((None,) * 4)
    n, c, h, w = ctx.require_rank(0, 4)
    return (n, quotient(ctx, c, block * block, "channels by blocksize**2"), dims.mul(h, block), dims.mul(w, block))


@rule("SpaceToDepth", since=(1, 13, 28))
def space_to_depth(ctx: Context) -> Result:
    """More channels, smaller sides."""
    block = blocksize(ctx)
    ctx.best((None,) * 4)
    n, c, h, w = ctx.require_rank(0, 4)
    height, width = quotient(ctx, h, block, "height by blocksize"), quotient(ctx, w, block, "width by blocksize")
    return (n, dims.mul(c, block * block), height, width)


def blocksize(ctx: Context) -> int:
    """The side of a block; ``mode`` is checked along with it."""
    if "mode" in ctx.signature.attributes:
        ctx.attr_choice("mode", ("DCR", "CRD"))
    return positive(ctx, "blocksize")


def quotient(ctx: Context, dim: Dim, divisor: Dim, what: str) -> Dim:
    """``dim / divisor``, which must be whole."""
    ctx.require_divisible(dim, divisor, codes.DIVISIBLE, what=what, dim=dim, divisor=divisor)
    exact = dims.divide_exact(dim, divisor)
    return dims.floordiv(dim, divisor) if exact is None else exact


@rule("GridSample", since=(16, 20, 22))
def grid_sample(ctx: Context) -> Result:
    """Batch and channels of the image, and the sizes of the grid."""
    ctx.attr_choice("mode", ("bilinear", "nearest", "bicubic") if ctx.version < 20 else ("linear", "nearest", "cubic"))
    ctx.attr_choice("padding_mode", ("zeros", "border", "reflection"))
    data, grid = image(ctx, 0), image(ctx, 1)
    if ctx.version < 20:
        ctx.best((None,) * 4)
    rank = 4 if ctx.version < 20 else len(data) if data is not None else len(grid) if grid is not None else None
    if rank is None:
        return None
    for which, shape in enumerate((data, grid)):
        if shape is not None:
            same_rank(ctx, which, shape, rank)
    batch, channels = data[:2] if data is not None else (None, None)
    if grid is None:
        return (batch, channels, *(None,) * (rank - 2))
    what = "coordinates of a position and spatial axes"
    ctx.require_equal(grid[-1], rank - 2, codes.SIZES_DIFFER, what=what, left=grid[-1], right=rank - 2)
    return (same_batch(ctx, batch, grid[0], "batch of X and of grid"), channels, *grid[1:-1])


def same_batch(ctx: Context, a: Dim | None, b: Dim | None, what: str) -> Dim | None:
    """The one size that both are, as far as it is known."""
    if a is None or b is None:
        return b if a is None else a
    return ctx.require_equal(a, b, codes.SIZES_DIFFER, what=what, left=a, right=b)


@rule("AffineGrid", since=(20,))
def affine_grid(ctx: Context) -> Result:
    """Batch, the spatial sizes that ``size`` names, and a coordinate for each."""
    theta, size = ctx.shape_or_none(0), listed(ctx, 1)
    if theta is not None:
        ctx.require_rank(0, 3)
    batch = theta[0] if theta is not None else None
    count = spatial_axes(ctx, theta, size)
    if count is None:
        return None
    if theta is not None:
        for axis, expected in ((1, count), (2, count + 1)):
            what = f"axis {axis} of theta for {count} spatial axes"
            ctx.require_equal(theta[axis], expected, codes.SIZES_DIFFER, what=what, left=theta[axis], right=expected)
    if size is None:
        return (batch, *(None,) * count, count)
    for i, entry in enumerate(size):
        if type(entry) is int and entry < 0:
            ctx.fail(codes.SIZE_VALUE, what=f"size[{i}]", value=entry, expected="at least 0")
    return (same_batch(ctx, batch, size[0], "batch of theta and of size"), *size[2:], count)


def spatial_axes(ctx: Context, theta: Shape | None, size: tuple[Dim | None, ...] | None) -> int | None:
    """2 or 3, by the length of ``size`` or the shape of the matrices."""
    if size is not None:
        if len(size) not in (4, 5):
            ctx.fail(codes.LENGTH, what="size", found=len(size), expected="4 or 5")
        return len(size) - 2
    for axis, less in ((1, 0), (2, 1)):
        found = theta[axis] if theta is not None else None
        if type(found) is int:
            if found - less not in (2, 3):
                ctx.fail(
                    codes.SIZE_VALUE, what=f"axis {axis} of theta", value=found, expected=f"{2 + less} or {3 + less}"
                )
            return found - less
    return None


@rule("CenterCropPad", since=(18,))
def center_crop_pad(ctx: Context) -> Result:
    """The sizes that ``shape`` gives to ``axes``, and the input's along the others."""
    axes, wanted = ctx.attr_ints("axes"), listed(ctx, 1)
    for i, size in enumerate(wanted or ()):
        if type(size) is int and size < 0:
            ctx.fail(codes.SIZE_VALUE, what=f"shape[{i}]", value=size, expected="at least 0")
    data = ctx.shape_or_none(0)
    if data is None:
        return wanted if axes is None else None
    where = axes_of(ctx, axes, len(data))
    check_length(ctx, "shape", wanted, len(where))
    found: list[Dim | None] = list(data)
    for axis, new in zip(where, wanted or (None,) * len(where), strict=True):
        found[axis] = new
    return tuple(found)


@rule("ImageDecoder", since=(20,))
def image_decoder(ctx: Context) -> Result:
    """Height, width, and 1 channel or 3."""
    pixel_format = ctx.attr_choice("pixel_format", ("RGB", "BGR", "Grayscale"))
    ctx.length(0)
    return (None, None, 1 if pixel_format == "Grayscale" else 3)
