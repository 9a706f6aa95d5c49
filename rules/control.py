"""If, Loop and Scan: operators with inner graphs.

``If`` runs one of two graphs. Where the condition is known only that one counts; otherwise an output has what both
agree on, and a branch that can never run to its end must be the one that is not taken.

``Loop`` and ``Scan`` (from version 9; in 8 with a batch dim in front, ``scan.py``) run a body again and again. What a
carried value keeps through the body is known after the loop; a dim that changes is left to the run, and so is a rank
that changes. Scan outputs stack one part per iteration, and the number of iterations is known for ``Scan``, and for
``Loop`` when nothing can end it early. No symbol made inside a body leaves it: it differs between iterations.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shapeinfer.rule import (
    Array,
    Context,
    Dim,
    ElementType,
    GraphResult,
    Maybe,
    OptionalType,
    Result,
    TensorType,
    Value,
    ValueType,
    codes,
    dims,
    rule,
)

from .join import inner_join, join, same_kind

VERSIONS = (1, 11, 13, 16, 19, 21, 23, 24, 25)
ROUNDS = 40


@rule("If", since=VERSIONS)
def if_(ctx: Context) -> Result:
    """The outputs of the branch that runs, or what both branches agree on."""
    require_scalar(ctx, "cond")
    taken = known_truth(ctx.elements("cond"))
    branches = ("then_branch", "else_branch")
    results = [ctx.run_graph(b, (), certain=taken is (b == "then_branch")) for b in branches]
    for branch, result in zip(branches, results, strict=True):
        require_count(ctx, branch, len(result.outputs), len(ctx.node.outputs))
    then, other = results
    if taken is not None:
        return list((then if taken else other).outputs)
    if then.failed != other.failed:
        return list((other if then.failed else then).outputs)
    joined: list[Maybe] = []
    for i, (a, b) in enumerate(zip(then.outputs, other.outputs, strict=True)):
        first, second = kind_of(a), kind_of(b)
        if not same_kind(first, second):
            ctx.fail(codes.BRANCH_TYPES, output=i, first=first, second=second)
        joined.append(join(ctx, first, second))
    return joined


@rule("Loop", since=VERSIONS)
def loop(ctx: Context) -> Result:
    """The carried values after the last iteration, then the stacked scan outputs."""
    require_scalar(ctx, "M")
    require_scalar(ctx, "cond")
    initial = carried_inputs(ctx, 2)
    declared = ctx.graph_inputs("body")
    require_count(ctx, "body", len(declared), len(initial) + 2, what="inputs")
    first_cond = known_truth(ctx.elements("cond")) if ctx.given("cond") else True
    number = ctx.fresh(0, 0)
    limit = trip_count(ctx)
    iteration = Value("iteration", TensorType(ElementType.INT64, ()), "inner input", one_entry(number))
    truth = np.array(True) if first_cond else None
    cond = Value("cond", TensorType(ElementType.BOOL, ()), "inner input", truth)
    body = Body([iteration, cond], skip=1, varying={dims.text(number)})
    if limit is not None:
        body.at_least.append((limit, dims.add(number, 1)))
    outputs, carried, inside = settle(ctx, body, initial, declared[2:])
    goes_on = first_cond and known_truth(outputs[0].elements if outputs[0] is not None else None)
    trips = limit if goes_on else None
    if first_cond is False:
        trips = 0
    stacked = [stack(part, trips, 0, inside) for part in outputs[1 + len(initial) :]]
    return [*carried, *stacked]


def trip_count(ctx: Context) -> Dim | None:
    """How often the body runs when nothing ends it early."""
    known = ctx.elements("M")
    if known is None or known.size != 1:
        return None
    count = known.ravel().tolist()[0]
    return None if count is None else dims.maximum(count, 0)


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


def kind_of(value: Value | None) -> ValueType | None:
    """The type of a value that may be missing."""
    return value.type if value is not None else None


def known_truth(array: Any) -> bool | None:
    """The one truth value of an array, if it is known."""
    if array is None or array.size != 1:
        return None
    entry = array.ravel().tolist()[0]
    return entry if isinstance(entry, bool) else None


def require_scalar(ctx: Context, name: str) -> None:
    """The input must hold one element: a scalar, or a tensor of shape [1]."""
    shape = ctx.shape_or_none(name)
    if shape is None:
        return
    if len(shape) > 1:
        ctx.fail(codes.RANK, input=name, shape=shape, expected="0 (or a single element)")
    for dim in shape:
        ctx.require_equal(dim, 1, codes.SIZES_DIFFER, what=f"{name} must hold one element", left=dim, right=1)


def require_count(
    ctx: Context, graph: str, found: int, expected: int, *, what: str = "outputs", at_least: bool = False
) -> None:
    """The inner graph must have this many inputs or outputs."""
    if found < expected or (found > expected and not at_least):
        ctx.fail(codes.GRAPH_COUNT, graph=graph, what=what, found=found, expected=expected)
