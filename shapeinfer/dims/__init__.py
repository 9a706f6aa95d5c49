"""Dims: ints and symbolic expressions, their arithmetic, their text form, and what is known of them.

Everything about dims lives here; nothing else knows how it is done. SymPy is loaded when the first symbol is made.
"""

from __future__ import annotations

from shapeinfer.dims.algebra import Dim, Shape, add, is_symbolic, mul, neg, scale, sub, symbol
from shapeinfer.dims.choice import BroadcastError, broadcast, caps, maximum, minimum
from shapeinfer.dims.division import ceil, ceildiv, divide_exact, floor, floordiv, mod
from shapeinfer.dims.facts import Facts
from shapeinfer.dims.names import read_name
from shapeinfer.dims.parser import DimSyntaxError, parse
from shapeinfer.dims.polynomial import expand
from shapeinfer.dims.text import text
from shapeinfer.dims.walk import evaluate, free_symbols, size, substitute

__all__ = [
    "BroadcastError",
    "Dim",
    "DimSyntaxError",
    "Facts",
    "Shape",
    "add",
    "broadcast",
    "caps",
    "ceil",
    "ceildiv",
    "divide_exact",
    "evaluate",
    "expand",
    "floor",
    "floordiv",
    "free_symbols",
    "is_symbolic",
    "maximum",
    "minimum",
    "mod",
    "mul",
    "neg",
    "parse",
    "read_name",
    "scale",
    "size",
    "sub",
    "substitute",
    "symbol",
    "text",
]
