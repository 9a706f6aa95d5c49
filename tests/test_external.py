"""Data in files of its own: small tensors are read from beside the model, nothing from elsewhere, weights never."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import shapeinfer
from tests.support import model

TEXT = "g (float[N, 4] x) => (y) { z = Reshape (x, s) y = Add (z, w) }"


def tensor(name: str, data: np.ndarray, offset: int = 0, location: str = "data.bin") -> onnx.TensorProto:
    elem = onnx.helper.np_dtype_to_tensor_dtype(data.dtype)
    made = onnx.TensorProto(name=name, data_type=elem, dims=data.shape, data_location=onnx.TensorProto.EXTERNAL)
    for key, value in {"location": location, "offset": offset, "length": data.nbytes}.items():
        made.external_data.add(key=key, value=str(value))
    return made


SHAPE = np.array([-1, 2], np.int64)


def saved(directory: Path, *tensors: onnx.TensorProto) -> Path:
    proto = model(TEXT)
    proto.graph.initializer.extend([*tensors, onnx.numpy_helper.from_array(np.ones(2, np.float32), "w")])
    path = directory / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


def output(path: Path) -> str:
    return shapeinfer.check(path).outputs[0].type


def test_a_small_tensor_is_read_from_beside_the_model(tmp_path: Path) -> None:
    (tmp_path / "data.bin").write_bytes(b"12345678" + SHAPE.tobytes())
    path = saved(tmp_path, tensor("s", SHAPE, offset=8))
    assert output(path) == "float[2*N, 2]"
    assert shapeinfer.infer_shapes(path).graph.output[0].type.tensor_type.shape.dim[0].dim_param == "2*N"


def test_a_directory_below_the_model_will_do(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "data.bin").write_bytes(SHAPE.tobytes())
    assert output(saved(tmp_path, tensor("s", SHAPE, location="sub/data.bin"))) == "float[2*N, 2]"


def test_a_missing_or_short_file_is_no_obstacle(tmp_path: Path) -> None:
    path = saved(tmp_path, tensor("s", SHAPE))
    report = shapeinfer.check(path)
    assert report.ok
    assert report.values["z"].shape is not None
    assert report.values["z"].shape[1:] != (2,)
    (tmp_path / "data.bin").write_bytes(b"123")
    assert shapeinfer.check(path).values["z"] == report.values["z"]


def test_without_a_path_nothing_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "data.bin").write_bytes(SHAPE.tobytes())
    path = saved(tmp_path, tensor("s", SHAPE))
    monkeypatch.chdir(tmp_path)
    report = shapeinfer.check(path.read_bytes())
    assert report.ok
    assert report.outputs[0].type != "float[2*N, 2]"


@pytest.mark.parametrize(
    "location", ["/etc/hosts", "../data.bin", "sub/../../data.bin", "..\\data.bin", "C:\\data.bin", "C:data.bin"]
)
def test_a_location_elsewhere_is_refused(tmp_path: Path, location: str) -> None:
    inside = tmp_path / "sub"
    inside.mkdir()
    (tmp_path / "data.bin").write_bytes(SHAPE.tobytes())
    path = saved(inside, tensor("s", SHAPE, location=location))
    report = shapeinfer.check(path)
    assert [error.name for error in report.errors] == ["external-location"]
    assert location in report.errors[0].message
    assert report.outputs[0].type != "float[2*N, 2]"


def test_a_link_that_leads_elsewhere_is_refused(tmp_path: Path) -> None:
    inside = tmp_path / "sub"
    inside.mkdir()
    (tmp_path / "data.bin").write_bytes(SHAPE.tobytes())
    (inside / "data.bin").symlink_to(tmp_path / "data.bin")
    report = shapeinfer.check(saved(inside, tensor("s", SHAPE)))
    assert [error.name for error in report.errors] == ["external-location"]


def test_one_location_is_told_once(tmp_path: Path) -> None:
    path = saved(tmp_path, tensor("s", SHAPE, location="../a"), tensor("t", SHAPE, location="../a"))
    assert [error.name for error in shapeinfer.check(path).errors] == ["external-location"]


def test_weights_are_never_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    big = np.zeros((1025, 2), np.float32)
    proto = model("g (float[N, 1025] x) => (y) { y = MatMul (x, w) }")
    proto.graph.initializer.append(tensor("w", big))
    path = tmp_path / "m.onnx"
    path.write_bytes(proto.SerializeToString())
    (tmp_path / "data.bin").write_bytes(big.tobytes())
    opened: list[str] = []
    plain = Path.open

    def watched(self: Path, *rest: Any, **more: Any) -> Any:
        opened.append(self.name)
        return plain(self, *rest, **more)

    monkeypatch.setattr(Path, "open", watched)
    assert output(path) == "float[N, 2]"
    assert "data.bin" not in opened
