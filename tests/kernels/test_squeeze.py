from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shapeinfer.kernels import KernelError, call, find

Run = Callable[..., Any]
BY_ATTRIBUTE = (1, 11)
BY_INPUT = (13, 21, 23, 24, 25)


def axes_input(*axes: int) -> Any:
    return np.array(axes, dtype=np.int64)


@pytest.mark.parametrize("opset", BY_ATTRIBUTE)
def test_attribute_versions(run: Run, opset: int) -> None:
    x = np.arange(6.0).reshape(1, 2, 1, 3)
    assert run("Squeeze", [x], opset).shape == (2, 3)
    assert run("Squeeze", [x], opset, axes=[2]).shape == (1, 2, 3)
    assert run("Squeeze", [x], opset, axes=[2, 0]).tolist() == x.reshape(2, 3).tolist()


@pytest.mark.parametrize("opset", BY_INPUT)
def test_input_versions(run: Run, opset: int) -> None:
    x = np.arange(6.0).reshape(1, 2, 1, 3)
    assert run("Squeeze", [x], opset).shape == (2, 3)
    assert run("Squeeze", [x, None], opset).shape == (2, 3)
    assert run("Squeeze", [x, axes_input(-2)], opset).shape == (1, 2, 3)
    assert run("Squeeze", [x, axes_input(2, 0)], opset).tolist() == x.reshape(2, 3).tolist()


def test_negative_axes_came_with_version_11(run: Run) -> None:
    x = np.zeros((2, 1))
    assert run("Squeeze", [x], 11, axes=[-1]).shape == (2,)
    with pytest.raises(KernelError, match="must not be negative before version 11"):
        run("Squeeze", [x], 10, axes=[-1])


def test_repeated_axes_are_one_axis(run: Run) -> None:
    # The specification is silent; ONNX Runtime takes them as a set too.
    assert run("Squeeze", [np.zeros((1, 1, 2)), axes_input(0, -3)], 13).shape == (1, 2)
    assert run("Squeeze", [np.zeros((1, 1, 2))], 11, axes=[0, 0]).shape == (1, 2)


def test_empty_axes_squeeze_nothing(run: Run) -> None:
    # ONNX Runtime squeezes every dim of 1 here, as if axes were left out.
    assert run("Squeeze", [np.zeros((1, 2)), axes_input()], 13).shape == (1, 2)


def test_a_named_axis_must_be_one(run: Run) -> None:
    with pytest.raises(KernelError, match=r"axis 1 has size 3, not 1 \(inputs: double\[1, 3\], int64\[1\]\)"):
        run("Squeeze", [np.zeros((1, 3)), axes_input(-1)], 13)
    with pytest.raises(KernelError, match="axis 0 has size 0"):
        run("Squeeze", [np.zeros((0, 3)), axes_input(0)], 13)


@pytest.mark.parametrize("axis", [2, -3])
def test_axes_out_of_range(run: Run, axis: int) -> None:
    with pytest.raises(KernelError, match=f"axis {axis} is out of range for rank 2"):
        run("Squeeze", [np.zeros((1, 1)), axes_input(axis)], 13)


def test_axes_are_one_dimensional(run: Run) -> None:
    with pytest.raises(KernelError, match="axes must be 1-D"):
        run("Squeeze", [np.zeros((1, 1)), np.array(0)], 13)


def test_the_stale_attribute_is_refused(run: Run) -> None:
    with pytest.raises(KernelError, match="no attribute axes"):
        run("Squeeze", [np.zeros((1, 1))], 13, axes=[0])


def test_scalars_and_empty_tensors(run: Run) -> None:
    assert run("Squeeze", [np.array(1.0)], 13).shape == ()
    assert run("Squeeze", [np.zeros((1, 0, 1))], 13).shape == (0,)


def test_entries_of_any_kind_are_only_moved() -> None:
    entry = object()
    x = np.array([[entry]], dtype=object)
    kernel = find("", "Squeeze", 13)
    assert kernel is not None
    assert call(kernel, [x], {})[0].item() is entry


@given(st.lists(st.integers(0, 3), max_size=5), st.data())
def test_unsqueeze_undoes_it(shape: list[int], data: st.DataObject) -> None:
    ones = [axis for axis, size in enumerate(shape) if size == 1]
    axes = data.draw(st.lists(st.sampled_from(ones), unique=True)) if ones else []
    x = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    squeeze, unsqueeze = find("", "Squeeze", 25), find("", "Unsqueeze", 25)
    assert squeeze is not None
    assert unsqueeze is not None
    named = np.array(axes, dtype=np.int64)
    back = call(unsqueeze, [call(squeeze, [x, named], {})[0], named], {})[0]
    assert back.shape == x.shape
    assert (back == x).all()
