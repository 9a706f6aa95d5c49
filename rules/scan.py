"""Scan: a loop whose number of iterations is the length of its scan inputs.

Version 8 has a batch dim in front of everything and optional sequence lengths; 9 drops both and adds axes for scan
inputs and outputs, counted from the front; 11 allows negative ones. Later versions add element types.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, TensorType, Value, ValueType, codes, dims, rule

from .loops import Body, carried_inputs, first_type, require_count, stack, typed


@rule("Scan", since=(9, 11, 16, 19, 21, 23, 24, 25))
def scan(ctx: Context) -> Result:
    """The final states, then the stacked scan outputs."""
    count = scan_count(ctx, len(ctx.inputs))
    states = carried_inputs(ctx, 0, len(ctx.inputs) - count)
    axes = listed(ctx, "scan_input_axes", count)
    check_directions(ctx, "scan_input_directions", count)
    parts, trips = slices(ctx, len(states), axes)
    declared = ctx.graph_inputs("body")
    require_count(ctx, "body", len(declared), len(ctx.inputs), what="inputs")
    outputs, final, inside = scanned(ctx, Body(after=parts), states, declared, trips)
    made = outputs[len(states) :]
    out_axes = listed(ctx, "scan_output_axes", len(made))
    check_directions(ctx, "scan_output_directions", len(made))
    stacked: list[Maybe] = []
    for part, axis in zip(made, out_axes, strict=True):
        kind = part.type if part is not None else None
        if isinstance(kind, TensorType) and kind.shape is not None:
            ctx.axis(axis, len(kind.shape) + 1, negative=ctx.version >= 11)
        stacked.append(stack(part, trips, axis, inside))
    return [*final, *stacked]


def scanned(
    ctx: Context, body: Body, states: list[Value], declared: list[Value], trips: Dim | None
) -> tuple[list[Value | None], list[Maybe], frozenset[str]]:
    """Runs the body once: states are required to have the same shape in each iteration, so they keep their first."""
    kinds = [first_type(value, stated) for value, stated in zip(states, declared, strict=False)]
    result = body.run(ctx, typed(states, kinds))
    made = body.carried(ctx, result, kinds)
    if trips is not None and ctx.facts.at_least(trips, 1):
        for index, (before, after) in enumerate(zip(kinds, made, strict=True)):
            require_same_shape(ctx, index, before, after, result.symbols)
    return result.outputs, list(kinds), result.symbols


def require_same_shape(
    ctx: Context, index: int, before: ValueType | None, after: ValueType | None, inside: frozenset[str]
) -> None:
    """A state must come out of the body in the shape in which it went in."""
    if not isinstance(before, TensorType) or not isinstance(after, TensorType):
        return
    if before.shape is None or after.shape is None:
        return
    what = f"the shape of state {index} before and after an iteration"
    if len(before.shape) != len(after.shape):
        ctx.fail(codes.SIZES_DIFFER, what=what, left=before.shape, right=after.shape)
    for a, b in zip(before.shape, after.shape, strict=True):
        if not any(symbol.name in inside for symbol in dims.free_symbols(b)):
            ctx.require_equal(a, b, codes.SIZES_DIFFER, what=what, left=before.shape, right=after.shape)


def scan_count(ctx: Context, inputs: int) -> int:
    """How many of the inputs are scanned."""
    count = ctx.attr_int("num_scan_inputs")
    if not 1 <= count <= inputs:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="num_scan_inputs", value=count, expected=f"from 1 to {inputs}")
    return count


def listed(ctx: Context, name: str, count: int) -> tuple[int, ...]:
    """An attribute with an axis for each of ``count`` tensors; all 0 when it is not stated."""
    axes = ctx.attr_ints(name)
    if axes is None:
        return (0,) * count
    if len(axes) != count:
        ctx.fail(codes.LENGTH, what=name, found=len(axes), expected=count)
    return axes


def check_directions(ctx: Context, name: str, count: int) -> None:
    """Each direction is 0 (forward) or 1 (backward)."""
    for direction in listed(ctx, name, count):
        if direction not in (0, 1):
            ctx.fail(codes.ATTRIBUTE_VALUE, attribute=name, value=direction, expected="0 or 1")


def slices(ctx: Context, start: int, axes: tuple[int, ...]) -> tuple[list[Value], Dim | None]:
    """What the body gets of each scan input in one iteration, and the number of iterations."""
    parts: list[Value] = []
    trips: Dim | None = None
    for index, axis in enumerate(axes, start):
        shape = ctx.shape_or_none(index)
        kind = TensorType(ctx.elem(index))
        if shape is not None:
            at = ctx.axis(axis, len(shape), negative=ctx.version >= 11)
            length = shape[at]
            if trips is None:
                trips = length
            else:
                what = "the lengths of the scan inputs"
                trips = ctx.require_equal(trips, length, codes.SIZES_DIFFER, what=what, left=trips, right=length)
            kind = TensorType(kind.elem, (*shape[:at], *shape[at + 1 :]))
        parts.append(Value(ctx.input_name(index), kind, "inner input"))
    return parts, trips


@rule("Scan", since=(8,))
def scan_with_batch(ctx: Context) -> Result:
    """As :func:`scan`, with a batch dim in front; ``sequence_lens`` comes first."""
    count = scan_count(ctx, len(ctx.inputs) - 1)
    check_directions(ctx, "directions", count)
    batch: Dim | None = None
    trips: Dim | None = None
    given: list[Value] = []
    states = len(ctx.inputs) - 1 - count
    for index in range(1, len(ctx.inputs)):
        shape = ctx.shape_or_none(index)
        kind = TensorType(ctx.elem(index))
        stepped = index > states
        if shape is not None:
            if len(shape) < 1 + stepped:
                ctx.fail(codes.RANK, input=ctx.input_name(index), shape=shape, expected=f"{1 + stepped} or more")
            batch = agree(ctx, "the batch sizes", batch, shape[0])
            if stepped:
                trips = agree(ctx, "the lengths of the scan inputs", trips, shape[1])
            kind = TensorType(kind.elem, shape[1 + stepped :])
        given.append(Value(ctx.input_name(index), kind, "inner input"))
    declared = ctx.graph_inputs("body")
    require_count(ctx, "body", len(declared), len(given), what="inputs")
    outputs, final, inside = scanned(ctx, Body(after=given[states:]), given[:states], declared, trips)
    stacked = [stack(part, trips, 0, inside) for part in outputs[states:]]
    return [with_batch(kind, batch) for kind in [*final, *stacked]]


def agree(ctx: Context, what: str, known: Dim | None, dim: Dim) -> Dim:
    """One size that several inputs share."""
    return dim if known is None else ctx.require_equal(known, dim, codes.SIZES_DIFFER, what=what, left=known, right=dim)


def with_batch(kind: Maybe, batch: Dim | None) -> Maybe:
    """A type with the batch dim put in front."""
    if not isinstance(kind, TensorType) or kind.shape is None:
        return kind
    return TensorType(kind.elem, (batch, *kind.shape))
