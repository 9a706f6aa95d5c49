"""The sets of types that operators' type constraints are made of, by name.

Derived from the element types of the IR versions (:mod:`shapeinfer.types`). Each of these sets is the whole of some
constraint in ``onnx.defs``; a test holds them to that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache

from pydantic import BaseModel, ConfigDict

from shapeinfer.types import ELEMENT_TYPES, FIRST_IR, IR_VERSIONS, ElementType, element_types

_E = ElementType
_INTEGERS = (_E.UINT8, _E.UINT16, _E.UINT32, _E.UINT64, _E.INT8, _E.INT16, _E.INT32, _E.INT64)
_WIDE_INTEGERS = (_E.UINT32, _E.UINT64, _E.INT32, _E.INT64)
_FLOATS = (_E.FLOAT16, _E.FLOAT, _E.DOUBLE)
_FLOATS_8 = (_E.FLOAT8E4M3FN, _E.FLOAT8E4M3FNUZ, _E.FLOAT8E5M2, _E.FLOAT8E5M2FNUZ)

_GROUPS: Mapping[str, tuple[ElementType, ...]] = {
    "float types up to IRv3": _FLOATS,
    "float types up to IRv4": (*_FLOATS, _E.BFLOAT16),
    "float types up to IRv9": (*_FLOATS, _E.BFLOAT16, *_FLOATS_8),
    "integer types up to IRv3": _INTEGERS,
    "numeric types up to IRv3": (*_INTEGERS, *_FLOATS),
    "numeric types up to IRv4": (*_INTEGERS, *_FLOATS, _E.BFLOAT16),
    "numeric and boolean types up to IRv3": (*_INTEGERS, *_FLOATS, _E.BOOL),
    "numeric and boolean types up to IRv4": (*_INTEGERS, *_FLOATS, _E.BFLOAT16, _E.BOOL),
    "high-precision numeric types up to IRv3": (*_WIDE_INTEGERS, *_FLOATS),
    "high-precision numeric types up to IRv4": (*_WIDE_INTEGERS, *_FLOATS, _E.BFLOAT16),
    "index types": (_E.INT32, _E.INT64),
}
_CONTAINERS: Mapping[str, str] = {
    "tensor": "tensor({})",
    "sequence": "seq(tensor({}))",
    "optional tensor": "optional(tensor({}))",
    "optional sequence": "optional(seq(tensor({})))",
}
"""How the type strings of each kind of type are written."""


class TypeSet(BaseModel):
    """A named set of type strings, in the order of the element types' numbers."""

    model_config = ConfigDict(frozen=True)

    name: str
    types: tuple[str, ...]


@cache
def type_sets() -> tuple[TypeSet, ...]:
    """Every named set of tensor types."""
    whole = [
        TypeSet(name=f"all tensor types up to IRv{ir.version}", types=_strings(element_types(ir.version)))
        for ir in IR_VERSIONS
    ]
    return (*whole, *(TypeSet(name=name, types=_strings(group)) for name, group in _GROUPS.items()))


def tensor_types(ir_version: int) -> TypeSet:
    """All tensor types up to an IR version.

    Raises:
        KeyError: when that version brought no element types.
    """
    return _by_name()[f"all tensor types up to IRv{ir_version}"]


def label(types: Collection[str]) -> str | None:
    """What to call a set of types; ``None`` where there is no name for exactly these.

    ``all tensor types up to IRv10``, ``numeric types up to IRv4``, ``all tensor and sequence types up to IRv14``.
    """
    wanted = frozenset(types)
    named = _by_types().get(wanted)
    if named is not None or len(wanted) < len(element_types(3)):
        return named
    kinds: dict[int, list[str]] = {}
    covered = 0
    for kind, pattern in _CONTAINERS.items():
        for ir in reversed(IR_VERSIONS):
            whole = _strings(element_types(ir.version), pattern)
            if wanted.issuperset(whole):
                kinds.setdefault(ir.version, []).append(kind)
                covered += len(whole)
                break
    if covered != len(wanted):
        return None
    return "all " + ", ".join(f"{_listed(names)} types up to IRv{version}" for version, names in kinds.items())


def ir_version(types: Iterable[str]) -> int | None:
    """The first IR version that has every element type in these type strings.

    ``None`` when there is a type whose IR version is not known. How sequences, maps and optionals came is not counted.
    """
    reached = 3
    for element in {word for text in types for word in _ELEMENT.findall(text)}:
        known = ELEMENT_TYPES.get(element)
        if known is None:
            return None
        reached = max(reached, FIRST_IR[known])
    return reached


def by_number(types: Iterable[str]) -> tuple[str, ...]:
    """The type strings ordered for reading: tensors before containers, element types by their number."""
    return tuple(sorted(types, key=_reading_order))


_ELEMENT = re.compile(r"\w+(?![\w(])")
"""Every word of a type string that is not the name of a container."""


def _reading_order(text: str) -> tuple[int, bool, tuple[int, ...], str]:
    elements = tuple(int(ELEMENT_TYPES.get(word, len(ELEMENT_TYPES) + 1)) for word in _ELEMENT.findall(text))
    return (text.count("("), not text.startswith("tensor("), elements, text)


def _strings(elements: Collection[ElementType], pattern: str = "tensor({})") -> tuple[str, ...]:
    return tuple(pattern.format(element.label) for element in sorted(elements))


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]] if len(words) > 1 else words)


@cache
def _by_name() -> dict[str, TypeSet]:
    return {each.name: each for each in type_sets()}


@cache
def _by_types() -> dict[frozenset[str], str]:
    return {frozenset(each.types): each.name for each in type_sets()}
