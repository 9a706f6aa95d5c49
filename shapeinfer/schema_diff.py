"""What changed between two versions of an operator, and whether a model that uses the one breaks with the other."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, computed_field

from shapeinfer.schema import (
    AttributeSchema,
    AttributeValue,
    FormalParameter,
    OperatorSchema,
    TypeConstraint,
    UnknownOperatorError,
    UnknownVersionError,
    resolve,
)
from shapeinfer.type_sets import by_number

__all__ = [
    "AttributeChange",
    "ConstraintChange",
    "ParameterChange",
    "SchemaDiff",
    "UnknownOperatorError",
    "UnknownVersionError",
    "compare",
    "diff",
    "value_text",
]

Change: TypeAlias = Literal["added", "removed", "moved", "changed"]
"""``moved``: between attribute and input, or to another position."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class ConstraintChange(_Model):
    """A type constraint and the types it gained and lost."""

    name: str
    old: TypeConstraint | None
    new: TypeConstraint | None
    added: tuple[str, ...]
    removed: tuple[str, ...]
    reworded: bool


class ParameterChange(_Model):
    """An input or output that changed.

    Attributes:
        name: its name in the new version, or in the old where it is gone.
        change: ``moved`` where it was or became an attribute (which of the two is missing tells), or changed position.
        changed: which of ``name``, ``type_str``, ``option``, ``homogeneous``, ``min_arity``, ``position``, ``types``
            and ``description`` differ, where it is in both versions.
        added_types: the types it gained; ``removed_types``: those it lost.
    """

    kind: Literal["input", "output"]
    name: str
    change: Change
    old: FormalParameter | None = None
    new: FormalParameter | None = None
    old_position: int | None = None
    new_position: int | None = None
    changed: tuple[str, ...] = ()
    added_types: tuple[str, ...] = ()
    removed_types: tuple[str, ...] = ()


class AttributeChange(_Model):
    """An attribute that changed; ``changed`` names what of it: ``kind``, ``required``, ``default``, ``description``.

    One that became an input is ``moved`` and has no ``new``; one that was an input has no ``old``.
    """

    name: str
    change: Change
    old: AttributeSchema | None = None
    new: AttributeSchema | None = None
    changed: tuple[str, ...] = ()


class SchemaDiff(_Model):
    """The difference of two versions of an operator.

    Attributes:
        reasons: why a model that uses the old version can break with the new one, as far as the schemas tell. What only
            the text tells is not judged: read ``wording``.
        wording: the sentences of the text that went (``-``) and came (``+``).
        deprecated: whether deprecation came or went; likewise ``function_body``, ``non_deterministic``.
    """

    domain: str
    name: str
    old_version: int
    new_version: int
    constraints: tuple[ConstraintChange, ...]
    inputs: tuple[ParameterChange, ...]
    outputs: tuple[ParameterChange, ...]
    attributes: tuple[AttributeChange, ...]
    wording: tuple[str, ...]
    deprecated: Literal["added", "removed"] | None
    function_body: Literal["added", "removed"] | None
    non_deterministic: Literal["added", "removed"] | None
    reasons: tuple[str, ...]

    @computed_field  # type: ignore[prop-decorator]
    @property
    def breaking(self) -> bool:
        """Whether a model that uses the old version can break with the new one."""
        return bool(self.reasons)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def doc_changed(self) -> bool:
        """Whether the text changed by more than its line breaks."""
        return bool(self.wording)

    @property
    def empty(self) -> bool:
        """Whether nothing changed but the version."""
        parts = (self.constraints, self.inputs, self.outputs, self.attributes, self.wording, self.reasons)
        return not any((*parts, self.deprecated, self.function_body, self.non_deterministic))


def diff(name: str, old: int, new: int, domain: str = "") -> SchemaDiff:
    """What changed in an operator from one opset version to another; either may be any opset that has the operator.

    Raises:
        UnknownOperatorError: when there is no such operator in the domain.
        UnknownVersionError: when it does not exist at one of the versions.
    """
    return compare(resolve(name, domain, old), resolve(name, domain, new))


def compare(old: OperatorSchema, new: OperatorSchema) -> SchemaDiff:
    """What changed from one schema to another."""
    inputs = tuple(_parameters("input", old, new))
    outputs = tuple(_parameters("output", old, new))
    attributes = tuple(_attributes(old, new))
    return SchemaDiff(
        domain=new.domain,
        name=new.name,
        old_version=old.since_version,
        new_version=new.since_version,
        constraints=tuple(_constraints(old, new)),
        inputs=inputs,
        outputs=outputs,
        attributes=attributes,
        wording=_wording(old.doc, new.doc),
        deprecated=_came(old.deprecated, new.deprecated),
        function_body=_came(old.function_body, new.function_body),
        non_deterministic=_came(old.non_deterministic, new.non_deterministic),
        reasons=tuple(_reasons(old, new, inputs, outputs, attributes)),
    )


