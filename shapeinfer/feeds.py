"""Inputs to run a model with: sizes that meet its requirements, random values, and arrays from files."""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnx.numpy_helper
from google.protobuf.message import DecodeError
from numpy.typing import NDArray

from shapeinfer import dims
from shapeinfer.dims import BroadcastError
from shapeinfer.engine import Analysis
from shapeinfer.kernels.dtypes import to_dtype
from shapeinfer.requirements import Requirement
from shapeinfer.types import ElementType, TensorType

Array = NDArray[Any]

_SIZES = (2, 1, 3, 4, 5, 7, 8, 16, 32, 48, 64, 96, 128, 224, 256, 512)
_TRIES = 20000
_MOST_ELEMENTS = 2**28
_NPY_MAGIC = b"\x93NUMPY"


class FeedError(ValueError):
    """No inputs can be made, or a file does not hold one; the message says why."""


def random_feeds(
    analysis: Analysis, seed: int, given: Mapping[str, Array] | None = None, sizes: Mapping[str, int] | None = None
) -> dict[str, Array]:
    """A value for each input that has none yet: floats from a normal distribution, integers and bools 0 or 1.

    Args:
        analysis: the analysis of the model.
        seed: fixes the values.
        given: the values that there are.
        sizes: what the symbols stand for; by default :func:`choose_sizes` decides.

    Raises:
        FeedError: when an input is no tensor of known rank, or no sizes were found that meet the requirements.
    """
    given = dict(given or {})
    wanted = [name for name in needed_inputs(analysis.model) if name not in given]
    shapes = {}
    for name in wanted:
        kind = analysis.values[name].type
        if not isinstance(kind, TensorType) or kind.shape is None:
            raise FeedError(f"input '{name}' is no tensor of known rank: give a value for it")
        shapes[name] = kind
    if sizes is None:
        sizes = choose_sizes(analysis, bound_sizes(analysis, given))
    rng = np.random.default_rng(seed)
    for name, kind in shapes.items():
        assert kind.shape is not None
        shape = tuple(dims.evaluate(dim, sizes) for dim in kind.shape)
        if math.prod(size or 1 for size in shape) > _MOST_ELEMENTS:
            raise FeedError(f"input '{name}' is too large to make up: {list(shape)}")
        given[name] = _values(rng, ElementType(kind.elem or ElementType.FLOAT), shape)
    return given


def needed_inputs(model: onnx.ModelProto) -> list[str]:
    """The graph inputs that no initializer is the default of."""
    stored = {tensor.name for tensor in model.graph.initializer}
    stored |= {sparse.values.name for sparse in model.graph.sparse_initializer}
    return [each.name for each in model.graph.input if each.name not in stored]


def _values(rng: np.random.Generator, elem: ElementType, shape: tuple[int, ...]) -> Array:
    if elem is ElementType.STRING:
        return np.full(shape, "text", dtype=object)
    if elem.name.startswith(("FLOAT", "DOUBLE", "BFLOAT", "COMPLEX")):
        return rng.standard_normal(shape).astype(to_dtype(elem))
    return rng.integers(0, 2, shape).astype(to_dtype(elem))


def bound_sizes(analysis: Analysis, given: Mapping[str, Array]) -> dict[str, int]:
    """The sizes that the given arrays fix."""
    found: dict[str, int] = {}
    for name, array in given.items():
        value = analysis.values.get(name)
        if value is None or not isinstance(value.type, TensorType) or value.type.shape is None:
            continue
        for dim, size in zip(value.type.shape, array.shape, strict=False):
            if dims.is_symbolic(dim) and dims.size(dim) == 0:
                found[dims.text(dim)] = size
    return found


def choose_sizes(analysis: Analysis, fixed: Mapping[str, int]) -> dict[str, int]:
    """Small sizes for the symbols of the inputs that meet every requirement that they decide.

    Raises:
        FeedError: when none were found among those tried.
    """
    return next(several_sizes(analysis, fixed))


