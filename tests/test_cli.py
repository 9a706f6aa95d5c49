from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import onnx
import pytest
from pydantic import TypeAdapter
from typer.testing import CliRunner, Result

import shapeinfer
from shapeinfer import Report
from shapeinfer.cli import app
from shapeinfer.diagnostics import defined_codes
from tests.support import model

RELU = "g (float[N, 3] x) => (y) { y = Relu (x) }"
BROKEN = "g (float[2, 3] x) => (float[3, 3] y) { y = Relu (x) }"
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


# ------------------------------------------------------------------------------------------------------ bad files


def without_opset() -> bytes:
    proto = model(RELU)
    del proto.opset_import[:]
    return bytes(proto.SerializeToString())


BAD_FILES: dict[str, tuple[bytes, int, str]] = {
    "empty": (b"", 2, "M104 file-empty"),
    "garbage": (b"\xff" * 200, 2, "M105 not-onnx"),
    "text": (b"hello, world\n", 2, "error M10"),
    "truncated": (model(RELU).SerializeToString()[:-5], 2, "M105 not-onnx"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\n", 2, "Git LFS pointer"),
    "no graph": (onnx.ModelProto(ir_version=8).SerializeToString(), 2, "M106 no-graph"),
    "no opset": (without_opset(), 1, "M107 no-opset"),
    "zip": (b"PK\x03\x04" + bytes(60), 2, "error M10"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_check_of_a_bad_file(tmp_path: Path, kind: str) -> None:
    data, status, words = BAD_FILES[kind]
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    result = invoke("check", path)
    assert result.exit_code == status
    assert words in result.output


@pytest.mark.parametrize("kind", BAD_FILES)
@pytest.mark.parametrize("command", ["infer", "run"])
def test_infer_and_run_of_a_bad_file(tmp_path: Path, kind: str, command: str) -> None:
    data, status, words = BAD_FILES[kind]
    path = tmp_path / "m.onnx"
    path.write_bytes(data)
    result = invoke(command, path, *(["-o", tmp_path / "out.onnx"] if command == "infer" else ["--random"]))
    if status == 2:
        assert result.exit_code == 2
        assert words in result.output
        assert not (tmp_path / "out.onnx").exists()


@pytest.mark.parametrize("command", ["check", "infer", "run"])
def test_a_path_that_is_no_file(tmp_path: Path, command: str) -> None:
    more = ["-o", str(tmp_path / "out.onnx")] if command == "infer" else []
    absent = invoke(command, tmp_path / "absent.onnx", *more)
    assert absent.exit_code == 2
    assert "M101 file-not-found" in absent.output
    directory = invoke(command, tmp_path, *more)
    assert directory.exit_code == 2
    assert "M102 not-a-file" in directory.output


# ---------------------------------------------------------------------------------------------------------- check


def test_check_of_a_good_model(tmp_path: Path) -> None:
    result = invoke("check", put(tmp_path, RELU))
    assert result.exit_code == 0
    assert "y: float[N, 3]" in result.output


def test_check_of_a_model_with_errors(tmp_path: Path) -> None:
    result = invoke("check", put(tmp_path, BROKEN))
    assert result.exit_code == 1
    assert "C502 declared-shape" in result.output


def test_check_lists_inner_values_on_demand(tmp_path: Path) -> None:
    path = put(tmp_path, "g (float[N] x) => (y) { inner = Relu (x) y = Relu (inner) }")
    assert "inner:" not in invoke("check", path).output
    assert "inner: float[N]" in invoke("check", path, "--values").output


def test_check_takes_facts(tmp_path: Path) -> None:
    path = put(tmp_path, RELU)
    assert "y: float[8, 3]" in invoke("check", path, "--dim", "N=8").output
    assert "y: float[32*h, 3]" in invoke("check", path, "--dim", "N=32*h").output
    assert "y: float[B, 3]" in invoke("check", path, "--shape", "x=[B, 3]").output


@pytest.mark.parametrize("text", [RELU, BROKEN, NEEDS])
def test_check_as_json_is_a_report(tmp_path: Path, text: str) -> None:
    path = put(tmp_path, text)
    result = invoke("check", path, "--format", "json")
    report = Report.model_validate_json(result.stdout)
    assert report == shapeinfer.check(str(path))
    assert result.exit_code == (0 if report.ok else 1)


@pytest.mark.parametrize("arguments", [("absent.onnx",), ("m.onnx", "--dim", "N=5..1")])
def test_what_cannot_be_checked_is_a_report_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    put(tmp_path, RELU)
    monkeypatch.chdir(tmp_path)
    result = invoke("check", *arguments, "--format", "json")
    assert result.exit_code == 2
    assert not Report.model_validate_json(result.stdout).ok


BAD_OPTIONS = [
    ("--dim", "N"),
    ("--dim", "N="),
    ("--dim", "=3"),
    ("--dim", "N=-3"),
    ("--dim", "N=5..1"),
    ("--dim", "N=1//0"),
    ("--dim", "N=3 +"),
    ("--dim", "N=__import__('os')"),
    ("--dim", "N=2*N"),
    ("--shape", "x"),
    ("--shape", "x=3"),
    ("--shape", "x=[3]"),
    ("--shape", "x=[N, 4]"),
    ("--shape", "x=[N, -3]"),
    ("--shape", "x=[N, 3"),
    ("--shape", "x=[N,,3]"),
    ("--shape", "absent=[3]"),
    ("--rules", "absent"),
]


@pytest.mark.parametrize("option", BAD_OPTIONS, ids=" ".join)
@pytest.mark.parametrize("command", ["check", "infer"])
def test_a_bad_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, option: tuple[str, str]) -> None:
    put(tmp_path, RELU)
    monkeypatch.chdir(tmp_path)
    result = invoke(command, "m.onnx", *option, *(["-o", "out.onnx"] if command == "infer" else []))
    assert result.exit_code == 2
    assert option[1].split("=")[0].strip("-") in result.output
    assert not os.path.exists("out.onnx")


@pytest.mark.parametrize(
    "arguments",
    [
        ("check",),
        ("check", "a.onnx", "b.onnx"),
        ("check", "m.onnx", "--format", "xml"),
        ("check", "m.onnx", "--no-such-option"),
        ("infer", "m.onnx"),
        ("run", "m.onnx", "--seed", "many"),
        ("run", "m.onnx", "--seed", "-1"),
        ("schema",),
        ("diff", "Squeeze"),
        ("diff", "Squeeze", "one", "two"),
        ("explain",),
        ("no-such-command",),
    ],
    ids=" ".join,
)
def test_wrong_usage(arguments: tuple[str, ...]) -> None:
    assert invoke(*arguments).exit_code == 2


# ---------------------------------------------------------------------------------------------------------- infer


def test_infer_writes_the_annotated_model(tmp_path: Path) -> None:
    out = tmp_path / "out.onnx"
    result = invoke("infer", put(tmp_path, RELU), "-o", out)
    assert result.exit_code == 0
    assert "1 of 1" in result.output
    assert onnx.load(out) == shapeinfer.infer_shapes(model(RELU))


def test_infer_can_overwrite_its_input(tmp_path: Path) -> None:
    path = put(tmp_path, RELU)
    assert invoke("infer", path, "-o", path).exit_code == 0
    assert onnx.load(path) == shapeinfer.infer_shapes(model(RELU))


def test_infer_of_a_model_with_errors_writes_what_is_known_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "out.onnx"
    result = invoke("infer", put(tmp_path, BROKEN), "-o", out)
    assert result.exit_code == 1
    assert "1 error" in result.output
    assert [d.dim_value for d in onnx.load(out).graph.output[0].type.tensor_type.shape.dim] == [2, 3]


def test_infer_strict_writes_nothing_when_there_are_errors(tmp_path: Path) -> None:
    result = invoke("infer", put(tmp_path, BROKEN), "-o", tmp_path / "out.onnx", "--strict")
    assert result.exit_code == 1
    assert "C502" in result.output
    assert not (tmp_path / "out.onnx").exists()


def test_infer_where_nothing_can_be_written(tmp_path: Path) -> None:
    path = put(tmp_path, RELU)
    for out in (tmp_path, tmp_path / "absent" / "out.onnx", path / "out.onnx"):
        result = invoke("infer", path, "-o", out)
        assert result.exit_code == 2
        assert "U802 cannot-write" in result.output
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_a_dim_that_no_dim_of_the_model_is_called_is_told(tmp_path: Path) -> None:
    path = put(tmp_path, RELU)
    commands: list[list[str | Path]] = [
        ["check", path],
        ["contract", path],
        ["infer", path, "-o", tmp_path / "out.onnx"],
    ]
    for arguments in commands:
        result = invoke(*arguments, "--dim", "M=4")
        assert result.exit_code == 0
        assert "--dim M: no dim has this name; the inputs have N" in result.stderr
        assert invoke(*arguments, "--dim", "N=4").stderr == ""
        assert invoke(*arguments, "--shape", "x=[Batch, 3]", "--dim", "Batch=4").stderr == ""


@pytest.mark.parametrize("command", ["contract", "infer", "run", "verify"])
def test_what_keeps_a_command_from_its_work_is_told_on_stderr(tmp_path: Path, command: str) -> None:
    options = ["-o", str(tmp_path / "out.onnx")] if command == "infer" else []
    result = invoke(command, tmp_path / "absent.onnx", *options)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error M101 file-not-found\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_an_output_with_no_place_to_go(tmp_path: Path) -> None:
    path = put(tmp_path, RELU)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "shapeinfer", "check", str(path)], stdout=full, stderr=subprocess.PIPE, text=True
        )
    assert done.returncode == 2
    assert done.stderr == "shapeinfer: No space left on device\n"


