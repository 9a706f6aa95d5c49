"""Reads models from files, bytes or messages, and writes them; never their external weights."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import onnx
from google.protobuf.message import DecodeError, Message

from shapeinfer import catalogue as codes
from shapeinfer import irmodel
from shapeinfer.diagnostics import Code, Finding, Where

if TYPE_CHECKING:
    import onnx_ir

ModelSource: TypeAlias = "onnx.ModelProto | bytes | str | os.PathLike[str] | onnx_ir.Model"


class ModelError(Exception):
    """A model that cannot be read or written at all; ``finding`` says why."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(f"{finding.code.id} {finding.code.name}: {finding.message}")
        self.finding = finding


def load(source: ModelSource) -> onnx.ModelProto:
    """The model as a message: the very one that is passed in, or a new one of bytes, a file or an ``onnx_ir.Model``.

    External data is not read.

    Raises:
        ModelError: when there is no model to be had.
    """
    if isinstance(source, onnx.ModelProto):
        model = source
    elif isinstance(source, bytes | bytearray | memoryview):
        model = _parse(source, "the model")
    elif isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        model = _parse(_read(Path(name)), name)
    elif irmodel.is_ir_model(source):
        model = irmodel.to_message(source)
    else:
        raise TypeError(f"expected a ModelProto, bytes, a path or an onnx_ir.Model, not {type(source).__name__}")
    if not model.HasField("graph"):
        raise _error(codes.NO_GRAPH)
    return model


@contextmanager
def text_checked(model: onnx.ModelProto) -> Iterator[None]:
    """Tells a failure inside as what it is when a text of the model is no text.

    Protobuf lets bytes that are not UTF-8 pass where text belongs. Models have too many texts to look at each of them
    for the sake of damaged files, so they are looked at only when something went wrong.

    Raises:
        ModelError: instead of any other error, when the model has such a text.
    """
    try:
        yield
    except Exception as error:
        place = _undecodable(model)
        if place is None:
            raise
        raise _error(codes.NOT_ONNX, path="the model", reason=f"a {place} is not UTF-8 text") from error


def _undecodable(message: Message) -> str | None:
    for field, value in message.ListFields():
        repeated = not isinstance(value, str | bytes | int | float | Message)
        for each in value if repeated else (value,):
            if isinstance(each, Message):
                found = _undecodable(each)
                if found is not None:
                    return found
            elif field.type == field.TYPE_STRING and isinstance(each, bytes):
                return str(field.full_name.removeprefix("onnx."))
            elif field.type != field.TYPE_STRING:
                break
    return None


def base_directory(source: ModelSource) -> Path | None:
    """The directory that a model's external data is relative to; ``None`` when it comes from no file."""
    if irmodel.is_ir_model(source):
        return irmodel.base_directory(source)
    return Path(source).resolve().parent if isinstance(source, str | os.PathLike) else None


def _read(path: Path) -> bytes:
    try:
        if path.is_dir():
            raise _error(codes.NOT_A_FILE, path=str(path), kind="a directory")
        if not path.exists():
            raise _error(codes.FILE_NOT_FOUND, path=str(path))
        data = path.read_bytes()
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _error(codes.FILE_UNREADABLE, path=str(path), reason=reason) from error
    if not data:
        raise _error(codes.FILE_EMPTY, path=str(path))
    return data


def _parse(data: bytes | bytearray | memoryview, name: str) -> onnx.ModelProto:
    if not data:
        raise _error(codes.FILE_EMPTY, path=name)
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        pointer = bytes(data[:64]).startswith(b"version https://git-lfs")
        reason = "it starts as a Git LFS pointer" if pointer else "the bytes do not parse"
        raise _error(codes.NOT_ONNX, path=name, reason=reason) from error
    return model


def save(model: onnx.ModelProto, path: str | os.PathLike[str]) -> None:
    """Writes a model; the file appears whole or not at all.

    Raises:
        ModelError: when it cannot be written.
    """
    write(path, model.SerializeToString())


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Writes bytes to a temporary file beside ``path`` and moves it into place."""
    target = Path(path)
    temporary = ""
    try:
        if target.is_dir():
            raise IsADirectoryError(21, "it is a directory", str(target))
        with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            temporary = file.name
            file.write(data)
        umask = os.umask(0)
        os.umask(umask)
        os.chmod(temporary, target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~umask)
        os.replace(temporary, target)
    except OSError as error:
        if temporary and os.path.exists(temporary):
            os.unlink(temporary)
        raise _error(codes.CANNOT_WRITE, path=str(target), reason=error.strerror or str(error)) from error


def _error(code: Code, **fields: object) -> ModelError:
    return ModelError(Finding(code, Where(), fields))
