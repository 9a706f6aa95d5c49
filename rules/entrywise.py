"""Works on the entries of small tensors one by one, for value rules: ints, symbolic dims, ``None`` where unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from shapeinfer.rule import Array, Context, Dim, ElementType, TensorType, Unknown, dims, from_entries

Entry: TypeAlias = Any
"""A Python int, bool or float, a symbolic dim, or ``None`` where unknown."""
LIMIT = 1024  # tensors of more entries are not followed

UNSIGNED: dict[int, Any] = {ElementType.UINT32: np.uint32, ElementType.UINT64: np.uint64}
WHOLE: dict[int, Any] = {ElementType.INT32: np.int32, ElementType.INT64: np.int64, **UNSIGNED}
FLOATS: dict[int, Any] = {ElementType.FLOAT: np.float32, ElementType.DOUBLE: np.float64}
BOOLS: dict[int, Any] = {ElementType.BOOL: np.bool_}
FOLLOWED: dict[int, Any] = {**WHOLE, **FLOATS, **BOOLS}
"""The element types whose entries are followed when not all are numbers: those that hold sizes without wrapping."""


def operand(ctx: Context, index: int) -> Array | None:
    """The entries of an input; all unknown where only its shape is known; ``None`` where not even that helps."""
    known = ctx.elements(index)
    if known is not None:
        return known if known.size <= LIMIT else None
    shape = ctx.shape_or_none(index)
    sizes = [size for size in shape or () if type(size) is int]
    if shape is None or len(sizes) != len(shape) or np.prod(sizes, dtype=float) > LIMIT:
        return None
    return np.full(sizes, None, dtype=object)


def output_elem(ctx: Context) -> int:
    """The element type of the output; ends the rule where its entries are not followed."""
    kind = ctx.outputs[0]
    if not isinstance(kind, TensorType) or kind.elem not in FOLLOWED:
        raise Unknown
    return kind.elem


def entrywise(ctx: Context, function: Callable[..., Entry]) -> Array | None:
    """``function`` on the entries of all inputs, broadcast against each other."""
    elem = output_elem(ctx)
    arrays = []
    for index in range(len(ctx.inputs)):
        array = operand(ctx, index)
        if array is None:
            return None
        arrays.append(array)
    try:
        shape = np.broadcast_shapes(*[array.shape for array in arrays])
    except ValueError:
        return None
    if np.prod(shape, dtype=float) > LIMIT:
        return None
    rows = zip(*[np.broadcast_to(array, shape).ravel().tolist() for array in arrays], strict=True)
    return packed(ctx, [function(*row) for row in rows], shape, elem)


def packed(ctx: Context, items: list[Entry], shape: tuple[int, ...], elem: int) -> Array | None:
    """The entries as an array; ``None`` where nothing is known. An entry that the type cannot hold wraps: unknown."""
    if elem in UNSIGNED:
        items = [item if item is not None and not_negative(ctx, item) else None for item in items]
    if elem in WHOLE:
        limits = np.iinfo(WHOLE[elem])
        items = [None if type(item) is int and not limits.min <= item <= limits.max else item for item in items]
    if items and all(item is None for item in items):
        return None
    try:
        return from_entries(items, shape, np.dtype(FOLLOWED[elem]))
    except OverflowError:
        return None


def not_negative(ctx: Context, entry: Dim) -> bool:
    """Whether an entry is at least 0 for all sizes."""
    return ctx.facts.at_least(entry, 0) is True


def greatest(ctx: Context, a: Dim, b: Dim) -> Dim:
    """The greater entry, decided where the facts decide it."""
    answer = ctx.facts.at_least(a, b)
    return dims.maximum(a, b) if answer is None else a if answer else b


def least(ctx: Context, a: Dim, b: Dim) -> Dim:
    """The lesser entry, decided where the facts decide it."""
    answer = ctx.facts.at_least(b, a)
    return dims.minimum(a, b) if answer is None else a if answer else b


def truncated(ctx: Context, a: Dim, b: Dim) -> Dim | None:
    """``a / b`` rounded toward zero, as integer Div has it; ``None`` where the sign of ``b`` is not known."""
    if type(b) is int and b == 0:
        return None
    exact = dims.divide_exact(a, b)
    if exact is not None:
        return exact
    if ctx.facts.at_least(-1, b):
        a, b = dims.neg(a), dims.neg(b)
    if not not_negative(ctx, b):
        return None
    if not_negative(ctx, a):
        return dims.floordiv(a, b)
    if ctx.facts.at_least(0, a):
        return dims.neg(dims.floordiv(dims.neg(a), b))
    up, down = dims.maximum(a, 0), dims.maximum(dims.neg(a), 0)
    return dims.sub(dims.floordiv(up, b), dims.floordiv(down, b))