# ------------------------------------------------------------------------------------------ schema, diff, explain


def test_schema_shows_an_operator() -> None:
    result = invoke("schema", "Squeeze", "--version", "23")
    assert result.exit_code == 0
    for words in ("Squeeze, version 23", "since     23", "latest    25", "axes: tensor(int64), optional", "float4e2m1"):
        assert words in result.output


def test_schema_and_diff_as_json() -> None:
    schema = json.loads(invoke("schema", "Squeeze", "--json").stdout)
    assert (schema["name"], schema["since_version"]) == ("Squeeze", 25)
    assert TypeAdapter(dict).validate_json(invoke("diff", "Squeeze", "11", "13", "--json").stdout)


def test_an_operator_of_another_domain() -> None:
    for arguments in (("ai.onnx.ml.Scaler",), ("Scaler", "--domain", "ai.onnx.ml")):
        assert "Scaler" in invoke("schema", *arguments).output


def test_diff_tells_whether_it_breaks() -> None:
    assert "Not breaking" in invoke("diff", "Squeeze", "21", "23").output
    assert "axes" in invoke("diff", "Squeeze", "11", "13").output


@pytest.mark.parametrize(
    "arguments",
    [
        ("schema", "Squeee"),
        ("schema", "Squeeze", "--version", "0"),
        ("schema", "Squeeze", "--domain", "no.such"),
        ("diff", "Nothing", "1", "2"),
        ("diff", "EyeLike", "1", "9"),
    ],
    ids=" ".join,
)
def test_an_operator_or_version_that_is_not_there(arguments: tuple[str, ...]) -> None:
    assert invoke(*arguments).exit_code == 2


