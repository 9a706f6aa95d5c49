"""A graph made ready to run, once: its nodes in order, each with its kernel, and when each value is used last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import Any

from onnx import AttributeProto, GraphProto, NodeProto, SparseTensorProto, TensorProto

from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.nodes import Signature, decode_attributes, find_kernel, signature, to_array, to_dense
from shapeinfer.kernels.registry import Kernel


class Step:
    """A node with all that running it needs.

    Attributes:
        kernel: ``None`` for If, which is run by the executor itself.
        fault: what is wrong with the node's attributes; raised when it is its turn.
        branches: the plans of subgraphs by attribute.
        uses: the values it reads, those of its subgraphs included.
        wanted: how many outputs, counted to the last one with a name.
        last: the values that no later step reads.
    """

    __slots__ = ("attributes", "branches", "fault", "inputs", "kernel", "last", "name", "outputs", "signature", "uses")

    def __init__(
        self, node: NodeProto, opsets: Mapping[str, int], base_dir: Path | None, outer: frozenset[str]
    ) -> None:
        self.name: str = node.name or next((each for each in node.output if each), "")
        self.inputs: tuple[str, ...] = tuple(node.input)
        self.outputs: tuple[str, ...] = tuple(node.output)
        domain = "" if node.domain == "ai.onnx" else node.domain
        self.kernel: Kernel | None = None
        self.signature: Signature
        self.fault = ""
        self.branches: dict[str, Plan] = {}
        self.attributes: dict[str, Any] = {}
        self.last: tuple[str, ...] = ()
        try:
            if domain not in opsets:
                raise KernelError(f"the model imports no operator set of the domain {domain or 'ai.onnx'}")
            if domain == "" and node.op_type == "If":
                self.signature = signature(domain, node.op_type, opsets[domain])
                self.branches = {
                    each.name: Plan(each.g, opsets, base_dir, outer)
                    for each in node.attribute
                    if each.type == AttributeProto.GRAPH
                }
            else:
                self.kernel, self.signature = find_kernel(domain, node.op_type, opsets[domain])
        except KernelError as error:
            raise KernelError(error.message, node=error.node or self.name, op=error.op or node.op_type) from error
        try:
            if self.kernel is not None:
                self.attributes = decode_attributes(node, self.signature, base_dir)
        except KernelError as error:
            self.fault = error.message
        captured = {name for plan in self.branches.values() for name in plan.captures}
        self.uses: frozenset[str] = frozenset(filter(None, self.inputs)) | captured


class Plan:
    """A graph ready to run.

    Attributes:
        captures: the values of enclosing graphs that it reads.
    """

    def __init__(
        self,
        graph: GraphProto,
        opsets: Mapping[str, int],
        base_dir: Path | None,
        outer: frozenset[str] = frozenset(),
    ) -> None:
        self.inputs = tuple(each.name for each in graph.input)
        self.outputs = tuple(each.name for each in graph.output)
        self._base_dir = base_dir
        self._stored: dict[str, TensorProto | SparseTensorProto] = {each.name: each for each in graph.initializer}
        self._stored |= {each.values.name: each for each in graph.sparse_initializer}
        self._decoded: dict[str, Any] = {}
        own = set(self.inputs) | self._stored.keys()
        made = own | {name for node in graph.node for name in node.output if name}
        visible = outer | made
        steps = [Step(node, opsets, base_dir, visible) for node in graph.node]
        self.steps = tuple(_ordered(steps, own, outer))
        self.captures = frozenset(
            name for name in (*(n for step in steps for n in step.uses), *self.outputs) if name not in made
        )
        for name in self.outputs:
            if name not in visible:
                raise KernelError(f"the output {name!r} is made by no node")
        self._mark_last(made)

    def stored(self) -> Iterable[str]:
        """The names of the initializers."""
        return self._stored.keys()

    def initializer(self, name: str) -> Any:
        """A stored value, decoded when it is first asked for and read-only."""
        if name not in self._decoded:
            stored = self._stored[name]
            sparse = isinstance(stored, SparseTensorProto)
            array = to_dense(stored, self._base_dir) if sparse else to_array(stored, self._base_dir)
            array.flags.writeable = False
            self._decoded[name] = array
        return self._decoded[name]

    def needed(self, outputs: Iterable[str]) -> list[Step]:
        """The steps that these values depend on, in order."""
        wanted, chosen = set(outputs), []
        for step in reversed(self.steps):
            if not wanted.isdisjoint(step.outputs):
                wanted |= step.uses
                chosen.append(step)
        return chosen[::-1]

    def _mark_last(self, made: set[str]) -> None:
        seen = set(self.outputs)
        for step in reversed(self.steps):
            dead = [name for name in (*step.uses, *step.outputs) if name in made and name not in seen]
            step.last = tuple(dict.fromkeys(dead))
            seen.update(dead)


def _ordered(steps: list[Step], own: set[str], outer: frozenset[str]) -> Iterator[Step]:
    """The steps so that each comes after those whose values it reads; as they stand where that is so already."""
    makers: dict[str, int] = {}
    for number, step in enumerate(steps):
        for name in filter(None, step.outputs):
            if name in makers or name in own:
                raise KernelError(f"the value {name!r} is made twice", node=step.name, op=step.signature.title)
            makers[name] = number
    waiting = [0] * len(steps)
    readers: dict[int, list[int]] = {}
    for number, step in enumerate(steps):
        for name in step.uses:
            if name in makers:
                waiting[number] += 1
                readers.setdefault(makers[name], []).append(number)
            elif name not in own and name not in outer:
                raise KernelError(f"the value {name!r} is made by no node", node=step.name, op=step.signature.title)
    yield from _kahn(steps, waiting, readers)


def _kahn(steps: list[Step], waiting: list[int], readers: Mapping[int, list[int]]) -> Iterator[Step]:
    ready = [number for number, count in enumerate(waiting) if not count]
    heapify(ready)
    done = 0
    while ready:
        number = heappop(ready)
        done += 1
        yield steps[number]
        for reader in readers.get(number, ()):
            waiting[reader] -= 1
            if not waiting[reader]:
                heappush(ready, reader)
    if done < len(steps):
        stuck = next(step for step, count in zip(steps, waiting, strict=True) if count)
        raise KernelError("it depends on its own output", node=stuck.name, op=stuck.signature.title)
