"""Names for fresh symbols: those that the model declares for the same dims, as people expect to read them.

A size that only a run can tell gets a symbol of its own in the walk. Where the model declares a name for just that
size, ``[batch, num_boxes, 4]``, the symbol takes that name afterwards. One name is one number throughout a model, so a
name that is declared for anything that is not proved to be the same size names nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

import onnx

from shapeinfer import dims
from shapeinfer.diagnostics import Finding
from shapeinfer.dims import Dim, Facts, Shape
from shapeinfer.requirements import Requirement
from shapeinfer.symbols import Symbols, declared_names, inner_graphs, read_type
from shapeinfer.types import OptionalType, SequenceType, SparseTensorType, TensorType, ValueType
from shapeinfer.values import Value

Names = Mapping[Dim, Dim]
"""Fresh symbols and the symbols of the names that they take."""


def names_for(model: onnx.ModelProto, values: Mapping[str, Value], symbols: Symbols, facts: Facts) -> Names:
    """The declared names that fresh symbols can take."""
    fresh = set(symbols.made_since(0))
    if not fresh:
        return {}
    barred = {name for name in symbols.origins if name not in fresh}
    barred.update(_names_elsewhere(model))
    uses: dict[str, list[Dim]] = {}
    for declared in (*model.graph.output, *model.graph.value_info):
        claim = read_type(declared.type, symbols, declared.name, fact=False)
        value = values.get(declared.name)
        claimed, found = _shape(claim), _shape(value.type if value is not None else None)
        if claimed is None or found is None or len(claimed) != len(found):
            barred.update(declared_names([declared]))
            continue
        for stated, dim in zip(claimed, found, strict=True):
            if _is_symbol(stated):
                uses.setdefault(stated.name, []).append(dim)  # type: ignore[union-attr]  # it is a symbol
    taken: dict[Dim, Dim] = {}
    for name, found_dims in uses.items():
        first = found_dims[0]
        if name in barred or not _is_symbol(first) or first in taken or first.name not in fresh:  # type: ignore[union-attr]
            continue
        if all(facts.equal(first, other) for other in found_dims):
            taken[first] = dims.symbol(name)
    return taken


def _names_elsewhere(model: onnx.ModelProto) -> Iterator[str]:
    """The names that inner graphs and functions declare, where a size may differ from run to run."""
    for graph in inner_graphs(model.graph):
        for values in (graph.input, graph.output, graph.value_info):
            yield from declared_names(values)
    for function in model.functions:
        yield from declared_names(function.value_info)


def _shape(kind: ValueType | None) -> Shape | None:
    return kind.shape if isinstance(kind, TensorType) else None


def _is_symbol(dim: Dim | None) -> bool:
    return dim is not None and dims.is_symbolic(dim) and dims.size(dim) == 0


class Renamer:
    """Puts names in for fresh symbols."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._types: dict[ValueType, ValueType] = {}
        self._words = {str(old): str(new) for old, new in names.items()}
        self._pattern = re.compile(rf"(?<![\w.'])({'|'.join(map(re.escape, self._words))})(?![\w.'])")

    def dim(self, dim: Dim) -> Dim:
        """The dim with the names put in."""
        return dims.substitute(dim, self._names) if dims.is_symbolic(dim) else dim

    def type(self, kind: ValueType) -> ValueType:
        """The type with the names put in; the very same where it has none of the symbols."""
        found = self._types.get(kind)
        if found is None:
            found = self._types[kind] = self._renamed(kind)
        return found

    def _renamed(self, kind: ValueType) -> ValueType:
        if isinstance(kind, TensorType | SparseTensorType):
            if kind.shape is None or all(type(dim) is int for dim in kind.shape):
                return kind
            return type(kind)(kind.elem, tuple(map(self.dim, kind.shape)))
        if isinstance(kind, SequenceType | OptionalType) and kind.elem is not None:
            return type(kind)(self.type(kind.elem))
        return kind

    def requirement(self, requirement: Requirement) -> None:
        """Renames in a requirement."""
        requirement.left, requirement.right = self.dim(requirement.left), self.dim(requirement.right)
        requirement.fields = {key: self._field(value) for key, value in requirement.fields.items()}

    def finding(self, finding: Finding) -> Finding:
        """A finding with the names put in."""
        fields = {key: self._field(value) for key, value in finding.fields.items()}
        sources = tuple(self._pattern.sub(lambda match: self._words[match[0]], text) for text in finding.sources)
        return replace(finding, fields=fields, sources=sources)

    def _field(self, value: object) -> object:
        if isinstance(value, tuple | list):
            return type(value)(map(self._field, value))
        if isinstance(value, TensorType | SparseTensorType | SequenceType | OptionalType):
            return self.type(value)
        return self.dim(value) if dims.is_symbolic(value) else value
