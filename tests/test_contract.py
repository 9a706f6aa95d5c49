"""The contract of a model, from its conditions to the command line."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from typer.testing import CliRunner

from shapeinfer import cli_contract, render
from shapeinfer.cli import app
from shapeinfer.contract import Contract, Kind, answers, compared, contract, required
from shapeinfer.contract.answers import SpecError, findings
from shapeinfer.contract.document import NeededBy
from tests.support import graph, model

CACHE = """g (
    float[B, 4, past, 8] k_past, float[B, 4, seq, 8] k_new, float[B, 4, seq, total] mask, float[B, 4, seq, 8] q
) => (scores, k) {
    k = Concat <axis = 2> (k_past, k_new)
    kt = Transpose <perm = [0, 1, 3, 2]> (k)
    s = MatMul (q, kt)
    scores = Add (s, mask)
}"""
BATCH = """g (float[N, H] x) => (y) { shape = Constant <value_ints = [1, 32]> () y = Reshape (x, shape) }"""
FOLD = """g (float[N, H] x) => (y) { shape = Constant <value_ints = [-1, 32]> () y = Reshape (x, shape) }"""


def conditions(text: str, **dims: str) -> list[str]:
    return [each.condition for each in contract(model(text), dims=dims).conditions]


def positions(rows: int = 512) -> onnx.ModelProto:
    """A table of positions that is cut to the length of the input and added to it."""
    nodes = [
        helper.make_node("Shape", ["x"], ["length"], start=1, end=2),
        helper.make_node("Slice", ["table", "zero", "length", "one"], ["cut"]),
        helper.make_node("Add", ["x", "cut"], ["y"]),
    ]
    stored = [
        numpy_helper.from_array(np.zeros((rows, 4), np.float32), "table"),
        numpy_helper.from_array(np.array([0], np.int64), "zero"),
        numpy_helper.from_array(np.array([0], np.int64), "one"),
    ]
    given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, ["N", "S", 4])
    proto = helper.make_graph(nodes, "g", [given], [onnx.ValueInfoProto(name="y")], stored)
    return helper.make_model(proto, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)


# ------------------------------------------------------------------------------------------------------- conditions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (graph("float[N, 3] x", "y = Relu (x)"), []),
        (graph("float[A] a, float[B] b", "y = Add (a, b)"), ["A == B or A == 1 or B == 1"]),
        (graph("float[A, 3] a, float[B, 3] b", "y = Concat <axis = 1> (a, b)"), ["A == B"]),
        (graph("float[N, 3, 2] x, float[M, 2, K] z", "y = MatMul (x, z)"), ["N == M or N == 1 or M == 1"]),
        (graph("float[S] x", "t = Relu (x) y = Concat <axis = 0> (t, x)"), []),
    ],
)
def test_the_conditions_of_small_models(text: str, expected: list[str]) -> None:
    assert conditions(text) == expected


def test_a_cache_gives_one_equality_and_outputs_in_its_terms() -> None:
    found = contract(model(CACHE), dims={"seq": "2..", "total": "2.."})
    assert [c.condition for c in found.conditions] == ["past + seq == total"]
    assert found.conditions[0].kind is Kind.EQUALITY
    assert {v.name: v.type for v in found.outputs} == {
        "scores": "float[B, 4, seq, total]",
        "k": "float[B, 4, total, 8]",
    }


def test_without_facts_a_mask_may_be_broadcast() -> None:
    (only,) = contract(model(CACHE)).conditions
    assert only.condition == "past + seq == total or past + seq == 1 or total == 1"
    assert only.kind is Kind.ONE_OR_EQUAL


def test_a_position_table_bounds_a_length() -> None:
    (only,) = contract(positions()).conditions
    assert only.condition == "S <= 512"
    assert only.kind is Kind.BOUND


def test_requirements_that_others_imply_are_dropped_and_divisors_are_merged() -> None:
    text = graph(
        "float[H] x",
        "a = Constant <value_ints = [-1, 8]> () b = Constant <value_ints = [-1, 12]> ()"
        " c = Constant <value_ints = [-1, 4]> () p = Reshape (x, a) q = Reshape (x, b) y = Reshape (x, c)",
        "p, q, y",
    )
    (only,) = contract(model(text)).conditions
    assert only.condition == "H % 24 == 0"
    assert only.kind is Kind.DIVISIBILITY
    assert len(only.needed_by) == 2


def test_a_dim_that_works_for_one_size_only_is_a_specialisation() -> None:
    text = graph("float[N, 3] x", "a = Constant <value_ints = [0]> () y = Squeeze (x, a)")
    (only,) = contract(model(text)).conditions
    assert (only.condition, only.kind) == ("N == 1", Kind.SPECIALISATION)
    assert only.needed_by[0].op == "Squeeze"


def test_what_no_sizes_can_meet_breaks_the_model() -> None:
    text = graph("float[N] x, float[3] a, float[4] b", "p = Concat <axis = 0> (x, x) s = Sub (p, a) y = Sub (s, b)")
    found = contract(model(text))
    assert not found.ok
    assert found.broken
    assert found.example is None


def test_two_conditions_that_contradict_each_other_break_the_model() -> None:
    text = graph(
        "float[N, 2] x, float[3, 2] a, float[4, 2] b",
        "p = Concat <axis = 1> (x, a) y = Concat <axis = 1> (x, b)",
        "p, y",
    )
    assert not contract(model(text)).ok


def test_conditions_on_what_a_run_finds_out_are_kept_apart() -> None:
    text = graph("float[N] x, float[1, M] z", "i = NonZero (x) f = Cast <to = 1> (i) y = Concat <axis = 0> (f, z)")
    found = contract(model(text))
    assert not found.conditions
    assert [c.condition for c in found.run_time] == ["u0 == M"]


def test_facts_of_the_user_come_first() -> None:
    assert conditions(FOLD.replace("[N, H]", "[H]")) == ["H % 32 == 0"]
    assert conditions(FOLD.replace("[N, H]", "[H]"), H="32*h") == []
    assert contract(positions(), dims={"S": "1..512"}).conditions == ()


def test_a_declared_expression_is_not_negative() -> None:
    found = contract(model(graph("float[A, 3] x", "y = Relu (x)")), input_shapes={"x": "[N - 2, 3]"})
    assert [c.condition for c in found.conditions] == ["N >= 2"]


def test_a_squeeze_whose_rank_matters_rules_a_size_out() -> None:
    text = graph("float[1, N, 4] x", "s = Squeeze (x) y = Transpose <perm = [1, 0]> (s)")
    (only,) = contract(model(text)).conditions
    assert only.condition == "N == 0 or N >= 2"
    assert "N == 1" in only.needed_by[0].condition


def test_a_squeeze_whose_rank_does_not_matter_stays_open() -> None:
    found = contract(model(graph("float[1, N, 4] x", "y = Squeeze (x)")))
    assert not found.conditions
    assert len(found.undecided) == 1


def test_a_branch_that_fails_rules_its_sizes_out() -> None:
    text = """g (float[N, 4] x) => (y) {
        n = Shape <end = 1> (x)
        one = Constant <value_ints = [1]> ()
        is_one = Equal (n, one)
        p = If (is_one) <then_branch = t () => (a) { s = Constant <value_ints = [0]> () a = Squeeze (x, s) },
                         else_branch = e () => (b) { b = Relu (x) }>
        y = Transpose <perm = [0]> (p)
    }"""
    (only,) = contract(model(text)).conditions
    assert only.condition == "N == 1"
    assert {need.op for need in only.needed_by} == {"Transpose"}


def test_an_exact_form_is_kept_and_what_suffices_is_told() -> None:
    text = """g (float[1, 3, H, 8] x) => (y) {
        a = MaxPool <kernel_shape = [1, 1], strides = [4, 1]> (x)
        b = MaxPool <kernel_shape = [1, 1], strides = [32, 1]> (x)
        s = Constant <value_floats = [1.0, 1.0, 8.0, 1.0]> ()
        c = Resize <mode = "nearest"> (b, , s)
        y = Add (a, c)
    }"""
    (only,) = contract(model(text), dims={"H": "1.."}).conditions
    assert only.condition == "((H + 3)//4) % 8 == 0 or H <= 4"
    assert only.enough == "H % 32 == 0"
    assert only.simplest


def test_why_leads_from_the_input_to_the_node() -> None:
    text = graph("float[A] a, float[B] b", "p = Relu (a) q = Concat <axis = 0> (b, b) y = Add (p, q)")
    (only,) = contract(model(text), dims={"A": "2.."}, why=True).conditions
    (need,) = only.needed_by
    assert need.why[0] == "'a': float[A], input"
    assert need.why[-1] == "node 2 (Add)"


def test_an_example_meets_the_conditions() -> None:
    assert contract(model(CACHE)).example is not None
    found = contract(model(BATCH))
    assert [c.condition for c in found.conditions] == ["H*N == 32"]
    assert found.example is not None
    assert found.example["N"] * found.example["H"] == 32


def test_it_survives_being_saved() -> None:
    found = contract(model(CACHE))
    assert Contract.model_validate_json(found.model_dump_json()) == found


# ---------------------------------------------------------------------------------------------------------- answers


def verdicts(proto: onnx.ModelProto, *texts: str) -> list[tuple[str, str, dict[str, int]]]:
    found = contract(proto)
    return [(a.condition, a.verdict.value, dict(a.sizes)) for a in answers(found, required(texts, found))]


def test_a_specification_is_proved_or_refuted_with_sizes() -> None:
    table = positions()
    assert verdicts(table, "S in 1..512") == [("S <= 512", "proved", {})]
    ((condition, verdict, sizes),) = verdicts(table, "S in 1..600")
    assert (condition, verdict) == ("S <= 512", "refuted")
    assert sizes["S"] == 513


def test_a_specification_of_several_symbols() -> None:
    cache = model(CACHE)
    assert verdicts(cache, "past + seq == total")[0][1] == "proved"
    assert verdicts(cache, "total == past + seq", "seq >= 1")[0][1] == "proved"
    (_, verdict, sizes) = verdicts(cache, "seq >= 2", "total >= 2")[0]
    assert verdict == "refuted"
    assert sizes["past"] + sizes["seq"] != sizes["total"]


@pytest.mark.parametrize("text", ["M == 1", "N", "N in 3"])
def test_a_specification_that_says_nothing_of_the_model_is_refused(text: str) -> None:
    found = contract(model(graph("float[N] x", "y = Relu (x)")))
    with pytest.raises(SpecError):
        required([text], found)


def test_a_model_is_held_against_a_saved_contract() -> None:
    old, new = contract(positions(512)), contract(positions(256))
    assert [a.verdict for a in compared(old, new)] == ["proved"]
    (answer,) = compared(new, old)
    assert answer.verdict == "refuted"
    assert dict(answer.sizes)["S"] == 257
    assert [f.code.name for f in findings([answer], "the contract")] == ["contract-refuted"]


def test_names_may_differ_from_those_of_the_saved_contract() -> None:
    old = contract(model(graph("float[N, M] x, float[N] z", "y = Relu (x)")))
    same = contract(model(graph("float[A, B] x, float[A] z", "y = Relu (x)")))
    stricter = contract(model(graph("float[A, A] x, float[A] z", "y = Relu (x)")))
    fixed = contract(model(graph("float[A, 3] x, float[A] z", "y = Relu (x)")))
    assert [a.verdict for a in compared(same, old)] == []
    assert [a.verdict for a in compared(stricter, old)] == ["refuted"]
    assert [a.verdict for a in compared(fixed, old)] == ["refuted"]
    assert [a.verdict for a in compared(old, fixed)] == []


@pytest.mark.parametrize("inputs", ["float[N] z", "float[N, 2] x", "int64[N] x", "float[N] x, float[N] z"])
def test_other_inputs_cannot_be_compared(inputs: str) -> None:
    old = contract(model(graph("float[N] x", "y = Relu (x)")))
    name = "x" if " x" in inputs else "z"
    new = contract(model(graph(inputs, f"y = Identity ({name})")))
    with pytest.raises(SpecError):
        compared(new, old)


# ----------------------------------------------------------------------------------------------------- command line


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["contract", *arguments])
    return result.exit_code, result.output


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.onnx"
    onnx.save(positions(), path)
    return str(path)


def test_the_command_tells_conditions_and_nodes(table: str) -> None:
    status, output = run(table, "--why")
    assert status == 0
    assert "S <= 512" in output
    assert "(Add-14)" in output
    assert "'x': float[N, S, 4], input" in output


def test_the_command_writes_json(table: str) -> None:
    status, output = run(table, "--json")
    assert status == 0
    assert json.loads(output)["conditions"][0]["condition"] == "S <= 512"


def test_the_command_saves_and_compares(table: str, tmp_path: Path) -> None:
    saved = tmp_path / "contract.json"
    assert run(table, "--save", str(saved))[0] == 0
    assert run(table, "--against", str(saved))[0] == 0
    smaller = tmp_path / "smaller.onnx"
    onnx.save(positions(100), smaller)
    status, output = run(str(smaller), "--against", str(saved))
    assert status == 1
    assert "S=101" in output


def test_the_command_answers_what_is_required(table: str) -> None:
    assert run(table, "--require", "S in 1..64")[0] == 0
    status, output = run(table, "--require", "S >= 1")
    assert status == 1
    assert "refuted" in output


@pytest.mark.parametrize(
    "arguments", [["--require", "Q == 1"], ["--require", "S"], ["--dim", "S"], ["--against", "no-such-file.json"]]
)
def test_what_the_command_cannot_do(table: str, arguments: list[str]) -> None:
    assert run(table, *arguments)[0] == 2


def test_what_is_required_is_named_when_it_cannot_be_read(table: str) -> None:
    assert run(table, "--require", "S <") == (2, "shapeinfer: S <: one side of a comparison is missing\n")


def test_witnesses_that_cannot_be_written(table: str, tmp_path: Path) -> None:
    (tmp_path / "taken").touch()
    for arguments in (["contract", table], ["check", table]):
        result = CliRunner().invoke(app, [*arguments, "--witness", str(tmp_path / "taken")])
        assert (result.exit_code, "--witness" in result.stderr) == (2, True)


def test_witnesses_leave_json_alone(table: str, tmp_path: Path) -> None:
    for arguments in (["contract", table, "--json"], ["check", table, "--format", "json"]):
        result = CliRunner().invoke(app, [*arguments, "--witness", str(tmp_path / "w")])
        assert json.loads(result.stdout)
        assert "confirmed" in result.stderr


def test_a_long_way_is_shown_in_part(capsys: pytest.CaptureFixture[str]) -> None:
    steps = tuple(f"step {number}" for number in range(100))
    need = NeededBy(code="S406", condition="H == 1", where="node 9", why=steps)
    cli_contract._why(render.console(), need)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 8 + 1 + 12 + 1
    assert "… 80 more steps" in lines[8]
    assert lines[9].strip() == "step 88"


def test_a_file_that_is_no_contract(table: str, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text("{}", encoding="utf-8")
    status, output = run(table, "--against", str(path))
    assert status == 2
    assert "contract-file" in output
