"""Einsum sums products along the dims that an equation names with letters.

Versions: 28 adds element types. ``ij,jk->ik``: one term per input, one letter per dim; one ``...`` in a term stands
for any further dims, equally many in each term, which broadcast. Without ``->`` the result has the dims of the
ellipsis, then each letter that occurs once, in the order of ASCII. Spaces do not count.

NumPy and ONNX Runtime take ellipses of different lengths, which the specification rules out.

The specification lets dims of one letter be equal only; ONNX Runtime and NumPy also let one of them be 1. Both hold
here.
"""

from __future__ import annotations

from collections import Counter
from typing import NoReturn

from shapeinfer.rule import Context, Dim, Result, Shape, codes, rule

DOTS = "."


@rule("Einsum", since=(12, 28))
def einsum(ctx: Context) -> Result:
    """The dims that the letters of the output stand for."""
    terms, output = read_equation(ctx)
    sizes: dict[str, Dim | None] = {}
    spread: Shape | None = ()
    dots: int | None = None
    for index, term in enumerate(terms):
        shape = ctx.shape_or_none(index)
        if shape is None:
            unknown_term(ctx, term, sizes)
            spread = None if DOTS in term else spread
            continue
        middle = read_term(ctx, index, term, shape, sizes)
        if middle is not None:
            if dots is not None and len(middle) != dots:
                refuse(
                    ctx,
                    ",".join(terms),
                    f"one whose ellipses stand for equally many dims, not {dots} and {len(middle)}",
                )
            dots = len(middle)
            spread = ctx.broadcast(spread, middle) if spread is not None else None
    if DOTS in output and spread is None:
        return None
    result: list[Dim | None] = []
    for letter in output:
        result.extend(spread or () if letter == DOTS else [sizes[letter]])
    return tuple(result)


def read_equation(ctx: Context) -> tuple[list[str], str]:
    """The terms of the inputs, and of the output; an ellipsis is a single dot in them."""
    equation = ctx.attr_str("equation").replace(" ", "")
    if DOTS in equation.replace("...", ""):
        refuse(ctx, equation, "one in which dots come by three")
    left, arrow, output = equation.replace("...", DOTS).partition("->")
    terms = left.split(",")
    if len(terms) != len(ctx.inputs):
        refuse(ctx, equation, f"{len(ctx.inputs)} terms, one for each input")
    for term in [*terms, output]:
        if term.count(DOTS) > 1 or not all(c == DOTS or (c.isascii() and c.isalpha()) for c in term):
            refuse(ctx, equation, "terms of letters with at most one ellipsis")
    counts = Counter("".join(terms).replace(DOTS, ""))
    if not arrow:
        once = sorted(letter for letter, count in counts.items() if count == 1)
        output = (DOTS if any(DOTS in term for term in terms) else "") + "".join(once)
    for letter in output:
        if letter != DOTS and (letter not in counts or output.count(letter) > 1):
            refuse(ctx, equation, f"one in which '{letter}' of the output is in an input, and only once in the output")
    if DOTS in output and not any(DOTS in term for term in terms):
        refuse(ctx, equation, "one with an ellipsis in the output only where an input has one")
    return terms, output


def refuse(ctx: Context, equation: str, expected: str) -> NoReturn:
    """Fails for an equation that is none, or not for these inputs."""
    ctx.fail(codes.ATTRIBUTE_VALUE, attribute="equation", value=repr(equation), expected=expected)


def read_term(ctx: Context, index: int, term: str, shape: Shape, sizes: dict[str, Dim | None]) -> Shape | None:
    """Learns the sizes of the letters of one term; returns the dims of its ellipsis, ``None`` if it has none."""
    letters = len(term) - (DOTS in term)
    if len(shape) < letters or (DOTS not in term and len(shape) > letters):
        expected = f"at least {letters}" if DOTS in term else letters
        ctx.fail(codes.RANK, input=f"input {index}", shape=shape, expected=f"{expected} for the term '{term}'")
    before, dots, after = term.partition(DOTS)
    end = len(shape) - len(after)
    for letter, dim in zip(before + after, shape[: len(before)] + shape[end:], strict=True):
        sizes[letter] = broadcast(ctx, sizes[letter], dim) if letter in sizes else dim
    return shape[len(before) : end] if dots else None


def broadcast(ctx: Context, known: Dim | None, dim: Dim) -> Dim | None:
    """The size of a letter that stands for two dims: one that is surely not 1, or else what both broadcast to."""
    if known is None:
        return dim if ctx.facts.equal(dim, 1) is False else None
    return ctx.broadcast((known,), (dim,))[0]


def unknown_term(ctx: Context, term: str, sizes: dict[str, Dim | None]) -> None:
    """A term of which no dim is known: its letters keep a size only where that is surely not 1."""
    for letter in term.replace(DOTS, ""):
        known = sizes.get(letter)
        sizes[letter] = known if known is not None and ctx.facts.equal(known, 1) is False else None
