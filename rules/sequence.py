"""Sequences of tensors (11; SequenceMap 17, SplitToSequence again 24).

The type of a sequence says what all of its tensors have in common. Where a sequence is made in the graph, its members
are followed one by one: the elements of such a value are an array of the members' :class:`Value`, so that a tensor
that is taken out again is known as well as when it was put in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.rule import (
    Array,
    Context,
    Dim,
    ElementType,
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

from .join import inner_join, same_kind
from .members import as_elements, inner_type, members, position
from .sizes import scalar_value


@rule("SequenceConstruct", since=(11,))
def sequence_construct(ctx: Context) -> Result:
    """A sequence of what the inputs have in common."""
    return SequenceType(common(ctx, [value for value in ctx.inputs if value is not None]))


def common(ctx: Context, values: Sequence[Value]) -> ValueType | None:
    """What is known of each of these, of which there is at least one."""
    kind = values[0].type
    elem = 0
    for value in values:
        elem = elem or (value.type.elem if isinstance(value.type, TensorType) else 0)
        kind = inner_join(ctx, kind, value.type)
    return kind if kind is not None else TensorType(elem)


@value_rule("SequenceConstruct", since=(11,))
def constructed(ctx: Context) -> Array | None:
    """The inputs."""
    return as_elements([value for value in ctx.inputs if value is not None])


@rule("SequenceEmpty", since=(11,))
def sequence_empty(ctx: Context) -> Result:
    """A sequence for tensors of the type that ``dtype`` names, float by default."""
    elem = ctx.attr_int("dtype") if ctx.has_attr("dtype") else int(ElementType.FLOAT)
    if elem not in ElementType.__members__.values() or not elem:
        ctx.fail(codes.ELEMENT_TYPE, attribute="dtype", value=elem, why="is no data type")
    label = ElementType(elem).label
    if f"seq(tensor({label}))" not in ctx.signature.outputs[0].types:
        ctx.fail(codes.ELEMENT_TYPE, attribute="dtype", value=f"{elem} ({label})", why="SequenceEmpty-11 cannot hold")
    return SequenceType(TensorType(elem))


@value_rule("SequenceEmpty", since=(11,))
def nothing(ctx: Context) -> Array | None:
    """No member."""
    return as_elements([])


@rule("SequenceInsert", since=(11,))
def sequence_insert(ctx: Context) -> Result:
    """What the members and the new tensor have in common."""
    tensor = ctx.inputs[1]
    kind = tensor.type if tensor is not None else None
    inner = inner_type(ctx, 0)
    if not same_kind(inner, kind):
        ctx.fail(
            codes.TYPE_MISMATCH, input="tensor", found=kind, other="input_sequence", bound=inner, variable="S of T"
        )
    known = members(ctx, 0)
    if known is not None:
        position(ctx, len(known), len(known), len(known))
    if known is not None and tensor is not None:
        return SequenceType(common(ctx, [*known, tensor]) if known else kind or inner)
    elem = inner_join(ctx, inner, kind)
    fallback = inner if isinstance(inner, TensorType) else kind
    return SequenceType(elem or (TensorType(fallback.elem) if isinstance(fallback, TensorType) else None))


@value_rule("SequenceInsert", since=(11,))
def inserted(ctx: Context) -> Array | None:
    """The members with the new one, where its place is known."""
    known, tensor = members(ctx, 0), ctx.inputs[1]
    if known is None or tensor is None:
        return None
    place = position(ctx, len(known), len(known), len(known))
    return None if place is None else as_elements([*known[:place], tensor, *known[place:]])


@rule("SequenceErase", since=(11,))
def sequence_erase(ctx: Context) -> Result:
    """The sequence's own type."""
    known = members(ctx, 0)
    if known is not None:
        position(ctx, len(known), len(known) - 1, len(known) - 1)
    return ctx.type(0)


@value_rule("SequenceErase", since=(11,))
def erased(ctx: Context) -> Array | None:
    """The members without the one, where its place is known."""
    known = members(ctx, 0)
    place = position(ctx, len(known), len(known) - 1, len(known) - 1) if known is not None else None
    return None if known is None or place is None else as_elements([*known[:place], *known[place + 1 :]])


