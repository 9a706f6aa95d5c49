"""Random dims together with what they are worth, computed by Python alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hypothesis import reject
from hypothesis import strategies as st

from shapeinfer import dims
from shapeinfer.dims import Dim

NAMES = ("A", "B", "N", "x.2", "a b")
Sizes = Mapping[str, int]


@dataclass(frozen=True)
class Case:
    """A dim, and the function of the sizes that it should be."""

    dim: Dim
    value: Callable[[Sizes], int]


def sizes(low: int = 0, high: int = 9) -> st.SearchStrategy[dict[str, int]]:
    return st.fixed_dictionaries({name: st.integers(low, high) for name in NAMES})


def _number(value: int) -> Case:
    return Case(value, lambda _: value)


def _symbol(name: str) -> Case:
    return Case(dims.symbol(name), lambda sizes: sizes[name])


def _add(a: Case, b: Case) -> Case:
    return Case(dims.add(a.dim, b.dim), lambda s: a.value(s) + b.value(s))


def _sub(a: Case, b: Case) -> Case:
    return Case(dims.sub(a.dim, b.dim), lambda s: a.value(s) - b.value(s))


def _mul(a: Case, b: Case) -> Case:
    return Case(dims.mul(a.dim, b.dim), lambda s: a.value(s) * b.value(s))


def _neg(a: Case) -> Case:
    return Case(dims.neg(a.dim), lambda s: -a.value(s))


def _floordiv(a: Case, divisor: int) -> Case:
    return Case(dims.floordiv(a.dim, divisor), lambda s: a.value(s) // divisor)


def _ceildiv(a: Case, divisor: int) -> Case:
    return Case(dims.ceildiv(a.dim, divisor), lambda s: -(-a.value(s) // divisor))


def _mod(a: Case, divisor: int) -> Case:
    return Case(dims.mod(a.dim, divisor), lambda s: a.value(s) % divisor)


def _floordiv_symbolic(a: Case, b: Case) -> Case:
    return Case(dims.floordiv(a.dim, dims.add(b.dim, 1)), lambda s: a.value(s) // (b.value(s) + 1))


def _mod_symbolic(a: Case, b: Case) -> Case:
    return Case(dims.mod(a.dim, dims.add(b.dim, 1)), lambda s: a.value(s) % (b.value(s) + 1))


def _minimum(*cases: Case) -> Case:
    return Case(dims.minimum(*[c.dim for c in cases]), lambda s: min(c.value(s) for c in cases))


def _maximum(*cases: Case) -> Case:
    return Case(dims.maximum(*[c.dim for c in cases]), lambda s: max(c.value(s) for c in cases))


def _broadcast(a: Case, b: Case) -> Case:
    def value(sizes: Sizes) -> int:
        found = dims.broadcast(a.value(sizes), b.value(sizes))
        assert type(found) is int
        return found

    return Case(_attempt(a.dim, b.dim), value)


def _attempt(a: Dim, b: Dim) -> Dim:
    try:
        return dims.broadcast(a, b)
    except dims.BroadcastError:
        reject()


_leaves = st.one_of(st.integers(-6, 12).map(_number), st.sampled_from(NAMES).map(_symbol))
_symbols = st.sampled_from(NAMES).map(_symbol)
_divisors = st.sampled_from([1, 2, 3, 4, 6, 8, -1, -2, -3])


def _grow(inner: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    return st.one_of(
        st.builds(_add, inner, inner),
        st.builds(_sub, inner, inner),
        st.builds(_mul, inner, inner),
        st.builds(_neg, inner),
        st.builds(_floordiv, inner, _divisors),
        st.builds(_ceildiv, inner, _divisors),
        st.builds(_mod, inner, _divisors),
        st.builds(_minimum, inner, inner),
        st.builds(_maximum, inner, inner, inner),
        st.builds(_floordiv_symbolic, inner, _symbols),
        st.builds(_mod_symbolic, inner, _symbols),
    )


def _grow_broadcast(inner: st.SearchStrategy[Case]) -> st.SearchStrategy[Case]:
    return st.one_of(_grow(inner), st.builds(_broadcast, inner, inner))


cases = st.recursive(_leaves, _grow, max_leaves=7)
"""Dims that have a value at all sizes."""

cases_with_broadcast = st.recursive(_leaves, _grow_broadcast, max_leaves=6)
"""Dims whose value may raise ``BroadcastError``."""
