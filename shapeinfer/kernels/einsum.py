"""Einsum."""

from __future__ import annotations

import re

import numpy as np

from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import ATTRIBUTES, KernelError
from shapeinfer.kernels.registry import kernel

_TERM = r"[A-Za-z]*(?:\.\.\.[A-Za-z]*)?"
_EQUATION = re.compile(rf"{_TERM}(?:,{_TERM})*(?:->{_TERM})?")


@kernel("Einsum", since=(12, 28))
def einsum(*inputs: Array, equation: str) -> Array:
    """Sums of products by the equation, in Einstein's notation with letters and ``...``."""
    plain = equation.replace(" ", "")
    if not _EQUATION.fullmatch(plain):
        raise KernelError(f"the equation {equation!r} cannot be read", code=ATTRIBUTES)
    terms = plain.partition("->")[0].split(",")
    if len(terms) != len(inputs):
        raise KernelError(f"the equation {equation!r} has {len(terms)} terms for {len(inputs)} inputs")
    if not inputs:
        raise KernelError("there is no input")
    result = np.einsum(plain, *map(widen, inputs), optimize=len(inputs) > 1)
    return narrow(np.asarray(result), inputs[0].dtype)
