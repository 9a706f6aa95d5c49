from __future__ import annotations

import os
from pathlib import Path

import onnx
import pytest

from shapeinfer import ModelError, check, infer_shapes, modelio
from tests.support import model

RELU = "g (float[N] x) => (y) { y = Relu (x) }"


def only_error(path: Path | bytes) -> str:
    report = check(path)
    assert not report.ok
    assert len(report.diagnostics) == 1
    return report.diagnostics[0].name


def test_an_absent_file(tmp_path: Path) -> None:
    assert only_error(tmp_path / "absent.onnx") == "file-not-found"


def test_a_directory(tmp_path: Path) -> None:
    assert only_error(tmp_path) == "not-a-file"


def test_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"")
    assert only_error(tmp_path / "m.onnx") == "file-empty"
    assert only_error(b"") == "file-empty"


@pytest.mark.parametrize("data", [b"not a model at all", b"\x00" * 64, b"PK\x03\x04" + b"\xff" * 100])
def test_a_file_of_another_kind(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "m.onnx").write_bytes(data)
    assert only_error(tmp_path / "m.onnx") in ("not-onnx", "no-graph")


def test_a_git_lfs_pointer_is_named(tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    report = check(tmp_path / "m.onnx")
    assert "Git LFS pointer" in report.errors[0].message


def test_a_truncated_file_at_any_length(tmp_path: Path) -> None:
    data = model(RELU).SerializeToString()
    for length in range(1, len(data)):
        report = check(data[:length])  # some prefixes are whole messages; none may raise
        assert report.diagnostics or report.ok


def test_an_unreadable_path() -> None:
    assert only_error(Path("a\0b")) in ("file-unreadable", "file-not-found")


def test_a_model_without_graph() -> None:
    assert only_error(onnx.ModelProto(ir_version=8, producer_name="p").SerializeToString()) == "no-graph"


def test_infer_shapes_raises_with_the_same_words(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="M101 file-not-found"):
        infer_shapes(tmp_path / "absent.onnx")


def test_something_that_is_no_model() -> None:
    with pytest.raises(TypeError, match="ModelProto, bytes, a path or an onnx_ir"):
        infer_shapes(3)  # type: ignore[call-overload]


def test_message_bytes_and_path_give_the_same(tmp_path: Path) -> None:
    proto = model(RELU)
    path = tmp_path / "m.onnx"
    onnx.save(proto, path)
    from_message = infer_shapes(proto)
    assert infer_shapes(proto.SerializeToString()) == from_message
    assert infer_shapes(path) == from_message
    assert infer_shapes(str(path)) == from_message


def test_a_missing_weights_file_is_no_obstacle(tmp_path: Path) -> None:
    proto = model("g (float[N, 2] x) => (y) <float[2] w = {1.0, 2.0}> { y = Add (x, w) }")
    tensor = proto.graph.initializer[0]
    tensor.ClearField("float_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="absent.bin")
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    report = check(tmp_path / "m.onnx")
    assert report.ok
    assert report.values["y"].type == "float[N, 2]"


def test_writing_replaces_whole_files_or_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.onnx"
    modelio.write(path, b"first")
    modelio.write(path, b"second")
    assert path.read_bytes() == b"second"
    assert os.listdir(tmp_path) == ["out.onnx"]


def test_writing_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="cannot-write"):
        modelio.write(tmp_path / "absent" / "out.onnx", b"data")
    with pytest.raises(ModelError, match="cannot-write"):
        modelio.write(tmp_path, b"data")
    assert os.listdir(tmp_path) == []


def test_text_that_is_not_utf_8() -> None:
    data = model(RELU).SerializeToString()
    for old, new in ((b"Relu", b"R\xe9lu"), (b"x", b"\xe9"), (b"N", b"\xff"), (b"y", b"\xfe")):
        report = check(data.replace(old, new))
        assert [d.name for d in report.diagnostics] == ["not-onnx"], (old, report)
        assert "is not UTF-8 text" in report.errors[0].message
    with pytest.raises(ModelError, match="not UTF-8"):
        infer_shapes(data.replace(b"Relu", b"R\xe9lu"))
