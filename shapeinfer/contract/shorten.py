"""Shorter conditions that say the same: guessed from sizes, and then proved in both directions."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from shapeinfer import dims
from shapeinfer.contract.conditions import Atom, Condition
from shapeinfer.contract.prove import implied, numbers_in, sizes_that_meet, telling_sizes
from shapeinfer.dims import Facts

_OFFSETS = (0, 1, -1, 2, -2)
_NEAR = (-1, 0, 1)
_CONSTANTS = 4
_SAMPLES = 1500
_LEAST_SAMPLES = 8
_ALTERNATIVES = 3


def shorter(condition: Condition, hypotheses: Sequence[Condition], facts: Facts) -> Condition:
    """A shorter condition that is proved to hold exactly where this one does, given the rest; or the condition itself.

    Relations of its symbols are held against sizes; those that hold only where the condition does are its possible
    alternatives, and the fewest that together hold wherever it does are a guess.
    """
    symbols = sorted(condition.symbols, key=lambda s: str(s.name))
    constants = sorted(numbers_in(condition))[:_CONSTANTS]
    near = telling_sizes([condition])
    choices = {s.name: near for s in symbols}
    samples = list(sizes_that_meet(hypotheses, facts, symbols, choices, limit=_SAMPLES))
    if len(samples) < _LEAST_SAMPLES:
        return condition
    wanted = _where(condition, samples)
    found = []
    for relation in dict.fromkeys(_relations(condition, symbols, constants)):
        holds = _where(Condition(((relation,),)), samples)
        if holds and not holds & ~wanted:
            found.append((relation, holds))
    for guess in _covers(found, wanted):
        if guess.size >= condition.size:
            continue
        if implied(guess, [*hypotheses, condition], facts) and implied(condition, [*hypotheses, guess], facts):
            return guess
    return condition


def _where(condition: Condition, samples: list[dict[str, int]]) -> int:
    """The samples at which a condition holds, as the bits of a number."""
    return sum(1 << i for i, sizes in enumerate(samples) if condition.holds(sizes))


def _relations(condition: Condition, symbols: list[Any], constants: list[int]) -> Iterator[Atom]:
    """Relations that may be alternatives of a shorter form, short ones first."""
    for a, b in itertools.combinations(symbols, 2):
        for offset in _OFFSETS:
            yield Atom("==", a, dims.add(b, offset))
            yield Atom(">=", a, dims.add(b, offset))
            yield Atom(">=", b, dims.add(a, offset))
    numbers = sorted({0, 1, 2, *(n + o for n in constants for o in _NEAR)})
    sums = [dims.add(a, b) for a, b in itertools.combinations(symbols, 2)]
    for dim in [*symbols, *sums]:
        for number in numbers:
            yield Atom("==", dim, number)
            yield Atom(">=", dim, number)
            yield Atom(">=", number, dim)
    if len(symbols) == 3:
        for a, b, c in itertools.permutations(symbols, 3):
            if str(a) < str(b):
                yield Atom("==", dims.add(a, b), c)
    for alternative in condition.alternatives:
        if len(alternative) == 1:
            yield alternative[0]


def _covers(found: list[tuple[Atom, int]], wanted: int) -> Iterator[Condition]:
    """The fewest relations that together hold at all the samples that are wanted, short ones first."""
    strongest = [
        (relation, holds)
        for i, (relation, holds) in enumerate(found)
        if not any(holds & ~other == 0 and (holds != other or j < i) for j, (_, other) in enumerate(found) if j != i)
    ]
    for count in range(1, _ALTERNATIVES + 1):
        fits = [
            Condition(tuple((relation,) for relation, _ in some))
            for some in itertools.combinations(strongest, count)
            if _union(some) == wanted
        ]
        if fits:
            yield from sorted(fits, key=lambda each: each.size)[:_ALTERNATIVES]
            return


def _union(some: tuple[tuple[Atom, int], ...]) -> int:
    union = 0
    for _, holds in some:
        union |= holds
    return union
