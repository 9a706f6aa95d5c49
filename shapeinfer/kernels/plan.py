"""A graph made ready to run, once: its nodes in order, each with its kernel, and when each value is used last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from heapq import heapify, heappop, heappush
from pathlib import Path
from typing import Any, Final, TypeAlias

from onnx import FunctionProto, GraphProto, NodeProto, SparseTensorProto, TensorProto

from shapeinfer.kernels import bodies
from shapeinfer.kernels.errors import MALFORMED, NO_KERNEL, WEIGHTS, KernelError
from shapeinfer.kernels.nodes import Attributes, Signature, attributes_of, decode_attributes, signature
from shapeinfer.kernels.registry import Kernel, find
from shapeinfer.kernels.stored import to_array, to_dense

Key: TypeAlias = tuple[str, str, str]
"""A function's domain, name and overload."""

CONTROL: Final = ("If", "Loop", "Scan", "SequenceMap")
"""The operators that run graphs; the executor runs them itself."""
DEPTH_LIMIT: Final = 100
"""Graphs and functions may lie so deep one in another."""
_BODIES: Final = 1000


@dataclass(frozen=True, slots=True)
class Scope:
    """What the nodes of a graph or of a function's body can name.

    Attributes:
        opsets: the version of each domain's operator set.
        base_dir: where external data lies.
        functions: the functions of the model.
        attributes: those of the function around the node; see :data:`~shapeinfer.kernels.nodes.Attributes`.
        calls: the functions around the node, from the outermost in.
        depth: how many graphs and functions there are around the node.
        bodies: the functions made ready so far, by what they are called with.
    """

    opsets: Mapping[str, int]
    base_dir: Path | None = None
    functions: Mapping[Key, FunctionProto] = field(default_factory=dict)
    attributes: Attributes = field(default_factory=dict)
    calls: tuple[Key, ...] = ()
    depth: int = 0
    bodies: dict[Any, Plan] = field(default_factory=dict)

    def deeper(self) -> Scope:
        """The scope of a graph inside.

        Raises:
            KernelError: when it would lie too deep.
        """
        if self.depth >= DEPTH_LIMIT:
            raise KernelError(f"graphs lie more than {DEPTH_LIMIT} deep one in another", code=MALFORMED)
        return replace(self, depth=self.depth + 1)


