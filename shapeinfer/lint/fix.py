"""Repairs a model, and makes sure that the repaired one computes the same before anybody gets to see it."""

from __future__ import annotations

import copy
import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import onnx
import onnx.printer

from shapeinfer import feeds
from shapeinfer.claims import check_claims
from shapeinfer.diagnostics import Severity
from shapeinfer.dims import is_symbolic, size, text
from shapeinfer.engine import Analysis, analyse
from shapeinfer.kernels import Executor, KernelError
from shapeinfer.lint.registry import Lint
from shapeinfer.options import Options
from shapeinfer.types import TensorType

_ROUNDS = 50
_RUNS = 3
_SIZES = (1, 2, 3, 5, 8)
Look = Callable[[Analysis], Iterable[Lint]]


class UnverifiedError(Exception):
    """A repaired model that could not be shown to compute the same; the message says why."""


@dataclass(slots=True)
class Repaired:
    """A repaired model: what was done, and how it was verified."""

    model: onnx.ModelProto
    titles: list[str] = field(default_factory=list)
    runs: int = 0
    """How many runs of both models gave the same; 0 where nothing that computes was touched."""


def repair(model: onnx.ModelProto, options: Options, look: Look, base: Path | None = None) -> Repaired:
    """A copy of the model with every repair made that the lints offer; ``model`` is not changed.

    Args:
        look: gives the lints whose repairs are wanted.
        base: the directory that external data is relative to.

    Raises:
        UnverifiedError: when the repaired model has faults, or the two could not be run or differ.
    """
    repaired = copy.deepcopy(model)
    titles: list[str] = []
    for _ in range(_ROUNDS):
        done: set[str] = set()
        for lint in list(look(analyse(repaired, options, keep_inner=True))):
            if lint.fix is not None and done.isdisjoint(lint.fix.names):
                done |= lint.fix.names
                lint.fix.apply(repaired)
                titles.append(lint.fix.title)
        if not done:
            break
    result = Repaired(repaired, titles)
    if titles:
        result.runs = verify(model, repaired, options, base)
    return result


def verify(before: onnx.ModelProto, after: onnx.ModelProto, options: Options, base: Path | None = None) -> int:
    """How many runs of the two gave the same outputs; 0 where both compute with the same nodes and numbers.

    Raises:
        UnverifiedError: when the second model has faults that the first has not, or the two differ or cannot be run.
    """
    first, second = analyse(before, options), analyse(after, options)
    new = _errors(second) - _errors(first)
    if new:
        raise UnverifiedError(f"the repaired model has a fault: {sorted(new)[0]}")
    if _computing(before) == _computing(after):
        return 0
    old, repaired = _executor(before, base), _executor(after, base)
    runs, reason = 0, "no inputs were found that it takes"
    for given in _inputs(first, before, options):
        try:
            expected = old.run(given)
        except (KernelError, OSError) as error:
            reason = str(error)
            continue
        try:
            actual = repaired.run(given)
        except (KernelError, OSError) as error:
            raise UnverifiedError(f"the repaired model fails where the model runs: {error}") from error
        if not all(_same(a, b) for a, b in zip(expected, actual, strict=True)):
            raise UnverifiedError("the repaired model computes something else")
        runs += 1
    if runs == 0:
        raise UnverifiedError(f"the model cannot be run, so the repair cannot be verified: {reason}")
    return runs


def _errors(analysis: Analysis) -> set[str]:
    found = (*analysis.findings, *check_claims(analysis))
    return {f"{f.code.name}: {f.message}" for f in found if f.severity is Severity.ERROR}


def _computing(model: onnx.ModelProto) -> bytes:
    """All of a model that bears on what it computes."""
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    del bare.graph.value_info[:]
    for each in (*bare.graph.input, *bare.graph.output):
        each.type.tensor_type.ClearField("shape")
    used = {node.domain for node in bare.graph.node} | {""}
    kept = [each for each in bare.opset_import if each.domain in used or bare.functions]
    del bare.opset_import[:]
    bare.opset_import.extend(kept)
    return bytes(bare.SerializeToString(deterministic=True))


def _executor(model: onnx.ModelProto, base: Path | None) -> Executor:
    try:
        return Executor(model, base_dir=base, seed=0)
    except (KernelError, OSError) as error:
        raise UnverifiedError(f"the model cannot be run, so the repair cannot be verified: {error}") from error


def _inputs(analysis: Analysis, model: onnx.ModelProto, options: Options) -> Iterable[dict[str, feeds.Array]]:
    """Random inputs at a few sizes that the model's requirements allow."""
    names: set[str] = set()
    for given in model.graph.input:
        kind = analysis.values[given.name].type if given.name in analysis.values else None
        shape = kind.shape if isinstance(kind, TensorType) else None
        names.update(text(dim) for dim in shape or () if is_symbolic(dim) and size(dim) == 0)
    count = 0
    for seed, wish in enumerate(_SIZES if names else _SIZES[:_RUNS]):
        try:
            sizes = dict(options.dims)
            for name in sorted(names):
                if name not in sizes and _takes(analysis, {**sizes, name: wish}, options):
                    sizes[name] = wish
            at = analyse(model, options.model_copy(update={"dims": sizes}))
            yield feeds.random_feeds(at, seed)
        except feeds.FeedError:
            continue
        count += 1
        if count == _RUNS:
            return


def _takes(analysis: Analysis, sizes: dict[str, str | int], options: Options) -> bool:
    fixed = {name: number for name, number in sizes.items() if type(number) is int}
    try:
        feeds.choose_sizes(analysis, fixed)
    except feeds.FeedError:
        return False
    return True


def _same(a: object, b: object) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        return bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return type(a) is type(b) and a == b


def diff(before: onnx.ModelProto, after: onnx.ModelProto, name: str) -> str:
    """What changed, as a unified diff of the two models in ONNX's text form, without large data."""
    old, new = (onnx.printer.to_text(_without_data(model)).splitlines(keepends=True) for model in (before, after))
    return "".join(difflib.unified_diff(old, new, fromfile=name, tofile=f"{name} (repaired)"))


def _without_data(model: onnx.ModelProto) -> onnx.ModelProto:
    bare = onnx.ModelProto()
    bare.CopyFrom(model)
    for tensor in bare.graph.initializer:
        count = 1
        for dim in tensor.dims:
            count *= dim
        if count > 16:
            for name in (
                "raw_data",
                "float_data",
                "int32_data",
                "int64_data",
                "double_data",
                "uint64_data",
                "string_data",
            ):
                tensor.ClearField(name)
            tensor.dims[:] = [0]
            tensor.doc_string = ""
    return bare
