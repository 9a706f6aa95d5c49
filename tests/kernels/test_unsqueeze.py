from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Run = Callable[..., Any]
BY_INPUT = (13, 21, 23, 24, 25)


def axes_input(*axes: int) -> Any:
    return np.array(axes, dtype=np.int64)


@pytest.mark.parametrize("opset", [1, 11])
def test_attribute_versions(run: Run, opset: int) -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert run("Unsqueeze", [x], opset, axes=[0, 3]).tolist() == x.reshape(1, 2, 3, 1).tolist()
    assert run("Unsqueeze", [x], opset, axes=[3, 0]).shape == (1, 2, 3, 1)


@pytest.mark.parametrize("opset", BY_INPUT)
def test_input_versions(run: Run, opset: int) -> None:
    x = np.arange(6.0).reshape(2, 3)
    assert run("Unsqueeze", [x, axes_input(0, -1)], opset).tolist() == x.reshape(1, 2, 3, 1).tolist()
    assert run("Unsqueeze", [x, axes_input()], opset).shape == (2, 3)
    assert run("Unsqueeze", [np.array(1.0), axes_input(1, 0)], opset).shape == (1, 1)
    assert run("Unsqueeze", [np.zeros((0,)), axes_input(0)], opset).shape == (1, 0)


def test_negative_axes_came_with_version_11(run: Run) -> None:
    assert run("Unsqueeze", [np.zeros(2)], 11, axes=[-1]).shape == (2, 1)
    with pytest.raises(KernelError, match="must not be negative before version 11"):
        run("Unsqueeze", [np.zeros(2)], 10, axes=[-1])


@pytest.mark.parametrize("axes", [(0, 0), (1, -2)])
def test_repeated_axes(run: Run, axes: tuple[int, ...]) -> None:
    with pytest.raises(KernelError, match="repeat an axis"):
        run("Unsqueeze", [np.zeros(2), axes_input(*axes)], 13)
    with pytest.raises(KernelError, match="repeat an axis"):
        run("Unsqueeze", [np.zeros(2)], 11, axes=list(axes))


@pytest.mark.parametrize("axis", [2, -3])
def test_axes_out_of_range(run: Run, axis: int) -> None:
    with pytest.raises(KernelError, match=f"axis {axis} is out of range for rank 2"):
        run("Unsqueeze", [np.zeros(2), axes_input(axis)], 13)


def test_axes_are_required(run: Run) -> None:
    with pytest.raises(KernelError, match="2 inputs are required"):
        run("Unsqueeze", [np.zeros(2)], 13)
    with pytest.raises(KernelError, match="axes is required"):
        run("Unsqueeze", [np.zeros(2)], 11)


def test_axes_may_be_a_scalar_but_no_matrix(run: Run) -> None:
    # "A list of integers", yet the function body of AffineGrid in the specification has a scalar.
    assert run("Unsqueeze", [np.zeros(2), np.array(-1)], 13).shape == (2, 1)
    with pytest.raises(KernelError, match="must be 1-D"):
        run("Unsqueeze", [np.zeros(2), np.array([[0]])], 13)
