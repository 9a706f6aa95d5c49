"""Reads conditions that people write: ``H % 32 == 0``, ``N in 1..64``, ``A == B or A == 1``, ``192 <= s <= 703``."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from shapeinfer import dims
from shapeinfer.contract.conditions import Atom, Condition, tidied
from shapeinfer.dims import Dim, DimSyntaxError

_RANGE = re.compile(r"(\d*)\s*\.\.\s*(\d*)")
_QUOTED = re.compile(r"`(?:[^`]|``)*`")
_COMPARISON = re.compile(r"==|!=|<=|>=|<|>")


class ConditionSyntaxError(ValueError):
    """A text that is no condition; the message says why."""


def parse_condition(text: str) -> Condition:
    """The condition that a text states.

    Raises:
        ConditionSyntaxError: when it states none.
    """
    masked = _QUOTED.sub(lambda match: "q" * len(match[0]), text)
    alternatives = []
    for begin, end in _parts(masked, "or"):
        atoms: list[Atom] = []
        for first, last in _parts(masked[begin:end], "and"):
            atoms.extend(_relation(text[begin + first : begin + last], masked[begin + first : begin + last]))
        alternatives.append(tuple(atoms))
    return Condition(tuple(alternatives))


def _parts(masked: str, word: str) -> list[tuple[int, int]]:
    """Where the parts between a word begin and end."""
    cuts = [0]
    for match in re.finditer(rf"(?<=[\s)]){word}(?=[\s(])", masked):
        cuts += [match.start(), match.end()]
    cuts.append(len(masked))
    return list(zip(cuts[::2], cuts[1::2], strict=True))


def _relation(text: str, masked: str) -> list[Atom]:
    inside = re.search(r"\sin\s", masked)
    if inside:
        match = _RANGE.fullmatch(text[inside.end() :].strip())
        if match is None or not any(match.groups()):
            raise ConditionSyntaxError(f"{text.strip()!r}: write a range as 1..64, 1.. or ..64")
        dim = _dim(text[: inside.start()])
        low, high = (int(end) if end else None for end in match.groups())
        bounds = [] if low is None else [Atom(">=", dim, low)]
        return bounds if high is None else [*bounds, Atom(">=", high, dim)]
    signs = list(_COMPARISON.finditer(masked))
    if not signs:
        raise ConditionSyntaxError(
            f"{text.strip()!r} compares nothing: write N == 1, N <= 64, H % 32 == 0 or N in 1..64"
        )
    starts = [0, *(sign.end() for sign in signs)]
    ends = [*(sign.start() for sign in signs), len(text)]
    sides = [_dim(text[begin:end]) for begin, end in zip(starts, ends, strict=True)]
    return [_atom(sign[0], left, right) for sign, (left, right) in zip(signs, pairwise(sides), strict=True)]


def _atom(sign: str, left: Dim, right: Dim) -> Atom:
    match sign:
        case "==" | "!=":
            return _divisibility(left, right) if sign == "==" else Atom("!=", left, right)
        case ">=":
            return Atom(">=", left, right)
        case "<=":
            return Atom(">=", right, left)
        case ">":
            return tidied(Atom(">=", left, dims.add(right, 1)))
    return tidied(Atom(">=", right, dims.add(left, 1)))


def _divisibility(left: Any, right: Dim) -> Atom:
    """``H % 32 == 0`` says that 32 divides H."""
    if type(right) is int and right == 0 and type(left) is not int:
        node = left.as_coeff_Mul()[1]
        if type(node).__name__ == "Mod":
            top, below = (int(arg) if arg.is_Integer else arg for arg in node.args)
            return Atom("divides", top, below)
    return Atom("==", left, right)


def _dim(text: str) -> Dim:
    if not text.strip():
        raise ConditionSyntaxError("one side of a comparison is missing")
    try:
        return dims.parse(text.strip())
    except DimSyntaxError as error:
        raise ConditionSyntaxError(str(error)) from error
