"""Runs models and single nodes with the NumPy kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import onnx
from onnx import NodeProto, TypeProto, ValueInfoProto

from shapeinfer.kernels.arguments import scalar, type_text
from shapeinfer.kernels.dtypes import STRING, element_type, label, to_dtype
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.nodes import as_text, check_types, decode_attributes, find_kernel, opsets
from shapeinfer.kernels.plan import Plan, Step
from shapeinfer.kernels.registry import call

Watch: TypeAlias = Callable[[str, Any], None]
_UNNAMED = ("", "?", "-1")


class Executor:
    """A model made ready to run on NumPy arrays, any number of times.

    Attributes:
        watch: called with the name and value of every input and of every output of a node, as it comes to be.
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
        self._graph = model.graph
        local = {("" if each.domain == "ai.onnx" else each.domain, each.name) for each in model.functions}
        for node in model.graph.node:
            if ("" if node.domain == "ai.onnx" else node.domain, node.op_type) in local:
                raise KernelError("functions of the model are not supported", node=node.name, op=node.op_type)
        self._plan = Plan(model.graph, opsets(model), None if base_dir is None else Path(base_dir))

    def run(self, inputs: Mapping[str, Any], outputs: Sequence[str] | None = None) -> list[Any]:
        """Runs the model.

        Args:
            inputs: a value for every graph input. Those with an initializer may be left out.
            outputs: the values that are wanted, which any node may make; by default the graph's outputs. Only when
                they are named are nodes left out that they do not depend on.

        Returns:
            The values in this order, which share no memory with the inputs.

        Raises:
            KernelError: when an input is missing, unknown or not as declared, or a node fails: with its name, its
                operator, and the types and shapes of its inputs.
        """
        values = self._checked(inputs)
        wanted = self._plan.outputs if outputs is None else tuple(outputs)
        steps = self._plan.steps if outputs is None else self._plan.needed(wanted)
        rng = np.random.default_rng(self._seed)
        if self.watch is not None:
            for name, value in values.items():
                self.watch(name, value)
        given = list(values.values())
        results = self._run(self._plan, steps, values, wanted, rng)
        return [_owned(value, given) for value in results]

    def _run(
        self,
        plan: Plan,
        steps: Iterable[Step],
        values: dict[str, Any],
        wanted: Sequence[str],
        rng: np.random.Generator,
    ) -> list[Any]:
        kept = set(wanted)
        for step in steps:
            for name in step.uses:
                if name not in values:
                    values[name] = plan.initializer(name)
            for name, value in zip(step.outputs, self._step(step, values, rng), strict=False):
                if name:
                    values[name] = value
                    if self.watch is not None:
                        self.watch(name, value)
            for name in step.last:
                if name not in kept:
                    values.pop(name, None)
        for name in wanted:
            if name not in values:
                if name not in plan.stored():
                    raise KernelError(f"there is no value {name!r}")
                values[name] = plan.initializer(name)
        return [values[name] for name in wanted]

    def _step(self, step: Step, values: dict[str, Any], rng: np.random.Generator) -> list[Any]:
        arguments = [values[name] if name else None for name in step.inputs]
        try:
            if step.fault:
                raise KernelError(step.fault)
            check_types(step.signature, arguments)
            if step.kernel is None:
                return self._branch(step, arguments, values, rng)
            return call(step.kernel, arguments, step.attributes, outputs=len(step.outputs), rng=rng)
        except KernelError as error:
            message = error.message
            if "(inputs: " not in message:
                message = f"{message} (inputs: {', '.join(map(type_text, arguments))})"
            raise KernelError(message, node=error.node or step.name, op=error.op or step.signature.title) from error

    def _branch(self, step: Step, arguments: list[Any], values: dict[str, Any], rng: np.random.Generator) -> list[Any]:
        chosen = "then_branch" if scalar(arguments[0], "the condition") else "else_branch"
        plan = step.branches.get(chosen)
        if plan is None:
            raise KernelError(f"the attribute {chosen} is required")
        inside = {name: values[name] for name in plan.captures}
        return self._run(plan, plan.steps, inside, plan.outputs, rng)

    def _checked(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        declared = {each.name: each for each in self._graph.input}
        unknown = [name for name in inputs if name not in declared]
        if unknown:
            raise KernelError(f"there is no input {unknown[0]!r}; the inputs are {', '.join(declared) or 'none'}")
        missing = [name for name in declared if name not in inputs and name not in self._plan.stored()]
        if missing:
            raise KernelError(f"the input {missing[0]!r} is missing")
        bound: dict[str, tuple[int, str]] = {}
        return {name: _input(declared[name], value, bound) for name, value in inputs.items()}


def _input(declared: ValueInfoProto, value: Any, bound: dict[str, tuple[int, str]]) -> Any:
    """The value as an array, checked against the declaration; equal dim names stand for equal sizes."""
    if declared.type.WhichOneof("value") != "tensor_type":
        return _nested(value)
    kind: TypeProto.Tensor = declared.type.tensor_type
    array = np.asarray(value)
    if array.dtype.kind in "OUST":
        array = as_text(array)
    where = f"the input {declared.name!r} is {type_text(array)}"
    if kind.elem_type and element_type(array.dtype) != kind.elem_type:
        raise KernelError(f"{where}, not of type {label(to_dtype(kind.elem_type))}")
    if not kind.HasField("shape"):
        return array
    if len(kind.shape.dim) != array.ndim:
        raise KernelError(f"{where}, not of rank {len(kind.shape.dim)}")
    for axis, (dim, size) in enumerate(zip(kind.shape.dim, array.shape, strict=True)):
        if dim.WhichOneof("value") == "dim_value" and dim.dim_value >= 0 and dim.dim_value != size:
            raise KernelError(f"{where}, but axis {axis} is declared as {dim.dim_value}")
        if dim.dim_param.strip() not in _UNNAMED:
            before, first = bound.setdefault(dim.dim_param, (size, declared.name))
            if before != size:
                raise KernelError(f"{where}, but {dim.dim_param} at axis {axis} is {before} in the input {first!r}")
    return array


def _nested(value: Any) -> Any:
    """A sequence with arrays in it; what may also be absent."""
    if isinstance(value, (list, tuple)):
        return [_nested(each) for each in value]
    if value is None:
        return None
    array = np.asarray(value)
    return as_text(array) if array.dtype.kind in "OUST" else array


def _owned(value: Any, given: list[Any]) -> Any:
    """The value itself, or a copy where changing it would change an input or an initializer."""
    if not isinstance(value, np.ndarray):
        return value
    shared = any(isinstance(each, np.ndarray) and np.may_share_memory(value, each) for each in given)
    return value.copy() if shared or not value.flags.writeable else value


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
