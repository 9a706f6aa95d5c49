"""The view of one node that a rule works with: facts to ask for, requirements to record, faults to report."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import onnx

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.attributes import decode_attribute, stated_type
from shapeinfer.diagnostics import Code
from shapeinfer.dims import Dim, Shape
from shapeinfer.recorder import Recorder
from shapeinfer.types import ElementType, TensorType, ValueType
from shapeinfer.values import ELEMENT_LIMIT, Array, GraphResult, Node, Value, entries

if TYPE_CHECKING:
    from shapeinfer.signature import Signature

Maybe: TypeAlias = tuple[Dim | None, ...] | ValueType | Value | None
"""What a rule says of one output; see :mod:`shapeinfer.rule`."""
Result: TypeAlias = Maybe | list[Maybe]
Input: TypeAlias = str | int
"""An input by its name in the schema or by its position."""


_ELEMENT_TYPES = frozenset(int(e) for e in ElementType if e)


class Unknown(Exception):  # noqa: N818 - not an error: the rule asked for a fact that is not known
    """Ends a rule: the best that was known stands."""


class Fault(Exception):  # noqa: N818 - the error has been reported; this only ends the rule
    """Ends a rule after an error was reported."""


class Context:
    """One node with what is known of its inputs.

    Attributes:
        node: the node.
        version: the since-version of the operator specification in force.
        signature: its inputs, outputs and attributes.
        inputs: what is known of each input, ``None`` where an optional one is left out.
        outputs: in a value rule, the type of each output.
        facts: what is known of the dims: ask it three-valued questions.
        asked: the positions of the inputs whose elements were asked for.
    """

    __slots__ = (
        *("_attributes", "_best", "_recorder", "asked", "facts", "inputs", "node", "outputs", "signature", "version"),
    )

    def __init__(
        self,
        node: Node,
        signature: Signature,
        inputs: list[Value | None],
        attributes: dict[str, onnx.AttributeProto],
        recorder: Recorder,
    ) -> None:
        self.node = node
        self.signature = signature
        self.version = signature.since_version
        self.inputs = inputs
        self.facts = recorder.facts
        self._attributes = attributes
        self._recorder = recorder
        self._best: Result = None
        self.outputs: Sequence[ValueType | None] = ()
        self.asked: tuple[int, ...] = ()

    # ------------------------------------------------------------------------------------------------------- inputs

    def _input(self, which: Input) -> Value | None:
        index = which if isinstance(which, int) else self.signature.input_index.get(which, len(self.inputs))
        return self.inputs[index] if index < len(self.inputs) else None

    def given(self, which: Input) -> bool:
        """Whether the input is there: an optional input can be left out, or named by the empty string."""
        return self._input(which) is not None

    def type(self, which: Input) -> ValueType:
        """The input's type; ends the rule where it is unknown or the input is left out."""
        value = self._input(which)
        if value is None or value.type is None:
            raise Unknown
        return value.type

    def elem(self, which: Input) -> int:
        """The element type of a tensor input; ``0`` where unknown or left out."""
        value = self._input(which)
        return value.type.elem if value is not None and isinstance(value.type, TensorType) else 0

    def shape(self, which: Input) -> Shape:
        """The shape of a tensor input; ends the rule where the rank is unknown or the input is left out."""
        value = self._input(which)
        if value is not None:
            kind = value.type
            if type(kind) is TensorType and kind.shape is not None:
                return kind.shape
        raise Unknown

    def shape_or_none(self, which: Input) -> Shape | None:
        """The shape of a tensor input; ``None`` where the rank is unknown or the input is left out."""
        value = self._input(which)
        kind = value.type if value is not None else None
        return kind.shape if type(kind) is TensorType else None

    def elements(self, which: Input) -> Array | None:
        """The elements of an input as far as they are known (:mod:`shapeinfer.values`)."""
        index = which if isinstance(which, int) else self.signature.input_index.get(which, len(self.inputs))
        self.asked = (*self.asked, index)
        value = self.inputs[index] if index < len(self.inputs) else None
        return value.elements if value is not None else None

    def length(self, which: Input) -> Dim | None:
        """The length of an input that must be a 1-D tensor; ``None`` where its rank is unknown."""
        shape = self.shape_or_none(which)
        if shape is None:
            return None
        if len(shape) != 1:
            self.fail(codes.NOT_ONE_D, input=self.input_name(which), shape=shape)
        return shape[0]

    def ints(self, which: str) -> tuple[Dim | None, ...] | None:
        """Integers that the operator takes as an attribute or, in later versions, as a 1-D input.

        Entries are ints, symbolic, or ``None`` where unknown. Where not even the length is known, or it is not given
        at all (see :meth:`given`, :meth:`has_attr`), the answer is ``None``.
        """
        if which in self.signature.attributes:
            attribute = self._attributes.get(which)
            if attribute is not None:
                return tuple(attribute.ints)
            default = self.signature.attributes[which].default
            return None if default is None else tuple(default)
        length = self.length(which)
        known = self.elements(which)
        if known is not None:
            return entries(known)
        if type(length) is int and length <= ELEMENT_LIMIT:
            return (None,) * length
        return None

    def input_name(self, which: Input) -> str:
        """The input's name in the schema."""
        return which if isinstance(which, str) else self.signature.input_name(which)

    # --------------------------------------------------------------------------------------------------- attributes

    def has_attr(self, name: str) -> bool:
        """Whether the node states the attribute (a default does not count)."""
        return name in self._attributes

    def _default(self, name: str) -> Any:
        attribute = self.signature.attributes.get(name)
        if attribute is None or attribute.default is None:
            raise Unknown
        return attribute.default

    def attr_int(self, name: str) -> int:
        """An integer attribute or its default; ends the rule where there is neither."""
        attribute = self._attributes.get(name)
        return int(self._default(name)) if attribute is None else attribute.i

    def attr_float(self, name: str) -> float:
        """A float attribute or its default; ends the rule where there is neither."""
        attribute = self._attributes.get(name)
        return float(self._default(name)) if attribute is None else attribute.f

    def attr_str(self, name: str) -> str:
        """A string attribute or its default; ends the rule where there is neither."""
        attribute = self._attributes.get(name)
        return str(self._default(name)) if attribute is None else attribute.s.decode("utf-8", "replace")

    def attr_ints(self, name: str) -> tuple[int, ...] | None:
        """A list of integers, its default, or ``None`` where there is neither."""
        attribute = self._attributes.get(name)
        if attribute is not None:
            return tuple(attribute.ints)
        declared = self.signature.attributes.get(name)
        return None if declared is None or declared.default is None else tuple(declared.default)

    def attr_proto(self, name: str) -> onnx.AttributeProto | None:
        """The attribute as the node states it."""
        return self._attributes.get(name)

    def attr_type(self, name: str) -> ValueType | None:
        """A type that an attribute states, without shapes; ``None`` where it is not stated."""
        attribute = self._attributes.get(name)
        return None if attribute is None else stated_type(attribute.tp)

    def attr_choice(self, name: str, choices: Collection[str]) -> str:
        """A string attribute that must be one of ``choices``; anything else is an error."""
        value = self.attr_str(name)
        if value not in choices:
            self.fail(codes.ATTRIBUTE_VALUE, attribute=name, value=value, expected=", ".join(sorted(choices)))
        return value

    def element_type_attr(self, name: str, output: int = 0) -> int:
        """An attribute that names the element type of an output; one that the output cannot have is an error."""
        elem = self.attr_int(name)
        if elem not in _ELEMENT_TYPES:
            self.fail(codes.ELEMENT_TYPE, attribute=name, value=elem, why="is no data type")
        if not self.signature.outputs[output].tensor_mask >> elem & 1:
            label = f"{elem} ({ElementType(elem).label})"
            why = f"{self.node.op}-{self.version} cannot give"
            self.fail(codes.ELEMENT_TYPE, attribute=name, value=label, why=why)
        return elem

    def decoded_attributes(self) -> dict[str, Any]:
        """Every attribute that is stated, and the defaults of the others, as plain Python values."""
        found = {name: a.default for name, a in self.signature.attributes.items() if a.default is not None}
        for name, attribute in self._attributes.items():
            found[name] = decode_attribute(attribute)
        return found

    # --------------------------------------------------------------------------------------------- faults, warnings

    def error(self, code: Code, /, **fields: object) -> None:
        """Reports and goes on."""
        self._recorder.report(self, code, fields)

    warn = error

    def fail(self, code: Code, /, **fields: object) -> NoReturn:
        """Reports an error and ends the rule: nothing is claimed of the outputs but their element types."""
        self._recorder.report(self, code, fields)
        raise Fault

    def axis(self, axis: int, rank: int, *, negative: bool = True) -> int:
        """The axis counted from the front; out of ``[-rank, rank-1]`` is an error.

        ``negative=False``: in this version of the operator an axis may not be negative.
        """
        if axis < 0 and not negative:
            self.fail(codes.AXIS_NEGATIVE, axis=axis, allowed=11)
        if not -rank <= axis < rank:
            self.fail(codes.AXIS_RANGE, axis=axis, rank=rank, low=-rank if negative else 0, high=rank - 1)
        return axis + rank if axis < 0 else axis

    # ------------------------------------------------------------------------------------------------- requirements

    def require_equal(self, left: Dim, right: Dim, code: Code, /, **fields: object) -> Dim:
        """Fails when the two never agree, records the requirement when that depends; returns the more definite one."""
        if left is right:
            return left
        answer = self.facts.equal(left, right)
        if answer is False:
            self.fail(code, **fields)
        if answer is None:
            self._recorder.require(self, "==", left, right, code, fields)
        return left if type(left) is int or type(right) is not int else right

    def require_at_least(self, left: Dim, right: Dim, code: Code, /, **fields: object) -> None:
        """``left >= right``: fails when it never holds, records the requirement when that depends."""
        answer = self.facts.at_least(left, right)
        if answer is False:
            self.fail(code, **fields)
        if answer is None:
            self._recorder.require(self, ">=", left, right, code, fields)

    def require_divisible(self, dim: Dim, divisor: Dim, code: Code, /, **fields: object) -> None:
        """``divisor`` divides ``dim``: fails when it never does, records the requirement when that depends."""
        if dims.divide_exact(dim, divisor) is not None:
            return
        answer = self.facts.divisible(dim, divisor) if type(divisor) is int else None
        if answer is False:
            self.fail(code, **fields)
        if answer is None:
            self._recorder.require(self, "divisible", dim, divisor, code, fields)

    def require_rank(self, which: Input, rank: int) -> Shape:
        """The shape of an input that must have this rank."""
        shape = self.shape(which)
        if len(shape) != rank:
            self.fail(codes.RANK, input=self.input_name(which), shape=shape, expected=rank)
        return shape

    def broadcast(self, *shapes: Shape) -> Shape:
        """The shape that these broadcast to (NumPy's rule, as ONNX has it since opset 7)."""
        result = shapes[0]
        for other in shapes[1:]:
            if other is not result and other != result:
                result = self._broadcast_two(result, other)
        return result

    def _broadcast_two(self, a: Shape, b: Shape) -> Shape:
        if len(a) < len(b):
            a, b = b, a
        offset = len(a) - len(b)
        out = list(a)
        for i, right in enumerate(b, offset):
            left = a[i]
            if left is not right and left != right:
                out[i] = self.broadcast_dims(left, right, a, b)
        return tuple(out)

    def broadcast_dims(self, left: Dim, right: Dim, a: Shape, b: Shape) -> Dim:
        """The size that two different sizes broadcast to: one must be 1. ``a`` and ``b`` are for the message."""
        if type(left) is int and left == 1:
            return right
        if type(right) is int and right == 1:
            return left
        facts = self.facts
        fields: dict[str, object] = {"left": left, "right": right, "a": a, "b": b}
        left_one, right_one = facts.equal(left, 1), facts.equal(right, 1)
        if left_one:
            return right
        if right_one:
            return left
        equal = facts.equal(left, right)
        if equal:
            return left if type(left) is int else right
        if left_one is False and right_one is False:
            if equal is False:
                self.fail(codes.BROADCAST, **fields)
            self._recorder.require(self, "==", left, right, codes.BROADCAST, fields)
            return left if type(left) is int else right
        for size, capped in ((left, right), (right, left)):
            limits = dims.caps(size, capped)
            if limits and all(facts.at_least(limit, 2) for limit in limits):  # min(S, 512) against S: S is at most 512
                for limit in limits:
                    self._recorder.require(self, ">=", limit, size, codes.BROADCAST, fields)
                return size
        self._recorder.require(self, "broadcast", left, right, codes.BROADCAST, fields)
        if left_one is False:
            return left
        if right_one is False:
            return right
        return dims.broadcast(left, right)

    # ------------------------------------------------------------------------------------------------- inner graphs

    def run_graph(
        self,
        attribute: str,
        given: Sequence[Value],
        *,
        certain: bool,
        quiet: bool = False,
        at_least: Sequence[tuple[Dim, Dim]] = (),
    ) -> GraphResult:
        """Walks an inner graph with these values for its inputs; see :meth:`shapeinfer.walk.Walk.run_graph`."""
        return self._recorder.run_graph(self, attribute, given, certain=certain, quiet=quiet, at_least=at_least)

    def graph_inputs(self, attribute: str) -> list[Value]:
        """What an inner graph declares of its inputs: names, and kinds and element types without shapes."""
        return self._recorder.graph_inputs(self, attribute)

    def fresh(self, output: int, axis: int) -> Dim:
        """A new symbol for a size that only a run can tell. Rules return ``None`` dims instead where they can."""
        return self._recorder.fresh(self, output, axis)

    # ------------------------------------------------------------------------------------------------------ results

    def best(self, result: Result) -> None:
        """What holds if the rule ends early because a fact is unknown."""
        self._best = result

    @property
    def best_so_far(self) -> Result:
        """What :meth:`best` was last told."""
        return self._best

    def output_shape(self, index: int = 0) -> Shape | None:
        """In a value rule: the shape that the rule found for an output."""
        kind = self.outputs[index] if index < len(self.outputs) else None
        return kind.shape if type(kind) is TensorType else None

    def run_kernel(self, symbolic: Sequence[int] | None = ()) -> Array | list[Array | None] | None:
        """In a value rule: the kernel on the known elements.

        Inputs at the positions ``symbolic`` (``None``: all) may have symbolic or unknown entries.
        """
        arrays: list[Array | None] = []
        for i, value in enumerate(self.inputs):
            array = self.elements(i)
            if value is not None and array is None:
                return None
            if array is not None and array.dtype == object and not (symbolic is None or i in symbolic):
                return None
            arrays.append(array)
        result = self._recorder.kernel_result(self, arrays)
        return None if result is None else list(result)
