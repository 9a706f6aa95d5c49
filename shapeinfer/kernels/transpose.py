"""Transpose."""

from __future__ import annotations

from collections.abc import Sequence

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel


@kernel("Transpose", since=(1, 13, 21, 23, 24, 25))
def transpose(data: Array, *, perm: Sequence[int] | None = None) -> Array:
    """The dims in the order of ``perm``; reversed without it."""
    order = tuple(range(data.ndim))[::-1] if perm is None else tuple(perm)
    if sorted(order) != list(range(data.ndim)):
        raise KernelError(f"perm {shape_text(order)} is no permutation of the axes of rank {data.ndim}")
    return data.transpose(order)