@rule("SequenceAt", since=(11,))
def sequence_at(ctx: Context) -> Result:
    """The member at the place, or what all members have in common."""
    known = members(ctx, 0)
    if known is None:
        scalar_value(ctx, "position")
        return inner_type(ctx, 0)
    place = position(ctx, len(known), len(known) - 1)
    if place is not None:
        return known[place].type
    return any_of(ctx, known)


def any_of(ctx: Context, values: Sequence[Value]) -> Maybe:
    """The type of one of these; dims that differ are left to the run."""
    kind = common(ctx, values)
    shapes = [t.shape for value in values if isinstance(t := value.type, TensorType) and t.shape is not None]
    if not isinstance(kind, TensorType) or len(shapes) != len(values) or len({len(shape) for shape in shapes}) > 1:
        return kind
    alike = [all(ctx.facts.equal(column[0], dim) for dim in column[1:]) for column in zip(*shapes, strict=True)]
    return TensorType(kind.elem, tuple(dim if same else None for dim, same in zip(shapes[0], alike, strict=True)))


@value_rule("SequenceAt", since=(11,))
def taken(ctx: Context) -> Array | None:
    """The elements of the member at the place."""
    known = members(ctx, 0)
    place = position(ctx, len(known), len(known) - 1) if known is not None else None
    return None if known is None or place is None else known[place].elements


@rule("SequenceLength", since=(11,))
def sequence_length(ctx: Context) -> Result:
    """A scalar."""
    return ()


@value_rule("SequenceLength", since=(11,))
def counted(ctx: Context) -> Array | None:
    """How many members there are."""
    known = members(ctx, 0)
    return None if known is None else np.array(len(known), np.int64)


@rule("ConcatFromSequence", since=(11,))
def concat_from_sequence(ctx: Context) -> Result:
    """The members joined along one of their axes or, with ``new_axis``, along a new one."""
    new = ctx.attr_int("new_axis")
    if new not in (0, 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="new_axis", value=new, expected="0 or 1")
    known = members(ctx, 0)
    if known is not None and not known:
        ctx.fail(codes.AT_LEAST, what="number of tensors to concatenate", found=0, least=1)
    kinds = [value.type for value in known] if known else [inner_type(ctx, 0)]
    shapes = [kind.shape for kind in kinds if isinstance(kind, TensorType) and kind.shape is not None]
    elem = next((kind.elem for kind in kinds if isinstance(kind, TensorType) and kind.elem), 0)
    if not shapes:
        return TensorType(elem)
    axis = ctx.axis(ctx.attr_int("axis"), len(shapes[0]) + new)
    complete = known is not None and len(shapes) == len(known)
    return TensorType(elem, concatenated(ctx, shapes, axis, bool(new), complete, len(known or ())))


def concatenated(
    ctx: Context, shapes: list[tuple[Dim, ...]], axis: int, new: bool, complete: bool, count: int
) -> tuple[Dim, ...]:
    """The shape of the whole; its length along the axis is open where not all members are known."""
    out: list[Dim | None] = list(shapes[0])
    along = [] if new else [out[axis]]
    for shape in shapes[1:]:
        if len(shape) != len(out):
            ctx.fail(codes.RANK, input="a tensor of input_sequence", shape=shape, expected=len(out))
        for i, dim in enumerate(shape):
            if i == axis and not new:
                along.append(dim)
            else:
                left = out[i]
                assert left is not None
                what = f"sizes of the tensors of input_sequence along axis {i}"
                out[i] = ctx.require_equal(left, dim, codes.SIZES_DIFFER, what=what, left=left, right=dim)
    if new:
        out.insert(axis, count or None)
    else:
        out[axis] = dims.add(0, *along) if complete else None
    return tuple(out)


@value_rule("ConcatFromSequence", since=(11,))
def joined(ctx: Context) -> Array | None:
    """The elements of all members in order."""
    known = members(ctx, 0)
    arrays = [array for value in known if (array := value.elements) is not None] if known else []
    if (
        not known
        or len(arrays) != len(known)
        or (any(array.shape == () for array in arrays) and not ctx.attr_int("new_axis"))
    ):
        return None
    if any(array.dtype == object for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    join_all = np.stack if ctx.attr_int("new_axis") else np.concatenate
    try:
        return join_all(arrays, axis=ctx.attr_int("axis"))
    except ValueError:  # scalars or sizes that do not fit: reported by the rule
        return None
