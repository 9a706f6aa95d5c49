"""What rules said before: nodes that are alike in all that a rule asks about need not be inferred twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias, TypeVar

import onnx

from shapeinfer import dims
from shapeinfer.dims import Shape
from shapeinfer.operators import Operator
from shapeinfer.types import TensorType, ValueType
from shapeinfer.values import Array, Node, Value, is_small

Key: TypeAlias = tuple[object, ...]
"""Operator, number of outputs, a mark for the type of each input, and the attributes as the file has them."""
Elements: TypeAlias = "Sequence[Array | None] | None"
_T = TypeVar("_T", bound=ValueType)
Types: TypeAlias = "tuple[ValueType | None, ...]"

_TEXT = onnx.AttributeProto.SerializeToString


class Outcome:
    """What a rule said of the outputs, and what came of working out their elements.

    Attributes:
        types: the types of the outputs.
        may_have_elements: whether some output is small enough to have known elements.
    """

    __slots__ = ("_asked", "_elements", "may_have_elements", "types")

    def __init__(self, types: Types, may_have_elements: bool) -> None:
        self.types = types
        self.may_have_elements = may_have_elements
        self._asked: tuple[int, ...] | None = None
        self._elements: dict[tuple[bytes, Key], Elements] = {}

    def find(self, inputs: Sequence[Value | None], content: bytes) -> tuple[Elements] | None:
        """The elements that an earlier node had with the same elements of its inputs and the same :func:`content`."""
        marks = None if self._asked is None else _marks(self._asked, inputs)
        if marks is None or (content, marks) not in self._elements:
            return None
        return (self._elements[content, marks],)

    def keep(self, inputs: Sequence[Value | None], content: bytes, asked: Iterable[int], elements: Elements) -> None:
        """Keeps elements; ``asked`` are the inputs whose elements they depend on."""
        wanted = set(asked)
        if self._asked is None or not wanted.issubset(self._asked):
            self._asked = tuple(sorted(wanted.union(self._asked or ())))
            self._elements = {}
        marks = _marks(self._asked, inputs)
        if marks is not None:
            self._elements[content, marks] = elements


class _Entry:
    """The outcomes of nodes of one key, by the elements of the inputs whose elements the rule asked for.

    ``inputs`` are kept because their identities are in the key.
    """

    __slots__ = ("asked", "inputs", "outcomes")

    def __init__(self, asked: tuple[int, ...], inputs: Types) -> None:
        self.asked = asked
        self.inputs = inputs
        self.outcomes: dict[Key, Outcome] = {}


class Memo:
    """The outcomes of rules that said nothing but types: no finding, no requirement, no fresh symbol.

    Holds for one state of the facts, and for one set of values for attribute references; :meth:`clear` it when facts
    are added.

    Attributes:
        declared: by operator, number of outputs and element types of the inputs, for nodes whose arity and input types
            are right: what the signature says of the outputs.
    """

    def __init__(self) -> None:
        self.declared: dict[Key, Types] = {}
        self._types: dict[ValueType, ValueType] = {}
        self._marks: set[int] = set()
        self._tensors: dict[tuple[int, Shape | None], TensorType] = {}
        self._entries: dict[Key, _Entry] = {}

    def clear(self) -> None:
        """Forgets all outcomes: what is known of the dims has changed."""
        self._entries.clear()

    def tensor(self, elem: int, shape: Shape | None) -> TensorType:
        """The one object for a tensor type."""
        found = self._tensors.get((elem, shape))
        if found is None:
            found = self._tensors[elem, shape] = self._only(TensorType(elem, shape))
        return found

    def _only(self, kind: _T) -> _T:
        """The one object for all types that are equal to this."""
        found = self._types.setdefault(kind, kind)
        self._marks.add(id(found))
        return found  # type: ignore[return-value]  # what is equal is of the same class

    def key(self, operator: Operator, node: Node, inputs: Sequence[Value | None]) -> Key:
        """What identifies a node as far as its types and attributes go; of tensors in attributes the type only."""
        parts: list[object] = [operator, len(node.outputs)]
        marks = self._marks
        for value in inputs:
            if value is None or value.type is None:
                parts.append(value is None)
                continue
            mark = id(value.type)
            if mark not in marks:
                value.type = self._only(value.type)
                mark = id(value.type)
            parts.append(mark)
        parts.extend(map(_stated if operator.tensors else _TEXT, node.proto.attribute))
        return tuple(parts)

    def find(self, key: Key, inputs: Sequence[Value | None]) -> Outcome | None:
        """The outcome of an earlier node that was alike."""
        entry = self._entries.get(key)
        if entry is None:
            return None
        elements = _marks(entry.asked, inputs) if entry.asked else ()
        return None if elements is None else entry.outcomes.get(elements)

    def keep(self, key: Key, inputs: Sequence[Value | None], asked: Sequence[int], outcome: Outcome) -> None:
        """Keeps an outcome; ``asked`` are the inputs whose elements the rule asked for."""
        entry = self._entries.get(key)
        if entry is None or not set(asked).issubset(entry.asked):
            wanted = tuple(sorted({*asked, *(entry.asked if entry is not None else ())}))
            entry = self._entries[key] = _Entry(wanted, tuple(value.type if value else None for value in inputs))
        elements = _marks(entry.asked, inputs)
        if elements is not None:
            entry.outcomes[elements] = outcome


def _stated(attribute: onnx.AttributeProto) -> object:
    """An attribute as the file has it; of a tensor, only the type."""
    kind = attribute.type
    if kind == onnx.AttributeProto.TENSOR:
        tensor = attribute.t
        return attribute.name, tensor.data_type, tuple(tensor.dims)
    if kind == onnx.AttributeProto.SPARSE_TENSOR:
        sparse = attribute.sparse_tensor
        return attribute.name, sparse.values.data_type, tuple(sparse.dims), kind
    return attribute.SerializeToString()


def content(operator: Operator, node: Node) -> bytes | None:
    """The tensors that a node states in attributes; ``None`` where there is more than one would compare."""
    if not operator.tensors:
        return b""
    parts = []
    for attribute in node.proto.attribute:
        if attribute.type == onnx.AttributeProto.TENSOR:
            if not is_small(attribute.t):
                return None
            parts.append(attribute.SerializeToString())
        elif attribute.type == onnx.AttributeProto.SPARSE_TENSOR:
            return None
    return b"".join(parts)


def _marks(asked: tuple[int, ...], inputs: Sequence[Value | None]) -> Key | None:
    """What identifies the elements of inputs; ``None`` where they cannot be compared."""
    parts: list[object] = []
    for index in asked:
        value = inputs[index] if index < len(inputs) else None
        array = value.elements if value is not None else None
        if array is None:
            parts.append(None)
        elif array.dtype != object:
            parts.append((array.dtype.num, array.shape, array.tobytes()))
        else:
            entries = _entries(array)
            if entries is None:
                return None
            parts.append((array.shape, entries))
    return tuple(parts)


def _entries(array: Array) -> tuple[object, ...] | None:
    """Sizes, symbolic or unknown too; ``None`` for anything else, such as bools and members of sequences."""
    entries: tuple[object, ...] = tuple(array.ravel().tolist())
    if all(type(entry) is int or entry is None or dims.is_symbolic(entry) for entry in entries):
        return entries
    return None
