"""Signals: DFT (17, 20), STFT (17), window functions (17) and MelWeightMatrix (17).

The last axis of a signal holds 1 number where it is real and 2 where it is complex. A DFT goes along one other axis,
which becomes ``dft_length`` long: by default as long as it is, or for the inverse of a one-sided transform
``2*(size - 1)``. One-sided and forward, a real signal becomes ``dft_length//2 + 1`` complex numbers; one-sided and
inverse, these become a real signal again. DFT-17 takes ``axis`` as an attribute, 1 by default; from 20 on it is an
input, by default the last but one axis.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, TensorType, codes, dims, rule, rules

from .sizes import Sizes, scalar_value, tie


@rule("DFT", since=(17, 20))
def dft(ctx: Context) -> Result:
    """The signal's shape with another length along the axis."""
    onesided, inverse = flag(ctx, "onesided"), flag(ctx, "inverse")
    length = scalar_value(ctx, "dft_length") if ctx.given("dft_length") else None
    if length is not None:
        ctx.require_at_least(length, 1, codes.AT_LEAST, what="dft_length", found=length, least=1)
    axis = dft_axis(ctx)
    shape = ctx.shape("input")
    rank = len(shape)
    if rank < 2:
        ctx.fail(codes.RANK, input="input", shape=shape, expected="at least 2")
    check_parts(ctx, shape, 2 if onesided and inverse else 1 if onesided else None)
    parts = 1 if onesided and inverse else 2
    axis = 0 if axis is None and rank == 2 else axis
    if axis is None:
        same = not onesided and not ctx.given("dft_length")
        return (*(shape[:-1] if same else (None,) * (rank - 1)), parts)
    if axis in (-1, rank - 1):
        ctx.fail(codes.AXIS_RANGE, axis=axis, rank=rank, low=-rank, high=f"{rank - 2} and not -1")
    axis = ctx.axis(axis, rank)
    if not ctx.given("dft_length"):
        length = dims.mul(2, dims.sub(shape[axis], 1)) if onesided and inverse else shape[axis]
    if length is not None and onesided and not inverse:
        length = dims.add(dims.floordiv(length, 2), 1)
    return (*shape[:axis], length, *shape[axis + 1 : -1], parts)


def dft_axis(ctx: Context) -> int | None:
    """The axis as it is given; ``None`` where only a run can tell."""
    if ctx.version < 20:
        return ctx.attr_int("axis")
    if not ctx.given("axis"):
        return -2
    axis = scalar_value(ctx, "axis")
    return axis if type(axis) is int else None


def flag(ctx: Context, name: str) -> bool:
    """An attribute that is 0 or 1."""
    value = ctx.attr_int(name)
    if value not in (0, 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute=name, value=value, expected="0 or 1")
    return value == 1


def check_parts(ctx: Context, shape: Shape, expected: int | None) -> None:
    """Requires the last axis to hold real or complex numbers, whichever is expected."""
    parts = shape[-1]
    if expected is not None:
        tie(ctx, f"the last size of {ctx.input_name(0)} (1 for real, 2 for complex numbers) and", parts, expected)
    elif all(ctx.facts.equal(parts, n) is False for n in (1, 2)):
        what = f"the last size of {ctx.input_name(0)}"
        ctx.fail(codes.SIZE_VALUE, what=what, value=parts, expected="1 for real or 2 for complex numbers")


@rule("STFT", since=(17,))
def stft(ctx: Context) -> Result:
    """``(batch, frames, bins, 2)`` for a signal ``(batch, length, 1 or 2)``."""
    onesided = flag(ctx, "onesided")
    sizes = Sizes(ctx)
    signal = ctx.shape_or_none("signal")
    plain = signal is not None and len(signal) == 2
    if plain:  # exporters leave out the last dim of a real signal, and ONNX Runtime takes it
        ctx.warn(codes.SIGNAL_RANK, shape=signal)
    sizes.match("signal", "batch length" if plain else "batch length parts")
    sizes.match("window", "frame")
    if signal is not None and not plain:
        check_parts(ctx, signal, 1 if onesided else None)
    frame = frame_length(ctx, sizes)
    bins = frame
    if frame is not None and onesided:
        bins = dims.add(dims.floordiv(frame, 2), 1)
    return (sizes.get("batch"), frame_count(ctx, sizes.get("length"), frame), bins, 2)


def frame_length(ctx: Context, sizes: Sizes) -> Dim | None:
    """``frame_length``, else that of the window, else that of the signal."""
    window = sizes.get("frame")
    if not ctx.given("frame_length"):
        return window if ctx.given("window") else sizes.get("length")
    length = scalar_value(ctx, "frame_length")
    if length is None:
        return window
    ctx.require_at_least(length, 1, codes.AT_LEAST, what="frame_length", found=length, least=1)
    return length if window is None else tie(ctx, "frame_length and length of the window", length, window)


def frame_count(ctx: Context, length: Dim | None, frame: Dim | None) -> Dim | None:
    """How many frames lie wholly inside of the signal."""
    step = scalar_value(ctx, "frame_step")
    if step is not None:
        ctx.require_at_least(step, 1, codes.AT_LEAST, what="frame_step", found=step, least=1)
    if length is None or frame is None:
        return None
    ctx.require_at_least(length, frame, codes.AT_LEAST, what="length of the signal", found=length, least=frame)
    spare = dims.sub(length, frame)
    if spare == 0:
        return 1
    return None if step is None else dims.add(dims.floordiv(spare, step), 1)


@rules({"HannWindow": (17,), "HammingWindow": (17,), "BlackmanWindow": (17,)})
def window(ctx: Context) -> Result:
    """``(size,)``, of the type that ``output_datatype`` names."""
    return typed(ctx, (count(ctx, "size", 0),))


@rule("MelWeightMatrix", since=(17,))
def mel_weight_matrix(ctx: Context) -> Result:
    """``(dft_length//2 + 1, num_mel_bins)``, of the type that ``output_datatype`` names."""
    length = count(ctx, "dft_length", 0)
    bins = None if length is None else dims.add(dims.floordiv(length, 2), 1)
    for name in ("sample_rate", "lower_edge_hertz", "upper_edge_hertz"):
        scalar_value(ctx, name)
    return typed(ctx, (bins, count(ctx, "num_mel_bins", 0)))


def typed(ctx: Context, shape: tuple[Dim | None, ...]) -> Maybe:
    """A tensor of the type that ``output_datatype`` names."""
    return TensorType(ctx.element_type_attr("output_datatype"), shape)


def count(ctx: Context, name: str, least: int) -> Dim | None:
    """A number of things that an input holds."""
    value = scalar_value(ctx, name)
    if value is not None:
        ctx.require_at_least(value, least, codes.AT_LEAST, what=name, found=value, least=least)
    return value
