"""Strings: StringNormalizer, StringConcat, StringSplit and RegexFullMatch."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Final

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import ATTRIBUTES, KernelError
from shapeinfer.kernels.registry import kernel


def _strings(values: Iterable[str], shape: tuple[int, ...]) -> Array:
    result: Array = np.empty(shape, dtype=object)
    result.reshape(-1)[:] = list(values)
    return result


@kernel("StringNormalizer", since=(10,))
def string_normalizer(
    x: Array,
    *,
    case_change_action: str,
    is_case_sensitive: int,
    locale: str | None = None,
    stopwords: Sequence[str] | None = None,
) -> Array:
    """The strings without the stop words, in lower or upper case; one empty string when none is left.

    Case is changed by Unicode's rules in every locale.
    """
    if x.ndim not in (1, 2) or (x.ndim == 2 and x.shape[0] != 1):
        raise KernelError(f"the input must be of shape [C] or [1, C], not {shape_text(x.shape)}")
    changes: dict[str, Callable[[str], str]] = {"NONE": str, "LOWER": str.lower, "UPPER": str.upper}
    if case_change_action not in changes:
        raise KernelError(f"there is no case_change_action {case_change_action!r}", code=ATTRIBUTES)
    same = str if is_case_sensitive else str.lower
    stopped = {same(each) for each in stopwords or ()}
    left = [changes[case_change_action](each) for each in x.reshape(-1).tolist() if same(each) not in stopped] or [""]
    return _strings(left, (len(left),) if x.ndim == 1 else (1, len(left)))


@kernel("StringConcat", since=(20,))
def string_concat(x: Array, y: Array) -> Array:
    """Each string of the first input followed by that of the second, with broadcasting."""
    return np.asarray(x + y, dtype=object)


@kernel("StringSplit", since=(20,))
def string_split(x: Array, *, delimiter: str | None = None, maxsplit: int | None = None) -> tuple[Array, Array]:
    """The pieces of each string along a new last axis, filled up with empty strings; and how many there are.

    Without a delimiter strings are split at whitespace, which is dropped at both ends.
    """
    limit = -1 if maxsplit is None else maxsplit
    if delimiter:
        pieces = [each.split(delimiter, limit) for each in x.reshape(-1).tolist()]
    else:
        pieces = [each.strip().split(None, limit) for each in x.reshape(-1).tolist()]
    counts = np.array([len(each) for each in pieces], dtype=np.int64).reshape(x.shape)
    width = max(map(len, pieces), default=0)
    filled = [piece for each in pieces for piece in (*each, *[""] * (width - len(each)))]
    return _strings(filled, (*x.shape, width)), counts


@kernel("RegexFullMatch", since=(20,))
def regex_full_match(x: Array, *, pattern: str | None = None) -> Array:
    """Whether the whole of each string matches the pattern, which is in the syntax of RE2."""
    if pattern is None:
        raise KernelError("the attribute pattern is required", code=ATTRIBUTES)
    matcher = _compiled(pattern)
    found = [matcher.fullmatch(each) is not None for each in x.reshape(-1).tolist()]
    return np.array(found, dtype=bool).reshape(x.shape)


_CLASSES: Final = {
    "alnum": "0-9A-Za-z", "alpha": "A-Za-z", "ascii": r"\x00-\x7f", "blank": r"\t ", "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9", "graph": "!-~", "lower": "a-z", "print": " -~", "punct": r"!-/:-@\[-`{-~", "space": r"\t\n\v\f\r ",
    "upper": "A-Z", "word": "0-9A-Za-z_", "xdigit": "0-9A-Fa-f",
}  # fmt: skip
_SHORT: Final = {"d": "0-9", "s": r"\t\n\f\r ", "w": "0-9A-Za-z_"}
_TOKEN: Final = re.compile(
    r"\\Q(?P<quoted>.*?)(?:\\E|\Z)|\[:(?P<negative>\^?)(?P<name>[a-z]+):\]|\\(?P<escaped>.)|\(\?(?P<group>[=!<>PimsU-]+)",
    re.DOTALL,
)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """The pattern as Python's, whose syntax and classes differ from RE2's.

    Raises:
        KernelError: when it is not valid in RE2, or is of what Python has no counterpart of.
    """
    try:
        return re.compile(_TOKEN.sub(lambda found: _translated(found, pattern), pattern))
    except re.error as error:
        raise KernelError(f"the pattern {pattern!r} is not valid: {error}", code=ATTRIBUTES) from error


def _translated(found: re.Match[str], pattern: str) -> str:
    quoted, name, escaped, group = (found[key] for key in ("quoted", "name", "escaped", "group"))
    inside = _in_brackets(pattern, found.start())
    if quoted is not None:
        return re.escape(quoted)
    if name is not None:
        if name not in _CLASSES or found["negative"] or not inside:
            raise KernelError(f"{found[0]} in the pattern {pattern!r} is not supported", code=ATTRIBUTES)
        return _CLASSES[name]
    if group is not None:
        if group.startswith(("=", "!", "<=", "<!", "P=")):
            raise KernelError(f"RE2 has no {found[0]}, which is in the pattern {pattern!r}", code=ATTRIBUTES)
        return "(?P<" if group == "<" else found[0]
    assert escaped is not None
    if escaped == "z":
        return r"\Z"
    if escaped in _SHORT:
        return _SHORT[escaped] if inside else f"[{_SHORT[escaped]}]"
    if escaped.lower() in _SHORT and not inside:
        return f"[^{_SHORT[escaped.lower()]}]"
    if escaped in "pPCXZ" or escaped in "123456789":
        raise KernelError(f"{found[0]} in the pattern {pattern!r} is not supported", code=ATTRIBUTES)
    return found[0]


def _in_brackets(pattern: str, end: int) -> bool:
    """Whether a place of the pattern lies in a class of characters."""
    at, inside = 0, False
    while at < end:
        if pattern[at] == "\\":
            at += 1
        elif inside:
            if pattern.startswith("[:", at) and ":]" in pattern[at:]:
                at = pattern.index(":]", at) + 1
            elif pattern[at] == "]":
                inside = False
        elif pattern[at] == "[":
            inside = True
            at += pattern.startswith("^", at + 1)
            at += pattern.startswith("]", at + 1)
        at += 1
    return inside
