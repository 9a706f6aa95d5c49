"""``shapeinfer run`` and ``shapeinfer verify``."""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from typer.testing import CliRunner, Result

from shapeinfer.cli import app
from tests.support import model

RELU = "g (float[N, 3] x) => (y) { y = Relu (x) }"
NEEDS = "g (float[N, C] x) => (y) <int64[1] axes = {0}> { y = Squeeze (x, axes) }"


def invoke(*arguments: str | Path) -> Result:
    """Runs the command; whatever it is given, it may end in no other way than by its exit status."""
    result = CliRunner().invoke(app, [str(a) for a in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    assert result.exit_code in (0, 1, 2)
    return result


def put(directory: Path, text: str, name: str = "m.onnx") -> Path:
    path = directory / name
    path.write_bytes(model(text).SerializeToString())
    return path


# ------------------------------------------------------------------------------------------------------------ run


def test_run_with_a_file(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.array([[-1, 0, 2]], np.float32))
    result = invoke("run", put(tmp_path, RELU), "--input", f"x={tmp_path / 'x.npy'}", "--save", tmp_path / "outs")
    assert result.exit_code == 0
    assert "y: float32[1, 3]" in result.output
    assert np.load(tmp_path / "outs" / "y.npy").tolist() == [[0, 0, 2]]


def test_run_with_a_serialised_tensor(tmp_path: Path) -> None:
    onnx.save_tensor(numpy_helper.from_array(np.ones((4, 3), np.float32)), tmp_path / "x.pb")
    result = invoke("run", put(tmp_path, RELU), "--input", f"x={tmp_path / 'x.pb'}")
    assert result.exit_code == 0
    assert "y: float32[4, 3]" in result.output


def test_run_with_random_values_depends_on_the_seed_alone(tmp_path: Path) -> None:
    path = put(tmp_path, RELU)
    first = invoke("run", path, "--random", "--dim", "N=5")
    assert first.exit_code == 0
    assert "x: float32[5, 3]" in first.output
    assert invoke("run", path, "--random", "--dim", "N=5").output == first.output
    assert invoke("run", path, "--random", "--dim", "N=5", "--seed", "1").output != first.output


def test_run_with_random_values_meets_the_requirements(tmp_path: Path) -> None:
    result = invoke("run", put(tmp_path, NEEDS), "--random", "--dim", "C=3")
    assert result.exit_code == 0
    assert "x: float32[1, 3]" in result.output


def test_run_with_random_values_of_a_shape(tmp_path: Path) -> None:
    result = invoke("run", put(tmp_path, RELU), "--random", "--shape", "x=[4, 3]")
    assert "x: float32[4, 3]" in result.output


def test_run_without_a_value_for_an_input(tmp_path: Path) -> None:
    result = invoke("run", put(tmp_path, RELU))
    assert result.exit_code == 2
    assert "no value for input 'x' (float[N, 3])" in result.output
    assert "--random" in result.output


def test_run_with_a_value_that_does_not_fit(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 4), np.float32))
    result = invoke("run", put(tmp_path, RELU), "--input", f"x={tmp_path / 'x.npy'}")
    assert result.exit_code == 1
    assert "R705 run-input-shape" in result.output


@pytest.mark.parametrize("name", ["absent.npy", "m.onnx", "garbage.pb", "."])
def test_run_with_a_file_that_holds_no_array(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    put(tmp_path, RELU)
    (tmp_path / "garbage.pb").write_bytes(b"\xff" * 40)
    monkeypatch.chdir(tmp_path)
    result = invoke("run", "m.onnx", "--input", f"x={name}")
    assert result.exit_code == 2
    assert "cannot be read as an array" in result.output


def test_run_with_a_name_that_is_no_input(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((2, 3), np.float32))
    result = invoke("run", put(tmp_path, RELU), "--input", f"z={tmp_path / 'x.npy'}")
    assert result.exit_code == 2
    assert "there is no such input; there are x" in result.output


def test_run_of_sizes_that_no_memory_holds(tmp_path: Path) -> None:
    result = invoke("run", put(tmp_path, RELU), "--random", "--dim", "N=999999999999")
    assert result.exit_code == 2
    assert "too large" in result.output


def test_run_of_an_operator_without_a_kernel(tmp_path: Path) -> None:
    text = '<ir_version: 10, opset_import: ["" : 21, "c" : 1]> g (float[2] x) => (y) { y = c.Op (x) }'
    result = invoke("run", put(tmp_path, text), "--random")
    assert result.exit_code == 1
    assert "R706 run-no-kernel" in result.output


def test_run_that_cannot_save(tmp_path: Path) -> None:
    path = put(tmp_path, RELU)
    result = invoke("run", path, "--random", "--save", path)
    assert result.exit_code == 2


def test_run_saves_each_output_under_a_name_of_its_own(tmp_path: Path) -> None:
    x = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [2])
    nodes = [helper.make_node("Relu", ["x"], ["a/b"]), helper.make_node("Neg", ["x"], ["a:b"])]
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name=n) for n in ("a/b", "a:b")])
    path = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)
    assert invoke("run", path, "--random", "--save", tmp_path / "outs").exit_code == 0
    assert len(os.listdir(tmp_path / "outs")) == 2


# --------------------------------------------------------------------------------------------------------- verify


def test_verify(tmp_path: Path) -> None:
    result = invoke("verify", put(tmp_path, RELU), "--dims", "N=1,2,7")
    assert result.exit_code == 0
    assert [f"done    N={n}" in result.output for n in (1, 2, 7)] == [True] * 3
    assert "ok: 3 of 3 runs reached the end; 2 values as inferred" in result.output


def test_verify_as_json(tmp_path: Path) -> None:
    np.save(tmp_path / "x.npy", np.zeros((4, 3), np.float32))
    result = invoke("verify", put(tmp_path, RELU), "--format", "json", "--input", f"x={tmp_path / 'x.npy'}")
    assert json.loads(result.output)["runs"][0]["sizes"] == {"N": 4}


def test_verify_of_a_model_that_cannot_run(tmp_path: Path) -> None:
    text = '<ir_version: 10, opset_import: ["" : 21, "c" : 1]> g (float[2] x) => (y) { y = c.Op (x) }'
    result = invoke("verify", put(tmp_path, text))
    assert result.exit_code == 1
    assert "R706" in result.output


@pytest.mark.parametrize(
    "options",
    [
        ("--dims", "N=a"),
        ("--dims", "N"),
        ("--dims", "K=1"),
        ("--backend", "nothing"),
        ("--format", "xml"),
        ("--input", "x=absent.npy"),
        ("--dim", "N=huh?"),
    ],
)
def test_verify_with_bad_options(tmp_path: Path, options: tuple[str, ...]) -> None:
    assert invoke("verify", put(tmp_path, RELU), *options).exit_code == 2


def test_verify_of_what_is_no_model(tmp_path: Path) -> None:
    assert invoke("verify", tmp_path / "absent.onnx").exit_code == 2
