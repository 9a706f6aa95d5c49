"""What the walk knows of each value: its type, its elements where they are few and known, and where it came from.

Elements are a NumPy array: of the value's own dtype when all are numbers, of dtype ``object`` when some are symbolic
(``sympy.Expr``) or unknown (``None``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper

from shapeinfer import dims
from shapeinfer.types import TensorType, ValueType, known_element

Array: TypeAlias = NDArray[Any]

ELEMENT_LIMIT: Final = 1024
"""Elements are followed for tensors up to this size; nothing larger is ever decoded for the sake of a shape."""


class Node:
    """A node of a graph, read once from its protobuf message."""

    __slots__ = ("domain", "index", "inputs", "op", "outputs", "proto")

    def __init__(self, index: int, proto: onnx.NodeProto) -> None:
        self.index = index
        self.proto = proto
        self.op: str = proto.op_type
        domain: str = proto.domain
        self.domain = "" if domain == "ai.onnx" else domain
        self.inputs: list[str] = list(proto.input)
        self.outputs: list[str] = list(proto.output)

    @property
    def name(self) -> str:
        """The node's name, which may be empty."""
        name: str = self.proto.name
        return name

    def __str__(self) -> str:
        return f"node {self.index}{f' {self.name!r}' if self.name else ''} ({self.op})"


Work: TypeAlias = "Callable[[], Sequence[Array | None] | None]"
"""Finds the elements of a node's outputs."""


class Pending:
    """The elements of a node's outputs, worked out when the first of them is asked for: most never are.

    Attributes:
        depth: how many such nodes may have to be worked out one inside the other.
    """

    __slots__ = ("depth", "outputs", "work")

    def __init__(self, work: Work, depth: int) -> None:
        self.work = work
        self.depth = depth
        self.outputs: list[Value | None] = []

    def drop(self) -> list[Value | None]:
        """Leaves the outputs without elements, and refers to nothing any more; returns the outputs."""
        outputs, self.outputs = self.outputs, []
        for output in outputs:
            if output is not None:
                output.pending = None
        return outputs

    def resolve(self) -> None:
        """Gives each output its elements."""
        outputs = self.drop()
        found = self.work()
        if found is not None:
            for output, array in zip(outputs, found, strict=False):
                if output is not None:
                    output.elements = array


class Value:
    """A value of the model: ``type`` is ``None`` where not even the kind is known.

    Attributes:
        pending: how to find its elements, while nobody has asked for them.
    """

    __slots__ = ("_elements", "_tensor", "name", "origin", "pending", "type")

    def __init__(
        self,
        name: str,
        type: ValueType | None,
        origin: Node | str,
        elements: Array | None = None,
        tensor: onnx.TensorProto | None = None,
    ) -> None:
        self.name = name
        self.type = type
        self.origin = origin
        self._elements = elements
        self._tensor = tensor
        self.pending: Pending | None = None

    def renamed(self, name: str) -> Value:
        """The same value under the name that an inner graph gives it."""
        return Value(name, self.type, self.origin, self.elements)

    @property
    def may_have_elements(self) -> bool:
        """Whether it is worth asking for the elements."""
        return self._elements is not None or self._tensor is not None or self.pending is not None

    @property
    def elements(self) -> Array | None:
        """The elements as far as they are known; ``None`` when nothing is known or there are too many."""
        if self._tensor is not None:
            self._elements = read_tensor(self._tensor)
            self._tensor = None
        elif self.pending is not None:
            self.pending.resolve()
        return self._elements

    @elements.setter
    def elements(self, array: Array | None) -> None:
        self._elements, self._tensor = array, None


class GraphResult:
    """What came of an inner graph: its outputs, whether it always fails, and the symbols made inside it."""

    __slots__ = ("failed", "outputs", "symbols")

    def __init__(self, outputs: list[Value | None], failed: bool, symbols: frozenset[str]) -> None:
        self.outputs = outputs
        self.failed = failed
        self.symbols = symbols


def is_small(tensor: onnx.TensorProto) -> bool:
    """Whether a stored tensor has no more elements than are followed."""
    count = 1
    for dim in tensor.dims:
        if dim < 0:
            return False
        count *= dim
    return count <= ELEMENT_LIMIT


def read_tensor(tensor: onnx.TensorProto) -> Array | None:
    """The elements of a stored tensor; ``None`` where there are too many, or none that can be read."""
    if not is_small(tensor) or tensor.data_location == onnx.TensorProto.EXTERNAL:
        return None
    try:
        array: Array = numpy_helper.to_array(tensor)
    except (ValueError, TypeError, KeyError):
        return None  # reported once by the initializer check
    return array


def tensor_type(tensor: onnx.TensorProto) -> TensorType:
    """The type of a stored tensor, without touching its data."""
    return TensorType(known_element(tensor.data_type), tuple(tensor.dims))


def entries(array: Array) -> tuple[dims.Dim | None, ...]:
    """The elements of an integer tensor in row-major order: numbers as Python ints, ``None`` where unknown."""
    return tuple(array.ravel().tolist())


def from_entries(items: list[Any], shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """An array of these elements: of ``dtype`` when all are plain numbers, else of dtype ``object``."""
    if all(type(item) in (int, bool, float) for item in items):
        return np.array(items, dtype=dtype).reshape(shape)
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)
