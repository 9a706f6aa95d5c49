"""Runs a model and holds what was inferred against what came to be."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import onnx
from numpy.typing import ArrayLike
from pydantic import BaseModel, ConfigDict

from shapeinfer import catalogue as codes
from shapeinfer import feeds, modelio, reproduce, runtimes
from shapeinfer.diagnostics import Code, Finding, Where
from shapeinfer.engine import Analysis, analyse
from shapeinfer.modelio import ModelSource
from shapeinfer.observed import Comparison, Seen, observe
from shapeinfer.options import OptionError, Options
from shapeinfer.session import KernelError, Session
from shapeinfer.values import Node

RUNS = 3
"""So many assignments of sizes are tried when none are asked for."""
_COMBINATIONS = 100


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True)


class Mismatch(_Model):
    """A claim that a run contradicts, or numbers that differ between two backends: a bug."""

    code: str
    kind: Literal["type", "rank", "size", "numbers"]
    value: str
    where: str
    message: str
    sizes: dict[str, int]
    model: str | None = None
    """The file with the smallest model that shows it; what is fed to it lies beside it."""


class RunReport(_Model):
    """One run: with which sizes, and what came of it."""

    sizes: dict[str, int]
    outcome: Literal["done", "failed", "skipped"]
    reason: str = ""
    code: str = ""
    compared: int = 0
    """How many values were compared with what was inferred."""
    undecided: tuple[str, ...] = ()
    """The values of which a size depends on a symbol that nothing in the run tells."""


class VerifyReport(_Model):
    """What came of all runs."""

    model: str
    backend: str
    runs: tuple[RunReport, ...] = ()
    mismatches: tuple[Mismatch, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether some run reached its end, and none contradicts what was inferred."""
        return not self.mismatches and any(run.outcome == "done" for run in self.runs)


def verify(
    model: ModelSource,
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Sequence[str | os.PathLike[str]] = (),
    sizes: Mapping[str, Sequence[int]] | None = None,
    inputs: Mapping[str, ArrayLike] | None = None,
    runs: int = RUNS,
    backend: Literal["kernels", "onnxruntime"] = "kernels",
    values: bool = False,
    seed: int = 0,
    save: str | os.PathLike[str] | None = None,
) -> VerifyReport:
    """Infers, runs the model with several sizes, and compares every value of its main graph with what was inferred.

    Args:
        model: a message, bytes or a path.
        dims: facts about dim names, as :func:`shapeinfer.check` takes them.
        input_shapes: shapes for inputs, as there.
        rules: directories of further rules.
        sizes: numbers for dim names: all combinations are run. Other sizes are chosen to meet the requirements.
        inputs: values for inputs; the others are random.
        runs: how many assignments are run when ``sizes`` leaves a choice.
        backend: what runs the model.
        values: also compare the numbers of the kernels with ONNX Runtime's.
        seed: fixes the random values.
        save: where to write a small model for each mismatch.

    Raises:
        ModelError: when the model cannot be read.
        OptionError, RulePackError: when an option or a rule pack is at fault, or the backend is not installed.
        shapeinfer.feeds.FeedError: when no inputs can be made up.
    """
    source = modelio.load(model)
    options = Options(
        dims=dict(dims or {}), input_shapes=dict(input_shapes or {}), rules=tuple(os.fspath(r) for r in rules)
    )
    with modelio.text_checked(source):
        analysis = analyse(source, options, base=modelio.base_directory(model))
        name = str(Path(model)) if isinstance(model, str | os.PathLike) else "model"
        work = _Verification(model, source, analysis, backend, values, None if save is None else Path(save))
        given = {key: np.asarray(value) for key, value in (inputs or {}).items()}
        for chosen, reason in _assignments(analysis, given, sizes or {}, runs):
            if chosen is None:
                work.runs.append(RunReport(sizes={}, outcome="skipped", reason=reason))
            else:
                work.run(feeds.random_feeds(analysis, seed, given, chosen), chosen)
    return VerifyReport(model=name, backend=backend, runs=tuple(work.runs), mismatches=tuple(work.mismatches))