class Step:
    """A node with all that running it needs: a kernel, graphs, or the body of a function.

    Attributes:
        kernel: ``None`` for what the executor runs itself: control flow and functions.
        control: whether it is control flow.
        signature: ``None`` for a call of a function of the model.
        fault: what is wrong with the node's attributes; raised when it is its turn.
        graphs: the plans of its graphs by attribute.
        body: the plan of the model's function that it calls.
        uses: the values it reads, those of its graphs included.
        last: the values that no later step reads.
    """

    __slots__ = (
        "attributes", "body", "control", "fault", "graphs", "inputs", "kernel", "last", "name", "node", "op", "outputs",
        "scope", "signature", "title", "uses",
    )  # fmt: skip

    def __init__(self, node: NodeProto, scope: Scope, outer: frozenset[str]) -> None:
        self.node, self.scope = node, scope
        self.name: str = node.name or next((each for each in node.output if each), "")
        self.op: str = node.op_type
        self.title: str = node.op_type
        self.inputs: tuple[str, ...] = tuple(node.input)
        self.outputs: tuple[str, ...] = tuple(node.output)
        self.kernel: Kernel | None = None
        self.signature: Signature | None = None
        self.body: Plan | None = None
        self.control = False
        self.fault: KernelError | None = None
        self.graphs: dict[str, Plan] = {}
        self.attributes: dict[str, Any] = {}
        self.last: tuple[str, ...] = ()
        try:
            self._prepare("" if node.domain == "ai.onnx" else node.domain, outer)
        except KernelError as error:
            raise error.at(self.name, self.title) from error
        captured = {name for plan in self.graphs.values() for name in plan.captures}
        self.uses: frozenset[str] = frozenset(filter(None, self.inputs)) | captured

    def _prepare(self, domain: str, outer: frozenset[str]) -> None:
        scope, op = self.scope, self.op
        key = (domain, op, self.node.overload)
        if key in scope.functions:
            self.title = f"{domain}.{op}" if domain else op
            self.body = _called(self.node, key, scope)
            return
        if domain not in scope.opsets:
            message = f"the model imports no operator set of the domain {domain or 'ai.onnx'}"
            raise KernelError(message, code=NO_KERNEL)
        self.signature = signature(domain, op, scope.opsets[domain])
        self.title = self.signature.title
        self.kernel = find(domain, op, self.signature.version)
        self.control = domain == "" and op in CONTROL
        if not self.control and self.kernel is None and not bodies.available(self.signature):
            message = f"the operator {domain or 'ai.onnx'} {self.title} has no kernel"
            raise KernelError(message, code=NO_KERNEL)
        try:
            self.attributes = decode_attributes(self.node, self.signature, scope.base_dir, scope.attributes)
        except KernelError as error:
            self.fault = error
            return
        for name, value in self.attributes.items():
            if isinstance(value, GraphProto):
                self.graphs[name] = Plan.of_graph(value, scope.deeper(), outer)

    def body_for(self, types: tuple[bodies.Type | None, ...]) -> Plan | None:
        """The body that the operator's schema has for inputs of these types; ``None`` when there is none."""
        assert self.signature is not None
        stated = attributes_of(self.node, self.scope.attributes)
        texts = tuple(sorted((name, each.SerializeToString(deterministic=True)) for name, each in stated.items()))
        present = tuple(map(bool, self.inputs)), tuple(map(bool, self.outputs))
        key = (self.signature.domain, self.title, texts, types, present)
        if key not in self.scope.bodies:
            if len(self.scope.bodies) > _BODIES:
                self.scope.bodies.clear()
            body = bodies.of_schema(self.node, self.signature, stated, types)
            if body is None:
                return None
            found, attributes = body
            self.scope.bodies[key] = Plan.of_function(found, replace(self.scope.deeper(), attributes=attributes))
        return self.scope.bodies[key]


def _called(node: NodeProto, key: Key, scope: Scope) -> Plan:
    """The body of a function of the model, as this node calls it."""
    if key in scope.calls:
        path = " -> ".join(name for _, name, _ in (*scope.calls[scope.calls.index(key) :], key))
        raise KernelError(f"a function calls itself: {path}", code=MALFORMED)
    function = scope.functions[key]
    stated = attributes_of(node, scope.attributes)
    known = bodies.declared(function)
    for name in stated:
        if name not in known:
            raise KernelError(f"the function {function.name} has no attribute {name}", code=MALFORMED)
    if len(node.input) > len(function.input) or len(node.output) > len(function.output):
        given = f"{len(node.input)} inputs and {len(node.output)} outputs"
        raise KernelError(f"{given} are too many for the function {function.name}", code=MALFORMED)
    texts = tuple(sorted((name, each.SerializeToString(deterministic=True)) for name, each in stated.items()))
    if (key, texts) not in scope.bodies:
        opsets = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in function.opset_import}
        inside = replace(
            scope.deeper(),
            opsets={**scope.opsets, **opsets},
            attributes={**known, **stated},
            calls=(*scope.calls, key),
        )
        scope.bodies[key, texts] = Plan.of_function(function, inside)
    return scope.bodies[key, texts]


