from __future__ import annotations

import numpy as np
import pytest
from onnx import defs

from shapeinfer.kernels import Kernel, KernelError, call, find, kernel, registered

SCHEMAS = {(s.domain, s.name, s.since_version): s for s in defs.get_all_schemas_with_history()}


def found(op: str, version: int) -> Kernel:
    result = find("", op, version)
    assert result is not None
    return result


OWN = {key: each for key, each in registered().items() if key in SCHEMAS}
"""Kernels of operators that onnx has schemas for."""


def test_kernels_without_a_schema_are_of_another_domain_or_of_the_first_operator_set() -> None:
    assert all(domain == "com.microsoft" or version == 1 for domain, _, version in registered().keys() - SCHEMAS.keys())


def test_an_operator_has_kernels_for_all_its_versions() -> None:
    operators = {key[:2] for key in OWN}
    current = {key for key, schema in SCHEMAS.items() if key[:2] in operators and not schema.deprecated}
    assert not current - registered().keys()


def test_kernels_take_the_attributes_of_their_version() -> None:
    for key, each in OWN.items():
        attributes = SCHEMAS[key].attributes
        assert attributes.keys() - each.names <= {"consumed_inputs"}, key
        without = {name for name in each.required & attributes.keys() if not attributes[name].default_value.type}
        assert all(attributes[name].required for name in without) or key == ("", "LpPool", 1), key


def test_kernels_take_the_inputs_of_their_version() -> None:
    for key, each in OWN.items():
        schema = SCHEMAS[key]
        assert each.least <= max(schema.min_input, 1), key
        assert each.most is None or each.most >= min(schema.max_input, 9), key


def test_there_is_one_kernel_per_version() -> None:
    with pytest.raises(ValueError, match="Squeeze-13 has a kernel already"):
        kernel("Squeeze", since=(13,))(lambda data: data)


def test_the_domain_has_two_names() -> None:
    assert find("ai.onnx", "Relu", 14) is find("", "Relu", 14) is not None
    assert find("", "Relu", 15) is None


def test_too_few_inputs() -> None:
    with pytest.raises(KernelError, match="Add-14: 2 inputs are required"):
        call(found("Add", 14), [np.zeros(2)], {})
    with pytest.raises(KernelError, match="2 inputs are required"):
        call(found("Add", 14), [None, np.zeros(2)], {})


def test_too_many_inputs() -> None:
    with pytest.raises(KernelError, match="2 inputs are too many"):
        call(found("Relu", 14), [np.zeros(2), np.zeros(2)], {})


def test_trailing_inputs_may_be_left_out() -> None:
    assert call(found("Squeeze", 13), [np.zeros((1, 2)), None, None], {})[0].shape == (2,)


def test_unknown_attributes() -> None:
    with pytest.raises(KernelError, match="there is no attribute alpha"):
        call(found("Relu", 14), [np.zeros(2)], {"alpha": 1.0})


def test_the_legacy_hint_is_let_pass() -> None:
    assert call(found("Relu", 1), [np.array([-1.0])], {"consumed_inputs": (0,)})[0].tolist() == [0]


def test_numpy_errors_become_kernel_errors_with_the_inputs() -> None:
    with pytest.raises(KernelError, match=r"Add-14: .* \(inputs: double\[2\], double\[3\]\)") as caught:
        call(found("Add", 14), [np.zeros(2), np.zeros(3)], {})
    assert caught.value.op == "Add-14"


def test_more_outputs_than_there_are() -> None:
    with pytest.raises(KernelError, match="2 outputs are wanted of 1"):
        call(found("Relu", 14), [np.zeros(2)], {}, outputs=2)


def test_scalars_are_arrays() -> None:
    result = call(found("Add", 14), [np.array(1), np.array(2)], {})[0]
    assert isinstance(result, np.ndarray)
    assert result.shape == ()
