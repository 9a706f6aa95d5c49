"""Whether conditions imply another one, and sizes that meet them.

The facts of :mod:`shapeinfer.dims` answer for one list of relations; alternatives, and the arguments of ``min`` and
``max``, are taken case by case up to a limit.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from shapeinfer import dims
from shapeinfer.contract.conditions import UNDEFINED, Condition, reduced, simplified, single
from shapeinfer.dims import Dim, Facts
from shapeinfer.dims.algebra import plain, sympy_nodes
from shapeinfer.dims.walk import DIMS, rebuild

CASES = 40
_KEPT = 12
_DEPTH = 5
_GRID = (0, 1, 2, 3, 4, 5, 7, 8)
_NUMBERS = 4


def implied(goal: Condition, hypotheses: Sequence[Condition], facts: Facts, cases: int = CASES) -> bool:
    """Whether the goal is proved to hold wherever the facts and all hypotheses do, in no more than so many cases."""
    if goal in hypotheses:
        return True
    return _implied(goal, _about(goal, hypotheses), facts.fork(), _DEPTH, [cases])


def _about(goal: Condition, hypotheses: Sequence[Condition]) -> list[Condition]:
    """The hypotheses that have to do with the goal, those first that share its symbols."""
    if not goal.alternatives:
        return list(hypotheses)
    known, left, found = set(goal.symbols), list(hypotheses), list[Condition]()
    while more := [each for each in left if not known.isdisjoint(each.symbols)]:
        found += sorted(more, key=lambda c: (not c.symbols <= known, c.size))
        known.update(*(each.symbols for each in more))
        left = [each for each in left if each not in more]
    return found[:_KEPT]


def _implied(goal: Condition, hypotheses: list[Condition], facts: Facts, depth: int, budget: list[int]) -> bool:
    budget[0] -= 1
    for _ in range(2):  # what is learned from one may sharpen what another says
        for hypothesis in hypotheses:
            learned = simplified(hypothesis, facts)
            if learned.truth(facts) is False:
                return True
            learned.assume(facts)
    if simplified(goal, facts).truth(facts):
        return True
    if depth == 0 or budget[0] <= 0:
        return False
    for cases in _case_splits(goal, hypotheses, facts):
        return all(_implied(goal, [*hypotheses, case], facts.fork(), depth - 1, budget) for case in cases)
    return False


def _case_splits(goal: Condition, hypotheses: list[Condition], facts: Facts) -> Iterator[list[Condition]]:
    """Ways to go case by case: by the alternatives of a hypothesis, or by which argument a choice is."""
    near = [each for each in hypotheses if each.symbols <= goal.symbols]
    far = [each for each in hypotheses if not each.symbols <= goal.symbols]
    for some in ([goal, *near], far):
        for hypothesis in some:
            shorter = simplified(hypothesis, facts)
            if hypothesis is not goal and len(shorter.alternatives) > 1 and shorter.truth(facts) is None:
                yield [Condition((alternative,)) for alternative in shorter.alternatives]
        for condition in some:
            for atom in condition.atoms:  # not simplified: what the facts know already would be left out
                for dim in (atom.left, atom.right):
                    pair = _undecided_choice(reduced(dim, facts), facts)
                    if pair is not None:
                        a, b = pair
                        cases = [single(">=", a, b), single(">=", b, dims.add(a, 1))]
                        if not any(case in hypotheses for case in cases):  # else the facts could not take it in
                            yield cases


def _undecided_choice(dim: Any, facts: Facts) -> tuple[Dim, Dim] | None:
    if type(dim) is int:
        return None
    n = sympy_nodes()
    for node in sorted(
        dim.atoms(n.Min, n.Max), key=lambda each: (dims.size(each), dims.text(each))
    ):  # inner ones first
        for a, b in itertools.combinations(sorted(map(plain, node.args), key=dims.text), 2):
            if facts.at_least(a, b) is None:
                return a, b
    return None


def numbers_in(condition: Condition) -> set[int]:
    """The numbers in a condition that are more than a shift by one."""
    found: set[int] = set()

    def combine(*args: Any) -> None:
        found.update(abs(arg) for arg in args if type(arg) is int and abs(arg) > 1)

    for atom in condition.atoms:
        for side in (atom.left, atom.right):
            combine(rebuild(side, lambda _: None, dict.fromkeys(DIMS, combine)))
    return found


def telling_sizes(conditions: Iterable[Condition]) -> list[int]:
    """Sizes at which conditions may turn over: small ones, and those about the numbers in the conditions."""
    numbers = sorted({n for condition in conditions for n in numbers_in(condition)})[:_NUMBERS]
    return sorted({*_GRID, *(n + offset for n in numbers for offset in (-1, 0, 1))})


def sizes_that_meet(
    conditions: Sequence[Condition],
    facts: Facts,
    symbols: Iterable[Any],
    choices: Mapping[str, Sequence[int]] | None = None,
    limit: int = 400,
    tries: int = 20000,
) -> Iterator[dict[str, int]]:
    """Sizes of the symbols, and of the others in the conditions, that meet all conditions; small ones first.

    Args:
        conditions: what is to be met.
        facts: ranges and equalities; a symbol that an equality replaces is worked out, not searched.
        symbols: the symbols that need a size.
        choices: the sizes to try, by name; by default small ones.
        limit: no more than this many are found.
        tries: no more than this many are tried.
    """
    wanted = {s.name: s for s in [*symbols, *(s for c in conditions for s in c.symbols)]}
    values = {name: facts.reduce(symbol) for name, symbol in wanted.items()}
    free = sorted({s.name: s for v in values.values() for s in dims.free_symbols(v)}.values(), key=lambda s: s.name)
    options = [_options(symbol, facts, (choices or {}).get(symbol.name)) for symbol in free]
    found = 0
    for numbers in itertools.islice(_small_first(options), tries):
        sizes = dict(zip((s.name for s in free), numbers, strict=True))
        try:
            sizes |= {name: dims.evaluate(value, sizes) for name, value in values.items()}
            fits = all(size >= 0 for size in sizes.values()) and all(c.holds(sizes) for c in conditions)
        except UNDEFINED:
            continue
        if fits:
            yield sizes
            found += 1
            if found >= limit:
                return


def _options(symbol: Any, facts: Facts, given: Sequence[int] | None) -> list[int]:
    low, high = facts.range(symbol)
    if given is not None:
        return [n for n in given if (low is None or n >= low) and (high is None or n <= high)]
    start = max(low or 0, 0)
    near = [start + n for n in _GRID if high is None or start + n <= high]
    return near or [start]


def _small_first(options: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """The combinations of the options, those of early ones first."""
    if not options:
        yield ()
        return
    longest = max(map(len, options))
    for rank in range(longest):  # first all that use no option after this rank
        parts = [each[: rank + 1] for each in options]
        for numbers in itertools.product(*parts):
            if any(len(each) > rank and number == each[rank] for number, each in zip(numbers, options, strict=True)):
                yield numbers
