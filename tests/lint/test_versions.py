"""Lints about versions and stored numbers, each with near misses."""

from __future__ import annotations

import pytest

from shapeinfer import check
from tests.support import model

OLD = '<ir_version: 5, opset_import: ["" : 9]>\n'


def count(text: str, name: str) -> int:
    return [each.name for each in check(model(text)).lints].count(name)


@pytest.mark.parametrize(
    ("node", "told"),
    [
        ("Concat <axis = -1> (x, x)", 1),
        ("ReduceSum <axes = [-1]> (x)", 1),
        ("ArgMax <axis = -1> (x)", 1),
        ("Gather <axis = -1> (x, i)", 0),  # its first version speaks of negative ones already
        ("Softmax <axis = -1> (x)", 1),
        ("Squeeze <axes = [-3]> (x)", 0),  # an error of check: S403
        ("Concat <axis = 1> (x, x)", 0),
    ],
)
def test_negative_axes_of_early_versions(node: str, told: int) -> None:
    text = OLD + f"g (float[1, 2, 3] x, int64[2] i) => (y) {{ y = {node} }}"
    assert count(text, "negative-axis-early") == told


def test_negative_axes_of_later_versions() -> None:
    assert count("g (float[2, 3] x) => (y) { y = Concat <axis = -1> (x, x) }", "negative-axis-early") == 0


def test_what_blocks_an_upgrade() -> None:
    text = OLD + "g (float[1, 3] x) => (y, z) { y = Squeeze <axes = [0]> (x) z = Relu (x) }"
    report = check(model(text))
    (found,) = [each for each in report.lints if each.name == "blocks-upgrade"]
    assert "attribute 'axes'" in found.message
    assert "takes as an input" in found.message


def test_an_attribute_that_there_never_was_blocks_no_upgrade() -> None:
    assert count(OLD + "g (float[1, 3] x) => (y) { y = Relu <alpha = 3> (x) }", "blocks-upgrade") == 0


def test_a_domain_that_a_function_uses_is_used() -> None:
    text = """<ir_version: 9, opset_import: ["" : 17, "f" : 1, "h" : 1]>
g (float[N] x) => (y) { y = f.Once (x) }
<domain: "f", opset_import: ["" : 17, "h" : 1]>
Once (a) => (b) { b = h.Odd (a) }"""
    assert count(text, "unused-import") == 0


def test_one_version_stated_twice_is_only_a_note() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.opset_import.add(domain="ai.onnx", version=21)
    (found,) = check(proto).lints
    assert (found.name, found.severity) == ("domain-imported-twice", "note")


@pytest.mark.parametrize(("number", "name"), [("1e-40", "denormal-constant"), ("inf", "infinite-constant")])
def test_odd_numbers_of_initializers(number: str, name: str) -> None:
    node = f"c = Constant <value = float[1] {{{number}}}> ()"
    assert count(f"g (float[1] x) => (y) {{ {node} y = Add (x, c) }}", name) == 1


def test_zero_is_not_denormal() -> None:
    assert count("g (float[1] x) => (y) <float[1] c = {0}> { y = Add (x, c) }", "denormal-constant") == 0


def test_a_model_of_doubles_is_no_island() -> None:
    text = "g (double[N] x) => (y) { e = Exp (x) y = Cast <to = 1> (e) }"
    assert count(text, "float64-island") == 0


def test_two_islands() -> None:
    text = """g (float[N] x) => (y) {
        a = Cast <to = 11> (x) b = Exp (a) c = Cast <to = 1> (b)
        d = Cast <to = 11> (c) e = Exp (d) f = Log (e) y = Cast <to = 1> (f)
    }"""
    assert count(text, "float64-island") == 2
