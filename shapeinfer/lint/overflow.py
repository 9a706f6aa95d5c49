"""Lints about numbers of elements and sizes that 32 bits do not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.dims import Dim, Facts, Shape
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View
from shapeinfer.types import ElementType
from shapeinfer.values import Array, Node

_LARGEST = 2**31 - 1
_COMPUTES = ("Cast", "Mul", "Add", "Sub", "ReduceProd", "ReduceSum", "CumSum")


@lint(codes.ELEMENT_COUNT)
def element_count(view: View) -> Iterator[Lint]:
    """The first value with more elements than 32-bit indices reach, for sizes that are bounded above."""
    facts = Facts()  # what the user said, and not what nodes happen to require
    view.analysis.options.assume(facts)
    large: list[tuple[str, int]] = []
    for name, value in view.values.items():
        shape = view.shape(name)
        if shape is None or not isinstance(value.origin, Node):
            continue
        count = 1
        for dim in shape:
            high = _greatest(facts, dim)
            if high is None:
                break
            count *= high
        else:
            if count > _LARGEST:
                large.append((name, count))
    if large:
        name, count = large[0]
        more = f"; so have {len(large) - 1} more values" if len(large) > 1 else ""
        fields: dict[str, Any] = {"value": name, "shape": view.shape(name), "count": count, "more": more}
        yield found(view, codes.ELEMENT_COUNT, view.makers.get(name), **fields)


def _greatest(facts: Facts, dim: Dim) -> int | None:
    """The greatest that a dim can be, where every name in it is bounded: a bound in the graph alone says little."""
    if any(facts.range(symbol)[1] is None for symbol in dims.free_symbols(dim)):
        return None
    return facts.range(dim)[1]


@lint(codes.INT32_OVERFLOW)
def int32_overflow(view: View) -> Iterator[Lint]:
    """Sizes that are computed in int32 and get too large for it, for inputs that are bounded above."""
    facts = Facts()
    view.analysis.options.assume(facts)
    for node in view.each(*_COMPUTES):
        for name in node.outputs:
            if view.elem(name) != ElementType.INT32 or not _is_small(view.shape(name)):
                continue
            for dim in _exact(view, node, name):
                low, high = facts.range(dim)[0], _greatest(facts, dim)
                bound = high if high is not None and high > _LARGEST else low
                if bound is not None and not -_LARGEST - 1 <= bound <= _LARGEST:
                    yield found(view, codes.INT32_OVERFLOW, node, value=name, dim=dim, bound=bound)
                    break


def _is_small(shape: Shape | None) -> bool:
    """Whether a tensor is as small as those that hold sizes."""
    return shape is not None and all(type(dim) is int and dim <= 16 for dim in shape) and len(shape) <= 1


def _exact(view: View, node: Node, name: str) -> list[Dim]:
    """What the elements would be in whole numbers; of a product of constants, before it wraps around."""
    known = [view.elements(each) for each in node.inputs if each]
    entries = [_entries(array) for array in known]
    operation = _OPERATIONS.get(node.op)
    if operation is not None and len(entries) == 2 and 0 < len(entries[0]) == len(entries[1]):
        return [operation(a, b) for a, b in zip(*entries, strict=True)]
    if node.op == "ReduceProd" and entries and entries[0] and view.shape(name) == ():
        return [dims.mul(*entries[0])]
    return entries[0] if node.op == "Cast" and entries else _entries(view.elements(name))


_OPERATIONS: dict[str, Callable[[Dim, Dim], Dim]] = {"Mul": dims.mul, "Add": dims.add, "Sub": dims.sub}


def _entries(array: Array | None) -> list[Dim]:
    """The elements of a tensor of whole numbers, if every one is known."""
    items = array.ravel().tolist() if array is not None else []
    return items if all(type(item) is int or dims.is_symbolic(item) for item in items) else []
