from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def ints(*values: int) -> Any:
    return np.array(values, dtype=np.int64)


MODES = ("constant", "reflect", "edge", "wrap")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("pads", [(0, 1, 2, 1, 0, 3), (0, 2, 0, 0, 0, 0), (0, 0, -1, -1, 0, -1), (1, -1, 0, 0, 1, -2)])
def test_pad(agrees: Agrees, mode: str, pads: tuple[int, ...]) -> None:
    for opset in (11, 13, 18, 19, 21, 23, 24, 25):
        if mode == "wrap" and (opset < 19 or any(pad < 0 for pad in pads)):
            continue
        if mode == "reflect" and any(pad < 0 for pad in pads):
            continue
        agrees("Pad", [X, ints(*pads)], opset, like=min(opset, 19), mode=mode)
    if mode != "wrap" and min(pads) >= 0:
        agrees("Pad", [X], 2, like=10, mode=mode, pads=list(pads), **({"value": 2.5} if mode == "constant" else {}))


def test_the_first_pad_calls_them_paddings(run: Run) -> None:
    assert run("Pad", [X], 1, paddings=[0, 0, 1, 0, 0, 0], value=9.0)[0, 0].tolist() == [9, 0, 1, 2, 3]


def test_pad_along_axes(agrees: Agrees) -> None:
    agrees("Pad", [X, ints(1, 2, 0, 1), np.array(9, np.float32), ints(-1, 0)], 18)
    agrees("Pad", [X, ints(1, 2), None, np.array([1], np.int32)], 19, mode="edge")


@pytest.mark.parametrize(("mode", "expected"), [("reflect", [2, 1, 2, 1, 2, 1]), ("wrap", [1, 2, 1, 2, 1, 2])])
def test_pads_longer_than_the_data(run: Run, mode: str, expected: list[int]) -> None:
    pads = ints(3, 1) if mode == "reflect" else ints(2, 2)
    assert run("Pad", [np.array([1, 2]), pads], 19, mode=mode).tolist() == expected


def test_pad_with_its_own_kind_of_nothing(run: Run) -> None:
    assert run("Pad", [np.array(["a"], object), ints(1, 0)], 13).tolist() == ["", "a"]
    assert run("Pad", [np.array([True]), ints(1, 0)], 13).tolist() == [False, True]


def test_what_cannot_be_padded(run: Run) -> None:
    with pytest.raises(KernelError, match="4 pads for 3 axes"):
        run("Pad", [X, ints(0, 0, 0, 0)], 13)
    with pytest.raises(KernelError, match="remove more than there is"):
        run("Pad", [np.zeros(2), ints(-2, -1)], 13)
    with pytest.raises(KernelError, match="nothing to extend"):
        run("Pad", [np.zeros(0), ints(1, 0)], 13, mode="edge")
    with pytest.raises(KernelError, match="no mode 'mirror'"):
        run("Pad", [np.zeros(2), ints(1, 0)], 13, mode="mirror")
    with pytest.raises(KernelError, match="wrap came with version 19"):
        run("Pad", [np.zeros(2), ints(1, 0)], 18, mode="wrap")