def test_a_misspelt_operator_is_suggested() -> None:
    assert "did you mean Squeeze" in invoke("schema", "Squeee").output


@pytest.mark.parametrize("code", defined_codes().values(), ids=lambda c: c.name)
def test_explain_every_code_by_id_and_by_name(code: shapeinfer.diagnostics.Code) -> None:
    result = invoke("explain", code.id.lower())
    assert result.exit_code == 0
    assert code.explanation in result.output
    assert invoke("explain", code.name.upper()).output == result.output


def test_explain_all_lists_every_code_in_order() -> None:
    lines = invoke("explain", "all").stdout.splitlines()
    ids = [line.split()[0] for line in lines]
    assert ids == sorted(defined_codes())


def test_explain_a_code_that_is_not_there() -> None:
    result = invoke("explain", "X999")
    assert result.exit_code == 2
    assert "explain all" in result.output


# ------------------------------------------------------------------------------------------------------- the rest


def test_version_and_help() -> None:
    assert invoke("--version").output.startswith(f"shapeinfer {shapeinfer.__version__}")
    overview = invoke("--help")
    assert overview.exit_code == 0
    for command in ("check", "infer", "run", "verify", "schema", "diff", "explain"):
        assert command in overview.output
        assert invoke(command, "--help").exit_code == 0


def command(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "shapeinfer", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, check=False, env={**os.environ, **environment})


def test_the_module_runs_as_a_command(tmp_path: Path) -> None:
    result = command("check", put(tmp_path, BROKEN))
    assert result.returncode == 1
    assert "C502" in result.stdout
    assert not result.stderr


def test_a_terminal_without_unicode_is_no_obstacle(tmp_path: Path) -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.graph.input[0].name = proto.graph.node[0].input[0] = "\u03b1"
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    result = command("check", path, PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert result.returncode == 0, result.stderr
    assert "\\u03b1" in result.stdout