def several_sizes(analysis: Analysis, fixed: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """Different sizes for the symbols of the inputs, each meeting every requirement that they decide.

    Raises:
        FeedError: instead of the first, when none were found among those tried.
    """
    names = {name: symbol for name, symbol in free_names(analysis).items() if name not in fixed}
    found: set[tuple[int, ...]] = set()
    told: set[str] = set()
    for sizes in itertools.islice(_candidates(analysis, names), _TRIES):
        chosen = tuple(sizes.values())
        sizes.update(fixed)
        failed = next((r for r in analysis.requirements if holds(r, sizes) is False), None)
        if failed is not None:
            told.add(failed.text)
        elif chosen not in found and _non_negative(analysis, sizes):
            found.add(chosen)
            yield sizes
            if not names:
                return
    if not found:
        raise FeedError(f"no sizes found that meet: {'; '.join(sorted(told)[:5])}: give them")


def free_names(analysis: Analysis) -> dict[str, Any]:
    """The symbols in the shapes of the graph inputs, by name."""
    names: dict[str, Any] = {}
    for given in analysis.model.graph.input:
        kind = analysis.values[given.name].type if given.name in analysis.values else None
        for dim in (kind.shape or ()) if isinstance(kind, TensorType) else ():
            names.update((symbol.name, symbol) for symbol in dims.free_symbols(dim))
    return names


def _candidates(analysis: Analysis, names: Mapping[str, Any]) -> Iterator[dict[str, int]]:
    choices = []
    for symbol in names.values():
        low, high = analysis.facts.range(symbol)
        allowed = [n for n in (*_SIZES, low or 0) if n >= (low or 0) and (high is None or n <= high)]
        choices.append(allowed or [low or 0])
    for size in _SIZES:
        yield {name: size if size in allowed else allowed[0] for name, allowed in zip(names, choices, strict=True)}
        if size == _SIZES[0]:  # no two alike, so that no two are mixed up unnoticed
            several = [[n for n in allowed if n > 1] or allowed for allowed in choices]
            yield {name: each[at % len(each)] for at, (name, each) in enumerate(zip(names, several, strict=True))}
    for sizes in itertools.product(*choices):
        yield dict(zip(names, sizes, strict=True))


def _non_negative(analysis: Analysis, sizes: Mapping[str, int]) -> bool:
    for given in analysis.model.graph.input:
        kind = analysis.values[given.name].type if given.name in analysis.values else None
        for dim in (kind.shape or ()) if isinstance(kind, TensorType) else ():
            if dims.evaluate(dim, sizes) < 0:
                return False
    return True


def holds(requirement: Requirement, sizes: Mapping[str, int]) -> bool | None:
    """Whether a requirement holds at these sizes; ``None`` when they do not decide it."""
    try:
        left, right = dims.evaluate(requirement.left, sizes), dims.evaluate(requirement.right, sizes)
    except KeyError:
        return None
    except (ZeroDivisionError, BroadcastError):
        return False
    match requirement.relation:
        case "==":
            return left == right
        case ">=":
            return left >= right
        case "divisible":
            return right != 0 and left % right == 0
        case _:
            return left == right or 1 in (left, right)


def read_array(path: Path) -> Array:
    """An array from a ``.npy`` file or a serialised tensor (``.pb``).

    Raises:
        FeedError: when the file is neither.
    """
    try:
        data = path.read_bytes()
        if path.suffix == ".pb":
            return onnx.numpy_helper.to_array(onnx.TensorProto.FromString(data))
        if not data.startswith(_NPY_MAGIC):
            raise ValueError("it is no .npy file")
        loaded: Array = np.load(io.BytesIO(data), allow_pickle=False)
    except (OSError, ValueError, EOFError, TypeError, KeyError, RuntimeError, DecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise FeedError(f"{path} cannot be read as an array: {reason}") from error
    return loaded


def npy_bytes(array: Array) -> bytes:
    """An array as the content of a ``.npy`` file; strings as fixed-width text.

    Raises:
        ValueError: when it cannot be held so.
    """
    buffer = io.BytesIO()
    np.save(buffer, array.astype(str) if array.dtype == object else array, allow_pickle=False)
    return buffer.getvalue()
