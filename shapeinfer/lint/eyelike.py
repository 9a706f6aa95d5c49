"""Lints about EyeLike."""

from __future__ import annotations

from collections.abc import Iterator

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.lint.edits import attribute_value
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute
from shapeinfer.types import ElementType
from shapeinfer.values import Node

_CHANGES_TYPE = frozenset(
    "Cast CastLike BitCast Shape Size Equal Less Greater LessOrEqual GreaterOrEqual Not IsNaN IsInf ArgMax ArgMin "
    "NonZero QuantizeLinear DequantizeLinear DynamicQuantizeLinear".split()
)
_KEEPS_TYPE = frozenset(
    "Identity Transpose Reshape Squeeze Unsqueeze Flatten Slice Gather Expand Neg Abs Relu Dropout".split()
)


@lint(codes.EYE_TYPE, everywhere=True)
def eye_type(view: View) -> Iterator[Lint]:
    """EyeLike without dtype of a value whose type was changed on the way."""
    for node in view.each("EyeLike"):
        if attribute(node, "dtype") is not None or not node.inputs:
            continue
        maker = _changer(view, node.inputs[0])
        elem = view.elem(node.inputs[0])
        if maker is not None and elem:
            fix = None
            if view.is_main:
                fix = attribute_value(node, f"state dtype = {elem}", "dtype", int(elem))
            yield found(view, codes.EYE_TYPE, node, fix=fix, found=ElementType(elem), maker=str(maker))


def _changer(view: View, name: str) -> Node | None:
    """The node that gave a value its element type, where that is not the type of what it was made from."""
    for _ in range(30):
        node = view.maker(name)
        if node is None or not node.inputs:
            return None
        if node.op in _CHANGES_TYPE:
            return node if view.elem(node.inputs[0]) != view.elem(name) else None
        if node.op not in _KEEPS_TYPE:
            return None
        name = node.inputs[0]
    return None


@lint(codes.EYE_OUTSIDE, everywhere=True)
def eye_outside(view: View) -> Iterator[Lint]:
    """Diagonals that lie inside of the matrix only for some sizes; where for none, check tells (S427)."""
    facts = view.analysis.facts
    for node in view.each("EyeLike"):
        stated = attribute(node, "k")
        shape = view.shape(node.inputs[0]) if node.inputs else None
        if stated is None or stated.i == 0 or shape is None or len(shape) != 2:
            continue
        size = shape[1] if stated.i > 0 else shape[0]
        least = abs(stated.i) + 1
        if facts.at_least(size, least) is None:
            condition = f"{dims.text(size)} >= {least}"
            yield found(view, codes.EYE_OUTSIDE, node, k=stated.i, shape=shape, condition=condition)
