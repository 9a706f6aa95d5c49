"""Where the types and shapes that a finding is about come from, in words."""

from __future__ import annotations

from collections.abc import Iterator

from shapeinfer import dims
from shapeinfer.context import Context
from shapeinfer.diagnostics import type_text
from shapeinfer.symbols import Symbols
from shapeinfer.types import TensorType
from shapeinfer.values import Value


def sources(ctx: Context, symbols: Symbols) -> Iterator[str]:
    """A line for each input of a node: its type, and where it comes from."""
    for i, value in enumerate(ctx.inputs):
        if value is not None:
            text = f"{ctx.signature.input_name(i)} = {value.name}: {type_text(value.type)}"
            yield f"{text}, {_origin(value, symbols)}"


def _origin(value: Value, symbols: Symbols) -> str:
    """Where a value comes from, and where each symbol of its shape does."""
    text = value.origin if isinstance(value.origin, str) else f"from {value.origin}"
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    names = sorted({s.name for dim in shape or () for s in dims.free_symbols(dim)})
    return "; ".join([text, *(f"{s} is {symbols.origins[s]}" for s in names if s in symbols.origins)])
