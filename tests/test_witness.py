"""Runs that show what a contract says, and that ONNX Runtime goes the same way."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from typer.testing import CliRunner

from shapeinfer.cli import app
from shapeinfer.engine import analyse
from shapeinfer.feeds import FeedError
from shapeinfer.options import Options
from shapeinfer.witness import Outcome, Witness, feeds_of, reproduce, save, witnesses
from tests.support import graph, model, onnxruntime

MODELS = {
    "squeeze": graph("float[1, N, 3] x", "y = Squeeze (x)"),
    "concat": graph("float[N, 2] x, float[M, 2] z", "y = Concat <axis = 1> (x, z)"),
    "reshape": graph("float[H] x", "s = Constant <value_ints = [-1, 32]> () y = Reshape (x, s)"),
    "add": graph("float[A] a, float[B] b", "p = Relu (a) y = Add (p, b)"),
    "matmul": graph("float[2, K] a, float[L, 3] b", "y = MatMul (a, b)"),
    "table": graph(
        "float[S, 2] x, float[8, 2] table",
        "n = Shape <end = 1> (x) z = Constant <value_ints = [0]> () t = Slice (table, z, n, z) y = Add (x, t)",
    ),
}


def found(text: str, **dims: str) -> list[Witness]:
    return list(witnesses(analyse(model(text), Options(dims=dims))))


@pytest.mark.parametrize("name", MODELS)
def test_every_condition_of_these_models_is_confirmed(name: str) -> None:
    (witness,) = found(MODELS[name])
    assert witness.outcome is Outcome.CONFIRMED, witness.text
    assert len(witness.runs) == 2


@pytest.mark.parametrize("name", MODELS)
def test_onnx_runtime_goes_the_same_way(name: str) -> None:
    (witness,) = found(MODELS[name])
    assert witness.part is not None
    for run in witness.runs:
        feeds = feeds_of(witness.part, run.sizes)
        if run.shape is None:
            with pytest.raises(Exception, match=r"(?i)onnx|shape|dimension|broadcast"):
                onnxruntime(witness.part, feeds)
        else:
            (result,) = onnxruntime(witness.part, feeds)
            assert np.shape(result) == run.shape


def test_two_sizes_give_two_ranks() -> None:
    (witness,) = found(MODELS["squeeze"])
    assert witness.text == "confirmed: N=1 gives rank 1, [3]; N=2 gives rank 2, [2, 3]"


def test_a_failing_run_is_told_with_one_that_goes_well() -> None:
    (witness,) = found(MODELS["concat"])
    bad, good = witness.runs
    assert bad.shape is None
    assert bad.sizes["N"] != bad.sizes["M"]
    assert good.shape is not None
    assert good.sizes["N"] == good.sizes["M"]


def test_facts_of_the_user_are_kept() -> None:
    (witness,) = found(MODELS["concat"], N="5..9", M="5..9")
    assert all(5 <= size <= 9 for run in witness.runs for size in run.sizes.values())


def test_a_rank_that_the_facts_leave_no_choice_is_no_question() -> None:
    assert found(MODELS["squeeze"], N="2..64") == []


def test_only_the_part_that_the_node_depends_on_is_run() -> None:
    text = graph("float[N, 2] x, float[M, 2] z", "p = Relu (x) q = Relu (z) y = Concat <axis = 1> (p, z)", "q, y")
    (witness,) = found(text)
    assert witness.part is not None
    assert [node.op_type for node in witness.part.graph.node] == ["Relu", "Concat"]


def test_nothing_is_confirmed_that_was_not_run() -> None:
    text = """<ir_version: 10, opset_import: ["" : 21]>
    g (float[N] x) => (y) {
        i = NonZero (x)
        y = Squeeze (i)
    }"""
    for witness in found(text):
        assert witness.outcome is Outcome.NOT_RUN
        assert witness.text.startswith("not run: ")


def test_weights_that_are_not_there_are_made_up_and_that_is_said() -> None:
    proto = model(graph("float[N, 2] x", "y = Add (x, w)"))
    weight = proto.graph.initializer.add(name="w", data_type=onnx.TensorProto.FLOAT, dims=[3, 2])
    weight.data_location = onnx.TensorProto.EXTERNAL
    weight.external_data.add(key="location", value="no-such-file.bin")
    (witness,) = witnesses(analyse(proto))
    assert witness.outcome is Outcome.CONFIRMED
    assert "random numbers for 1" in witness.text


def test_a_saved_witness_runs_again(tmp_path: Path) -> None:
    (witness,) = found(MODELS["reshape"])
    path = save(witness, tmp_path, 1)
    assert path is not None
    again = reproduce(path)
    assert (again.shape, dict(again.sizes)) == (None, dict(witness.runs[0].sizes))
    assert again.error == witness.runs[0].error


def test_a_model_that_is_no_witness(tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    onnx.save(model(MODELS["add"]), path)
    with pytest.raises(FeedError, match="no witness"):
        reproduce(path)


def test_only_what_was_confirmed_is_saved(tmp_path: Path) -> None:
    (witness,) = found(MODELS["reshape"])
    witness.outcome = Outcome.NOT_FOUND
    assert save(witness, tmp_path, 1) is None
    assert witness.text.startswith("no counterexample in H=")


def test_the_command_writes_witnesses(tmp_path: Path) -> None:
    path, out = tmp_path / "m.onnx", tmp_path / "out"
    onnx.save(model(MODELS["squeeze"]), path)
    result = CliRunner().invoke(app, ["contract", str(path), "--witness", str(out)])
    assert result.exit_code == 0
    assert "confirmed: N=1 gives rank 1" in result.output
    assert [p.name for p in out.iterdir()] == ["witness_1.onnx"]
