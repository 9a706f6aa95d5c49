from __future__ import annotations

import pytest

from tests.support import errors, requirements, type_of

DOMAINS = ["onnx.brevitas", "qonnx.custom_op.general", "finn.custom_op.general"]


def quant(inputs: str, body: str, domain: str = DOMAINS[0]) -> str:
    return f'<ir_version: 8, opset_import: ["" : 13, "{domain}" : 1]> g ({inputs}) => (y) {{ y = {domain}.{body} }}'


@pytest.mark.parametrize("domain", DOMAINS)
@pytest.mark.parametrize("op", ["Quant", "IntQuant", "Trunc"])
def test_the_result_is_a_float_of_the_first_shape(domain: str, op: str) -> None:
    text = quant("float[N, 3, H] x, float s, float z, float b", f"{op} (x, s, z, b)", domain)
    assert type_of(text) == "float[N, 3, H]"


def test_attributes_are_taken_as_they_come() -> None:
    text = quant("float[N] x, float s, float z, float b", 'Quant <narrow = 1, rounding_mode = "ROUND"> (x, s, z, b)')
    assert errors(text) == []


def test_scales_broadcast_to_the_data() -> None:
    assert requirements(quant("float[N, 3] x, float[C] s", "BipolarQuant (x, s)")) == ["3 == C or C == 1"]
    assert errors(quant("float[N, 3] x, float[4] s", "BipolarQuant (x, s)")) == ["broadcast"]
