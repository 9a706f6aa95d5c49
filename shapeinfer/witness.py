"""Runs that show what a contract says: sizes with which a node fails, or with which a value has another rank.

The part of the model that a node depends on is cut out and run on the kernels. Nothing is called confirmed that was not
run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import numpy_helper

from shapeinfer import catalogue as codes
from shapeinfer import dims, feeds, modelio
from shapeinfer.contract.build import Builder, Clause, Need, input_symbols
from shapeinfer.contract.cases import explore
from shapeinfer.contract.conditions import Condition, single
from shapeinfer.contract.document import built
from shapeinfer.contract.prove import sizes_that_meet, telling_sizes
from shapeinfer.contract.sets import ALL, SizeSet, intersection
from shapeinfer.contract.solve import solve
from shapeinfer.contract.why import main_index
from shapeinfer.diagnostics import Finding, Where
from shapeinfer.dims import Facts
from shapeinfer.engine import Analysis, analyse
from shapeinfer.kernels import Executor, KernelError
from shapeinfer.options import Options
from shapeinfer.reproduce import ancestors

_TRIED = 4
_SHOWN = 8
_TRIES = 20000
_WEIGHTS = 1 << 24
_SIZES_KEY = "shapeinfer.sizes"
_SEED_KEY = "shapeinfer.seed"
SEED = 0
_CANNOT_RUN = frozenset(("R706", "R707", "R708", "R712", "R713"))
"""Codes of errors that say nothing about sizes: no kernel, a graph out of order, weights that are not there."""


class Outcome(StrEnum):
    """What the runs came to."""

    CONFIRMED = "confirmed"
    NOT_FOUND = "no counterexample"
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Run:
    """One run of a part of the model."""

    sizes: Mapping[str, int]
    shape: tuple[int, ...] | None = None
    """The shape of what the part gives; ``None`` when it failed."""
    error: str = ""

    @property
    def sizes_text(self) -> str:
        """``N=1, H=33``."""
        return ", ".join(f"{name}={size}" for name, size in self.sizes.items())

    @property
    def text(self) -> str:
        """``N=1 gives rank 1``; ``S=513 fails: …``."""
        sizes = self.sizes_text or "the model"
        if self.shape is None:
            return f"{sizes} fails: {self.error}"
        return f"{sizes} gives rank {len(self.shape)}, {list(self.shape)}"


@dataclass
class Witness:
    """What runs showed of one condition, or of a value whose rank depends on sizes.

    Attributes:
        subject: the condition, or the finding.
        where: the node.
        runs: what was run: one that goes well and one that does not, or two of different rank.
        note: why nothing was run; what was made up.
        part: the part of the model that was run.
    """

    subject: str
    where: Where
    outcome: Outcome
    runs: list[Run] = field(default_factory=list)
    note: str = ""
    part: onnx.ModelProto | None = None

    @property
    def text(self) -> str:
        """``confirmed: N=1 gives rank 1, N=2 gives rank 2``."""
        if self.outcome is Outcome.NOT_RUN:
            return f"not run: {self.note}"
        note = f" ({self.note})" if self.note else ""
        if self.outcome is Outcome.NOT_FOUND:
            return f"no counterexample in {'; '.join(run.sizes_text for run in self.runs)}{note}"
        return f"confirmed: {'; '.join(run.text for run in self.runs)}{note}"


def witnesses(analysis: Analysis, base_dir: Path | None = None) -> Iterator[Witness]:
    """Runs for each condition on the inputs, and for each Squeeze that leaves the rank open.

    Args:
        analysis: of the whole model.
        base_dir: where its external data lies.
    """
    builder = built(analysis, explore(analysis))
    clauses = [clause for clause in builder.build() if clause.condition.symbols <= builder.symbols]
    search = Search(analysis, builder, clauses, base_dir)
    for finding in analysis.findings:
        if finding.code is codes.SQUEEZE_RANK:
            yield search.of_rank(finding)
    for clause in clauses:
        yield search.of_clause(clause)


class Search:
    """The search for sizes that break one condition and meet all others."""

    def __init__(
        self, analysis: Analysis, builder: Builder, clauses: list[Clause], base_dir: Path | None = None
    ) -> None:
        self.analysis = analysis
        self.clauses = clauses
        self.base_dir = base_dir
        self._symbols = input_symbols(analysis)
        self._given = {s: builder.of(s).given for s in self._symbols.values()}

    # ---------------------------------------------------------------------------------------------------- subjects

    def of_clause(self, clause: Clause) -> Witness:
        """Whether the node that needs a condition fails where the condition does not hold, and only there."""
        need = clause.needs[-1]
        node = self._node(need.where)
        if node is None:
            return Witness(
                clause.condition.text, need.where, Outcome.NOT_RUN, note="no node of the main graph needs it"
            )
        others = [other.condition for other in self.clauses if other is not clause]
        good = [*self.sizes([*others, clause.condition])][:1]
        witness = self._prepared(clause.condition.text, need, node)
        if witness.part is None:
            return witness
        bad = _different(witness.part, self.sizes(others, breaking=clause.condition))
        for sizes in bad:
            run = self._run(witness, sizes)
            if run is None:
                return witness
            witness.runs.append(run)
            if run.shape is None:
                witness.runs = [run]
                witness.outcome = Outcome.CONFIRMED
                witness.runs += [r for sizes in good if (r := self._run(witness, sizes)) is not None]
                _label(witness, run.sizes)
                return witness
        if not witness.runs:
            witness.outcome, witness.note = Outcome.NOT_RUN, "no sizes were found that break it alone"
        return witness

    def of_rank(self, finding: Finding) -> Witness:
        """Whether two sizes give what a Squeeze makes two different ranks."""
        node = self._node(finding.where)
        dim: Any = finding.fields["first"]
        subject = f"{finding.code.id} {finding.code.name}"
        if node is None or not dims.free_symbols(dim) <= set(self._symbols.values()):
            note = "the size comes from a run, or the node is in an inner graph"
            return Witness(subject, finding.where, Outcome.NOT_RUN, note=note)
        one = single("==", dim, 1)
        witness = self._prepared(subject, Need("", finding.where, finding.code, one), node)
        if witness.part is None:
            return witness
        sizes = _different(witness.part, self.sizes([one], far=False))[:1]
        sizes += _different(witness.part, self.sizes([], breaking=one, far=False))
        for each in sizes:
            run = self._run(witness, each)
            if run is None:
                return witness
            witness.runs.append(run)
            ranks = {len(r.shape) for r in witness.runs if r.shape is not None}
            if len(ranks) > 1:
                witness.outcome = Outcome.CONFIRMED
                witness.runs = [witness.runs[0], run]
                _label(witness, run.sizes)
                break
        return witness

    # ------------------------------------------------------------------------------------------------------- sizes

    def sizes(
        self, conditions: list[Condition], breaking: Condition | None = None, far: bool = True
    ) -> Iterator[dict[str, int]]:
        """Small sizes that meet conditions and the user's facts, none of them 0 if that can be.

        Args:
            conditions: what is met.
            breaking: what is not met.
            far: keep to the sizes that all conditions on one symbol allow.
        """
        facts, choices = Facts(), {}
        for condition in conditions:
            if len(condition.symbols) > 1:
                condition.assume(facts)
        for name, symbol in self._symbols.items():
            choices[name] = self._choices(symbol, conditions if far else [], breaking)
        for sizes in sizes_that_meet(conditions, facts, self._symbols.values(), choices, limit=_TRIES):
            if breaking is None or not breaking.holds(sizes):
                yield {name: sizes[name] for name in self._symbols}

    def _choices(self, symbol: Any, conditions: list[Condition], breaking: Condition | None) -> list[int]:
        sets: list[SizeSet] = [self._given[symbol]]
        sets += [s for c in conditions if c.symbols == {symbol} and (s := solve(c, symbol, ALL)) is not None]
        allowed = intersection(sets)
        if breaking is not None and breaking.symbols == {symbol}:
            holds = solve(breaking, symbol, ALL)
            allowed = allowed - holds if holds is not None else allowed
        telling = telling_sizes([*conditions, *([breaking] if breaking else ())])
        few = {n for _, n in zip(range(_SHOWN), allowed, strict=False)} | {n for n in telling if n in allowed}
        return sorted(few, key=lambda n: (n == 0, n))

    # -------------------------------------------------------------------------------------------------------- runs

    def _node(self, where: Where) -> onnx.NodeProto | None:
        index = main_index(where)
        nodes = self.analysis.model.graph.node
        return nodes[index] if index is not None and index < len(nodes) else None

    def _prepared(self, subject: str, need: Need, node: onnx.NodeProto) -> Witness:
        part = ancestors(self.analysis.model, next(name for name in node.output if name))
        witness = Witness(subject, need.where, Outcome.NOT_FOUND, part=part)
        made_up = _made_up_weights(part, self.base_dir)
        if made_up is None:
            witness.part, witness.outcome = None, Outcome.NOT_RUN
            witness.note = "the weights of this part are not there, and too large to make up"
        elif made_up:
            witness.note = f"with random numbers for {made_up} tensors whose data is not there"
        return witness

    def _run(self, witness: Witness, sizes: dict[str, int]) -> Run | None:
        """One run of the part; ``None`` when it cannot be run, whatever the sizes."""
        part = witness.part
        assert part is not None
        try:
            given = feeds_of(part, sizes)
            executor = Executor(part, self.base_dir, seed=SEED)
            (result,) = executor.run(given)
        except feeds.FeedError as error:
            witness.outcome, witness.note = Outcome.NOT_RUN, str(error)
            return None
        except KernelError as error:
            if error.code in _CANNOT_RUN:
                witness.outcome, witness.note = Outcome.NOT_RUN, str(error)
                return None
            return Run(_used(part, sizes), error=str(error))
        return Run(_used(part, sizes), shape=tuple(np.shape(result)))


def feeds_of(part: onnx.ModelProto, sizes: Mapping[str, int]) -> dict[str, Any]:
    """The inputs that a part of a model was run with at these sizes: the same ones in each run.

    Raises:
        FeedError: when no inputs can be made up.
    """
    analysis = analyse(part, Options())
    return feeds.random_feeds(analysis, SEED, sizes=sizes)


def _different(part: onnx.ModelProto, found: Iterator[dict[str, int]]) -> list[dict[str, int]]:
    """The first few sizes that make a difference to a part of the model."""
    names = input_symbols(analyse(part, Options()))
    different: dict[tuple[int, ...], dict[str, int]] = {}
    for sizes in found:
        different.setdefault(tuple(sizes[name] for name in names if name in sizes), sizes)
        if len(different) == _TRIED:
            break
    return [*different.values()]


def _used(part: onnx.ModelProto, sizes: dict[str, int]) -> dict[str, int]:
    """The sizes that the inputs of the part have to do with."""
    names = input_symbols(analyse(part, Options()))
    return {name: size for name, size in sizes.items() if name in names}


def _made_up_weights(part: onnx.ModelProto, base_dir: Path | None) -> int | None:
    """Puts random numbers in the place of external data that is not there; how many tensors, ``None`` if too large."""
    stated = [
        a.t for node in part.graph.node if node.op_type == "Constant" for a in node.attribute if a.name == "value"
    ]
    tensors = [t for t in (*part.graph.initializer, *stated) if t.data_location == onnx.TensorProto.EXTERNAL]
    missing = [t for t in tensors if not _is_there(t, base_dir)]
    if sum(int(np.prod(t.dims)) for t in missing) > _WEIGHTS:
        return None
    rng = np.random.default_rng(SEED)
    for tensor in missing:
        dtype = onnx.helper.tensor_dtype_to_np_dtype(tensor.data_type)
        numbers = rng.standard_normal(tuple(tensor.dims)).astype(dtype)
        made = numpy_helper.from_array(np.asarray(numbers), tensor.name)
        tensor.CopyFrom(made)
    return len(missing)


def _is_there(tensor: onnx.TensorProto, base_dir: Path | None) -> bool:
    places = [entry.value for entry in tensor.external_data if entry.key == "location"]
    return base_dir is not None and bool(places) and (base_dir / places[0]).is_file()


def _label(witness: Witness, sizes: Mapping[str, int]) -> None:
    """Writes into the part with which sizes it shows what it shows."""
    assert witness.part is not None
    witness.part.producer_name = "shapeinfer witness"
    witness.part.doc_string = f"{witness.subject}\n{witness.text}"
    for key, value in ((_SIZES_KEY, json.dumps(dict(sizes))), (_SEED_KEY, str(SEED))):
        witness.part.metadata_props.add(key=key, value=value)


def save(witness: Witness, directory: Path, number: int) -> Path | None:
    """Writes the part that reproduces a confirmed witness; ``None`` for any other.

    Raises:
        ModelError: when it cannot be written.
    """
    if witness.outcome is not Outcome.CONFIRMED or witness.part is None:
        return None
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / f"witness_{number}.onnx"
    modelio.save(witness.part, path)
    return path


def reproduce(path: Path) -> Run:
    """Runs a saved witness again, with the sizes that it was saved with.

    Raises:
        ModelError: when there is no model to be had.
        FeedError: when the file is no witness.
    """
    part = modelio.load(path)
    stored = {entry.key: entry.value for entry in part.metadata_props}
    if _SIZES_KEY not in stored:
        raise feeds.FeedError(f"{path} holds no sizes: it is no witness")
    sizes = {name: int(size) for name, size in json.loads(stored[_SIZES_KEY]).items()}
    try:
        (result,) = Executor(part, path.parent, seed=SEED).run(feeds_of(part, sizes))
    except KernelError as error:
        return Run(sizes, error=str(error))
    return Run(sizes, shape=tuple(np.shape(result)))
