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


def random_feeds(analysis: Analysis, seed: int, given: Mapping[str, Array] | None = None) -> dict[str, Array]:
    """A value for each input that has none yet: floats from a normal distribution, integers and bools 0 or 1.

    Raises:
        FeedError: when an input is no tensor of known rank, or no sizes were found that meet the requirements.
    """
    given = dict(given or {})
    stored = {tensor.name for tensor in analysis.model.graph.initializer}
    wanted = [i.name for i in analysis.model.graph.input if i.name not in given and i.name not in stored]
    shapes = {}
    for name in wanted:
        kind = analysis.values[name].type
        if not isinstance(kind, TensorType) or kind.shape is None:
            raise FeedError(f"input '{name}' is no tensor of known rank: give a value for it")
        shapes[name] = kind
    sizes = choose_sizes(analysis, _bound(analysis, given))
    rng = np.random.default_rng(seed)
    for name, kind in shapes.items():
        assert kind.shape is not None
        shape = tuple(dims.evaluate(dim, sizes) for dim in kind.shape)
        if math.prod(size or 1 for size in shape) > _MOST_ELEMENTS:
            raise FeedError(f"input '{name}' is too large to make up: {list(shape)}")
        given[name] = _values(rng, ElementType(kind.elem or ElementType.FLOAT), shape)
    return given


def _values(rng: np.random.Generator, elem: ElementType, shape: tuple[int, ...]) -> Array:
    if elem is ElementType.STRING:
        return np.full(shape, "text", dtype=object)
    if elem.name.startswith(("FLOAT", "DOUBLE", "BFLOAT", "COMPLEX")):
        return rng.standard_normal(shape).astype(to_dtype(elem))
    return rng.integers(0, 2, shape).astype(to_dtype(elem))


def _bound(analysis: Analysis, given: Mapping[str, Array]) -> dict[str, int]:
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
    names: dict[str, Any] = {}
    for given in analysis.model.graph.input:
        kind = analysis.values[given.name].type if given.name in analysis.values else None
        for dim in (kind.shape or ()) if isinstance(kind, TensorType) else ():
            names.update((s.name, s) for s in dims.free_symbols(dim) if s.name not in fixed)
    open_requirements = []
    for sizes in itertools.islice(_candidates(analysis, names), _TRIES):
        sizes.update(fixed)
        failed = next((r for r in analysis.requirements if holds(r, sizes) is False), None)
        if failed is None and _non_negative(analysis, sizes):
            return sizes
        open_requirements.append(failed)
    told = {r.text for r in open_requirements if r is not None}
    raise FeedError(f"no sizes found that meet: {'; '.join(sorted(told)[:5])}: give them")


def _candidates(analysis: Analysis, names: Mapping[str, Any]) -> Iterator[dict[str, int]]:
    choices = []
    for symbol in names.values():
        low, high = analysis.facts.range(symbol)
        allowed = [n for n in (*_SIZES, low or 0) if n >= (low or 0) and (high is None or n <= high)]
        choices.append(allowed or [low or 0])
    for size in _SIZES:
        yield {name: size if size in allowed else allowed[0] for name, allowed in zip(names, choices, strict=True)}
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
