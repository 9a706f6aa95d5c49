"""The structure of a graph: order of the nodes, names, outputs, and the data of stored tensors."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from typing import Any

import onnx

from shapeinfer import catalogue as codes
from shapeinfer.diagnostics import Finding, Where, type_text
from shapeinfer.types import ElementType, TensorType
from shapeinfer.values import Node, Value

Place = Callable[[Node], Where]


def order(
    nodes: list[Node], given: Mapping[str, Value], place: Place, outer: Container[str] = ()
) -> tuple[list[Node], list[Finding]]:
    """The nodes in an order in which every value is made before it is used, and the faults of names and order.

    ``outer`` are the names that come from the graphs around this one.

    A node of a cycle comes after the rest, in the order of the file.
    """
    findings: list[Finding] = []
    makers: dict[str, Node] = {}
    sorted_already = True
    for node in nodes:
        if sorted_already:
            for name in node.inputs:
                if name and name not in makers and name not in given:
                    sorted_already = False
        for name in node.outputs:
            if not name:
                continue
            if name in outer:
                findings.append(Finding(codes.SHADOWED, place(node), {"value": name}))
            elif name in makers or name in given:
                value = given.get(name)
                first = str(makers[name]) if name in makers else _given_as(value)
                findings.append(Finding(codes.DEFINED_TWICE, place(node), {"value": name, "first": first}))
            else:
                makers[name] = node
    if sorted_already:
        return nodes, findings
    for node in nodes:
        for position, name in enumerate(node.inputs):
            if name and name not in given:
                maker = makers.get(name)
                if maker is None:
                    fields: dict[str, object] = {"position": position, "value": name}
                    findings.append(Finding(codes.UNDEFINED_VALUE, place(node), fields))
    result, cycles = _sort(nodes, makers)
    for cycle in cycles:
        text = " -> ".join(str(node) for node in cycle)
        findings.append(Finding(codes.CYCLE, place(cycle[0]), {"cycle": text}))
    in_cycle = {node for cycle in cycles for node in cycle}
    early = [
        (node, position, name)
        for node in nodes
        if node not in in_cycle
        for position, name in enumerate(node.inputs)
        if name in makers and makers[name].index >= node.index and name not in given
    ]
    if early:  # one finding: sorting the nodes mends all of them
        node, position, name = early[0]
        more = f"; so it is for {len(early)} inputs in this graph" if len(early) > 1 else ""
        fields = {"position": position, "value": name, "definer": str(makers[name]), "more": more}
        findings.append(Finding(codes.USED_BEFORE, place(node), fields))
    return result, findings


def _given_as(value: Value | None) -> str:
    if value is None or value.origin == "initializer":
        return "an initializer"
    return "a graph input"


def _sort(nodes: list[Node], makers: Mapping[str, Node]) -> tuple[list[Node], list[list[Node]]]:
    """A topological order (depth first, in the order of the file) and the cycles that were cut to get it."""
    done: dict[Node, bool] = {}  # False while the node is on the path
    result: list[Node] = []
    cycles: list[list[Node]] = []
    for root in nodes:
        if root in done:
            continue
        path = [root]
        pending = [_needs(root, makers)]
        done[root] = False
        while path:
            for needed in pending[-1]:
                if needed not in done:
                    done[needed] = False
                    path.append(needed)
                    pending.append(_needs(needed, makers))
                    break
                if not done[needed]:
                    cycles.append([*path[path.index(needed) :], needed])
            else:
                finished = path.pop()
                pending.pop()
                done[finished] = True
                result.append(finished)
    return result, cycles


def _needs(node: Node, makers: Mapping[str, Node]) -> Any:
    return iter([makers[name] for name in node.inputs if name in makers])


def dead_nodes(nodes: list[Node], outputs: Iterable[str]) -> set[Node]:
    """The nodes on which no output depends, of sorted nodes: runtimes do not run them."""
    needed = set(outputs)
    dead: set[Node] = set()
    for node in reversed(nodes):
        if needed.isdisjoint(node.outputs):
            dead.add(node)
            continue
        needed.update(node.inputs)
        if node.domain or node.op in _WITH_GRAPHS:
            needed.update(_captured(node.proto))
    return dead


_WITH_GRAPHS = ("If", "Loop", "Scan", "SequenceMap")


def _captured(proto: onnx.NodeProto) -> Iterator[str]:
    """Every name that the inner graphs of a node mention."""
    for attribute in proto.attribute:
        for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
            yield from (output.name for output in inner.output)
            for node in inner.node:
                yield from node.input
                yield from _captured(node)


def check_outputs(proto: onnx.GraphProto, values: Mapping[str, Value], path: tuple[str, ...] = ()) -> list[Finding]:
    """Graph outputs that nothing defines."""
    return [
        Finding(codes.OUTPUT_UNDEFINED, Where(path), {"value": output.name})
        for output in proto.output
        if output.name not in values
    ]


_E = ElementType
_BITS: dict[int, int] = {
    **dict.fromkeys((_E.BOOL, _E.UINT8, _E.INT8), 8),
    **dict.fromkeys((_E.FLOAT8E4M3FN, _E.FLOAT8E4M3FNUZ, _E.FLOAT8E5M2, _E.FLOAT8E5M2FNUZ, _E.FLOAT8E8M0), 8),
    **dict.fromkeys((_E.UINT16, _E.INT16, _E.FLOAT16, _E.BFLOAT16), 16),
    **dict.fromkeys((_E.UINT32, _E.INT32, _E.FLOAT), 32),
    **dict.fromkeys((_E.UINT64, _E.INT64, _E.DOUBLE, _E.COMPLEX64), 64),
    _E.COMPLEX128: 128,
    **dict.fromkeys((_E.UINT4, _E.INT4, _E.FLOAT4E2M1), 4),
    **dict.fromkeys((_E.UINT2, _E.INT2), 2),
}
_MOST_BITS = 2**23
"""Raw data of more bits is not counted, since protobuf makes a copy of what is looked at."""
_TYPED_FIELDS = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data", "string_data")


def data_fault(tensor: onnx.TensorProto, kind: TensorType, what: str, name: str) -> Finding | None:
    """What is wrong with the data of a stored tensor of this type: too few or too many values for its dims."""
    if not kind.elem or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    count = 1
    for dim in kind.shape or ():
        if type(dim) is not int or dim < 0:
            return None
        count *= dim
    needed: str
    if tensor.HasField("raw_data"):
        bits = _BITS.get(kind.elem)
        if bits is None or count * bits > _MOST_BITS:
            return None
        found = len(tensor.raw_data)
        if found == (count * bits + 7) // 8:
            return None
        needed, has = f"{(count * bits + 7) // 8} bytes", f"{found}"
    else:
        found = sum([len(getattr(tensor, field)) for field in _TYPED_FIELDS])
        width = 2 if kind.elem in (_E.COMPLEX64, _E.COMPLEX128) else 1
        packed = {4: 2, 2: 4}.get(_BITS.get(kind.elem, 8), 1)
        expected = (count * width + packed - 1) // packed
        if found == expected:
            return None
        needed, has = f"{count} value{'' if count == 1 else 's'}", f"{found // width}"
    fields = {"what": what, "name": name, "type": type_text(kind), "needed": needed, "found": has}
    return Finding(codes.INITIALIZER_DATA, Where(), fields)
