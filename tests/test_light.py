"""The nine networks that come with onnx: inferred whole, as onnx infers them, and run as ONNX Runtime runs them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import onnx
import onnx.shape_inference
import pytest
from onnx import numpy_helper

import shapeinfer
from shapeinfer import Report
from tests.support import Array, onnxruntime

LIGHT = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
NETWORKS = sorted(path.stem for path in LIGHT.glob("light_*.onnx"))
TOLERANCE = 1e-3


@cache
def load(name: str) -> onnx.ModelProto:
    return onnx.load(LIGHT / f"{name}.onnx")


@cache
def checked(name: str) -> Report:
    return shapeinfer.check(LIGHT / f"{name}.onnx")


def with_batch(name: str, batch: str) -> onnx.ModelProto:
    """The network with a name for the batch size, where its inputs state 1, and for no other."""
    proto = onnx.ModelProto()
    proto.CopyFrom(load(name))
    stored = {tensor.name for tensor in proto.graph.initializer}
    for given in proto.graph.input:
        if given.name not in stored:
            given.type.tensor_type.shape.dim[0].dim_param = batch
    for declared in proto.graph.output:
        declared.type.tensor_type.ClearField("shape")
    del proto.graph.value_info[:]
    return proto


def inputs(proto: onnx.ModelProto) -> dict[str, Array]:
    """Values for the inputs that have no default, in a range that pictures have."""
    rng = np.random.default_rng(0)
    stored = {tensor.name for tensor in proto.graph.initializer}
    return {
        given.name: rng.random([d.dim_value for d in given.type.tensor_type.shape.dim], np.float32)
        for given in proto.graph.input
        if given.name not in stored
    }


def test_there_are_nine() -> None:
    assert len(NETWORKS) == 9


@pytest.mark.parametrize("name", NETWORKS)
def test_every_value_has_a_known_type_and_shape(name: str) -> None:
    report = checked(name)
    assert report.ok, report.errors
    assert {note.name for note in report.notes} <= {"ir-version-low"}
    for value in report.values.values():
        assert value.elem_type is not None, value
        assert value.shape is not None, value
        assert all(isinstance(dim, int) for dim in value.shape), value


@pytest.mark.parametrize("name", NETWORKS)
def test_the_same_as_onnx_where_it_answers(name: str) -> None:
    theirs = onnx.shape_inference.infer_shapes(load(name), strict_mode=True)
    ours = checked(name).values
    answers = [v for v in (*theirs.graph.value_info, *theirs.graph.output) if v.type.tensor_type.HasField("shape")]
    assert answers
    for value in answers:
        tensor = value.type.tensor_type
        assert ours[value.name].shape == tuple(dim.dim_value for dim in tensor.shape.dim), value.name


@pytest.mark.parametrize("name", NETWORKS)
def test_the_batch_size_is_followed_or_what_fixes_it_is_told(name: str) -> None:
    report = shapeinfer.check(with_batch(name, "N"))
    assert report.ok, report.errors
    first = {value.shape[0] if value.shape else None for value in report.outputs}
    assert first <= {"N", 1}
    if first == {1}:
        assert report.requirements
    assert all(value.shape is not None for value in report.values.values())


@pytest.mark.parametrize("name", NETWORKS)
def test_runs_and_agrees_with_onnx_runtime(name: str) -> None:
    proto = load(name)
    feeds = inputs(proto)
    ours, theirs = shapeinfer.run(proto, feeds), onnxruntime(proto, feeds)
    for output, a, b in zip(proto.graph.output, ours, theirs, strict=True):
        assert a.dtype == b.dtype
        assert np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE)
        assert checked(name).values[output.name].shape == a.shape


def with_random_weights(name: str) -> onnx.ModelProto:
    """The network with weights that differ: as it comes, each is filled with one number, and so are its outputs."""
    proto = onnx.ModelProto()
    proto.CopyFrom(load(name))
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in proto.graph.initializer}
    rng = np.random.default_rng(0)
    kept = []
    for node in proto.graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        shape = tuple(shapes[node.input[0]])
        if len(shape) < 2:
            weight = rng.uniform(0.5, 1.5, shape)  # also a variance, which is positive
        else:
            weight = rng.standard_normal(shape) * np.sqrt(2 / np.prod(shape[1:]))
        proto.graph.initializer.append(numpy_helper.from_array(weight.astype(np.float32), node.output[0]))
    del proto.graph.node[:]
    proto.graph.node.extend(kept)
    return proto


@pytest.mark.parametrize(
    "name", ["light_densenet121", "light_inception_v1", "light_inception_v2", "light_shufflenet", "light_squeezenet"]
)
def test_agrees_with_onnx_runtime_where_weights_differ(name: str) -> None:
    proto = with_random_weights(name)
    feeds = inputs(proto)
    for a, b in zip(shapeinfer.run(proto, feeds), onnxruntime(proto, feeds), strict=True):
        assert np.ptp(b) > 0
        assert np.allclose(a, b, rtol=TOLERANCE, atol=TOLERANCE * np.abs(b).max())
