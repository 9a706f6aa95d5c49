"""The expression nodes that SymPy lacks or builds too slowly; the one module that imports SymPy at once."""

from __future__ import annotations

from typing import Any

from sympy import Integer, Rational, Symbol
from sympy.core.add import Add
from sympy.core.expr import Expr
from sympy.core.mul import Mul
from sympy.core.power import Pow

__all__ = ["Add", "Broadcast", "Expr", "FloorDiv", "Integer", "Max", "Min", "Mod", "Mul", "Node", "Pow", "Rational", "Symbol"]


class Node(Expr):  # type: ignore[misc]  # SymPy has no types
    """A function of dims that is built without any evaluation by SymPy."""

    is_commutative = True
    is_integer = True
    is_real = True
    is_finite = True

    def __new__(cls, *args: Any) -> Node:
        """The bare node; the constructors in ``algebra`` simplify first."""
        node: Node = Expr.__new__(cls, *args)
        return node


class FloorDiv(Node):
    """``floor(a / b)``."""


class Mod(Node):
    """``a - b * floor(a / b)``."""


class Min(Node):
    """The least of its arguments."""


class Max(Node):
    """The greatest of its arguments."""


class Broadcast(Node):
    """The size that two sizes broadcast to: the one that is not 1."""
