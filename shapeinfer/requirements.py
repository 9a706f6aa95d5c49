"""Conditions on dims without which a node cannot run."""

from __future__ import annotations

from dataclasses import dataclass

from shapeinfer import dims
from shapeinfer.diagnostics import Code, Where
from shapeinfer.dims import Dim, Facts


@dataclass(slots=True)
class Requirement:
    """What must hold of the dims for a node to run: ``left relation right``.

    ``relation`` is ``==``, ``>=``, ``divisible`` (``right`` divides ``left``) or ``broadcast`` (equal, or one is 1).
    """

    relation: str
    left: Dim
    right: Dim
    where: Where
    code: Code
    fields: dict[str, object]

    @property
    def text(self) -> str:
        """The condition, as one would write it."""
        left, right = dims.text(self.left), dims.text(self.right)
        if type(self.left) is int and self.relation == "==":
            left, right = right, left
        if self.relation == "divisible":
            return f"{_term(self.left)} % {_term(self.right)} == 0"
        if self.relation == "broadcast":
            sides = [f"{side} == 1" for side in (left, right) if not side.isdigit()]
            return " or ".join([f"{left} == {right}", *sides])
        return (_bound(self.left, self.right) if self.relation == ">=" else "") or f"{left} {self.relation} {right}"

    def assume(self, facts: Facts) -> None:
        """Tells the facts that the condition holds."""
        if self.relation == "==":
            facts.assume_equal(self.left, self.right)
        elif self.relation == ">=":
            facts.assume_at_least(self.left, self.right)
        elif self.relation == "divisible" and type(self.right) is int and _is_symbol(self.left):
            facts.assume_divisible(self.left, self.right)


def _bound(left: Dim, right: Dim) -> str:
    """``left >= right`` as a bound of a name, where it is one: ``N <= 512``."""
    difference = dims.expand(dims.sub(left, right))
    names = dims.free_symbols(difference)
    if len(names) != 1:
        return ""
    (name,) = names
    low, high = dims.sub(difference, name), dims.add(difference, name)
    if type(low) is int:
        return f"{dims.text(name)} >= {-low}"
    return f"{dims.text(name)} <= {high}" if type(high) is int else ""


def _term(dim: Dim) -> str:
    return dims.text(dim) if dims.size(dim) == 0 else f"({dims.text(dim)})"


def _is_symbol(dim: Dim) -> bool:
    return dims.is_symbolic(dim) and dims.size(dim) == 0