class Plan:
    """A graph, or a function's body, ready to run.

    Attributes:
        declared: of each output of a graph its declared type.
        captures: the values of enclosing graphs that it reads.
        remaining: the steps that are left when what never changes has been worked out; ``None`` until then.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        outputs: Sequence[str],
        nodes: Iterable[NodeProto],
        scope: Scope,
        outer: frozenset[str],
        stored: Mapping[str, TensorProto | SparseTensorProto],
        *,
        every_output: bool = True,
    ) -> None:
        self.inputs, self.outputs = tuple(inputs), tuple(outputs)
        self.declared: tuple[Any, ...] = ()
        self._base_dir = scope.base_dir
        self._stored = stored
        self._decoded: dict[str, Any] = {}
        self._kept: dict[str, Any] = {}
        self.remaining: tuple[Step, ...] | None = None
        own = set(self.inputs) | stored.keys()
        nodes = list(nodes)
        made = own | {name for node in nodes for name in node.output if name}
        visible = outer | made
        steps = [Step(node, scope, visible) for node in nodes]
        self.steps = tuple(_ordered(steps, own, outer))
        read = {name for step in steps for name in step.uses}
        self.captures = frozenset(name for name in (*read, *self.outputs) if name not in made) if outer else frozenset()
        for name in self.outputs:
            if every_output and name not in visible:
                raise KernelError(f"the output {name!r} is made by no node", code=MALFORMED)
        self._mark_last(made)

    @classmethod
    def of_graph(cls, graph: GraphProto, scope: Scope, outer: frozenset[str] = frozenset()) -> Plan:
        """The plan of a graph; ``outer`` are the values around it.

        Raises:
            KernelError: when an operator is unknown or has no kernel, or the graph is not well formed.
        """
        stored: dict[str, TensorProto | SparseTensorProto] = {each.name: each for each in graph.initializer}
        stored |= {each.values.name: each for each in graph.sparse_initializer}
        inputs, outputs = [each.name for each in graph.input], [each.name for each in graph.output]
        plan = cls(inputs, outputs, graph.node, scope, outer, stored)
        plan.declared = tuple(each.type for each in graph.output)
        return plan

    @classmethod
    def of_function(cls, function: FunctionProto, scope: Scope) -> Plan:
        """The plan of a function's body. Where an operator's outputs are optional, it need not make them all.

        Raises:
            KernelError: as :meth:`of_graph`.
        """
        opsets = {("" if o.domain == "ai.onnx" else o.domain): o.version for o in function.opset_import}
        inside = replace(scope, opsets={**scope.opsets, **opsets})
        return cls(function.input, function.output, function.node, inside, frozenset(), {}, every_output=False)

    def stored(self) -> Iterable[str]:
        """The names of the initializers."""
        return self._stored.keys()

    def initializer(self, name: str) -> Any:
        """A stored value, decoded when it is first asked for and read-only."""
        if name in self._kept:
            return self._kept[name]
        if name not in self._decoded:
            stored = self._stored[name]
            sparse = isinstance(stored, SparseTensorProto)
            try:
                array = to_dense(stored, self._base_dir) if sparse else to_array(stored, self._base_dir)
            except KernelError as error:
                raise KernelError(error.message, code=WEIGHTS) from error
            array.flags.writeable = False
            self._decoded[name] = array
        return self._decoded[name]

    def has(self, name: str) -> bool:
        """Whether :meth:`initializer` has this value."""
        return name in self._kept or name in self._stored

    def keep(self, name: str, value: Any) -> None:
        """Keeps a value that is the same in every run, with the stored ones."""
        value.flags.writeable = False
        self._kept[name] = value

    def forget(self, read: Set[str]) -> None:
        """Gives up the decoded values that are no longer read; they are decoded again when asked for."""
        for name in self._decoded.keys() - read:
            del self._decoded[name]

    @staticmethod
    def needed(steps: Sequence[Step], outputs: Iterable[str]) -> list[Step]:
        """Those of the steps that these values depend on, in order."""
        wanted, chosen = set(outputs), []
        for step in reversed(steps):
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
                raise _malformed(f"the value {name!r} is made twice", step)
            makers[name] = number
    waiting = [0] * len(steps)
    readers: dict[int, list[int]] = {}
    for number, step in enumerate(steps):
        for name in step.uses:
            if name in makers:
                waiting[number] += 1
                readers.setdefault(makers[name], []).append(number)
            elif name not in own and name not in outer:
                raise _malformed(f"the value {name!r} is made by no node", step)
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
        raise _malformed("it depends on its own output", next(s for s, n in zip(steps, waiting, strict=True) if n))


def _malformed(message: str, step: Step) -> KernelError:
    return KernelError(message, node=step.name, op=step.title, code=MALFORMED)
