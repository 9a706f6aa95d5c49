"""How many elements a range takes of a dim, with sizes, starts and ends that may be symbolic."""

from __future__ import annotations

from dataclasses import dataclass

from shapeinfer.rule import Context, Dim, dims

from .entrywise import greatest, least

FAR = 2**31 - 1  # from here on a number stands for the end of a dim of any size: INT_MAX in the specification


@dataclass(frozen=True, slots=True)
class Range:
    """One range: ``None`` for what is unknown."""

    start: Dim | None
    end: Dim | None
    step: Dim | None


def sliced_length(ctx: Context, size: Dim, taken: Range) -> Dim | None:
    """The number of elements taken; ``None`` where only a run can tell."""
    if ctx.facts.equal(size, 0):
        return 0
    start, end, step = taken.start, taken.end, taken.step
    if start is None or end is None or type(step) is not int:
        return None
    return by_sign(ctx, size, start, end, step)


def by_sign(ctx: Context, size: Dim, start: Dim, end: Dim, step: int) -> Dim | None:
    """The length, with the case told apart in which a symbolic start or end is negative."""
    for which, bound in enumerate((start, end)):
        if is_negative(ctx, bound) is None:
            usual, other = [resolved(ctx, size, start, end, step, which, sign) for sign in (False, True)]
            if usual is None or other is None:
                return None
            from_back = dims.sub(bound, size)
            third = None
            if type(from_back) is int and from_back < 0:
                first, last = (from_back, end) if which == 0 else (start, from_back)
                third = resolved(ctx, size, first, last, step, None, False)
            return agreed(ctx, bound, usual, other, third)
    return resolved(ctx, size, start, end, step, None, False)


def is_negative(ctx: Context, bound: Dim) -> bool | None:
    """Whether a start or end counts from the back."""
    return ctx.facts.at_least(-1, bound)


def resolved(ctx: Context, size: Dim, start: Dim, end: Dim, step: int, which: int | None, sign: bool) -> Dim | None:
    """The length where the sign of the start (``which = 0``) or of the end (1) is taken to be ``sign``."""
    signs = [is_negative(ctx, start), is_negative(ctx, end)]
    if which is not None:
        signs[which] = sign
    if signs[0] is None or signs[1] is None:
        return None
    if step > 0:
        return forward(ctx, size, (start, signs[0]), (end, signs[1]), step)
    return backward(ctx, size, (start, signs[0]), (end, signs[1]), -step)


def agreed(ctx: Context, bound: Dim, usual: Dim, other: Dim, third: Dim | None) -> Dim:
    """One length for both signs of a start or end: ``usual`` is the one where it is not negative.

    Any of the three that is right in both cases will do; otherwise the result tells the cases apart.
    """
    below, above = ctx.facts.fork(), ctx.facts.fork()
    below.assume_at_least(-1, bound)
    above.assume_at_least(bound, 0)
    for length in (usual, other, third):
        if length is not None and below.equal(length, other) and above.equal(length, usual):
            return length
    negative = dims.minimum(dims.maximum(dims.neg(bound), 0), 1)
    return dims.add(usual, dims.mul(dims.sub(below.reduce(other), usual), negative))


def forward(ctx: Context, size: Dim, start: tuple[Dim, bool], end: tuple[Dim, bool], step: int) -> Dim:
    """``ceil((end - start) / step)``, at least 0, after clamping both to ``[0, size]``."""
    last, from_back = end
    if from_back and is_far(last):
        return 0
    ends = [dims.add(size, last)] if from_back else [size] if is_far(last) else [last, size]
    first, from_back = start
    if from_back and is_far(first):
        found = ends
    elif from_back:  # max(size + first, 0) is taken off
        at = dims.add(size, first)
        found = [dims.sub(each, at) for each in ends] + ends
    else:
        found = [0] if is_far(first) else [dims.sub(each, first) for each in ends]
    return stepped(ctx, found, step)


def backward(ctx: Context, size: Dim, start: tuple[Dim, bool], end: tuple[Dim, bool], step: int) -> Dim | None:
    """As :func:`forward`, from the back: the start is clamped to ``[0, size-1]``, the end to ``[-1, size-1]``.

    ``None`` for INT_MAX as the end: by the specification nothing is taken, but ONNX Runtime reads it as INT_MIN.
    """
    firsts = [dims.sub(size, 1)]
    first, from_back = start
    if not from_back:
        firsts += [] if is_far(first) else [first]
    elif first != -1:
        firsts.append(0 if is_far(first) else greatest(ctx, dims.add(size, first), 0))
    last, from_back = end
    if not from_back:
        return None if is_far(last) else stepped(ctx, [dims.sub(at, last) for at in firsts], step)
    found = [dims.add(at, 1) for at in firsts]
    if not is_far(last):
        found += [dims.sub(at, dims.add(size, last)) for at in firsts]
    return stepped(ctx, found, step)


def is_far(bound: Dim) -> bool:
    """Whether this is beyond the end of any dim."""
    return type(bound) is int and abs(bound) >= FAR


def stepped(ctx: Context, found: list[Dim], step: int) -> Dim:
    """The least of these, but not below 0, in steps."""
    counts = [dims.ceildiv(each, step) for each in found]
    length = counts[0]
    for each in counts[1:]:
        length = least(ctx, length, each)
    return greatest(ctx, length, 0)
