"""Names of dims: how a model's dims are read, and how dims that have no name yet get one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import onnx

from shapeinfer import dims
from shapeinfer.dims import Dim
from shapeinfer.types import (
    MapType,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
    known_element,
)
from shapeinfer.values import Node


class Symbols:
    """The dim names of one model: those it states, those given to unnamed input dims, and the fresh ones.

    Attributes:
        origins: where each symbol comes from, in words, by name.
    """

    def __init__(self, model: onnx.ModelProto, substitutions: Mapping[str, Dim] | None = None) -> None:
        self._model = model
        self._substitutions = dict(substitutions or {})
        self._read: dict[str, Dim | None] = {}
        self._plain: frozenset[str] | None = None
        self._taken: set[str] | None = None
        self._made: list[str] = []
        self._next = 0
        self.origins: dict[str, str] = {}

    def read(self, dim: onnx.TensorShapeProto.Dimension, value: str, axis: int, *, fact: bool) -> Dim | None:
        """A declared dim. An unnamed one gets a name when it is a fact, and is ``None`` when it is only a claim."""
        if dim.HasField("dim_value"):
            number: int = dim.dim_value
            if number >= 0:
                return number
        elif dim.HasField("dim_param"):
            text: str = dim.dim_param
            if text not in self._read:
                self._read[text] = self._read_name(text)
            known = self._read[text]
            if known is not None:
                if fact and dims.is_symbolic(known):
                    for symbol in dims.free_symbols(known):
                        self.origins.setdefault(symbol.name, f"dim {axis} of input '{value}'")
                return known
        return self._unnamed(value, axis) if fact else None

    def _read_name(self, text: str) -> Dim | None:
        if self._plain is None:
            self._plain = frozenset(d.dim_param for d in _dimensions(self._model.graph.input) if d.dim_param)
        dim = dims.read_name(text, self._plain)
        return self.substitute(dim) if dim is not None else None

    def substitute(self, dim: Dim) -> Dim:
        """The dim with what the user said of its symbols (``H = 32*h``) put in."""
        if not self._substitutions or not dims.is_symbolic(dim):
            return dim
        found = {s: self._substitutions[s.name] for s in dims.free_symbols(dim) if s.name in self._substitutions}
        return dims.substitute(dim, found) if found else dim

    def _unnamed(self, value: str, axis: int) -> Dim:
        name = re.sub(r"\W", "_", value) or "dim"
        name = self._free(f"{name if not name[0].isdigit() else '_' + name}_{axis}")
        self.origins[name] = f"dim {axis} of input '{value}', unnamed in the model"
        return dims.symbol(name)

    def fresh(self, node: Node, output: str, axis: int) -> Dim:
        """A symbol for a size that only a run can tell; it remembers the node that made it."""
        while (name := f"u{self._next}") in self.taken:
            self._next += 1
        self._next += 1
        self._made.append(name)
        self.taken.add(name)
        self.origins[name] = f"dim {axis} of '{output}', made by {node}"
        return dims.symbol(name)

    @property
    def count(self) -> int:
        """How many fresh symbols there are; see :meth:`made_since`."""
        return len(self._made)

    def made_since(self, count: int) -> list[str]:
        """The names of the fresh symbols made since there were ``count``."""
        return self._made[count:]

    def _free(self, name: str) -> str:
        candidate, count = name, 1
        while candidate in self.taken:
            count += 1
            candidate = f"{name}_{count}"
        self.taken.add(candidate)
        return candidate

    @property
    def taken(self) -> set[str]:
        """Every name that the model uses for a dim, anywhere, and every one made here."""
        if self._taken is None:
            self._taken = set()
            for graph in (self._model.graph, *inner_graphs(self._model.graph)):
                for values in (graph.input, graph.output, graph.value_info):
                    self._taken.update(declared_names(values))
            for dim in self._substitutions.values():
                self._taken.update(s.name for s in dims.free_symbols(dim))
        return self._taken

    def rename(self, names: Mapping[Dim, Dim]) -> None:
        """Lets fresh symbols go by other names."""
        renamed = {str(old): str(new) for old, new in names.items()}
        self._made = [renamed.get(name, name) for name in self._made]
        self.origins = {renamed.get(name, name): origin for name, origin in self.origins.items()}


def inner_graphs(graph: onnx.GraphProto) -> Iterator[onnx.GraphProto]:
    """The graphs inside the nodes of a graph, and the graphs inside these."""
    for node in graph.node:
        for attribute in node.attribute:
            kind = attribute.type
            if kind in (onnx.AttributeProto.GRAPH, onnx.AttributeProto.GRAPHS):
                for inner in [attribute.g] if kind == onnx.AttributeProto.GRAPH else attribute.graphs:
                    yield inner
                    yield from inner_graphs(inner)


def declared_names(values: Iterable[onnx.ValueInfoProto]) -> Iterator[str]:
    """The dim names in declared types, and the names in those of them that are expressions."""
    for dim in _dimensions(values):
        if dim.dim_param:
            yield dim.dim_param
            known = dims.read_name(dim.dim_param, ())
            if known is not None:
                yield from (s.name for s in dims.free_symbols(known))


def _dimensions(values: Iterable[onnx.ValueInfoProto]) -> Iterator[onnx.TensorShapeProto.Dimension]:
    for value in values:
        kind = value.type
        while kind.HasField("sequence_type") or kind.HasField("optional_type"):
            kind = kind.sequence_type.elem_type if kind.HasField("sequence_type") else kind.optional_type.elem_type
        if kind.HasField("tensor_type"):
            yield from kind.tensor_type.shape.dim
        elif kind.HasField("sparse_tensor_type"):
            yield from kind.sparse_tensor_type.shape.dim


def read_type(proto: onnx.TypeProto, symbols: Symbols, value: str, *, fact: bool) -> ValueType | None:
    """A declared type: a fact for graph inputs, a claim elsewhere (:meth:`Symbols.read`)."""
    kind = proto.WhichOneof("value")
    if kind == "tensor_type":
        return TensorType(
            known_element(proto.tensor_type.elem_type), _read_shape(proto.tensor_type, symbols, value, fact)
        )
    if kind == "sparse_tensor_type":
        sparse = proto.sparse_tensor_type
        return SparseTensorType(known_element(sparse.elem_type), _read_shape(sparse, symbols, value, fact))
    if kind == "sequence_type":
        return SequenceType(_read_element(proto.sequence_type.elem_type, symbols, value))
    if kind == "optional_type":
        return OptionalType(read_type(proto.optional_type.elem_type, symbols, value, fact=fact))
    if kind == "map_type":
        return MapType(known_element(proto.map_type.key_type), _read_element(proto.map_type.value_type, symbols, value))
    return None


def _read_element(proto: onnx.TypeProto, symbols: Symbols, value: str) -> ValueType | None:
    # The elements of a sequence differ in their unnamed dims, so one name must not stand for all of them.
    inner = read_type(proto, symbols, value, fact=False)
    if isinstance(inner, TensorType) and inner.shape is not None and None in inner.shape:
        return TensorType(inner.elem, None)
    return inner


def _read_shape(tensor: onnx.TypeProto.Tensor, symbols: Symbols, value: str, fact: bool) -> tuple[Dim, ...] | None:
    if not tensor.HasField("shape"):
        return None
    read = (symbols.read(dim, value, axis, fact=fact) for axis, dim in enumerate(tensor.shape.dim))
    return tuple(read)
