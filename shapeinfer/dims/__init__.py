"""Dims: ints and symbolic expressions, their arithmetic, their text form, and what is known of them.

Everything about dims lives here; nothing else knows how it is done. SymPy is loaded when the first symbol is made.
"""

from __future__ import annotations

from shapeinfer.dims.algebra import (
    BroadcastError,
    Dim,
    Shape,
    add,
    broadcast,
    ceil,
    ceildiv,
    divide_exact,
    evaluate,
    expand,
    floor,
    floordiv,
    free_symbols,
    is_symbolic,
    maximum,
    minimum,
    mod,
    mul,
    neg,
    scale,
    size,
    sub,
    substitute,
    symbol,
)
from shapeinfer.dims.facts import Facts
from shapeinfer.dims.text import DimSyntaxError, parse, read_name, text

__all__ = [
    "BroadcastError",
    "Dim",
    "DimSyntaxError",
    "Facts",
    "Shape",
    "add",
    "broadcast",
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
