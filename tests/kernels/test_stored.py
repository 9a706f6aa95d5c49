"""Stored tensors, with elements inside the model and in files beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

from shapeinfer.kernels import KernelError
from shapeinfer.kernels.stored import to_array, to_dense


def external(location: str, dims: tuple[int, ...] = (3,), elem: int = TensorProto.FLOAT, **more: Any) -> TensorProto:
    tensor = TensorProto(name="w", data_type=elem, dims=dims, data_location=TensorProto.EXTERNAL)
    for key, value in {"location": location, **more}.items():
        tensor.external_data.add(key=key, value=value)
    return tensor


@pytest.fixture
def base(tmp_path: Path) -> Path:
    directory = tmp_path / "model"
    (directory / "weights").mkdir(parents=True)
    data = np.arange(5, dtype=np.float32).tobytes()
    for path in (directory / "w.bin", directory / "weights" / "w.bin", tmp_path / "secret.bin"):
        path.write_bytes(data)
    return directory


def test_elements_in_a_file(base: Path) -> None:
    assert to_array(external("w.bin"), base).tolist() == [0, 1, 2]
    assert to_array(external("w.bin", offset="8", length="12"), base).tolist() == [2, 3, 4]
    assert to_array(external("weights/w.bin", dims=()), base).tolist() == 0
    assert to_array(external("w.bin", dims=(0, 3)), base).shape == (0, 3)


def test_narrow_elements_in_a_file(base: Path) -> None:
    (base / "four.bin").write_bytes(bytes([0x21, 0x43, 0x05]))
    array = to_array(external("four.bin", dims=(5,), elem=TensorProto.UINT4), base)
    assert array.dtype == ml_dtypes.uint4
    assert array.astype(int).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("location", "message"),
    [
        ("../secret.bin", "leads out of the directory"),
        ("weights/../../secret.bin", "leads out of the directory"),
        ("..\\secret.bin", "leads out of the directory"),
        ("/etc/passwd", "leads out of the directory"),
        ("C:\\secret.bin", "leads out of the directory"),
        ("", "no location"),
        ("a\0b", "no location"),
        ("gone.bin", "there is no file"),
        ("weights", "there is no file"),
    ],
)
def test_files_that_are_not_read(base: Path, location: str, message: str) -> None:
    with pytest.raises(KernelError, match=message) as caught:
        to_array(external(location), base)
    assert caught.value.code == "R708"
    assert "the tensor 'w' cannot be read" in str(caught.value)


def test_a_link_out_of_the_directory(base: Path) -> None:
    (base / "link.bin").symlink_to(base.parent / "secret.bin")
    with pytest.raises(KernelError, match="a link out of the directory"):
        to_array(external("link.bin"), base)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"offset": "16"}, "has 4 bytes from 16 on where 12 are needed"),
        ({"offset": "-1"}, "offset '-1' is no number of bytes"),
        ({"offset": "x"}, "offset 'x' is no number"),
        ({"length": "8"}, "length 8 is stated where 12 bytes are needed"),
    ],
)
def test_ranges_that_do_not_fit(base: Path, more: dict[str, Any], message: str) -> None:
    with pytest.raises(KernelError, match=message):
        to_array(external("w.bin", **more), base)


def test_a_model_that_comes_from_no_file() -> None:
    with pytest.raises(KernelError, match="read the model from its path"):
        to_array(external("w.bin"))


def test_sparse_tensors() -> None:
    values = numpy_helper.from_array(np.array([5.0, 6.0], np.float32), "w")
    flat = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([3, 0])), [2, 2])
    assert to_dense(flat).tolist() == [[6, 0], [0, 5]]
    for index in (4, -1):
        bad = helper.make_sparse_tensor(values, numpy_helper.from_array(np.array([0, index])), [2, 2])
        with pytest.raises(KernelError, match="the sparse tensor 'w' cannot be read"):
            to_dense(bad)


def test_malformed_data() -> None:
    with pytest.raises(KernelError, match="the tensor 'w' cannot be read"):
        to_array(TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], raw_data=b"123"))
