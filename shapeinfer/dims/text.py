"""The text form of dims, which reads like Python and which :func:`shapeinfer.dims.parse` reads back."""

from __future__ import annotations

import re
from typing import Any

from shapeinfer.dims.algebra import sympy_nodes
from shapeinfer.dims.solve import natural

PLAIN_NAME = r"[A-Za-z_][A-Za-z0-9_]*(?:[.:][A-Za-z0-9_]+)*"
"""The names that need no quotes inside an expression, such as ``N``, ``x.2`` and ``unk__3:0``."""

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = 1, 2, 3, 4, 5
_plain_name = re.compile(PLAIN_NAME)
_texts: dict[Any, str] = {}
_printed: dict[Any, tuple[str, int]] = {}


def text(dim: Any) -> str:
    """The dim as text: ``(H + 31)//32``, ``2*N + 1``, ``min(L, 128)``; a dim that is one name is that very name.

    Inside an expression a name that is not plain stands in backticks, and a backtick in it is doubled.
    """
    if type(dim) is int:
        return str(dim)
    found = _texts.get(dim)
    if found is None:
        found = _texts[dim] = dim.name if dim.is_Symbol else _print(dim)[0]
    return found


def _print(dim: Any) -> tuple[str, int]:
    """The text, and how tightly it binds."""
    found = _printed.get(dim)
    if found is None:
        found = _printed[dim] = _form(dim)
    return found


def _form(dim: Any) -> tuple[str, int]:
    n = sympy_nodes()
    if dim.is_Symbol:
        plain = _plain_name.fullmatch(dim.name)
        return dim.name if plain else "`" + dim.name.replace("`", "``") + "`", _ATOM
    if dim.is_Integer:
        return str(int(dim)), _ATOM if int(dim) >= 0 else _UNARY
    if dim.is_Rational:
        return f"{dim.p}/{dim.q}", _PRODUCT if dim.p >= 0 else _UNARY
    if isinstance(dim, n.Add):
        return _sum(dim), _SUM
    if isinstance(dim, n.Mul):
        return _product(dim)
    if isinstance(dim, n.Pow):
        return f"{_wrap(dim.base, _ATOM)}**{_wrap(dim.exp, _ATOM)}", _POWER
    if isinstance(dim, n.FloorDiv | n.Mod):
        sign = "//" if isinstance(dim, n.FloorDiv) else " % "
        left, right = dim.args
        return f"{_wrap(left, _POWER)}{sign}{_wrap(right, _POWER)}", _PRODUCT
    arguments = sorted(dim.args, key=_reading_order)
    return f"{type(dim).__name__.lower()}({', '.join(_print(arg)[0] for arg in arguments)})", _ATOM


def _wrap(dim: Any, level: int) -> str:
    inner, binds = _print(dim)
    return inner if binds >= level else f"({inner})"


def _sum(dim: Any) -> str:
    terms = sorted(dim.args, key=_reading_order)
    positive = [term for term in terms if _coefficient(term) > 0]
    negative = [term for term in terms if _coefficient(term) < 0]
    result = " + ".join(_wrap(term, _PRODUCT) for term in positive) or _negative(negative.pop(0))
    return result + "".join(f" - {_wrap(-term, _PRODUCT)}" for term in negative)


def _negative(term: Any) -> str:
    n = sympy_nodes()
    positive = -term
    return f"-{_wrap(positive, _POWER if isinstance(positive, n.Node) else _PRODUCT)}"


def _coefficient(term: Any) -> Any:
    return term if term.is_Rational else term.as_coeff_Mul()[0]


def _reading_order(term: Any) -> tuple[bool, int, bool, list[tuple[bool, int, str]]]:
    """Products first, then names in their natural order, then divisions and the like, the constant last."""
    node = isinstance(term.as_coeff_Mul()[1], sympy_nodes().Node)
    return bool(term.is_Rational), -_degree(term), node, natural(_print(term)[0].lstrip("-"))


def _degree(term: Any) -> int:
    n = sympy_nodes()
    if isinstance(term, n.Mul):
        return sum(map(_degree, term.args))
    if isinstance(term, n.Pow):
        return int(term.exp)
    return 0 if term.is_Rational else 1


def _product(dim: Any) -> tuple[str, int]:
    n = sympy_nodes()
    coefficient, rest = dim.as_coeff_Mul()
    if coefficient < 0:
        return _negative(dim), _UNARY
    factors = sorted(n.Mul.make_args(rest), key=lambda factor: (_print(factor)[1] < _POWER, natural(_print(factor)[0])))
    parts = [_wrap(factor, _POWER) for factor in factors]
    if coefficient.p != 1:
        parts.insert(0, str(coefficient.p))
    joined = "*".join(parts)
    return joined if coefficient.q == 1 else f"{joined}/{coefficient.q}", _PRODUCT
