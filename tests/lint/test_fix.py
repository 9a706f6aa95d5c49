"""Repairs: what they change, that they are verified, and that nothing is claimed of what could not be run."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import onnx
import pytest

from shapeinfer import catalogue as codes
from shapeinfer import check, infer_shapes
from shapeinfer.catalogue import example
from shapeinfer.diagnostics import Code, defined_codes
from shapeinfer.engine import Analysis, analyse
from shapeinfer.lint import Lint, Policy, lint
from shapeinfer.lint.fix import Repaired, UnverifiedError, diff, repair, verify
from shapeinfer.lint.registry import Fix
from shapeinfer.options import Options
from tests.support import model, onnxruntime

FIXABLE = {
    "declared-dim-wrong", "dead-node", "duplicate-initializer", "eyelike-type-follows", "hard-coded-reshape",
    "redundant-cast", "redundant-identity", "redundant-reshape", "redundant-transpose", "squeeze-unsqueeze-pair",
    "squeeze-without-axes", "stale-value-info", "unnamed-dim", "unused-import", "unused-initializer",
}  # fmt: skip


def looking_for(*selectors: str) -> Callable[[Analysis], list[Lint]]:
    policy = Policy(select=selectors or ("all",))
    return lambda analysis: list(policy.lints(lint(analysis), analysis.model))


def repaired(text: str, *selectors: str) -> Repaired:
    return repair(model(text), Options(), looking_for(*selectors))


@pytest.mark.parametrize("code", [c for c in defined_codes().values() if c.id.startswith("L") and c.bad])
def test_what_can_be_repaired_is_gone_afterwards(code: Code) -> None:
    proto = model(example(code.bad))
    before = proto.SerializeToString()
    found = repair(proto, Options(), looking_for(code.id))
    assert proto.SerializeToString() == before
    assert bool(found.titles) == (code.name in FIXABLE)
    if found.titles:
        after = check(found.model)
        assert code.id not in [each.code for each in after.lints]
        assert after.ok
        onnx.checker.check_model(infer_shapes(found.model))


def ops(found: Repaired) -> list[str]:
    return [node.op_type for node in found.model.graph.node]


def test_all_repairs_together() -> None:
    text = """g (float[N, 2, 3] x) => (y) <int64[2] s = {1, 6}, int64[2] t = {1, 6}, float[1] w = {1}> {
        i = Identity (x) c = Cast <to = 1> (i) r = Reshape (c, s) q = Reshape (r, t) d = Neg (q) y = Relu (q)
    }"""
    found = repaired(text)
    assert ops(found) == ["Reshape", "Relu"]
    assert found.runs > 0
    x = np.ones((4, 2, 3), np.float32)
    (actual,) = onnxruntime(typed(found.model), {"x": x})
    assert actual.shape == (4, 6)


def typed(proto: onnx.ModelProto) -> onnx.ModelProto:
    """The model with the element type of its output, which ONNX Runtime wants."""
    for output in proto.graph.output:
        output.type.tensor_type.elem_type = onnx.TensorProto.FLOAT
    return proto


def test_an_output_keeps_its_name() -> None:
    found = repaired("g (float[N] x) => (y) { r = Relu (x) y = Identity (r) }")
    assert ops(found) == ["Relu"]
    assert found.model.graph.node[0].output[0] == "y"


def test_a_chain_of_identities_from_input_to_output_keeps_one() -> None:
    assert ops(repaired("g (float[N] x) => (y) { a = Identity (x) b = Identity (a) y = Identity (b) }")) == ["Identity"]


def test_inner_graphs_take_the_value_that_stays() -> None:
    text = """g (bool c, float[N] x) => (y) {
        i = Identity (x)
        y = If (c) <then_branch = t () => (a) { a = Neg (i) }, else_branch = e () => (i) { }>
    }"""
    found = repaired(text)
    assert ops(found) == ["If"]
    inner = [each.g for each in found.model.graph.node[0].attribute]
    assert inner[0].node[0].input[0] == "x"
    assert inner[1].output[0].name == "x"
    assert found.runs > 0


def test_what_touches_no_number_needs_no_run() -> None:
    found = repaired("g (float[?] x) => (y) { y = com.example.Op (x) }".replace("com.example.Op", "Relu"))
    assert found.titles
    assert found.runs == 0
    assert found.model.graph.input[0].type.tensor_type.shape.dim[0].dim_param == "x_0"


def test_what_cannot_be_run_is_not_repaired() -> None:
    text = '<ir_version: 10, opset_import: ["" : 21, "own" : 1]>\n'
    text += "g (float[N] x) => (y) { i = Identity (x) y = own.Op (i) }"
    with pytest.raises(UnverifiedError, match="cannot be run"):
        repaired(text)


def wrong(output: str, op: str) -> Fix:
    def apply(proto: onnx.ModelProto) -> None:
        node = next(each for each in proto.graph.node if output in each.output)
        node.op_type = op

    return Fix("make it wrong", apply, frozenset({output}))


@pytest.mark.parametrize(("op", "reason"), [("Neg", "something else"), ("Shape", "something else"), ("No", "a fault")])
def test_a_repair_that_is_wrong_is_refused(op: str, reason: str) -> None:
    proto = model("g (float[N] x) => (y) { y = Abs (x) }")

    def look(analysis: Analysis) -> list[Lint]:
        if analysis.model.graph.node[0].op_type != "Abs":
            return []
        finding = next(lint(analyse(model("g (float[N] x) => (y) { y = Relu (x) z = Neg (x) }"))))
        assert finding.finding.code is codes.DEAD_NODE
        return [Lint(finding.finding, wrong("y", op))]

    with pytest.raises(UnverifiedError, match=reason):
        repair(proto, Options(), look)


def test_two_models_are_run_at_several_sizes() -> None:
    first = model("g (float[N, M] x) => (y) { y = Relu (x) }")
    second = model("g (float[N, M] x) => (y) { a = Identity (x) y = Relu (a) }")
    assert verify(first, second, Options()) == 3


def test_a_difference_at_one_size_alone_is_seen() -> None:
    first = model("g (float[N, 1] x) => (y) <int64[1] a = {1}> { y = Squeeze (x, a) }")
    second = model("g (float[N, 1] x) => (y) { y = Squeeze (x) }")
    with pytest.raises(UnverifiedError, match="something else"):
        verify(first, second, Options())


def test_the_diff_shows_lines_of_the_text_form() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) z = Neg (x) }")
    text = diff(proto, repair(proto, Options(), looking_for()).model, "m.onnx")
    assert text.startswith("--- m.onnx\n+++ m.onnx (repaired)\n")
    changed = [line for line in text.splitlines()[2:] if line[0] in "+-"]
    assert changed == ["-   z = Neg (x)"]
