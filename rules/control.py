"""If and Loop: operators with inner graphs.

``If`` runs one of two graphs. Where the condition is known only that one counts; otherwise an output has what both
agree on, and a branch that can never run to its end must be the one that is not taken.

``Loop`` runs a body again and again (``loops.py``; ``Scan`` is in ``scan.py``). Its scan outputs stack one part per
iteration; their number is known when nothing can end the loop early.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from shapeinfer.rule import (
    Context,
    Dim,
    ElementType,
    Maybe,
    Result,
    TensorType,
    Value,
    codes,
    dims,
    rule,
)

from .join import join, same_kind
from .loops import Body, carried_inputs, kind_of, one_entry, require_count, settle, stack, without_symbols

VERSIONS = (1, 11, 13, 16, 19, 21, 23, 24, 25)


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
    ran = first_cond is True and limit is not None and ctx.facts.at_least(limit, 1) is True
    stacked = [stack(part, trips, 0, inside) for part in outputs[1 + len(initial) :]]
    return [*carried, *(kind if ran else without_symbols(kind) for kind in stacked)]


def trip_count(ctx: Context) -> Dim | None:
    """How often the body runs when nothing ends it early."""
    known = ctx.elements("M")
    if known is None or known.size != 1:
        return None
    count = known.ravel().tolist()[0]
    return None if count is None else dims.maximum(count, 0)


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