def _assignments(
    analysis: Analysis, given: Mapping[str, Any], asked: Mapping[str, Sequence[int]], runs: int
) -> Iterator[tuple[dict[str, int] | None, str]]:
    """Sizes for the symbols of the inputs, or why there are none."""
    known = feeds.free_names(analysis)
    for name, numbers in asked.items():
        if name not in known:
            raise OptionError(f"dims {name}", f"no input has this dim; there are {', '.join(sorted(known)) or 'none'}")
        if not numbers or min(numbers) < 0:
            raise OptionError(f"dims {name}", "give sizes from 0 on")
    fixed = feeds.bound_sizes(analysis, given)
    combinations = list(itertools.islice(itertools.product(*asked.values()), _COMBINATIONS + 1))
    if len(combinations) > _COMBINATIONS:
        raise OptionError("dims", f"more than {_COMBINATIONS} combinations")
    share = max(1, runs // len(combinations))
    for combination in combinations:
        chosen = {**fixed, **dict(zip(asked, combination, strict=True))}
        try:
            for sizes in itertools.islice(feeds.several_sizes(analysis, chosen), share):
                yield sizes, ""
        except feeds.FeedError as error:
            if not asked:
                raise
            stated = ", ".join(f"{name}={number}" for name, number in chosen.items())
            yield None, f"{stated}: {error}"


class _Verification:
    """The runs of one model."""

    def __init__(
        self,
        model: ModelSource,
        source: onnx.ModelProto,
        analysis: Analysis,
        backend: str,
        values: bool,
        save: Path | None,
    ) -> None:
        self._analysis = analysis
        self._backend = backend
        self._save = save
        self._base = modelio.base_directory(model)
        self._source = source
        self.runs: list[RunReport] = []
        self.mismatches: list[Mismatch] = []
        self._told: set[str] = set()
        self._kernels = None if backend == "onnxruntime" and not values else self._session(model)
        self._other = runtimes.OnnxRuntime(source, self._base) if backend == "onnxruntime" or values else None
        self._values = values

    def _session(self, model: ModelSource) -> Session | KernelError:
        try:
            return Session(model if self._base is not None else self._source, seed=0)
        except KernelError as error:
            return error

    def run(self, given: dict[str, Any], sizes: dict[str, int]) -> None:
        """Runs the model on these inputs and adds what came of it."""
        try:
            others: dict[str, Any] = {}
            remarks = ""
            if self._other is not None:
                try:
                    others = self._other.run(given)
                except runtimes.RuntimeFailedError as error:
                    if self._backend == "onnxruntime":
                        raise
                    remarks = f"onnxruntime: {error}"
            seen: dict[str, Seen] = {}
            differences: list[tuple[str, float]] = []
            if self._backend == "onnxruntime":
                seen = {name: observe(value) for name, value in others.items()}
            if isinstance(self._kernels, KernelError):
                raise self._kernels
            if self._kernels is not None:

                def watch(name: str, value: Any) -> None:
                    if self._backend == "kernels":
                        seen[name] = observe(value)
                    if name in others and (gap := runtimes.difference(value, others.pop(name))) is not None:
                        differences.append((name, gap))

                self._kernels.run(given, watch=watch)
        except (KernelError, runtimes.RuntimeFailedError) as error:
            code = error.code if isinstance(error, KernelError) else codes.RUN_FAILED.id
            self.runs.append(RunReport(sizes=sizes, outcome="failed", reason=str(error), code=code))
            return
        comparison = Comparison(self._analysis, seen, sizes)
        self.runs.append(
            RunReport(
                sizes=sizes,
                outcome="done",
                reason=remarks,
                compared=comparison.compared,
                undecided=tuple(comparison.undecided),
            )
        )
        for wrong in comparison.contradictions:
            fields = {"value": wrong.value, "claim": wrong.claim, "actual": wrong.actual, "sizes": _stated(sizes)}
            self._tell(codes.VERIFY_CONTRADICTED, wrong.kind, wrong.value, fields, given, sizes)
        downstream: set[str] = set()
        for name, gap in differences:
            made = reproduce.maker(self._analysis, name)
            rooted = made is None or downstream.isdisjoint(reproduce.read_names(made.proto))
            downstream.update([name] if made is None else made.outputs)
            if rooted:
                fields = {
                    "value": name,
                    "backend": "onnxruntime",
                    "difference": f"{gap:.3g}",
                    "sizes": _stated(sizes),
                }
                self._tell(codes.VERIFY_NUMBERS, "numbers", name, fields, given, sizes)

    def _tell(
        self, code: Code, kind: Any, value: str, fields: dict[str, Any], given: dict[str, Any], sizes: dict[str, int]
    ) -> None:
        if value in self._told:
            return
        self._told.add(value)
        node = reproduce.maker(self._analysis, value)
        where = Where((), node.name, node.index, node.op, node.domain) if node is not None else Where()
        path = None
        if self._save is not None and node is not None:
            path = self._write(node, value, given, shown_by_run=kind != "numbers")
        message = Finding(code, where, fields).message
        self.mismatches.append(
            Mismatch(
                code=code.id,
                kind=kind,
                value=value,
                where=str(where),
                message=message,
                sizes=sizes,
                model=None if path is None else str(path),
            )
        )

    def _write(self, node: Node, value: str, given: dict[str, Any], *, shown_by_run: bool) -> Path:
        """Writes the smallest model that shows the mismatch, with its inputs beside it."""
        assert self._save is not None
        model, feed = self._smallest(node, value, given, shown_by_run)
        stem = re.sub(r"[^A-Za-z0-9_.-]", "_", value)
        self._save.mkdir(parents=True, exist_ok=True)
        path = self._save / f"{stem}.onnx"
        modelio.save(model, path)
        for name, each in feed.items():
            if isinstance(each, np.ndarray):
                modelio.write(path.with_suffix(f".{re.sub(r'[^A-Za-z0-9_.-]', '_', name)}.npy"), feeds.npy_bytes(each))
        return path

    def _smallest(
        self, node: Node, value: str, given: dict[str, Any], shown_by_run: bool
    ) -> tuple[onnx.ModelProto, dict[str, Any]]:
        session = self._kernels or self._session(self._source)
        reads = reproduce.read_names(node.proto)
        if isinstance(session, Session):
            arrays = dict(zip(reads, session.run(given, reads), strict=True))
            for symbolic in (False, True):
                model = reproduce.single_node(self._analysis, node, arrays, symbolic=symbolic)
                names = {each.name for each in model.graph.input}
                feed = {name: array for name, array in arrays.items() if name in names}
                if not shown_by_run or shows(model, value, feed):
                    return model, feed
        model = reproduce.ancestors(self._source, value)
        names = {each.name for each in model.graph.input}
        return model, {name: array for name, array in given.items() if name in names}


def shows(model: onnx.ModelProto, value: str, given: Mapping[str, Any]) -> bool:
    """Whether a run of the model on the kernels contradicts what is inferred of a value."""
    analysis = analyse(model)
    seen: dict[str, Seen] = {}
    try:
        Session(model).run(given, watch=lambda name, array: seen.update({name: observe(array)}))
    except KernelError:
        return False
    arrays = {name: array for name, array in given.items() if isinstance(array, np.ndarray)}
    found = Comparison(analysis, seen, feeds.bound_sizes(analysis, arrays)).contradictions
    return any(each.value == value for each in found)


def _stated(sizes: Mapping[str, int]) -> str:
    return ", ".join(f"{name}={size}" for name, size in sizes.items()) or "the sizes that are declared"
