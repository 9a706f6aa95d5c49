"""What the dim names that models state stand for."""

from __future__ import annotations

from collections.abc import Collection
from itertools import pairwise

from shapeinfer.dims.algebra import Dim, symbol
from shapeinfer.dims.parser import DimSyntaxError, Token, parse, tokens

_UNNAMED = ("", "?", "-1")


def read_name(name: str, known: Collection[str]) -> Dim | None:
    """What a ``dim_param`` of a model stands for; ``None`` for a dim without a name.

    An expression over names is read as one. Anything else is one opaque name, and so are ``batch-size`` and ``a/b``,
    where nothing but the sign stands between two names, unless the model states each name in them on its own.

    Args:
        name: the text.
        known: the names that the model states on their own.
    """
    if name in _UNNAMED:
        return None
    if name in known:
        return symbol(name)
    try:
        parts = tokens(name)
        if len(parts) == 1 and parts[0].text == name:
            return symbol(name)
        names = _names(parts)
        if names and (not _is_glued(parts) or all(each in known for each in names)):
            return parse(name)
    except DimSyntaxError:
        pass
    return symbol(name)


def _names(parts: list[Token]) -> list[str]:
    followers = [*parts[1:], Token("end", "", 0, 0)]
    return [
        part.text
        for part, after in zip(parts, followers, strict=False)
        if part.kind == "quoted" or (part.kind == "name" and after.text != "(")
    ]


def _is_glued(parts: list[Token]) -> bool:
    """Whether a ``-`` or ``/`` touches a name on both of its sides."""
    return any(
        left.kind == right.kind == "name"
        and sign.text in ("-", "/")
        and left.end == sign.start
        and sign.end == right.start
        for (left, sign), right in zip(pairwise(parts), parts[2:], strict=False)
    )
