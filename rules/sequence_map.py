"""SequenceMap (17) applies a graph to each member of a sequence, or to those of several at the same place.

An input that is a tensor is the same for all. Where the members are known the graph is walked once for each.
"""

from __future__ import annotations

from shapeinfer.rule import (
    Array,
    Context,
    Maybe,
    Result,
    SequenceType,
    TensorType,
    Value,
    ValueType,
    codes,
    dims,
    rule,
    value_rule,
)

from .join import inner_join
from .members import as_elements, members

VERSIONS = (17,)
WALKS = 16  # longer sequences are not walked member by member


@rule("SequenceMap", since=VERSIONS)
def sequence_map(ctx: Context) -> Result:
    """For each output of the graph a sequence."""
    inputs = [value if value is not None else Value("", None, "nothing") for value in ctx.inputs]
    declared = ctx.graph_inputs("body")
    if len(declared) != len(inputs):
        ctx.fail(codes.GRAPH_COUNT, graph="body", what="inputs", found=len(declared), expected=len(inputs))
    given = [any_member(value, inner) for value, inner in zip(inputs, declared, strict=True)]
    result = ctx.run_graph("body", given, certain=False)
    if len(result.outputs) != len(ctx.node.outputs):
        expected = len(ctx.node.outputs)
        ctx.fail(codes.GRAPH_COUNT, graph="body", what="outputs", found=len(result.outputs), expected=expected)
    each = by_member(ctx)
    found: list[Maybe] = []
    for i, value in enumerate(result.outputs):
        kind = settled(value.type if value is not None else None, result.symbols)
        if each:
            kind = each[0][i].type
            for one in each[1:]:
                kind = inner_join(ctx, kind, one[i].type)
        found.append(SequenceType(kind))
    return found


def any_member(value: Value, declared: Value) -> Value:
    """What the graph is given of an input: any member of a sequence, or the tensor as it is."""
    kind = value.type
    if kind is None:
        return declared
    if not isinstance(kind, SequenceType):
        return value
    return Value(value.name, kind.elem if kind.elem is not None else declared.type, "inner input")


def settled(kind: ValueType | None, symbols: frozenset[str]) -> ValueType | None:
    """A type without a shape that differs from member to member."""
    if not isinstance(kind, TensorType) or kind.shape is None:
        return kind
    inside = any(symbol.name in symbols for dim in kind.shape for symbol in dims.free_symbols(dim))
    return TensorType(kind.elem) if inside else kind


def by_member(ctx: Context) -> list[list[Value]] | None:
    """The outputs of the graph for each member of the input sequences, where these are known."""
    columns: list[list[Value]] = []
    count: int | None = None
    for i, value in enumerate(ctx.inputs):
        known = members(ctx, i) if value is not None and isinstance(value.type, SequenceType) else None
        if value is None or (known is None and not isinstance(value.type, TensorType)):
            return None
        if known is not None:
            if count is not None and count != len(known):
                what = "lengths of the input sequences"
                ctx.fail(codes.SIZES_DIFFER, what=what, left=count, right=len(known))
            count = len(known)
        columns.append(known if known is not None else [value])
    if count is None or count > WALKS:
        return None
    rows = [[column[i] if len(column) == count else column[0] for column in columns] for i in range(count)]
    results = [ctx.run_graph("body", row, certain=False, quiet=True).outputs for row in rows]
    named = [[value or Value("", None, "nothing") for value in outputs] for outputs in results]
    return named if all(len(outputs) == len(ctx.node.outputs) for outputs in named) else None


@value_rule("SequenceMap", since=VERSIONS)
def mapped(ctx: Context) -> list[Array | None] | None:
    """What the graph makes of each member."""
    each = by_member(ctx)
    if each is None:
        return None
    return [as_elements([outputs[i] for outputs in each]) for i in range(len(ctx.node.outputs))]
