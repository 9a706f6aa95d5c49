"""Gather takes whole entries of an axis, GatherElements single elements, GatherND elements or slices by index tuples.

Versions of all three: 11 (GatherElements and GatherND begin there) names the range ``[-s, s-1]`` of an index along an
axis of size ``s``, 13 adds element types. GatherND-12 adds ``batch_dims``.

An index out of range is an error, so a constant one requires the axis to be long enough.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, Shape, codes, moved, rule, value_rules

from .movement import check_indices, tie


@rule("Gather", since=(1, 11, 13))
def gather(ctx: Context) -> Result:
    """The data's dims, with those of ``indices`` in place of the axis."""
    shape = ctx.shape("data")
    axis = ctx.axis(ctx.attr_int("axis"), len(shape))
    check_indices(ctx, ctx.elements("indices"), shape[axis], axis)
    return (*shape[:axis], *ctx.shape("indices"), *shape[axis + 1 :])


@rule("GatherElements", since=(11, 13))
def gather_elements(ctx: Context) -> Result:
    """The shape of ``indices``, which has the data's rank."""
    data, indices = ctx.shape_or_none("data"), ctx.shape_or_none("indices")
    if data is None:
        return indices
    axis = ctx.axis(ctx.attr_int("axis"), len(data))
    check_indices(ctx, ctx.elements("indices"), data[axis], axis)
    if indices is None:
        return (None,) * len(data)
    check_places(ctx, data, indices, axis)
    return indices


def check_places(ctx: Context, data: Shape, indices: Shape, axis: int) -> None:
    """Requires equal ranks, and fails where the elements of ``indices`` have no counterpart in the data.

    In ONNX Runtime that is an error even where there are no elements; by the specification's formula it is none.
    """
    if len(indices) != len(data):
        ctx.fail(codes.RANK, input="indices", shape=indices, expected=len(data))
    if not all(ctx.facts.at_least(size, 1) for size in indices):
        return
    for at, (dim, size) in enumerate(zip(data, indices, strict=True)):
        if at != axis and ctx.facts.at_least(dim, size) is False:
            ctx.fail(codes.AT_LEAST, what=f"the size of data at axis {at}", found=dim, least=size)


@rule("GatherND", since=(11, 12, 13))
def gather_nd(ctx: Context) -> Result:
    """The dims of ``indices`` but the last, then the data's dims beyond the batch dims and those that a tuple names."""
    batch = ctx.attr_int("batch_dims") if "batch_dims" in ctx.signature.attributes else 0
    data, indices = ctx.shape_or_none("data"), ctx.shape_or_none("indices")
    for name, shape in (("data", data), ("indices", indices)):
        if shape is not None and not 0 <= batch < max(len(shape), 1):
            expected = f"at least 0 and less than {len(shape)}, the rank of {name}"
            ctx.fail(codes.ATTRIBUTE_VALUE, attribute="batch_dims", value=batch, expected=expected)
        if shape == ():
            ctx.fail(codes.RANK, input=name, shape=shape, expected="at least 1")
    if data is None or indices is None:
        return None
    head = [tie(ctx, f"batch dim {at} of data and indices", indices[at], data[at]) for at in range(batch)]
    count = tuple_length(ctx, indices[-1], len(data) - batch)
    if count is None:
        return None
    check_tuples(ctx, data[batch:], count)
    return (*head, *indices[batch:-1], *data[batch + count :])


def tuple_length(ctx: Context, length: Dim, most: int) -> int | None:
    """The length of an index tuple, from 1 to the number of dims; a tuple for one dim can only be of length 1."""
    what = "the last dim of indices"
    ctx.require_at_least(length, 1, codes.SIZE_VALUE, what=what, value=length, expected=f"from 1 to {most}")
    ctx.require_at_least(most, length, codes.SIZE_VALUE, what=what, value=length, expected=f"from 1 to {most}")
    known = ctx.facts.reduce(length)
    if most == 1:
        return 1
    return known if type(known) is int else None


def check_tuples(ctx: Context, data: Shape, count: int) -> None:
    """Requires constant index tuples to be in range."""
    known = ctx.elements("indices")
    if known is None or known.ndim == 0 or known.shape[-1] != count:
        return
    for axis in range(count):
        check_indices(ctx, known[..., axis], data[axis], axis + len(ctx.shape("data")) - len(data))


value_rules({"Gather": (1, 11, 13), "GatherElements": (11, 13), "GatherND": (11, 12, 13)})(moved)