def value_text(value: AttributeValue | None) -> str:
    """A default value for reading: floats as short as 32 bits allow, lists in brackets."""
    if isinstance(value, float):
        return str(np.float32(value))
    return f"[{', '.join(map(value_text, value))}]" if isinstance(value, tuple) else repr(value)


# ------------------------------------------------------------------------------------------------------------- changes


def _came(old: bool, new: bool) -> Literal["added", "removed"] | None:
    return None if old == new else "added" if new else "removed"


def _plain(text: str) -> str:
    return " ".join(text.split())


_SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z`'\"])")


def _wording(old: str, new: str) -> tuple[str, ...]:
    lines = difflib.unified_diff(_sentences(old), _sentences(new), n=0, lineterm="")
    return tuple(line for line in list(lines)[2:] if not line.startswith("@@"))


def _sentences(text: str) -> list[str]:
    paragraphs = (_plain(paragraph) for paragraph in re.split(r"\n\s*\n", text))
    return [sentence for paragraph in paragraphs if paragraph for sentence in _SENTENCE_END.split(paragraph)]


def _constraints(old: OperatorSchema, new: OperatorSchema) -> Iterator[ConstraintChange]:
    before = {each.name: each for each in old.type_constraints}
    after = {each.name: each for each in new.type_constraints}
    for name in dict.fromkeys((*before, *after)):
        a, b = before.get(name), after.get(name)
        had, has = (set(each.types) if each else set() for each in (a, b))
        reworded = a is not None and b is not None and _plain(a.description) != _plain(b.description)
        if a is None or b is None or had != has or reworded:
            yield ConstraintChange(
                name=name, old=a, new=b, added=by_number(has - had), removed=by_number(had - has), reworded=reworded
            )


def _parameters(
    kind: Literal["input", "output"], old: OperatorSchema, new: OperatorSchema
) -> Iterator[ParameterChange]:
    before, after = (old.inputs, new.inputs) if kind == "input" else (old.outputs, new.outputs)
    was_attribute, is_attribute = _only_in(old.attributes, new.attributes) if kind == "input" else (set(), set())
    position_in_old = {at: was for was, at in _matches(before, after, was_attribute).items()}
    for was, a in enumerate(before):
        if was not in position_in_old.values():
            change: Change = "moved" if a.name.lower() in is_attribute else "removed"
            yield ParameterChange(kind=kind, name=a.name, change=change, old=a, old_position=was)
    for at, b in enumerate(after):
        if at not in position_in_old:
            change = "moved" if b.name.lower() in was_attribute else "added"
            yield ParameterChange(kind=kind, name=b.name, change=change, new=b, new_position=at)
            continue
        was = position_in_old[at]
        a = before[was]
        fields = [
            each for each in ("name", "type_str", "option", "homogeneous") if getattr(a, each) != getattr(b, each)
        ]
        if a.option == b.option == "variadic" and a.min_arity != b.min_arity:
            fields.append("min_arity")
        if was != at:
            fields.append("position")
        if set(a.types) != set(b.types):
            fields.append("types")
        if _plain(a.description) != _plain(b.description):
            fields.append("description")
        if fields:
            yield ParameterChange(
                kind=kind,
                name=b.name,
                change="changed" if was == at else "moved",
                old=a,
                new=b,
                old_position=was,
                new_position=at,
                changed=tuple(fields),
                added_types=by_number(set(b.types) - set(a.types)),
                removed_types=by_number(set(a.types) - set(b.types)),
            )


def _only_in(
    old: Sequence[FormalParameter | AttributeSchema], new: Sequence[FormalParameter | AttributeSchema]
) -> tuple[set[str], set[str]]:
    """The names, in lower case, that only the old has, and those that only the new has."""
    before, after = ({each.name.lower() for each in some} for some in (old, new))
    return before - after, after - before


def _matches(
    before: Sequence[FormalParameter], after: Sequence[FormalParameter], was_attribute: set[str]
) -> dict[int, int]:
    """Old position → new position: by name, and where both names are in one version only, by position."""
    old_names = {each.name for each in before}
    new_names = {each.name: position for position, each in enumerate(after)}
    matches = {}
    for position, each in enumerate(before):
        if each.name in new_names:
            matches[position] = new_names[each.name]
        elif position < len(after):
            name = after[position].name
            if name not in old_names and name.lower() not in was_attribute:
                matches[position] = position
    return matches


def _attributes(old: OperatorSchema, new: OperatorSchema) -> Iterator[AttributeChange]:
    before = {each.name: each for each in old.attributes}
    after = {each.name: each for each in new.attributes}
    was_input, is_input = _only_in(old.inputs, new.inputs)
    for name in dict.fromkeys((*before, *after)):
        a, b = before.get(name), after.get(name)
        if a is None or b is None:
            moved = name.lower() in (is_input if b is None else was_input)
            change: Change = "moved" if moved else "removed" if b is None else "added"
            yield AttributeChange(name=name, change=change, old=a, new=b)
            continue
        fields = [each for each in ("kind", "required", "default") if getattr(a, each) != getattr(b, each)]
        if _plain(a.description) != _plain(b.description):
            fields.append("description")
        if fields:
            yield AttributeChange(name=name, change="changed", old=a, new=b, changed=tuple(fields))


# ------------------------------------------------------------------------------------------------------------- reasons

_MOST_TYPES = 6


def _reasons(
    old: OperatorSchema,
    new: OperatorSchema,
    inputs: Sequence[ParameterChange],
    outputs: Sequence[ParameterChange],
    attributes: Sequence[AttributeChange],
) -> Iterator[str]:
    if new.deprecated and not old.deprecated:
        yield f"version {new.since_version} is deprecated"
    for attribute in attributes:
        yield from _attribute_reasons(attribute, {each.name.lower(): each for each in new.inputs})
    for parameter in (*inputs, *outputs):
        yield from _parameter_reasons(parameter)
    yield from _lost_types((*inputs, *outputs))
    yield from _tied_types(old, new)


def _attribute_reasons(change: AttributeChange, inputs: Mapping[str, FormalParameter]) -> Iterator[str]:
    name, old, new = change.name, change.old, change.new
    if new is None:
        target = inputs.get(name.lower())
        if change.change == "moved" and target is not None:
            needed = ", which is required" if target.option == "single" else ""
            yield f"attribute `{name}` became input `{target.name}`{needed}"
        else:
            yield f"attribute `{name}` is gone"
    elif old is None:
        if new.required and change.change == "added":
            yield f"attribute `{name}` is new and required"
    else:
        if old.kind != new.kind:
            yield f"attribute `{name}` holds {new.kind} instead of {old.kind}"
        if new.required and not old.required:
            yield f"attribute `{name}` was optional and is now required"
        elif old.default is not None and new.default is None:
            yield f"attribute `{name}` has no default any more: it was {value_text(old.default)}"
        elif old.default is not None and old.default != new.default:
            before, after = value_text(old.default), value_text(new.default)
            yield f"the default of attribute `{name}` changed from {before} to {after}"


def _parameter_reasons(change: ParameterChange) -> Iterator[str]:
    name, old, new = f"{change.kind} `{change.name}`", change.old, change.new
    if new is None:
        yield f"{name} became attribute `{change.name}`" if change.change == "moved" else f"{name} is gone"
        return
    if old is None:
        if change.change == "added" and _fewest(new):
            yield f"{name} is new and required"
        return
    if change.old_position != change.new_position:
        yield f"{name} moved from position {change.old_position} to {change.new_position}"
    if _fewest(new) > _fewest(old):
        if _fewest(new) == 1:
            yield f"{name} was optional and is now required"
        else:
            yield f"{name} needs at least {_fewest(new)} values instead of {_fewest(old)}"
    if old.option == "variadic" and new.option != "variadic":
        yield f"{name} stood for any number of values and is now one"
    if not old.homogeneous and new.homogeneous:
        yield f"the values of {name} must now have one type"


def _fewest(parameter: FormalParameter) -> int:
    return {"single": 1, "optional": 0, "variadic": parameter.min_arity}[parameter.option]


def _lost_types(changes: Sequence[ParameterChange]) -> Iterator[str]:
    lost: dict[tuple[str, ...], list[str]] = {}
    for change in changes:
        if change.removed_types:
            lost.setdefault(change.removed_types, []).append(f"{change.kind} `{change.name}`")
    for types, names in lost.items():
        shown = ", ".join(types[:_MOST_TYPES])
        rest = f" and {len(types) - _MOST_TYPES} more" if len(types) > _MOST_TYPES else ""
        yield f"{_listed(names)} no longer {'allows' if len(names) == 1 else 'allow'} {shown}{rest}"


def _tied_types(old: OperatorSchema, new: OperatorSchema) -> Iterator[str]:
    """Parameters that must now agree on a type that they could choose freely before."""
    variables = {each.name for each in new.type_constraints if len(each.types) > 1}
    tied: dict[str, dict[str, list[str]]] = {}
    inputs = _matches(old.inputs, new.inputs, _only_in(old.attributes, new.attributes)[0])
    outputs = _matches(old.outputs, new.outputs, set())
    pairs = [("input", old.inputs[was], new.inputs[at]) for was, at in inputs.items()]
    pairs += [("output", old.outputs[was], new.outputs[at]) for was, at in outputs.items()]
    for kind, before, after in pairs:
        if after.type_str in variables and after.homogeneous:
            free = before.type_str if len(before.types) > 1 else before.types[0]
            tied.setdefault(after.type_str, {}).setdefault(free, []).append(f"{kind} `{after.name}`")
    for groups in tied.values():
        if len(groups) > 1:
            yield f"{_listed([name for names in groups.values() for name in names])} must now have the same type"


def _listed(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
