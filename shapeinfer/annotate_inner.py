"""Writes what is known of the values of inner graphs into their ``value_info``.

Only what holds in every run of the inner graph is written: the body of a Loop runs again and again. A dim with a symbol
that the main graph does not know is left out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import onnx

from shapeinfer import dims
from shapeinfer.engine import Analysis
from shapeinfer.types import OptionalType, SequenceType, SparseTensorType, TensorType, ValueType
from shapeinfer.walk import CALL, InnerGraph
from shapeinfer.write import Writer, write_type


def annotate_inner(analysis: Analysis, model: onnx.ModelProto) -> None:
    """Fills the inner graphs of ``model``, which is the analysed model or a copy of it.

    Those in functions are left alone: their one body stands for all calls.
    """
    walked: dict[int, list[InnerGraph]] = {}
    for inner in analysis.inner:
        if not any(CALL in step for step in inner.path):
            walked.setdefault(id(inner.proto), []).append(inner)
    if not walked:
        return
    stable = _stable_names(analysis)
    writer = Writer(stable)
    for source, target in _pairs(analysis.model.graph, model.graph):
        found = walked.get(id(source))
        if found is not None:
            _fill(target, found, stable, writer)


def _stable_names(analysis: Analysis) -> set[str]:
    """The symbols that mean one number throughout a run: those of the main graph."""
    kinds = {id(value.type): value.type for value in analysis.values.values()}
    return {name for kind in kinds.values() for name in _names(kind)}


def _names(kind: ValueType | None) -> set[str]:
    if isinstance(kind, TensorType | SparseTensorType):
        return {symbol.name for dim in kind.shape or () for symbol in dims.free_symbols(dim)}
    return _names(kind.elem) if isinstance(kind, SequenceType | OptionalType) else set()


def _pairs(source: onnx.GraphProto, target: onnx.GraphProto) -> Iterator[tuple[onnx.GraphProto, onnx.GraphProto]]:
    """The graphs inside a graph, each with its counterpart in a copy."""
    for here, there in zip(source.node, target.node, strict=True):
        for mine, other in zip(here.attribute, there.attribute, strict=True):
            if mine.type == onnx.AttributeProto.GRAPH:
                yield mine.g, other.g
                yield from _pairs(mine.g, other.g)


def _fill(target: onnx.GraphProto, found: list[InnerGraph], stable: Collection[str], writer: Writer) -> None:
    first, *others = [inner.values.own for inner in found]
    declared = {info.name: info for info in target.value_info}
    outputs = {output.name for output in target.output}
    for name in dict.fromkeys(name for node in target.node for name in node.output):
        value = first.get(name)
        if name in outputs or value is None or value.type is None:
            continue
        if any((other := values.get(name)) is None or other.type != value.type for values in others):
            continue
        info = declared.get(name)
        if info is None:
            writer.add(name, value.type)
        elif _names(value.type).issubset(stable):  # otherwise what the file says may be more
            info.type.Clear()
            write_type(info.type, value.type)
    writer.put(target)
