"""The formats for other programs: what they must hold, and that odd text does no harm."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from shapeinfer import check
from shapeinfer.formats import FORMATS, github, junit, render, sarif
from shapeinfer.report import Report
from tests.support import model

TEXT = """g (float[N, 3, 4] x) => (y) <int64[2] s = {1, 12}> {
    y = Reshape (x, s) d = Neg (x) b = Add (x, missing)
}"""
ODD = 'a%b\n::c,d:e "<&>]]>\x00\x1b\x7f\ud800'


def report(name: str = "models/my net.onnx") -> Report:
    return check(model(TEXT)).model_copy(update={"model": name})


def odd() -> Report:
    first = report()
    found = first.lints[0].model_copy(update={"message": ODD, "where": ODD, "hint": ODD, "node": ODD})
    return first.model_copy(update={"lints": (found,), "diagnostics": ()})


def test_sarif_holds_each_finding() -> None:
    log = json.loads(render("sarif", [report(), report("other.onnx")]))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    first = report()
    assert len(run["results"]) == 2 * len((*first.diagnostics, *first.lints))
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["level"] in ("note", "warning", "error")
        assert result["message"]["text"]
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]
        assert place["uri"] in ("models/my%20net.onnx", "other.onnx")
        assert run["artifacts"][place["index"]]["location"]["uri"] == place["uri"]


def test_sarif_fingerprints_tell_findings_apart_and_stay() -> None:
    def prints() -> list[str]:
        results = json.loads(render("sarif", [report()]))["runs"][0]["results"]
        return [result["partialFingerprints"]["shapeinfer/v1"] for result in results]

    assert prints() == prints()
    assert len(set(prints())) == len(prints())


def test_sarif_allows_nothing_that_its_schema_does_not_have() -> None:
    log = sarif.Log.model_validate_json(render("sarif", [report()]))
    assert log.runs[0].results
    assert not json.loads(render("sarif", [report()]))["runs"][0]["results"][0].get("hint")


@pytest.mark.parametrize(
    ("path", "uri"),
    [("a b/c.onnx", "a%20b/c.onnx"), ("/a/ä.onnx", "file:///a/%C3%A4.onnx"), ("x#y.onnx", "x%23y.onnx")],
)
def test_paths_become_uris(path: str, uri: str) -> None:
    assert sarif.uri(path) == uri


def test_github_has_a_command_for_each_finding_worst_first() -> None:
    lines = github.render([report()]).splitlines()
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning", "::warning", "::notice", "::notice"]
    assert lines[0].startswith("::error file=models/my net.onnx,title=G201 undefined-value::")


def test_github_text_cannot_start_another_command() -> None:
    lines = github.render([odd()]).split("\n")
    assert len(lines) == 1
    assert "a%25b%0A" in lines[0]
    colons = github.render([report("a:b,c.onnx")]).splitlines()[0]
    assert "file=a%3Ab%2Cc.onnx," in colons


def test_junit_counts_errors_and_warnings() -> None:
    root = ElementTree.fromstring(junit.render([report(), check(model("g (float[N] x) => (y) { y = Relu (x) }"))]))
    assert (root.get("tests"), root.get("failures")) == ("4", "3")
    first, second = root
    assert [failure.get("type") for failure in first.iter("failure")] == ["error", "warning", "warning"]
    assert "dead-node" in (first.findtext("system-out") or "")
    assert len(second.findall("testcase")) == 1


@pytest.mark.parametrize("format", [each for each in FORMATS if each != "text"])
def test_odd_text_does_no_harm(format: str) -> None:
    tame = (
        odd().lints[0].model_copy(update={"message": ODD[:-1], "where": ODD[:-1], "hint": ODD[:-1], "node": ODD[:-1]})
    )
    text = render(format, [odd().model_copy(update={"lints": (tame,)})])
    if format == "junit":
        ElementTree.fromstring(text)
    elif format != "github":
        assert json.loads(text)


def test_no_report_and_no_finding() -> None:
    empty = Report(model="m.onnx")
    assert render("github", [empty]) == ""
    assert json.loads(render("sarif", [empty]))["runs"][0]["results"] == []
    assert len(json.loads(render("json", [empty, empty]))) == 2
