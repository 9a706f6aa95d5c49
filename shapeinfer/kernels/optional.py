"""Optionals, held as their element, or as ``None`` when they have none."""

from __future__ import annotations

from typing import Any

import numpy as np

from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import NO_VALUE, KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Optional", since=(15, 28))
def optional(input: Any = None, *, type: Any = None) -> Any:
    """An optional with the input as its element, or of the given type and without one."""
    if input is None and type is None:
        raise KernelError("an optional without an element needs the attribute type")
    return input


@kernel("OptionalGetElement", since=(15, 18, 28))
def optional_get_element(input: Any = None) -> Any:
    """The element."""
    if input is None:
        raise KernelError("the optional has no element", code=NO_VALUE)
    return input


@kernel("OptionalHasElement", since=(15, 18, 28))
def optional_has_element(input: Any = None) -> Array:
    """Whether there is an element."""
    return np.asarray(input is not None)
