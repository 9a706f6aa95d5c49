"""Windows that slide over the spatial axes of an image: what Conv, the pools and their relatives share.

An image has shape ``(N, C, D1, ..., Dn)``. Along each of the n spatial axes a window covers ``dilation*(kernel-1) + 1``
entries and moves by ``stride``; ``pads`` lists the entries added at the beginning of each axis, then those at the end.

With explicit pads there are ``floor((size + begin + end - window) / stride) + 1`` positions, of which there must be at
least one. But a pool (and DeformConv) runs with none. Where the stride is 1 that is claimed; with larger strides
ONNX Runtime rounds -1/2 to 0, and finds a window where the text has none: nothing is claimed, and of sizes that are not
known a window is required. ``ceil_mode`` rounds up instead, so that the last window may hang
over the end, but a window that would start in the padding at the end is left out. The text says so since opset 22 only;
runtimes do it in all versions, as such a window holds no entry of the input.

``auto_pad``: VALID pads nothing and, says the text, ignores ``ceil_mode``, while ONNX Runtime rounds up: where the two
differ, nothing is claimed. SAME_UPPER and SAME_LOWER pad so that there are ``ceil(size / stride)`` positions; but the
pools of ONNX Runtime pad as if there were no dilation, and have fewer: nothing is claimed of dilated ones either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from shapeinfer.rule import Context, Dim, Shape, codes, dims

AUTO_PADS = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")
_PER_AXIS = ("kernel_shape", "strides", "dilations", "output_padding", "output_shape")


@dataclass(slots=True)
class Windows:
    """How windows lie along each spatial axis; a kernel size is ``None`` where it is unknown.

    ``pool``: they are those of a pool, which may have no position.
    """

    kernel: tuple[Dim | None, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]
    auto_pad: str = "NOTSET"
    ceil_mode: bool = False
    pool: bool = False

    @property
    def same(self) -> bool:
        """Whether pads are chosen so that the output is as large as the input, but for the stride."""
        return self.auto_pad.startswith("SAME")

    def extent(self, axis: int) -> Dim | None:
        """The number of entries from the first to the last that a window covers along a spatial axis."""
        kernel = self.kernel[axis]
        return None if kernel is None else dims.add(dims.mul(self.dilations[axis], dims.sub(kernel, 1)), 1)

    def positions(self, ctx: Context, size: Dim | None, axis: int) -> Dim | None:
        """The number of windows along a spatial axis of this size; at least one must fit, but in some pools."""
        if size is None:
            return None
        stride, extent = self.strides[axis], self.extent(axis)
        if self.same:
            dilated = self.pool and self.dilations[axis] > 1 and extent != 1
            return None if dilated else dims.ceildiv(size, stride)
        if extent is None:
            return None
        begin, end = self.begins[axis], self.ends[axis]
        padded = dims.add(size, begin + end)
        overhang = stride - 1 if self.ceil_mode else 0
        what = f"spatial axis {axis}, padded, for a window of {dims.text(extent)},"
        least = dims.sub(extent, overhang)
        if self.pool and (stride == 1 or ctx.facts.at_least(padded, least) is False):
            least = dims.sub(least, stride)
        ctx.require_at_least(padded, least, codes.AT_LEAST, what=what, found=padded, least=least)
        if stride > 1 and ctx.facts.at_least(padded, dims.sub(extent, overhang)) is False:
            return None
        down = dims.floordiv(dims.add(dims.sub(padded, extent), stride), stride)
        if not self.ceil_mode:
            return down
        short = dims.minimum(dims.sub(end + stride, extent), 0)
        up = dims.floordiv(dims.add(size, begin + stride - 1, short), stride)
        return None if self.auto_pad == "VALID" and not ctx.facts.equal(up, down) else up


def image(ctx: Context, which: int, least: int = 3) -> Shape | None:
    """The shape of an image or of filters: batch (or maps), channels, spatial axes; ``None`` where unknown."""
    shape = ctx.shape_or_none(which)
    if shape is not None and len(shape) < least:
        ctx.fail(codes.RANK, input=ctx.input_name(which), shape=shape, expected=f"at least {least}")
    return shape


def spatial_rank(ctx: Context, *shapes: Shape | None) -> int | None:
    """The number of spatial axes: by the images where their rank is known, else by the attributes that list sizes."""
    for shape in shapes:
        if shape is not None:
            return len(shape) - 2
    for name in _PER_AXIS:
        proto = ctx.attr_proto(name)
        if proto is not None:
            return len(proto.ints)
    proto = ctx.attr_proto("pads")
    return None if proto is None else len(proto.ints) // 2


def per_axis(ctx: Context, name: str, count: int, default: int, least: int) -> tuple[int, ...]:
    """An attribute with one integer for each spatial axis, none of them less than ``least``."""
    values = ctx.attr_ints(name)
    return (default,) * count if values is None else checked(ctx, name, values, count, least)


def checked(ctx: Context, name: str, values: Sequence[int], count: int, least: int) -> tuple[int, ...]:
    """These values, if there are as many as expected and none is less than ``least``."""
    if len(values) != count:
        ctx.fail(codes.LENGTH, what=name, found=len(values), expected=count)
    for i, value in enumerate(values):
        if value < least:
            ctx.fail(codes.SIZE_VALUE, what=f"{name}[{i}]", value=value, expected=f"at least {least}")
    return tuple(values)


def positive(ctx: Context, name: str) -> int:
    """An integer attribute that must be at least 1."""
    value = ctx.attr_int(name)
    if value < 1:
        ctx.fail(codes.SIZE_VALUE, what=name, value=value, expected="at least 1")
    return value


def read(ctx: Context, count: int, filters: Shape | None = None, *, pool: bool = False) -> Windows:
    """The windows that the attributes state, and the filters' shape where ``kernel_shape`` is not given."""
    auto_pad = ctx.attr_choice("auto_pad", AUTO_PADS) if "auto_pad" in ctx.signature.attributes else "NOTSET"
    pads = ctx.attr_ints("pads")
    if pads is None:
        pads = (0,) * 2 * count
    else:
        pads = checked(ctx, "pads", pads, 2 * count, 0)
        if auto_pad != "NOTSET" and (auto_pad != "VALID" or any(pads)):
            ctx.fail(codes.PADS_AND_AUTO_PAD, auto_pad=auto_pad, pads=pads)
    return Windows(
        kernel=_kernel(ctx, count, filters),
        strides=per_axis(ctx, "strides", count, 1, 1),
        dilations=per_axis(ctx, "dilations", count, 1, 1),
        begins=pads[:count],
        ends=pads[count:],
        auto_pad=auto_pad,
        ceil_mode="ceil_mode" in ctx.signature.attributes and ctx.attr_int("ceil_mode") != 0,
        pool=pool,
    )


def _kernel(ctx: Context, count: int, filters: Shape | None) -> tuple[Dim | None, ...]:
    stated = ctx.attr_ints("kernel_shape")
    if stated is None:
        return filters[2:] if filters is not None else (None,) * count
    kernel = checked(ctx, "kernel_shape", stated, count, 1)
    for axis, size in enumerate(filters[2:] if filters is not None else ()):
        what = f"kernel_shape[{axis}] and the size of the filters"
        ctx.require_equal(kernel[axis], size, codes.SIZES_DIFFER, what=what, left=kernel[axis], right=size)
    return kernel
