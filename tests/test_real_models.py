"""Real models from installed packages run on the kernels as in ONNX Runtime, and every value is as inferred."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import onnx_asr
import pytest

import shapeinfer
from tests.support import onnxruntime

DATA = Path(onnx_asr.__file__).parent / "preprocessors" / "data"
SPEECH = ["kaldi", "nemo80", "nemo128_conv", "whisper80", "gigaam_v2", "resample_44_16"]


def waveforms(proto: onnx.ModelProto) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]:
    """Two waveforms of different lengths, for whatever these models call their inputs."""
    rng = np.random.default_rng(0)
    waves = rng.standard_normal((2, 6000)).astype(np.float32) * 0.1
    lengths = np.array([6000, 4200], np.int64)
    waves[1, 4200:] = 0
    given = {i.name: i.type.tensor_type.elem_type for i in proto.graph.input}
    return {name: waves if elem == onnx.TensorProto.FLOAT else lengths for name, elem in given.items()}


@pytest.mark.parametrize("name", SPEECH)
def test_a_speech_front_end_runs_as_in_onnxruntime(name: str) -> None:
    proto = onnx.load(DATA / f"{name}.onnx")
    feeds = waveforms(proto)
    for ours, theirs in zip(shapeinfer.run(proto, feeds), onnxruntime(proto, feeds), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("name", SPEECH)
def test_a_speech_front_end_is_as_inferred(name: str) -> None:
    proto = onnx.load(DATA / f"{name}.onnx")
    report = shapeinfer.verify(proto, inputs=waveforms(proto))
    assert report.mismatches == ()
    assert report.runs
