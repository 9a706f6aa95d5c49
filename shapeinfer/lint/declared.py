"""Lints about dims that are declared for outputs and in value_info."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from typing import Any

import onnx

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.dims import BroadcastError, Dim
from shapeinfer.engine import Analysis
from shapeinfer.feeds import holds
from shapeinfer.lint.edits import on_graph
from shapeinfer.lint.registry import Fix, Lint, found, lint
from shapeinfer.lint.view import View

_TRIED = (2, 3, 5, 8, 16, 32, 64, 96, 128, 224, 256)
_MOST = 400


@lint(codes.DECLARED_DIM_WRONG)
def declared_dim_wrong(view: View) -> Iterator[Lint]:
    """Declared dims over the inputs' names that other sizes of the inputs contradict."""
    known = set(_input_names(view))
    samples: list[dict[str, int]] | None = None
    for declared, axis, claim, found_dim in _claims(view):
        names = {s.name for s in dims.free_symbols(claim)} | {s.name for s in dims.free_symbols(found_dim)}
        if not names or not names <= known or view.analysis.facts.equal(claim, found_dim) is not None:
            continue
        if samples is None:
            samples = list(itertools.islice(allowed_sizes(view.analysis, sorted(known)), 32))
        for sizes in samples:
            claimed, actual = evaluated(claim, sizes), evaluated(found_dim, sizes)
            if claimed is not None and actual is not None and claimed != actual:
                stated = ", ".join(f"{name} = {sizes[name]}" for name in sorted(names))
                fields: dict[str, Any] = {
                    "declared": claim,
                    "found": found_dim,
                    "sizes": stated,
                    "actual": actual,
                    "claimed": claimed,
                }
                fix = _declare(declared.name, axis, dims.text(found_dim))
                node = view.makers.get(declared.name)
                yield found(view, codes.DECLARED_DIM_WRONG, node, fix=fix, axis=axis, value=declared.name, **fields)
                break


def _input_names(view: View) -> list[str]:
    shapes = (view.shape(given.name) or () for given in view.graph.input)
    return sorted({symbol.name for shape in shapes for dim in shape for symbol in dims.free_symbols(dim)})


def _claims(view: View) -> Iterator[tuple[onnx.ValueInfoProto, int, Dim, Dim]]:
    for declared in (*view.graph.output, *view.graph.value_info):
        shape = view.shape(declared.name)
        stated = declared.type.tensor_type.shape.dim
        if shape is None or len(shape) != len(stated):
            continue
        for axis, (dim, actual) in enumerate(zip(stated, shape, strict=True)):
            if dim.dim_param:
                claim = view.analysis.symbols.read(dim, declared.name, axis, fact=False)
                if claim is not None:
                    yield declared, axis, claim, actual


def allowed_sizes(analysis: Analysis, names: list[str]) -> Iterator[dict[str, int]]:
    """Sizes for these names that no requirement excludes."""
    choices = []
    for i, name in enumerate(names):
        low, high = analysis.facts.range(dims.symbol(name))
        fits = [n for n in (*_TRIED, low or 0) if n >= (low or 0) and (high is None or n <= high)] or [low or 0]
        choices.append(fits[i % len(fits) :] + fits[: i % len(fits)])
    alike = (dict(zip(names, sizes, strict=True)) for sizes in itertools.zip_longest(*choices, fillvalue=2))
    for sizes in itertools.islice(itertools.chain(alike, _products(names, choices)), _MOST):
        if all(holds(requirement, sizes) is not False for requirement in analysis.requirements):
            yield sizes


def _products(names: list[str], choices: list[list[int]]) -> Iterator[dict[str, int]]:
    for sizes in itertools.product(*choices):
        yield dict(zip(names, sizes, strict=True))


def evaluated(dim: Dim, sizes: dict[str, int]) -> int | None:
    """The dim at these sizes; ``None`` where they do not tell."""
    try:
        return dims.evaluate(dim, sizes)
    except (KeyError, ZeroDivisionError, BroadcastError):
        return None


def _declare(value: str, axis: int, text: str) -> Fix:
    def change(graph: onnx.GraphProto) -> None:
        for each in (*graph.output, *graph.value_info):
            if each.name == value:
                each.type.tensor_type.shape.dim[axis].dim_param = text

    return on_graph(f"declare axis {axis} of '{value}' as {text}", {f"{value} {axis}"}, change)


@lint(codes.ONE_NAME_TWO_SIZES)
def one_name_two_sizes(view: View) -> Iterator[Lint]:
    """Names that declarations use for sizes that differ."""
    known = {d.dim_param for given in view.graph.input for d in given.type.tensor_type.shape.dim}
    facts = view.analysis.facts
    first: dict[str, tuple[str, Dim]] = {}
    told = set()
    samples: list[dict[str, int]] | None = None
    for declared, axis, claim, actual in _claims(view):
        name = declared.type.tensor_type.shape.dim[axis].dim_param
        if name in known or name in told or dims.size(claim) > 0:
            continue
        if name not in first:
            first[name] = (declared.name, actual)
            continue
        one, before = first[name]
        if before == actual or facts.equal(before, actual) is True:
            continue
        if samples is None:
            samples = list(itertools.islice(allowed_sizes(view.analysis, _input_names(view)), 16))
        if _differ(view, before, actual, samples):
            told.add(name)
            fields: dict[str, Any] = {
                "name": name,
                "first": before,
                "second": actual,
                "one": one,
                "other": declared.name,
            }
            yield found(view, codes.ONE_NAME_TWO_SIZES, about=declared.name, **fields)


def _differ(view: View, a: Dim, b: Dim, samples: Iterable[dict[str, int]]) -> bool:
    """Whether some sizes that are allowed make the two differ; sizes that only a run can tell decide nothing."""
    if view.analysis.facts.equal(a, b) is False:
        return True
    pairs = ((evaluated(a, sizes), evaluated(b, sizes)) for sizes in samples)
    return any(first is not None and second is not None and first != second for first, second in pairs)
