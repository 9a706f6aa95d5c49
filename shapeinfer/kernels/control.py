"""Control flow: If, Loop, Scan and SequenceMap, each in terms of running a graph on values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from onnx import TypeProto

from shapeinfer.kernels.arguments import integers, normalise_axis, scalar, shape_text, type_text
from shapeinfer.kernels.dtypes import Array, to_dtype
from shapeinfer.kernels.errors import ATTRIBUTES, SIZES, KernelError
from shapeinfer.kernels.plan import Plan, Step

RunGraph: TypeAlias = Callable[[str, Sequence[Any]], list[Any]]
"""Runs the graph of an attribute on values for its inputs."""


def run_control(step: Step, inputs: Sequence[Any], run: RunGraph) -> list[Any]:
    """The outputs of an If, a Loop, a Scan or a SequenceMap.

    Raises:
        KernelError: when its inputs do not fit its graph, or a node of that fails.
    """
    if step.op == "If":
        return _if(step, inputs, run)
    body = _graph(step, "body")
    if step.op == "Loop":
        return _loop(body, inputs, run)
    if step.op == "SequenceMap":
        return _sequence_map(body, inputs, run)
    assert step.signature is not None
    return _scan_batches(step, body, inputs, run) if step.signature.version < 9 else _scan(step, body, inputs, run)


def _graph(step: Step, attribute: str) -> Plan:
    plan = step.graphs.get(attribute)
    if plan is None:
        raise KernelError(f"the attribute {attribute} is required", code=ATTRIBUTES)
    return plan


def _if(step: Step, inputs: Sequence[Any], run: RunGraph) -> list[Any]:
    chosen = "then_branch" if scalar(inputs[0], "the condition") else "else_branch"
    _graph(step, chosen)
    return run(chosen, [])


def _loop(body: Plan, inputs: Sequence[Any], run: RunGraph) -> list[Any]:
    """Iterates while the trip count is not reached and the condition holds; each of both may be left out."""
    trips, condition, carried = inputs[0], inputs[1], list(inputs[2:])
    limit = None if trips is None else int(scalar(trips, "the trip count"))
    going = True if condition is None else bool(scalar(condition, "the condition"))
    count = len(carried)
    if len(body.inputs) != count + 2 or len(body.outputs) < count + 1:
        raise KernelError(
            f"a body of {len(body.inputs)} inputs and {len(body.outputs)} outputs for {count} carried values"
        )
    scans: list[list[Any]] = [[] for _ in body.outputs[count + 1 :]]
    iteration = 0
    while going and (limit is None or iteration < limit):
        results = run("body", [np.array(iteration, dtype=np.int64), np.array(True), *carried])
        going = bool(scalar(results[0], "the condition that the body returns"))
        carried = results[1 : count + 1]
        for kept, value in zip(scans, results[count + 1 :], strict=True):
            kept.append(value)
        iteration += 1
    return [*carried, *(_stacked(k, 0, t) for k, t in zip(scans, body.declared[count + 1 :], strict=True))]


def _stacked(values: list[Any], axis: int, declared: TypeProto) -> Any:
    """One array of all values, along a new axis; of the type that the graph declares when there is none."""
    if not values:
        tensor = declared.tensor_type
        dims = [dim.dim_value if dim.HasField("dim_value") else 0 for dim in tensor.shape.dim]
        dims.insert(normalise_axis(axis, len(dims) + 1), 0)
        return np.zeros(dims, dtype=to_dtype(tensor.elem_type) if tensor.elem_type else np.dtype(np.float32))
    first = values[0]
    for value in values:
        if not isinstance(value, np.ndarray) or value.shape != first.shape or value.dtype != first.dtype:
            message = f"iterations make {type_text(first)} and {type_text(value)}, which cannot be stacked"
            raise KernelError(message, code=SIZES)
    return np.stack(values, axis=normalise_axis(axis, first.ndim + 1))


def _numbers(step: Step, name: str, count: int) -> tuple[int, ...]:
    found: tuple[int, ...] = step.attributes.get(name) or (0,) * count
    if len(found) != count:
        raise KernelError(f"{name} {shape_text(found)} must be {count} numbers", code=ATTRIBUTES)
    return found


def _directions(step: Step, name: str, count: int) -> tuple[int, ...]:
    found = _numbers(step, name, count)
    if any(each not in (0, 1) for each in found):
        raise KernelError(f"{name} {shape_text(found)} must be of 0 and 1", code=ATTRIBUTES)
    return found


def _scan(step: Step, body: Plan, inputs: Sequence[Any], run: RunGraph) -> list[Any]:
    """Scan from version 9 on: axes and directions for each sequence that is read and made."""
    read = step.attributes["num_scan_inputs"]
    states, made = _counts(body, len(inputs), read)
    axes = _numbers(step, "scan_input_axes", read)
    back = _directions(step, "scan_input_directions", read)
    sequences = []
    for value, axis, backwards in zip(inputs[states:], axes, back, strict=True):
        at = normalise_axis(axis, value.ndim, "scan_input_axes")
        sequences.append(np.moveaxis(value, at, 0)[:: -1 if backwards else 1])
    carried, rows = _iterate(body, list(inputs[:states]), sequences, run, made)
    out_axes = _numbers(step, "scan_output_axes", made)
    out_back = _directions(step, "scan_output_directions", made)
    stacked = [
        _stacked(each[:: -1 if backwards else 1], axis, declared)
        for each, axis, backwards, declared in zip(rows, out_axes, out_back, body.declared[states:], strict=True)
    ]
    return [*carried, *stacked]


def _counts(body: Plan, inputs: int, read: int) -> tuple[int, int]:
    states = inputs - read
    made = len(body.outputs) - states
    if read < 1 or states < 0 or made < 0 or len(body.inputs) != inputs:
        raise KernelError(
            f"a body of {len(body.inputs)} inputs and {len(body.outputs)} outputs for {inputs} inputs, {read} scanned"
        )
    return states, made


def _iterate(
    body: Plan, carried: list[Any], sequences: Sequence[Array], run: RunGraph, made: int
) -> tuple[list[Any], list[list[Any]]]:
    lengths = {each.shape[0] for each in sequences}
    if len(lengths) != 1:
        shapes = ", ".join(type_text(each) for each in sequences)
        raise KernelError(f"the scanned axes differ in length, moved to the front: {shapes}", code=SIZES)
    rows: list[list[Any]] = [[] for _ in range(made)]
    for at in range(lengths.pop()):
        results = run("body", [*carried, *(each[at, ...] for each in sequences)])
        for before, after in zip(carried, results[: len(carried)], strict=True):
            if isinstance(before, np.ndarray) and before.shape != np.shape(after):
                shapes = f"{type_text(before)} goes in, {type_text(after)} comes out"
                raise KernelError(f"a state keeps its shape from one iteration to the next, but {shapes}", code=SIZES)
        carried = results[: len(carried)]
        for kept, value in zip(rows, results[len(carried) :], strict=True):
            kept.append(value)
    return carried, rows


def _scan_batches(step: Step, body: Plan, inputs: Sequence[Any], run: RunGraph) -> list[Any]:
    """Scan-8: everything has a batch dim in front; the lengths of the sequences may differ, rows beyond are zero."""
    lengths, given = inputs[0], list(inputs[1:])
    read = step.attributes["num_scan_inputs"]
    states, made = _counts(body, len(given), read)
    back = _directions(step, "directions", read)
    for value in given[:states] + given[states:]:
        if value.ndim < 1 or value.shape[0] != given[0].shape[0]:
            raise KernelError(f"the batch sizes of {', '.join(map(type_text, given))} differ", code=SIZES)
    if any(value.ndim < 2 for value in given[states:]):
        raise KernelError("a scanned input needs a batch and a sequence dim", code=SIZES)
    batch, full = given[0].shape[0], given[states].shape[1]
    counts = (full,) * batch if lengths is None else integers(lengths, "sequence_lens")
    if len(counts) != batch or any(not 0 <= each <= full for each in counts):
        raise KernelError(f"sequence_lens {shape_text(counts)} for {batch} sequences of at most {full}", code=SIZES)
    finals: list[list[Any]] = [[] for _ in range(states)]
    stacks: list[list[Any]] = [[] for _ in range(made)]
    for item, count in enumerate(counts):
        sequences = [
            value[item, :count][:: -1 if backwards else 1]
            for value, backwards in zip(given[states:], back, strict=True)
        ]
        carried, rows = _iterate(body, [value[item, ...] for value in given[:states]], sequences, run, made)
        for kept, value in zip(finals, carried, strict=True):
            kept.append(value)
        for kept, row, declared in zip(stacks, rows, body.declared[states:], strict=True):
            stacked = _stacked(row, 0, declared)
            rest = np.zeros((full - count, *stacked.shape[1:]), dtype=stacked.dtype)
            kept.append(np.concatenate([stacked, rest]))
    types = [*body.declared[:states], *body.declared[states:]]
    return [_stacked(each, 0, declared) for each, declared in zip([*finals, *stacks], types, strict=True)]


def _sequence_map(body: Plan, inputs: Sequence[Any], run: RunGraph) -> list[Any]:
    """The graph on each element of the first sequence, with those of the others, and with tensors as they are."""
    first = inputs[0]
    results: list[list[Any]] = [[] for _ in body.outputs]
    if len(body.inputs) != len(inputs):
        raise KernelError(f"a body of {len(body.inputs)} inputs for {len(inputs)}")
    for other in inputs[1:]:
        if isinstance(other, list) and len(other) != len(first):
            raise KernelError(f"sequences of {len(first)} and of {len(other)} elements", code=SIZES)
    for at in range(len(first)):
        for kept, value in zip(
            results, run("body", [each[at] if isinstance(each, list) else each for each in inputs]), strict=True
        ):
            kept.append(value)
    return list(results)
