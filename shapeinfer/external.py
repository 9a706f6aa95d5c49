"""Stored tensors whose data lies in a file beside the model: small ones are read, weights never."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath, PureWindowsPath

import onnx

from shapeinfer.values import Array, Pending, Value, is_small


def is_external(tensor: onnx.TensorProto) -> bool:
    """Whether the data lies in a file of its own."""
    return bool(tensor.data_location == onnx.TensorProto.EXTERNAL)


def location(tensor: onnx.TensorProto) -> str:
    """Where the data lies, as the model states it."""
    return next((entry.value for entry in tensor.external_data if entry.key == "location"), "")


def refusal(place: str, base: Path | None) -> str | None:
    """Why a location must not be read, in words; ``None`` when it may be.

    Only files in the directory of the model or below it may hold data: a model must not name other files of whoever
    loads it.

    Args:
        place: the location as the model states it.
        base: the directory of the model, to look where links lead; ``None`` when the model comes from no file.
    """
    if PurePosixPath(place).is_absolute() or PureWindowsPath(place).anchor:
        return "is absolute"
    if ".." in PureWindowsPath(place).parts:
        return "leads out of the directory of the model"
    if base is not None and place and "\0" not in place:
        try:
            if not (base / place).resolve().is_relative_to(base.resolve()):
                return "is a link out of the directory of the model"
        except (OSError, RuntimeError):
            return "is a link to nowhere"
    return None


def read_later(value: Value, tensor: onnx.TensorProto, base: Path) -> None:
    """Lets the elements of a small tensor be read when somebody asks for them. A missing file leaves them unknown."""
    if not is_small(tensor):
        return

    def work() -> Sequence[Array | None] | None:
        from shapeinfer.kernels.errors import KernelError
        from shapeinfer.kernels.stored import to_array

        try:
            return [to_array(tensor, base)]
        except KernelError:
            return None

    value.pending = Pending(work, 0)
    value.pending.outputs.append(value)
