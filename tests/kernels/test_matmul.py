from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((5, 2, 3), (3, 4)),
        ((5, 1, 2, 3), (6, 3, 4)), ((2, 0), (0, 3)), ((0, 3), (3, 2)),
    ],
)  # fmt: skip
def test_matmul(agrees: Agrees, rng: np.random.Generator, shapes: tuple[Any, Any]) -> None:
    a, b = (rng.standard_normal(shape).astype(np.float32) for shape in shapes)
    for opset in (1, 9, 13):
        agrees("MatMul", [a, b], opset, like=max(opset, 7))


def test_matmul_of_other_types(run: Run) -> None:
    a = np.arange(6).reshape(2, 3)
    assert run("MatMul", [a, a.T.copy()], 9).tolist() == (a @ a.T).tolist()
    half = a.astype(ml_dtypes.bfloat16)
    assert run("MatMul", [half, half.T], 13).dtype == ml_dtypes.bfloat16


@pytest.mark.parametrize("shapes", [((), (2, 2)), ((2, 3), (2, 3)), ((2, 1, 3), (3, 3, 3, 3)), ((4, 2, 3), (3, 3, 2))])
def test_what_cannot_be_multiplied(run: Run, shapes: tuple[Any, Any]) -> None:
    a, b = (np.zeros(shape) for shape in shapes)
    if shapes == ((2, 1, 3), (3, 3, 3, 3)):
        assert run("MatMul", [a, b[:, :1]], 13).shape == (3, 2, 1, 3)
    else:
        with pytest.raises(KernelError):
            run("MatMul", [a, b], 13)


@pytest.mark.parametrize("trans_a", [0, 1])
@pytest.mark.parametrize("trans_b", [0, 1])
@pytest.mark.parametrize("bias", [(), (4,), (1, 4), (2, 1), (2, 4), (1,)])
def test_gemm(agrees: Agrees, rng: np.random.Generator, trans_a: int, trans_b: int, bias: tuple[int, ...]) -> None:
    a = rng.standard_normal((3, 2) if trans_a else (2, 3)).astype(np.float32)
    b = rng.standard_normal((4, 3) if trans_b else (3, 4)).astype(np.float32)
    c = rng.standard_normal(bias).astype(np.float32)
    for opset in (7, 9, 11, 13):
        agrees("Gemm", [a, b, c], opset, rtol=1e-4, transA=trans_a, transB=trans_b, alpha=0.5, beta=2.0)
    agrees("Gemm", [a, b], 13, rtol=1e-4, transA=trans_a, transB=trans_b)


@pytest.mark.parametrize("opset", [1, 6])
def test_gemm_broadcasts_by_attribute(run: Run, opset: int) -> None:
    a, b = np.ones((2, 3)), np.ones((3, 4))
    assert run("Gemm", [a, b, np.ones((2, 4))], opset).tolist() == np.full((2, 4), 4).tolist()
    assert run("Gemm", [a, b, np.ones(4)], opset, broadcast=1).tolist() == np.full((2, 4), 4).tolist()
    with pytest.raises(KernelError, match="broadcast is not set"):
        run("Gemm", [a, b, np.ones(4)], opset)


def test_gemm_of_integers(run: Run) -> None:
    a = np.arange(6).reshape(2, 3)
    assert run("Gemm", [a, a, np.array(1)], 9, transB=1, beta=2.0).tolist() == (a @ a.T + 2).tolist()


def test_gemm_wants_matrices_that_fit(run: Run) -> None:
    with pytest.raises(KernelError, match="must be matrices"):
        run("Gemm", [np.zeros((1, 2, 3)), np.zeros((3, 4))], 13)
    with pytest.raises(KernelError, match="cannot be multiplied"):
        run("Gemm", [np.zeros((2, 3)), np.zeros((2, 3))], 13)
    with pytest.raises(KernelError, match=r"C .* does not broadcast"):
        run("Gemm", [np.zeros((1, 3)), np.zeros((3, 4)), np.zeros((2, 4))], 13)
    with pytest.raises(KernelError, match="3 inputs are required"):
        run("Gemm", [np.zeros((1, 3)), np.zeros((3, 4))], 9)
