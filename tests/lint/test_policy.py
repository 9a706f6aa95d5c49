"""What is shown: selectors, severities, and what a model itself says is to be ignored."""

from __future__ import annotations

import pytest

from shapeinfer.api import checked
from shapeinfer.diagnostics import Severity
from shapeinfer.lint import Policy, SelectorError
from shapeinfer.lint.policy import IGNORE_KEY, fits, for_file
from tests.support import model

TEXT = "g (float[?, 1] x, float[N] w) => (y) { y = Squeeze (x) z = Neg (x) }"


def shown(policy: Policy | None, proto: object = None) -> list[str]:
    report, _ = checked(proto or model(TEXT), policy=policy)  # type: ignore[arg-type]  # a model
    return sorted(each.name for each in (*report.diagnostics, *report.lints))


def test_everything_is_shown_without_a_policy() -> None:
    assert shown(None) == ["dead-node", "squeeze-rank-unknown", "unnamed-dim", "unused-input"]
    assert shown(Policy()) == shown(None)


@pytest.mark.parametrize(
    ("selector", "fit"),
    [("L640", True), ("l640", True), ("L64", True), ("L", True), ("all", True), ("dead-node", True), ("L641", False),
     ("dead", False), ("S", False), ("Lx", False), ("", False)],
)  # fmt: skip
def test_selectors(selector: str, fit: bool) -> None:
    assert fits(selector, "L640", "dead-node") is fit


def test_select_and_ignore() -> None:
    assert shown(Policy(select=("L64",))) == ["dead-node", "unused-input"]
    assert shown(Policy(select=("L64",), ignore=("dead-node",))) == ["unused-input"]
    assert shown(Policy(ignore=("S422", "L6"))) == []


def test_errors_of_a_check_cannot_be_ignored() -> None:
    broken = model("g (float[2] x) => (y) { y = Add (x, missing) }")
    assert shown(Policy(ignore=("all",)), broken) == ["undefined-value"]


def test_severities() -> None:
    report, _ = checked(model(TEXT), policy=Policy(severities={"L64": Severity.WARNING, "L641": Severity.ERROR}))
    assert {each.name: each.severity for each in report.lints} == {
        "unnamed-dim": "note",
        "dead-node": "warning",
        "unused-input": "error",
    }
    assert not report.ok
    assert shown(Policy(least=Severity.WARNING)) == ["squeeze-rank-unknown"]
    assert shown(Policy(least=Severity.ERROR)) == []


def test_a_selector_that_fits_nothing() -> None:
    with pytest.raises(SelectorError, match="L999"):
        Policy(ignore=("L999",)).validate()
    Policy(ignore=("L6", "dead-node", "all"), severities={"S422": Severity.NOTE}).validate()


@pytest.mark.parametrize("text", ["L640", "dead-node", "all", "S401, L640", "S401 dead-node"])
def test_a_node_says_what_is_to_be_ignored_at_it(text: str) -> None:
    proto = model(TEXT)
    proto.graph.node[1].metadata_props.add(key=IGNORE_KEY, value=text)
    assert shown(None, proto) == ["squeeze-rank-unknown", "unnamed-dim", "unused-input"]


def test_another_key_and_another_code_ignore_nothing() -> None:
    proto = model(TEXT)
    proto.graph.node[1].metadata_props.add(key="shapeinfer", value="all")
    proto.graph.node[1].metadata_props.add(key=IGNORE_KEY, value="L641")
    assert shown(None, proto) == shown(None)


def test_a_warning_of_a_check_can_be_suppressed_at_its_node() -> None:
    proto = model(TEXT)
    proto.graph.node[0].metadata_props.add(key=IGNORE_KEY, value="squeeze-rank-unknown")
    assert "squeeze-rank-unknown" not in shown(Policy(), proto)


def test_an_input_a_graph_and_a_model_say_it_too() -> None:
    proto = model(TEXT)
    proto.graph.input[0].metadata_props.add(key=IGNORE_KEY, value="unnamed-dim")
    assert "unnamed-dim" not in shown(None, proto)
    proto.graph.metadata_props.add(key=IGNORE_KEY, value="L641")
    assert "unused-input" not in shown(None, proto)
    proto.metadata_props.add(key=IGNORE_KEY, value="all")
    assert shown(Policy(), proto) == []


def test_patterns_for_files() -> None:
    ignores = {"*.quant.onnx": ("L630",), "models/*": ("L6", "S422")}
    assert for_file(ignores, "models/a.onnx") == ("L6", "S422")
    assert for_file(ignores, "/x/a.quant.onnx") == ("L630",)
    assert for_file(ignores, "a.onnx") == ()
