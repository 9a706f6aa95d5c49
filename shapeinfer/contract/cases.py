"""Cases of sizes that an analysis could not tell apart: a dim that may be 1 for a Squeeze, the condition of an If.

Each case is analysed on its own. One in which the model cannot run is ruled out, which is a condition that no single
node needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.contract.build import Need, input_symbols
from shapeinfer.contract.conditions import Atom, Condition, single
from shapeinfer.contract.sets import SizeSet, TooComplex, interval
from shapeinfer.contract.solve import solve
from shapeinfer.diagnostics import Finding, Severity
from shapeinfer.engine import Analysis, analyse
from shapeinfer.options import Options

_SPLITS = 6
_REGIONS = 5
_PASSED_ON = frozenset(("Cast", "Identity", "Reshape", "Squeeze", "Unsqueeze"))


@dataclass
class Explored:
    """An analysis in the only case in which the model can run, with the sizes of the others.

    Attributes:
        excluded: sizes of a symbol in a case that fails, with what fails there.
    """

    analysis: Analysis
    excluded: list[tuple[Any, SizeSet, Need]] = field(default_factory=list)


def explore(analysis: Analysis) -> Explored:
    """Analyses the cases of a model that has no error as it stands."""
    found = Explored(analysis)
    done: set[Condition] = set()
    for _ in range(_SPLITS):
        question = next((q for q in questions(found.analysis) if q not in done), None)
        if question is None or _error(found.analysis) is not None:
            break
        done.add(question)
        _split(found, question)
    return found


def _split(found: Explored, question: Condition) -> None:
    (symbol,) = question.symbols
    regions = _regions(question, symbol, found.analysis)
    alive: list[tuple[Analysis, SizeSet]] = []
    for low, high in regions:
        inside = analyse(found.analysis.model, narrowed(found.analysis.options, symbol.name, low, high))
        error = _error(inside)
        sizes = interval(low, high)
        if error is None:
            alive.append((inside, sizes))
            continue
        condition = Condition(tuple((atom,) for atom in _outside(symbol, low, high)))
        where = _in_words(symbol, low, high)
        need = Need(f"{error.message} where {where}", error.where, error.code, condition)
        found.excluded.append((symbol, sizes, need))
    if len(alive) == 1 and len(regions) > 1:
        found.analysis = alive[0][0]


def narrowed(options: Options, name: str, low: int, high: int | None) -> Options:
    """The options with a range for one dim."""
    return options.model_copy(update={"dims": {**options.dims, name: f"{low}..{'' if high is None else high}"}})


def _outside(symbol: Any, low: int, high: int | None) -> Iterator[Atom]:
    if low > 0:
        yield Atom(">=", low - 1, symbol)
    if high is not None:
        yield Atom(">=", symbol, high + 1)


def _in_words(symbol: Any, low: int, high: int | None) -> str:
    if low == high:
        return f"{symbol} == {low}"
    return f"{symbol} >= {low}" if high is None else f"{low} <= {symbol} <= {high}"


def _error(analysis: Analysis) -> Finding | None:
    return next((f for f in analysis.findings if is_failure(f)), None)


def is_failure(finding: Finding) -> bool:
    """Whether a finding says that a node cannot run for any sizes; not so faults of how the model is written."""
    return finding.severity is Severity.ERROR and finding.code.id[0] in "ST"


def _regions(question: Condition, symbol: Any, analysis: Analysis) -> list[tuple[int, int | None]]:
    """The intervals of sizes in which a question has one answer; none where there are too many."""
    low, high = analysis.facts.range(symbol)
    known = interval(low or 0, high)
    try:
        yes = solve(question, symbol, known)
        if yes is None:
            return []
        pieces = [piece for part in (yes, known - yes) for piece in part.pieces if piece.remainders]
    except TooComplex:
        return []
    if len(pieces) > _REGIONS or any(piece.period > 1 for piece in pieces):
        return []
    return sorted((piece.low, piece.high) for piece in pieces)


def questions(analysis: Analysis) -> Iterator[Condition]:
    """What the analysis of a model would have to know of one input size to tell more."""
    known = frozenset(input_symbols(analysis).values())
    for question in _asked(analysis):
        condition = question.mapped(analysis.facts.reduce)
        if len(condition.symbols) == 1 and condition.symbols <= known and condition.truth(analysis.facts) is None:
            yield condition


def _asked(analysis: Analysis) -> Iterator[Condition]:
    for finding in analysis.findings:
        if finding.code is codes.SQUEEZE_RANK and not finding.where.path:
            first: Any = finding.fields["first"]
            yield single("==", first, 1)
    truths = Truths(analysis)
    for node in analysis.model.graph.node:
        if node.op_type == "If" and node.input:
            condition = truths.of(node.input[0])
            if condition is not None:
                yield condition


class Truths:
    """Conditions on dims that boolean values of the main graph stand for."""

    def __init__(self, analysis: Analysis) -> None:
        self._values = analysis.values
        self._makers = {name: node for node in analysis.model.graph.node for name in node.output if name}

    def of(self, name: str, depth: int = 12) -> Condition | None:
        """What a boolean of one element says of dims, where that is a comparison of known dims."""
        node = self._makers.get(name)
        if node is None or depth == 0 or node.domain not in ("", "ai.onnx"):
            return None
        if node.op_type in _PASSED_ON:
            return self.of(node.input[0], depth - 1)
        if node.op_type in ("And", "Or", "Not"):
            parts = [self.of(each, depth - 1) for each in node.input]
            return _joined(node.op_type, [p for p in parts if p is not None]) if None not in parts else None
        sides = [self._entry(each) for each in node.input]
        if len(sides) != 2 or None in sides:
            return None
        a, b = sides
        match node.op_type:
            case "Equal":
                return single("==", a, b)
            case "Less":
                return single(">=", b, dims.add(a, 1))
            case "Greater":
                return single(">=", a, dims.add(b, 1))
            case "LessOrEqual":
                return single(">=", b, a)
            case "GreaterOrEqual":
                return single(">=", a, b)
        return None

    def _entry(self, name: str) -> Any:
        value = self._values.get(name)
        array = value.elements if value is not None else None
        if array is None or array.size != 1:
            return None
        entry = array.ravel().tolist()[0]
        return entry if type(entry) is int or dims.is_symbolic(entry) else None


def _joined(operator: str, parts: list[Condition]) -> Condition | None:
    if operator == "Or":
        return Condition(tuple(alternative for part in parts for alternative in part.alternatives))
    if any(len(part.alternatives) != 1 for part in parts):
        return None
    atoms = [atom for part in parts for atom in part.alternatives[0]]
    if operator == "And":
        return Condition((tuple(atoms),))
    return Condition(tuple((atom,) for each in atoms for atom in negated(each)))


def negated(atom: Atom) -> Iterable[Atom]:
    """Relations of which at least one holds where a relation does not."""
    match atom.relation:
        case "==":
            return [Atom("!=", atom.left, atom.right)]
        case "!=":
            return [Atom("==", atom.left, atom.right)]
        case ">=":
            return [Atom(">=", dims.sub(atom.right, 1), atom.left)]
    return [Atom("!=", dims.mod(atom.left, atom.right), 0)]
