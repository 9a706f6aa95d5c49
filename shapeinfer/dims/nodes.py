"""The expression nodes that SymPy lacks or builds too slowly; the one module that imports SymPy at once.

A node is bare: nothing is evaluated when it is made. The functions of ``algebra``, ``division`` and ``choice``
simplify first, and see to it that the arguments of a node are whole numbers and multiplied out.
"""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol
from sympy.core.add import Add
from sympy.core.expr import Expr
from sympy.core.mul import Mul
from sympy.core.power import Pow

__all__ = [
    "Add",
    "Broadcast",
    "Expr",
    "FloorDiv",
    "Integer",
    "Max",
    "Min",
    "Mod",
    "Mul",
    "Node",
    "Pow",
    "Rational",
    "Symbol",
]

_MADE: dict[tuple[type, tuple[Any, ...]], Node] = {}


class Node(Expr):  # type: ignore[misc]  # SymPy has no types
    """A whole number that is a function of dims."""

    is_commutative = True
    is_integer = True
    is_real = True
    is_finite = True

    def __new__(cls, *args: Any) -> Node:
        """The bare node, one for all equal arguments."""
        key = (cls, args)
        found = _MADE.get(key)
        if found is None:
            found = _MADE.setdefault(key, Expr.__new__(cls, *args))
        return found


class FloorDiv(Node):
    """``floor(a / b)``."""


class Mod(Node):
    """``a - b * floor(a / b)``."""


class Min(Node):
    """The least of its arguments."""


class Max(Node):
    """The greatest of its arguments."""


class Broadcast(Node):
    """The size that sizes broadcast to: they are equal where they are not 1, and this is the one that is not 1."""
