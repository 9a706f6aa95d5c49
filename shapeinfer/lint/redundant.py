"""Lints about single nodes that do nothing."""

from __future__ import annotations

from collections.abc import Iterator

from shapeinfer import catalogue as codes
from shapeinfer.dims import Facts, Shape
from shapeinfer.lint.edits import bypass, first_output
from shapeinfer.lint.registry import Lint, found, lint
from shapeinfer.lint.view import View, attribute
from shapeinfer.types import ElementType as E

_HOLDS = {
    E.FLOAT16: (E.FLOAT, E.DOUBLE),
    E.BFLOAT16: (E.FLOAT, E.DOUBLE),
    E.FLOAT: (E.DOUBLE,),
    E.BOOL: (E.INT8, E.UINT8, E.INT16, E.UINT16, E.INT32, E.UINT32, E.INT64, E.UINT64, E.FLOAT, E.DOUBLE),
    E.INT8: (E.INT16, E.INT32, E.INT64, E.FLOAT, E.DOUBLE),
    E.UINT8: (E.INT16, E.UINT16, E.INT32, E.UINT32, E.INT64, E.UINT64, E.FLOAT, E.DOUBLE),
    E.INT16: (E.INT32, E.INT64, E.FLOAT, E.DOUBLE),
    E.UINT16: (E.INT32, E.UINT32, E.INT64, E.UINT64, E.FLOAT, E.DOUBLE),
    E.INT32: (E.INT64, E.DOUBLE),
    E.UINT32: (E.INT64, E.UINT64, E.DOUBLE),
}
"""The types that hold every value of a type exactly."""


@lint(codes.REDUNDANT_CAST, everywhere=True)
def redundant_cast(view: View) -> Iterator[Lint]:
    """Casts to the type that is there already, and casts there and back."""
    for node in view.each("Cast"):
        if not node.inputs or not node.outputs[0]:
            continue
        source = node.inputs[0]
        elem, result = view.elem(source), view.elem(node.outputs[0])
        if not elem or not result:
            continue
        if elem == result:
            fix = bypass(view, node, source, f"remove the cast to {E(elem).label}")
            yield found(view, codes.REDUNDANT_CAST, node, fix=fix, what=f"'{source}' is {E(elem).label} already")
            continue
        before = view.maker(source, "Cast")
        origin = before.inputs[0] if before is not None and before.inputs else ""
        if origin and view.elem(origin) == result and elem in _HOLDS.get(E(result), ()):
            fix = bypass(view, node, origin, f"take '{origin}' before it was cast")
            what = f"it undoes the cast of '{origin}' from {E(result).label} to {E(elem).label}"
            yield found(view, codes.REDUNDANT_CAST, node, fix=fix, what=what)


def same_shape(a: Shape | None, b: Shape | None) -> bool:
    """Whether two shapes are one for all sizes, without the help of any requirement."""
    if a is None or b is None or len(a) != len(b):
        return False
    facts = Facts()
    return all(facts.equal(x, y) is True for x, y in zip(a, b, strict=True))


@lint(codes.REDUNDANT_RESHAPE, everywhere=True)
def redundant_reshape(view: View) -> Iterator[Lint]:
    """Reshapes, flattenings and expansions to the shape that is there already."""
    for node in view.each("Reshape", "Flatten", "Expand"):
        if not node.inputs or not node.outputs[0]:
            continue
        shape = view.shape(node.inputs[0])
        if shape is not None and same_shape(shape, view.shape(node.outputs[0])) and _always_runs(view, node.index):
            fix = bypass(view, node, node.inputs[0], f"remove the {node.op}")
            yield found(view, codes.REDUNDANT_RESHAPE, node, fix=fix, shape=shape)


def _always_runs(view: View, index: int) -> bool:
    """Whether the node needs nothing of the sizes that would go unsaid without it."""
    return all(r.where.index != index or r.where.path != view.path for r in view.analysis.requirements)


@lint(codes.REDUNDANT_TRANSPOSE, everywhere=True)
def redundant_transpose(view: View) -> Iterator[Lint]:
    """Transposes that keep the order of the axes, or put it back."""
    for node in view.each("Transpose"):
        perm = _perm(view, node.inputs[0] if node.inputs else "", attribute(node, "perm"))
        if perm is None or not node.outputs[0]:
            continue
        if perm == tuple(range(len(perm))):
            fix = bypass(view, node, node.inputs[0], "remove the Transpose")
            yield found(view, codes.REDUNDANT_TRANSPOSE, node, fix=fix, what=f"perm {list(perm)} keeps every axis")
            continue
        before = view.maker(node.inputs[0], "Transpose")
        if before is None or not before.inputs:
            continue
        first = _perm(view, before.inputs[0], attribute(before, "perm"))
        if first is not None and len(first) == len(perm) and [first[i] for i in perm] == list(range(len(perm))):
            fix = bypass(view, node, before.inputs[0], "take the value before the two Transposes")
            yield found(view, codes.REDUNDANT_TRANSPOSE, node, fix=fix, what=f"it undoes {before}")


def _perm(view: View, name: str, stated: object) -> tuple[int, ...] | None:
    if stated is not None:
        return tuple(stated.ints)  # type: ignore[attr-defined]  # an AttributeProto
    shape = view.shape(name)
    return None if shape is None else tuple(reversed(range(len(shape))))


@lint(codes.REDUNDANT_IDENTITY, everywhere=True)
def redundant_identity(view: View) -> Iterator[Lint]:
    """Identity nodes that are not needed to give an output its name."""
    for node in view.each("Identity"):
        if not node.inputs or not node.outputs or not node.outputs[0]:
            continue
        fix = bypass(view, node, node.inputs[0], "remove the Identity")
        if fix is not None or (not view.is_main and first_output(node) not in view.outputs):
            yield found(view, codes.REDUNDANT_IDENTITY, node, fix=fix, source=node.inputs[0])
