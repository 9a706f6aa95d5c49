"""Holds what a run made against what was inferred: element types, ranks and sizes of every value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from shapeinfer import dims
from shapeinfer.diagnostics import type_text
from shapeinfer.dims import BroadcastError, Dim
from shapeinfer.engine import Analysis
from shapeinfer.kernels.arguments import type_text as actual_text
from shapeinfer.kernels.dtypes import element_type
from shapeinfer.types import MapType, OptionalType, SequenceType, SparseTensorType, TensorType, ValueType


@dataclass(frozen=True, slots=True)
class Observed:
    """What a tensor was in a run."""

    elem: int
    shape: tuple[int, ...]
    text: str


Seen: TypeAlias = "Observed | tuple[Seen, ...] | Mapping[Any, Any] | None"
"""A tensor, a sequence of such, a map, or an optional without an element."""


def observe(value: Any) -> Seen:
    """The type and shape of a value, without its elements."""
    if isinstance(value, np.ndarray):
        return Observed(element_type(value.dtype), value.shape, actual_text(value))
    if isinstance(value, (list, tuple)):
        return tuple(map(observe, value))
    return {} if isinstance(value, Mapping) else None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """A claim that a run contradicts: ``kind`` is ``type``, ``rank`` or ``size``."""

    value: str
    kind: str
    claim: str
    actual: str


class Comparison:
    """The claims of an analysis against one run.

    Attributes:
        contradictions: the claims that do not hold, in the order of the values.
        compared: how many values were compared.
        undecided: the values of which a size depends on a symbol that nothing in the run tells.
    """

    def __init__(self, analysis: Analysis, seen: Mapping[str, Seen], sizes: Mapping[str, int]) -> None:
        self._free = dict(sizes)
        self._open: list[tuple[str, Dim, int, Contradiction]] = []
        found: dict[str, Contradiction] = {}
        self.compared = 0
        for name, value in seen.items():
            claim = analysis.values.get(name)
            if claim is None or claim.type is None:
                continue
            self.compared += 1
            for contradiction in self._compare(name, claim.type, value):
                found.setdefault(name, contradiction)
        for contradiction in self._settle():
            found.setdefault(contradiction.value, contradiction)
        self.contradictions = [found[name] for name in seen if name in found]
        self.undecided = sorted({name for name, _, _, _ in self._open})

    def _compare(self, name: str, claim: ValueType, value: Seen) -> Iterator[Contradiction]:
        actual = _text(value)
        wrong = Contradiction(name, "type", type_text(claim), actual)
        match claim:
            case TensorType() | SparseTensorType():
                if not isinstance(value, Observed) or (claim.elem and claim.elem != value.elem):
                    yield wrong
                elif claim.shape is not None and len(claim.shape) != len(value.shape):
                    yield Contradiction(name, "rank", type_text(claim), actual)
                elif claim.shape is not None:
                    told = Contradiction(name, "size", type_text(claim), actual)
                    self._open.extend((name, d, n, told) for d, n in zip(claim.shape, value.shape, strict=True))
            case SequenceType(elem=inner):
                if not isinstance(value, tuple):
                    yield wrong
                elif inner is not None:
                    for each in value:
                        yield from self._compare(name, inner, each)
            case OptionalType(elem=inner):
                if value is not None and inner is not None:
                    yield from self._compare(name, inner, value)
            case MapType():
                if not isinstance(value, Mapping):
                    yield wrong

    def _settle(self) -> Iterator[Contradiction]:
        """Compares sizes; a symbol that only a run can tell stands for the first size it is met with."""
        progress = True
        while progress:
            progress = False
            left = []
            for entry in self._open:
                _, dim, size, told = entry
                if dims.is_symbolic(dim) and dims.size(dim) == 0:
                    self._free.setdefault(dims.text(dim), size)
                try:
                    agrees = dims.evaluate(dim, self._free) == size
                except KeyError:
                    left.append(entry)
                    continue
                except (ZeroDivisionError, BroadcastError):
                    agrees = False
                progress = True
                if not agrees:
                    yield told
            self._open = left


def _text(value: Seen) -> str:
    if isinstance(value, Observed):
        return value.text
    if isinstance(value, tuple):
        return f"sequence of {', '.join(sorted(set(map(_text, value)))) or 'nothing'}"
    return "none" if value is None else "map"
