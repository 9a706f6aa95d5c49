"""Runs models and single nodes with the NumPy kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import NodeProto

from shapeinfer.kernels import inputs as given_inputs
from shapeinfer.kernels.arguments import type_text
from shapeinfer.kernels.constants import remaining
from shapeinfer.kernels.control import run_control
from shapeinfer.kernels.dtypes import STRING, element_type
from shapeinfer.kernels.errors import NO_KERNEL, NO_VALUE, KernelError
from shapeinfer.kernels.nodes import check_types, decode_attributes, find_kernel, opsets
from shapeinfer.kernels.plan import Plan, Scope, Step
from shapeinfer.kernels.registry import call
from shapeinfer.kernels.stored import as_text

Watch: TypeAlias = Callable[[str, Any], None]
Progress: TypeAlias = Callable[[int, int], None]
INSIDE = " / "
"""Stands between the name of a node, the graph inside it, and a value of that."""


class Executor:
    """A model made ready to run on NumPy arrays, any number of times.

    Attributes:
        watch: called with the name and value of every input and of every output of a node, as it comes to be; a value
            of a graph or function inside a node goes by a path: ``loop / body / x``.
    """

    def __init__(
        self,
        model: onnx.ModelProto,
        base_dir: str | Path | None = None,
        *,
        watch: Watch | None = None,
        seed: int | None = None,
    ) -> None:
        """Prepares the model, which must not be changed afterwards.

        Args:
            model: the model.
            base_dir: where external data lies.
            watch: see the class.
            seed: makes what is random the same in every run.

        Raises:
            KernelError: when an operator is unknown or has no kernel, or the graph is not well formed.
        """
        self.watch = watch
        self._seed = seed
        self._declared = {each.name: each for each in model.graph.input}
        functions = {("" if f.domain == "ai.onnx" else f.domain, f.name, f.overload): f for f in model.functions}
        scope = Scope(opsets(model), None if base_dir is None else Path(base_dir), functions)
        self._plan = Plan.of_graph(model.graph, scope)

    def run(
        self,
        inputs: Mapping[str, Any],
        outputs: Sequence[str] | None = None,
        *,
        watch: Watch | None = None,
        progress: Progress | None = None,
    ) -> list[Any]:
        """Runs the model.

        Args:
            inputs: a value for every graph input. Those with an initializer may be left out.
            outputs: the values that are wanted, which any node may make; by default the graph's outputs. Only when
                they are named are nodes left out that they do not depend on.
            watch: as the attribute, for this run.
            progress: called after each node of the main graph with the number of nodes done and of all.

        Returns:
            The values in this order, which share no memory with the inputs.

        Raises:
            KernelError: when an input is missing, unknown or not as declared, or a node fails: with its name, its
                operator, and the types and shapes of its inputs.
        """
        values = given_inputs.checked(self._declared, inputs, self._plan.stored())
        wanted = self._plan.outputs if outputs is None else tuple(outputs)
        run = _Run(np.random.default_rng(self._seed), watch or self.watch)
        defaults = inputs.keys().isdisjoint(self._plan.stored())
        steps = run.steps(self._plan) if defaults else self._plan.steps
        if outputs is not None:
            steps = self._plan.needed(steps, wanted)
        run.tell("", values.items())
        given = list(values.values())
        results = run.plan(self._plan, steps, values, wanted, "", progress)
        return [_owned(value, given) for value in results]


class _Run:
    """One run of a model: what its nodes share."""

    def __init__(self, rng: np.random.Generator, watch: Watch | None) -> None:
        self._rng = rng
        self._watch = watch

    def tell(self, path: str, values: Iterable[tuple[str, Any]]) -> None:
        """Shows values to whoever watches."""
        if self._watch is not None:
            for name, value in values:
                self._watch(path + name, value)

    def steps(self, plan: Plan) -> Sequence[Step]:
        """The steps to run: whoever watches sees every value, and then nothing is left out."""
        return remaining(plan) if self._watch is None else plan.steps

    def plan(
        self,
        plan: Plan,
        steps: Sequence[Step],
        values: dict[str, Any],
        wanted: Sequence[str],
        path: str,
        progress: Progress | None = None,
    ) -> list[Any]:
        """Runs the steps on the values, which are given up after their last use."""
        kept = set(wanted)
        for done, step in enumerate(steps, 1):
            for name in step.uses:
                if name not in values:
                    values[name] = plan.initializer(name)
            results = self._step(step, values, path)
            made = {name: value for name, value in zip(step.outputs, results, strict=False) if name}
            values.update(made)
            self.tell(path, made.items())
            del results, made
            for name in step.last:
                if name not in kept:
                    values.pop(name, None)
            if progress is not None:
                progress(done, len(steps))
        for name in wanted:
            if name not in values:
                if not plan.has(name):
                    raise KernelError(f"there is no value {name!r}", code=NO_VALUE)
                values[name] = plan.initializer(name)
        return [values[name] for name in wanted]

    def _step(self, step: Step, values: dict[str, Any], path: str) -> list[Any]:
        arguments = [values[name] if name else None for name in step.inputs]
        try:
            if step.fault is not None:
                raise step.fault
            if step.body is not None:
                return self._function(step, step.body, arguments, path)
            assert step.signature is not None
            check_types(step.signature, arguments)
            if step.kernel is not None:
                return call(step.kernel, arguments, step.attributes, outputs=len(step.outputs), rng=self._rng)
            if step.control:
                return run_control(step, arguments, lambda name, given: self._graph(step, name, given, values, path))
            return self._schema_body(step, arguments, path)
        except KernelError as error:
            if "(inputs: " not in error.message:
                error = KernelError(
                    f"{error.message} (inputs: {', '.join(map(type_text, arguments)) or 'none'})",
                    node=error.node,
                    op=error.op,
                    code=error.code,
                )
            raise error.at(step.name, step.title) from None

    def _graph(self, step: Step, name: str, given: Sequence[Any], values: Mapping[str, Any], path: str) -> list[Any]:
        plan = step.graphs[name]
        inside = {captured: values[captured] for captured in plan.captures}
        own = dict(zip(plan.inputs, given, strict=True))
        inside.update(own)
        path = f"{path}{step.name}{INSIDE}{name}{INSIDE}"
        self.tell(path, own.items())
        return self.plan(plan, self.steps(plan), inside, plan.outputs, path)

    def _function(self, step: Step, plan: Plan, arguments: list[Any], path: str) -> list[Any]:
        inside = dict.fromkeys(plan.inputs)
        inside.update(zip(plan.inputs, arguments, strict=False))
        path = f"{path}{step.name}{INSIDE}"
        self.tell(path, inside.items())
        wanted = [formal for formal, actual in zip(plan.outputs, step.outputs, strict=False) if actual]
        made = dict(zip(wanted, self.plan(plan, self.steps(plan), inside, wanted, path), strict=True))
        return [made.get(formal) for formal in plan.outputs[: len(step.outputs)]]

    def _schema_body(self, step: Step, arguments: list[Any], path: str) -> list[Any]:
        types = tuple((element_type(a.dtype), a.shape) if isinstance(a, np.ndarray) else None for a in arguments)
        plan = step.body_for(types)
        if plan is None:
            raise KernelError("the operator has no kernel, and no function defines it for this node", code=NO_KERNEL)
        return self._function(step, plan, arguments, path)


def _owned(value: Any, given: list[Any]) -> Any:
    """The value itself, or a copy where changing it would change an input or an initializer."""
    if isinstance(value, list):
        return [_owned(each, given) for each in value]
    if not isinstance(value, np.ndarray):
        return value
    shared = any(np.may_share_memory(value, each) for each in _arrays(given))
    return value.copy() if shared or not value.flags.writeable else value


def _arrays(values: Iterable[Any]) -> Iterable[Any]:
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, list):
            yield from _arrays(value)


def run_node(node: NodeProto, opset: int, inputs: Sequence[Any]) -> list[Any]:
    """Runs a single node.

    Args:
        node: the node.
        opset: the version of the operator set of its domain.
        inputs: arrays by position, ``None`` for an optional input left out.

    Returns:
        An array for each output.

    Raises:
        KernelError: when there is no kernel, or it refuses its arguments.
    """
    kernel, signature = find_kernel(node.domain, node.op_type, opset)
    arguments = [
        as_text(each) if isinstance(each, np.ndarray) and each.dtype.kind in "UST" and each.dtype != STRING else each
        for each in inputs
    ]
    check_types(signature, arguments)
    return call(kernel, arguments, decode_attributes(node, signature), outputs=len(node.output))
