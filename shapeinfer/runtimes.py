"""ONNX Runtime as a second opinion: every value of a model's main graph, and how far two values lie apart."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from shapeinfer.kernels.dtypes import is_float, is_integer
from shapeinfer.options import OptionError

_RELATIVE = {8: 1e-6, 4: 1e-3, 2: 2e-2, 1: 0.3}
"""By bytes per element, how far floats may lie apart, relative to the largest number around."""


class RuntimeFailedError(Exception):
    """ONNX Runtime cannot run the model."""


class OnnxRuntime:
    """A model with all its values as outputs, on one thread and without optimisations.

    Raises:
        OptionError: when ``onnxruntime`` is not installed.
    """

    def __init__(self, model: onnx.ModelProto, base_dir: Path | None) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise OptionError("backend onnxruntime", "the package onnxruntime is not installed") from error
        every = onnx.ModelProto()
        every.CopyFrom(model)
        del every.graph.output[:], every.graph.value_info[:]
        self._names = [name for node in model.graph.node for name in node.output if name]
        for name in self._names:
            every.graph.output.add(name=name)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        if base_dir is not None:
            options.add_session_config_entry("session.model_external_initializers_file_folder_path", str(base_dir))
        self._session: Any = None
        self._fault = ""
        try:
            self._session = onnxruntime.InferenceSession(
                every.SerializeToString(), options, providers=["CPUExecutionProvider"]
            )
        except Exception as error:  # it raises many kinds, for models and operators that it does not know
            self._fault = str(error)

    def run(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Every value that a node of the main graph makes.

        Raises:
            RuntimeFailedError: when it cannot run.
        """
        if self._session is None:
            raise RuntimeFailedError(self._fault)
        try:
            results = self._session.run(None, dict(given))
        except Exception as error:
            raise RuntimeFailedError(str(error)) from error
        return dict(zip(self._names, results, strict=True))


def difference(ours: Any, theirs: Any) -> float | None:
    """The largest difference of two tensors, when it is more than rounding explains; types and shapes are not compared.

    8-bit integers may differ by one: ties and thresholds of a quantization are decided by the last bit.
    """
    if not isinstance(ours, np.ndarray) or not isinstance(theirs, np.ndarray):
        return None
    if ours.shape != theirs.shape or ours.dtype != theirs.dtype or not ours.size or ours.dtype.kind in "OUS":
        return None
    if is_float(ours.dtype):
        a, b = ours.astype(np.float64), theirs.astype(np.float64)
        special = ~(np.isfinite(a) & np.isfinite(b))
        if special.any():
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            if not same[special].all():
                return float("inf")
            a, b = a[~special], b[~special]
        gap = float(np.abs(a - b).max(initial=0))
        allowed = _RELATIVE[ours.dtype.itemsize] * float(np.abs(b).max(initial=0))
        return gap if gap > allowed + 1e-7 else None
    if is_integer(ours.dtype) or ours.dtype == np.bool_:
        gap = float(np.abs(ours.astype(np.float64) - theirs.astype(np.float64)).max())
        return gap if gap > (1 if is_integer(ours.dtype) and ours.dtype.itemsize == 1 else 0) else None
    gap = float(np.abs(ours - theirs).max())
    return gap if gap > 1e-3 * float(np.abs(theirs).max()) + 1e-7 else None
