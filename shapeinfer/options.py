"""What a person adds to a model: facts about dims, shapes of inputs, rule packs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

import onnx
from pydantic import BaseModel, ConfigDict, Field

from shapeinfer import dims
from shapeinfer.dims import Dim, DimSyntaxError, Facts, Shape

_RANGE = re.compile(r"^\s*(\d*)\s*\.\.\s*(\d*)\s*$")
_BOUND = re.compile(r"^\s*(>=|<=|>|<|==)\s*(\d+)\s*$")


class OptionError(ValueError):
    """An option that cannot be understood or contradicts the model."""

    def __init__(self, option: str, reason: str) -> None:
        super().__init__(f"{option}: {reason}")
        self.option = option
        self.reason = reason


class Options(BaseModel):
    """Facts for an analysis.

    ``dims`` gives for a dim name a range (``"1..64"``, ``"2.."``, ``">=2"``), a number, or an expression over other
    names (``"32*h"``); ``input_shapes`` gives a shape for an input (``"[N, 3, 224, 224]"``).
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    dims: Mapping[str, str | int] = Field(default_factory=dict)
    input_shapes: Mapping[str, str] = Field(default_factory=dict)
    rules: tuple[str, ...] = ()

    @property
    def substitutions(self) -> dict[str, Dim]:
        """The dim names that stand for a number or an expression.

        Raises:
            OptionError: for a text that is neither.
        """
        found: dict[str, Dim] = {}
        for name, said in self.dims.items():
            if isinstance(said, int):
                if said < 0:
                    raise OptionError(f"dim {name}={said}", "a dim is never negative")
                found[name] = said
            elif not _RANGE.match(said) and not _BOUND.match(said):
                try:
                    dim = dims.parse(said)
                except DimSyntaxError as error:
                    reason = f"expected a number, a range a..b or an expression ({error})"
                    raise OptionError(f"dim {name}={said}", reason) from error
                if dims.is_symbolic(dim) and any(s.name in self.dims for s in dims.free_symbols(dim)):
                    raise OptionError(f"dim {name}={said}", "the expression uses a name that has an option of its own")
                if type(dim) is int and dim < 0:
                    raise OptionError(f"dim {name}={said}", "a dim is never negative")
                found[name] = dim
        return found

    def assume(self, facts: Facts) -> None:
        """Tells the ranges of dims to ``facts``.

        Raises:
            OptionError: for an empty range.
        """
        for name, said in self.dims.items():
            if isinstance(said, int):
                continue
            low, high = _range(said)
            if low is not None and high is not None and low > high:
                raise OptionError(f"dim {name}={said}", "the range is empty")
            if low is not None or high is not None:
                facts.assume_range(dims.symbol(name), low, high)

    def names_for(self, inputs: Iterable[onnx.ValueInfoProto]) -> dict[str, Dim]:
        """What dim names stand for: what is said of them, and what the shapes given for inputs make of them.

        Raises:
            OptionError: for a shape or a dim that cannot be read, or an input that is not there.
        """
        found = self.substitutions
        declared = {given.name: given.type.tensor_type for given in inputs}
        for name in self.input_shapes:
            if name not in declared:
                raise OptionError(f"shape {name}", f"there is no such input; there are {', '.join(declared) or 'none'}")
            stated = declared[name].shape.dim if declared[name].HasField("shape") else ()
            for dim, given in zip(stated, self.input_shape(name, None), strict=False):
                if dim.dim_param and dim.dim_param not in found and dims.text(given) != dim.dim_param:
                    found[dim.dim_param] = given
        return found

    def input_shape(self, name: str, declared: Shape | None) -> Shape:
        """The shape given for an input.

        Raises:
            OptionError: when it cannot be read or contradicts the declared shape.
        """
        text = self.input_shapes[name]
        option = f"shape {name}={text}"
        inner = text.strip()
        if not (inner.startswith("[") and inner.endswith("]")):
            raise OptionError(option, "write it as [N, 3, 224, 224]")
        parts = list(_entries(inner[1:-1])) if inner[1:-1].strip() else []
        if declared is not None and len(parts) != len(declared):
            raise OptionError(option, f"the model declares rank {len(declared)}")
        shape: list[Dim] = []
        for axis, part in enumerate(parts):
            stated = declared[axis] if declared is not None else None
            try:
                dim = dims.parse(part)
            except DimSyntaxError as error:
                raise OptionError(option, str(error)) from error
            if type(dim) is int and dim < 0:
                raise OptionError(option, "a dim is never negative")
            if type(dim) is int and type(stated) is int and dim != stated:
                raise OptionError(option, f"the model declares {stated} for axis {axis}")
            shape.append(dim)
        return tuple(shape)


def _entries(text: str) -> Iterator[str]:
    """The parts between the commas that stand in no parentheses."""
    depth, part = 0, ""
    for character in text:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            yield part.strip()
            part = ""
        else:
            part += character
    yield part.strip()


def _range(text: str) -> tuple[int | None, int | None]:
    match = _RANGE.match(text)
    if match:
        return tuple(int(end) if end else None for end in match.groups())  # type: ignore[return-value]  # two groups
    match = _BOUND.match(text)
    if match:
        sign, number = match[1], int(match[2])
        return {
            ">=": (number, None),
            ">": (number + 1, None),
            "<=": (None, number),
            "<": (None, number - 1),
            "==": (number, number),
        }[sign]
    return None, None
