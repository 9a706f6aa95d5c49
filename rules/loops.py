"""What Loop and Scan share: a body that is run again and again, and what is known of the values that it carries.

What a carried value keeps through the body is known after the loop; a dim that changes is left to the run, and so is a
rank that changes. No symbol made inside a body leaves it: it differs between iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from shapeinfer.rule import (
    Array,
    Context,
    Dim,
    GraphResult,
    Maybe,
    OptionalType,
    TensorType,
    Value,
    ValueType,
    codes,
    dims,
)

from .join import inner_join, same_kind

ROUNDS = 40


def carried_inputs(ctx: Context, start: int, stop: int | None = None) -> list[Value]:
    """The node's inputs from ``start`` on, as what the body is first given."""
    return [value if value is not None else Value("", None, "nothing") for value in ctx.inputs[start:stop]]


def one_entry(entry: Dim) -> Array:
    """A scalar with a symbolic entry."""
    array = np.empty((), dtype=object)
    array[()] = entry
    return array


@dataclass(slots=True)
class Body:
    """How a body is run.

    Attributes:
        before: what it is given before the carried values.
        after: what it is given after them.
        skip: how many outputs come before the carried ones.
        varying: the names that mean something else in each iteration.
        at_least: what holds of the dims in every iteration.
    """

    before: list[Value] = field(default_factory=list)
    after: list[Value] = field(default_factory=list)
    skip: int = 0
    varying: set[str] = field(default_factory=set)
    at_least: list[tuple[Dim, Dim]] = field(default_factory=list)

    def run(self, ctx: Context, carried: list[Value], *, quiet: bool = False) -> GraphResult:
        """Walks the body once."""
        given = [*self.before, *carried, *self.after]
        result = ctx.run_graph("body", given, certain=False, quiet=quiet, at_least=self.at_least)
        require_count(ctx, "body", len(result.outputs), len(carried) + self.skip, what="outputs", at_least=True)
        return result

    def carried(self, ctx: Context, result: GraphResult, before: list[ValueType | None]) -> list[ValueType | None]:
        """What comes out for each carried value; its kind and element type must be what went in."""
        made = [kind_of(value) for value in result.outputs[self.skip : self.skip + len(before)]]
        for i, (old, new) in enumerate(zip(before, made, strict=True)):
            if not (same_kind(old, new) or OptionalType in (type(old), type(new))):
                ctx.fail(codes.CARRIED_TYPE, index=i, before=old, after=new)
        return made


def settle(
    ctx: Context, body: Body, initial: list[Value], declared: list[Value]
) -> tuple[list[Value | None], list[Maybe], frozenset[str]]:
    """Runs the body until what is carried no longer changes, and once more to keep what there is to say.

    Returns its outputs, what is known of each carried value after the loop, and the names that mean something else in
    each iteration.
    """
    current = [first_type(value, stated) for value, stated in zip(initial, declared, strict=False)]
    for last in [False] * ROUNDS + [True]:
        result = body.run(ctx, typed(initial, current), quiet=True)
        made = body.carried(ctx, result, current)
        widened = [
            None if last else widen(ctx, a, b, i, body.varying)
            for i, (a, b) in enumerate(zip(current, made, strict=True))
        ]
        if widened == current:
            break
        current = widened
    result = body.run(ctx, typed(initial, current))
    return result.outputs, [forget(kind, body.varying) for kind in current], result.symbols | body.varying


def typed(values: list[Value], kinds: list[ValueType | None]) -> list[Value]:
    """Values of these types, of which no element is known."""
    return [Value(value.name, kind, "inner input") for value, kind in zip(values, kinds, strict=True)]


def first_type(value: Value, declared: Value) -> ValueType | None:
    """What a carried value is first: what is passed in, or at least the element type that the body declares."""
    return value.type if value.type is not None else declared.type


def widen(
    ctx: Context, before: ValueType | None, after: ValueType | None, index: int, varying: set[str]
) -> ValueType | None:
    """The type of a carried value at the start of any iteration; a dim that changes becomes a symbol of its own."""
    if not isinstance(before, TensorType) or not isinstance(after, TensorType):
        return before if before == after else inner_join(ctx, before, after)
    if before.shape is None or after.shape is None or len(before.shape) != len(after.shape):
        return TensorType(before.elem or after.elem)
    shape: list[Dim] = []
    for axis, (a, b) in enumerate(zip(before.shape, after.shape, strict=True)):
        if not (ctx.facts.equal(a, b) or dims.text(a) in varying):
            a = ctx.fresh(index, axis)
            varying.add(dims.text(a))
        shape.append(a)
    return TensorType(before.elem or after.elem, tuple(shape))


def forget(kind: ValueType | None, varying: set[str] | frozenset[str]) -> Maybe:
    """A type in which what differs between iterations is left to the run."""
    if not isinstance(kind, TensorType) or kind.shape is None:
        return kind
    return TensorType(kind.elem, tuple(None if varies(dim, varying) else dim for dim in kind.shape))


def varies(dim: Dim, varying: set[str] | frozenset[str]) -> bool:
    """Whether a dim mentions a symbol that differs between iterations."""
    return any(symbol.name in varying for symbol in dims.free_symbols(dim))


def stack(part: Value | None, trips: Dim | None, axis: int, inside: frozenset[str]) -> Maybe:
    """The parts of all iterations stacked along ``axis``."""
    kind = forget(kind_of(part), inside)
    if not isinstance(kind, TensorType):
        return None
    if kind.shape is None:
        return kind
    rank = len(kind.shape) + 1
    if axis < 0:
        axis += rank
    return TensorType(kind.elem, (*kind.shape[:axis], trips, *kind.shape[axis:]))


def without_symbols(kind: Maybe) -> Maybe:
    """Stacked parts of a loop that may not run at all: ONNX Runtime then takes 0 for a size that is not a number."""
    if not isinstance(kind, TensorType) or kind.shape is None:
        return kind
    first, *rest = kind.shape
    return TensorType(kind.elem, (first, *(dim if type(dim) is int else None for dim in rest)))


def kind_of(value: Value | None) -> ValueType | None:
    """The type of a value that may be missing."""
    return value.type if value is not None else None


def require_count(
    ctx: Context, graph: str, found: int, expected: int, *, what: str = "outputs", at_least: bool = False
) -> None:
    """The inner graph must have this many inputs or outputs."""
    if found < expected or (found > expected and not at_least):
        ctx.fail(codes.GRAPH_COUNT, graph=graph, what=what, found=found, expected=expected)
