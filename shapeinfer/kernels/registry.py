"""Where kernels are registered, found and called."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias, TypeVar

import numpy as np

from shapeinfer.kernels.arguments import type_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import ATTRIBUTES, FAILED, OUT_OF_RANGE, SIZES, KernelError

Need: TypeAlias = Literal["outputs", "version", "rng"]
"""What a kernel can ask for beyond inputs and attributes."""

_F = TypeVar("_F", bound=Callable[..., Any])
_FAILURES: Final = (ValueError, TypeError, IndexError, KeyError, ArithmeticError, AttributeError, MemoryError)
_LEGACY: Final = "consumed_inputs"  # hints of the first operator set; they change no result


@dataclass(frozen=True, slots=True)
class Kernel:
    """One operator version that can be run.

    Attributes:
        function: takes the inputs by position (``None`` for an optional one left out) and the attributes by name.
        needs: what it is given beyond that, as ``_outputs``, ``_version`` and ``_rng``.
        least: how many inputs it takes at least.
        most: how many at most; ``None`` without limit.
        names: the attributes it takes.
        required: those without a default.
    """

    domain: str
    op: str
    version: int
    function: Callable[..., Any]
    needs: tuple[Need, ...]
    least: int
    most: int | None
    names: frozenset[str]
    required: frozenset[str]

    @property
    def title(self) -> str:
        """The operator and its version: ``Squeeze-13``."""
        return f"{self.op}-{self.version}"


_kernels: dict[tuple[str, str, int], Kernel] = {}
_loaded = False


def kernel(op: str, *, since: Sequence[int], domain: str = "", needs: Sequence[Need] = ()) -> Callable[[_F], _F]:
    """Registers a function as the kernel of these versions of an operator.

    Raises:
        ValueError: when a version has a kernel already.
    """

    def register(function: _F) -> _F:
        least, most, names, required = _parameters(function)
        for version in since:
            key = (domain, op, version)
            if key in _kernels:
                raise ValueError(f"{op}-{version} has a kernel already")
            _kernels[key] = Kernel(domain, op, version, function, tuple(needs), least, most, names, required)
        return function

    return register


def _parameters(function: Callable[..., Any]) -> tuple[int, int | None, frozenset[str], frozenset[str]]:
    least, most, names, required = 0, 0, set(), set()
    unlimited = False
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            unlimited = True
        elif parameter.kind is parameter.KEYWORD_ONLY:
            if not name.startswith("_"):
                names.add(name)
                if parameter.default is parameter.empty:
                    required.add(name)
        else:
            most += 1
            least += parameter.default is parameter.empty
    return least, None if unlimited else most, frozenset(names), frozenset(required)


def find(domain: str, op: str, since_version: int) -> Kernel | None:
    """The kernel of an operator version; ``None`` when there is none."""
    _load()
    return _kernels.get(("" if domain == "ai.onnx" else domain, op, since_version))


def newest(domain: str, op: str, opset: int) -> int | None:
    """The newest version of an operator up to this operator set that has a kernel; ``None`` when there is none."""
    _load()
    return max((key[2] for key in _kernels if key[:2] == (domain, op) and key[2] <= opset), default=None)


def registered() -> Mapping[tuple[str, str, int], Kernel]:
    """Every kernel by domain, operator and version."""
    _load()
    return _kernels


def _load() -> None:
    global _loaded
    if _loaded:
        return
    _loaded = True
    from shapeinfer import kernels

    for module in pkgutil.iter_modules(kernels.__path__):
        importlib.import_module(f"{kernels.__name__}.{module.name}")


def call(
    kernel: Kernel,
    inputs: Sequence[Any],
    attributes: Mapping[str, Any],
    *,
    outputs: int = 1,
    rng: np.random.Generator | None = None,
) -> list[Any]:
    """Runs a kernel.

    Args:
        kernel: from :func:`find`.
        inputs: arrays by position, ``None`` for an optional input left out; trailing ones may be missing.
        attributes: decoded, with the defaults of the operator's schema filled in.
        outputs: how many outputs are wanted, counted to the last one that has a name.
        rng: what a random kernel draws from; without it, each call draws anew.

    Returns:
        The outputs that are wanted.

    Raises:
        KernelError: when the kernel refuses its arguments.
    """
    while inputs and inputs[-1] is None:
        inputs = inputs[:-1]
    _check_arguments(kernel, inputs, attributes)
    given: dict[str, Any] = {name: value for name, value in attributes.items() if name in kernel.names}
    for need in kernel.needs:
        if need == "outputs":
            given["_outputs"] = outputs
        elif need == "version":
            given["_version"] = kernel.version
        else:
            given["_rng"] = np.random.default_rng() if rng is None else rng
    try:
        with np.errstate(all="ignore"):
            result = kernel.function(*inputs, **given)
    except KernelError as error:
        message, code = error.message, error.code
    except IndexError as error:
        message, code = str(error), OUT_OF_RANGE
    except _FAILURES as error:
        message = str(error) or type(error).__name__
        code = SIZES if isinstance(error, ValueError) else FAILED  # NumPy's word for sizes that do not go together
    else:
        results = [_as_array(each) for each in (result if isinstance(result, tuple) else (result,))]
        if len(results) >= outputs:
            return results[:outputs]
        message, code = f"{outputs} outputs are wanted of {len(results)}", FAILED
    given_types = ", ".join(map(type_text, inputs)) or "none"
    raise KernelError(f"{message} (inputs: {given_types})", op=kernel.title, code=code)


def _check_arguments(kernel: Kernel, inputs: Sequence[Any], attributes: Mapping[str, Any]) -> None:
    if len(inputs) < kernel.least or any(each is None for each in inputs[: kernel.least]):
        raise KernelError(f"{kernel.least} inputs are required", op=kernel.title)
    if kernel.most is not None and len(inputs) > kernel.most:
        raise KernelError(f"{len(inputs)} inputs are too many, {kernel.most} are allowed", op=kernel.title)
    unknown = attributes.keys() - kernel.names - {_LEGACY}
    if unknown:
        raise KernelError(f"there is no attribute {', '.join(sorted(unknown))}", op=kernel.title, code=ATTRIBUTES)
    missing = kernel.required - attributes.keys()
    if missing:
        message = f"the attribute {', '.join(sorted(missing))} is required"
        raise KernelError(message, op=kernel.title, code=ATTRIBUTES)


def _as_array(value: Any) -> Any:
    """An array; what is no tensor (a sequence, a map, an optional without an element) as it is."""
    if isinstance(value, (np.ndarray, list, dict)) or value is None:
        return value
    if isinstance(value, np.generic):
        return np.asarray(value)
    single: Array = np.empty((), dtype=object)
    single[()] = value
    return single
