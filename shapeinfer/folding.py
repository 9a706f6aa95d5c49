"""Known elements: folds nodes whose inputs are small constants, and runs value rules on symbolic entries."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from shapeinfer.context import Context, Fault, Unknown
from shapeinfer.operators import Operator
from shapeinfer.types import ElementType, TensorType, ValueType
from shapeinfer.values import ELEMENT_LIMIT, Array, Pending, Value, Work

_MOVES = frozenset(
    "Identity Reshape Flatten Squeeze Unsqueeze Transpose Concat Split Slice Gather GatherElements GatherND Expand "
    "Tile ScatterElements ScatterND Where Constant ConstantOfShape Trilu ReverseSequence Pad".split()
)
"""Operators that only move elements: exact for every element type."""
_EXACT = frozenset("Add Sub Mul Div Neg Abs Sign Floor Ceil Round Sqrt Min Max Clip Relu Cast CastLike Range".split())
"""Operators whose float results IEEE 754 fixes to the last bit, so that every runtime gives the same."""
_IEEE = (ElementType.FLOAT, ElementType.DOUBLE)


DEPTH_LIMIT = 40
"""Elements that wait for more than this many others in a row are worked out at once."""


def may_have_elements(types: Iterable[ValueType | None]) -> bool:
    """Whether an output of one of these types may have known elements: not when it is large or of an unknown size."""
    for kind in types:
        if type(kind) is not TensorType or kind.shape is None:
            return True
        count = 1
        for dim in kind.shape:
            if type(dim) is not int:
                break
            count *= dim
        else:
            if count <= ELEMENT_LIMIT:
                return True
    return False


def worthwhile(operator: Operator, inputs: Iterable[Value | None]) -> bool:
    """Whether there is a way to find the elements of outputs that may have them."""
    if operator.value_rule is not None:
        return True
    some = False
    for value in inputs:
        some = True
        if value is not None and not value.may_have_elements:
            return False
    return some and not operator.random


def later(inputs: Sequence[Value | None], work: Work) -> Pending:
    """Elements that depend on those of the inputs, to be worked out when somebody asks for them."""
    depth = 0
    for value in inputs:
        if value is not None and value.pending is not None and value.pending.depth > depth:
            depth = value.pending.depth
    if depth >= DEPTH_LIMIT:
        for value in inputs:
            if value is not None and value.pending is not None:
                value.pending.resolve()
        depth = 0
    return Pending(work, depth + 1)


def elements(ctx: Context, operator: Operator) -> list[Array | None] | None:
    """The elements of the node's outputs as far as they are known; ``None`` when nothing is."""
    folded = _fold(ctx, operator)
    if folded is not None:
        return list(folded)
    if operator.value_rule is None:
        return None
    try:
        found = operator.value_rule(ctx)
    except (Unknown, Fault):
        return None
    if found is None:
        return None
    arrays = found if isinstance(found, list) else [found]
    return [_fit(array, kind) for array, kind in zip(arrays, ctx.outputs, strict=False)]


def _fit(array: Array | None, kind: ValueType | None) -> Array | None:
    """Refuses elements that are too many or contradict the known shape."""
    if array is None or array.size > ELEMENT_LIMIT:
        return None
    if type(kind) is TensorType and kind.shape is not None:
        if len(kind.shape) != array.ndim:
            return None
        if any(type(dim) is int and dim != n for dim, n in zip(kind.shape, array.shape, strict=True)):
            return None
    return array


def _fold(ctx: Context, operator: Operator) -> list[Array] | None:
    if operator.random or not ctx.inputs:
        return None
    arrays: list[Array | None] = []
    for i, value in enumerate(ctx.inputs):
        array = ctx.elements(i)
        if value is not None and (array is None or array.dtype == object):
            return None
        arrays.append(array)
    if not all(_exact(ctx.node.op, kind) for kind in ctx.outputs):
        return None
    return run(ctx, arrays)


def _exact(op: str, kind: ValueType | None) -> bool:
    """Whether an output of this type is small, and certain to the last bit."""
    if type(kind) is not TensorType or kind.shape is None or not kind.elem:
        return False
    count = 1
    for dim in kind.shape:
        if type(dim) is not int:
            return False
        count *= dim
    if count > ELEMENT_LIMIT:
        return False
    return op in _MOVES or _is_whole(kind.elem) or (op in _EXACT and kind.elem in _IEEE)


def _is_whole(elem: int) -> bool:
    return elem in (
        ElementType.INT64,
        ElementType.INT32,
        ElementType.BOOL,
        ElementType.UINT8,
        ElementType.INT8,
        ElementType.UINT16,
        ElementType.INT16,
        ElementType.UINT32,
        ElementType.UINT64,
        ElementType.STRING,
    )


def run(ctx: Context, arrays: list[Array | None]) -> list[Array] | None:
    """The node's kernel on these arrays; ``None`` when there is none or it refuses them."""
    from shapeinfer import kernels  # NumPy kernels are loaded when the first is needed

    kernel = kernels.find(ctx.node.domain, ctx.node.op, ctx.version)
    if kernel is None:
        return None
    try:
        outputs: Any = kernels.call(kernel, arrays, ctx.decoded_attributes(), outputs=len(ctx.node.outputs))
    except Exception:  # symbolic entries can meet a kernel that computes with them; then nothing is known
        return None
    return list(outputs)
