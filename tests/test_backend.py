"""ONNX's own suite for backends, run through ``shapeinfer.backend``."""

from __future__ import annotations

import unittest
import warnings
from typing import Any

import numpy as np
import onnx
import onnx.backend.test
import pytest
from onnx import helper

from shapeinfer import KernelError, backend
from tests.support import model

RANDOM = "the expected numbers are those of NumPy's legacy generator; the specification names no generator"
GRADIENT = "Gradient differentiates the graph that its node stands in, which is more than to run a node"
NOT_RUN: dict[str, str] = {
    "test_bernoulli_cpu": RANDOM,
    "test_bernoulli_double_cpu": RANDOM,
    "test_bernoulli_double_expanded_cpu": RANDOM,
    "test_bernoulli_expanded_cpu": RANDOM,
    "test_bernoulli_seed_cpu": RANDOM,
    "test_bernoulli_seed_expanded_cpu": RANDOM,
    "test_training_dropout_cpu": RANDOM,
    "test_training_dropout_default_cpu": RANDOM,
    "test_training_dropout_default_mask_cpu": RANDOM,
    "test_training_dropout_mask_cpu": RANDOM,
    "test_loop16_seq_none_cpu": "the suite takes the length of each element of a sequence, and here that is a scalar",
    "test_attention_4d_causal_fp16_expanded_cpu": "one float16 apart: each node rounds once, and the tolerance is less",
    "test_gradient_of_add_cpu": GRADIENT,
    "test_gradient_of_add_and_mul_cpu": GRADIENT,
}
"""Cases that do not pass, each with the reason."""


def suite() -> dict[str, Any]:
    """The cases for the CPU by name. The real networks are left out: they would be downloaded."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        groups = onnx.backend.test.BackendTest(backend.ShapeinferBackend, __name__).test_cases
    return {
        name: group(name)
        for title, group in groups.items()
        if "Real" not in title
        for name in dir(group)
        if name.startswith("test_") and name.endswith("_cpu")
    }


CASES = suite()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in CASES if name not in NOT_RUN])
def test_a_case_of_onnx(name: str) -> None:
    try:
        getattr(CASES[name], name)()
    except unittest.SkipTest as error:  # the suite skips what the backend calls incompatible
        pytest.fail(str(error))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", NOT_RUN)
def test_what_is_listed_does_not_pass(name: str) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011 - whatever a comparison or a run raises
        getattr(CASES[name], name)()


@pytest.fixture
def twice() -> onnx.ModelProto:
    return model("g (float[N] x, float[N] z) => (y, s) { y = Add (x, z) s = Sub (x, z) }")


def test_a_model_prepared_and_run(twice: onnx.ModelProto) -> None:
    x, z = np.array([1, 2], np.float32), np.array([3, 4], np.float32)
    prepared = backend.prepare(twice, "CPU")
    for given in ([x, z], (x, z), {"x": x, "z": z}):
        found = prepared.run(given)
        assert found[0].tolist() == [4, 6]
        assert found["s"].tolist() == [-2, -2]  # type: ignore[call-overload]
    assert backend.run_model(twice, [x, z])[0].tolist() == [4, 6]


def test_a_single_input_needs_no_list() -> None:
    proto = model("g (float[N] x) => (y) { y = Neg (x) }")
    assert backend.run_model(proto, np.array([1], np.float32))[0].tolist() == [-1]


def test_a_node() -> None:
    node = helper.make_node("Add", ["x", "z"], ["y"])
    assert backend.run_node(node, [np.array([1.0]), np.array([2.0])])[0].tolist() == [3]
    old = helper.make_node("Squeeze", ["x"], ["y"], axes=[0])
    assert backend.run_node(old, {"x": np.ones((1, 2))}, opset_version=11)[0].shape == (2,)


def test_devices() -> None:
    assert backend.supports_device("CPU")
    assert not backend.supports_device("CUDA:0")
    with pytest.raises(ValueError, match="CUDA"):
        backend.prepare(model("g (float[N] x) => (y) { y = Neg (x) }"), "CUDA")


def test_what_is_compatible(twice: onnx.ModelProto) -> None:
    assert backend.is_compatible(twice)
    assert not backend.is_compatible(twice, "CUDA")
    assert not backend.is_compatible(model("g (float[N] x) => (y) { y = Nothing (x) }"))


def test_too_many_inputs(twice: onnx.ModelProto) -> None:
    with pytest.raises(KernelError, match="3 values for 2 inputs"):
        backend.run_model(twice, [np.zeros(1, np.float32)] * 3)
