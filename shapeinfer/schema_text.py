"""Schemas and their differences as plain text for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from shapeinfer.schema import AttributeSchema, FormalParameter, OperatorSchema, TypeConstraint, versions
from shapeinfer.schema_diff import AttributeChange, ConstraintChange, ParameterChange, SchemaDiff, value_text
from shapeinfer.type_sets import by_number

WIDTH = 100
"""The longest line, words longer than that aside."""


def render_schema(schema: OperatorSchema) -> str:
    """A schema as text: where it stands among the versions, summary, inputs, outputs, attributes, type constraints."""
    return "\n".join(_schema_lines(schema)) + "\n"


def render_diff(diff: SchemaDiff) -> str:
    """A difference as text: whether it is breaking and why, then what was added (+), removed (-) and changed (~)."""
    return "\n".join(_diff_lines(diff)) + "\n"


# -------------------------------------------------------------------------------------------------------------- schema


def _schema_lines(schema: OperatorSchema) -> Iterator[str]:
    known = versions(schema.name, schema.domain) or (schema.since_version,)
    yield f"{schema.name}, version {schema.since_version}{' (deprecated)' if schema.deprecated else ''}"
    yield ""
    yield f"  domain    {schema.domain or 'ai.onnx'}"
    yield f"  since     {schema.since_version}"
    yield f"  latest    {known[-1]}"
    yield from _wrapped(", ".join(map(str, known)), "  versions  ", "            ")
    if schema.function_body:
        yield "  function  defined by other operators"
    if schema.summary:
        yield ""
        yield from _wrapped(schema.summary, "  ")
    yield from _parameters("Inputs", schema.inputs, schema.min_inputs, schema.max_inputs)
    yield from _parameters("Outputs", schema.outputs, schema.min_outputs, schema.max_outputs)
    if schema.attributes:
        yield from ("", "Attributes")
        for attribute in schema.attributes:
            yield f"  {_attribute(attribute)}"
            yield from _wrapped(attribute.description, "      ")
    if schema.type_constraints:
        yield from ("", "Type constraints")
        for constraint in schema.type_constraints:
            yield from _wrapped(f"{constraint.name}: {_constraint(constraint)}", "  ", "      ")
            yield from _types(constraint.types, "      ")


def _parameters(title: str, parameters: tuple[FormalParameter, ...], least: int, most: int | None) -> Iterator[str]:
    if not parameters:
        return
    count = f"{least} or more" if most is None else str(least) if least == most else f"{least} to {most}"
    yield from ("", f"{title} ({count})")
    for parameter in parameters:
        yield f"  {_parameter(parameter)}"
        yield from _wrapped(parameter.description, "      ")


def _parameter(parameter: FormalParameter) -> str:
    words = [f"{parameter.name}: {parameter.type_str}"]
    if parameter.option == "optional":
        words.append("optional")
    if parameter.option == "variadic":
        words.append(f"{parameter.min_arity} or more{'' if parameter.homogeneous else ' of any types'}")
    return ", ".join(words)


def _attribute(attribute: AttributeSchema) -> str:
    words = [f"{attribute.name}: {attribute.kind}"]
    if attribute.required:
        words.append("required")
    elif attribute.default is not None:
        words.append(f"default {value_text(attribute.default)}")
    else:
        words.append("optional")
    return ", ".join(words)


def _constraint(constraint: TypeConstraint) -> str:
    reach = [_count(constraint.types)]
    if constraint.ir_version is not None:
        reach.append(f"IR version {constraint.ir_version}")
    return f"{constraint.label} ({', '.join(reach)})" if constraint.label else ", ".join(reach)


def _count(types: tuple[str, ...]) -> str:
    return f"{len(types)} type" if len(types) == 1 else f"{len(types)} types"


def _types(types: Iterable[str], indent: str, hanging: str | None = None) -> Iterator[str]:
    """One paragraph for each container: ``tensor: float, int64``."""
    groups: dict[str, list[str]] = {}
    for each in by_number(types):
        match = re.fullmatch(r"((?:\w+\()+)(\w+)(\)+)", each)
        container, element = (match[1][:-1] + match[3][1:], match[2]) if match else ("", each)
        groups.setdefault(container, []).append(element)
    for container, elements in groups.items():
        start = f"{container}: " if container else ""
        yield from _wrapped(start + ", ".join(elements), indent, hanging or f"{indent}  ")


def _wrapped(text: str, first: str, rest: str | None = None) -> Iterator[str]:
    yield from textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


# ---------------------------------------------------------------------------------------------------------- difference


def _diff_lines(diff: SchemaDiff) -> Iterator[str]:
    yield f"{diff.name}, version {diff.old_version} to {diff.new_version} ({diff.domain or 'ai.onnx'})"
    yield ""
    if diff.empty:
        same = diff.old_version == diff.new_version
        yield "Both are the same version." if same else "Nothing changed."
        return
    if diff.breaking:
        yield f"Breaking for a model that uses version {diff.old_version}:"
        for reason in diff.reasons:
            yield from _wrapped(reason, "  * ", "    ")
    else:
        yield f"Not breaking for a model that uses version {diff.old_version}, as far as the schemas tell."
    yield from _section("Type constraints", (line for each in diff.constraints for line in _constraint_change(each)))
    yield from _section("Inputs", (line for each in diff.inputs for line in _parameter_change(each)))
    yield from _section("Outputs", (line for each in diff.outputs for line in _parameter_change(each)))
    yield from _section("Attributes", (line for each in diff.attributes for line in _attribute_change(each)))
    yield from _section("Other", _other(diff))
    yield from _section("Wording", (line for each in diff.wording for line in _marked(each[0], each[1:])))


def _section(title: str, lines: Iterator[str]) -> Iterator[str]:
    collected = list(lines)
    if collected:
        yield from ("", title, *collected)


def _marked(mark: str, text: str) -> Iterator[str]:
    yield from _wrapped(text, f"  {mark} ", "    ")


def _constraint_change(change: ConstraintChange) -> Iterator[str]:
    old, new = change.old, change.new
    if old is None or new is None:
        mark, one = ("+", new) if old is None else ("-", old)
        if one is not None:
            yield from _marked(mark, f"{one.name}: {_constraint(one)}")
            yield from _types(one.types, "      ")
        return
    if not change.added and not change.removed:
        yield from _marked("~", f"{change.name}: reworded")
        return
    yield from _wrapped(f"{change.name}: {_constraint(old)},", "  ~ ", "      ")
    yield from _wrapped(f"now {_constraint(new)}", "      ")
    yield from _types(change.added, "      + ", "        ")
    yield from _types(change.removed, "      - ", "        ")


def _parameter_change(change: ParameterChange) -> Iterator[str]:
    old, new = change.old, change.new
    if old is not None and new is not None:
        yield from _marked("~", f"{change.name}: {'; '.join(_parameter_fields(change, old, new))}")
    elif new is not None:
        yield from _marked("+", _parameter(new) + (" (was an attribute)" if change.change == "moved" else ""))
    elif old is not None:
        yield from _marked("-", _parameter(old) + (" (now an attribute)" if change.change == "moved" else ""))


def _parameter_fields(change: ParameterChange, old: FormalParameter, new: FormalParameter) -> Iterator[str]:
    for each in change.changed:
        match each:
            case "name":
                yield f"was called {old.name}"
            case "type_str":
                yield f"type {old.type_str}, now {new.type_str}"
            case "option" | "min_arity":
                yield f"{_presence(old)}, now {_presence(new)}"
            case "homogeneous":
                yield "now of one type" if new.homogeneous else "now of any types"
            case "position":
                yield f"position {change.old_position}, now {change.new_position}"
            case "types":
                counts = (("more", change.added_types), ("fewer", change.removed_types))
                yield " and ".join(f"{_count(types)} {word}" for word, types in counts if types)
            case "description":
                yield "reworded"


def _presence(parameter: FormalParameter) -> str:
    return {"single": "required", "optional": "optional", "variadic": f"{parameter.min_arity} or more"}[
        parameter.option
    ]


def _attribute_change(change: AttributeChange) -> Iterator[str]:
    old, new = change.old, change.new
    if old is not None and new is not None:
        yield from _marked("~", f"{change.name}: {'; '.join(_attribute_fields(change, old, new))}")
    elif new is not None:
        yield from _marked("+", _attribute(new) + (" (was an input)" if change.change == "moved" else ""))
    elif old is not None:
        yield from _marked("-", _attribute(old) + (" (now an input)" if change.change == "moved" else ""))


def _attribute_fields(change: AttributeChange, old: AttributeSchema, new: AttributeSchema) -> Iterator[str]:
    for each in change.changed:
        match each:
            case "kind":
                yield f"{old.kind}, now {new.kind}"
            case "required":
                yield "now required" if new.required else "now optional"
            case "default":
                before, after = (
                    "no default" if d is None else f"default {value_text(d)}" for d in (old.default, new.default)
                )
                yield f"{before}, now {after}"
            case "description":
                yield "reworded"


def _other(diff: SchemaDiff) -> Iterator[str]:
    texts = (
        (diff.deprecated, "deprecated"),
        (diff.function_body, "defined by other operators (a function)"),
        (diff.non_deterministic, "not known to be deterministic"),
    )
    for came, text in texts:
        if came is not None:
            yield f"  {'+' if came == 'added' else '-'} {text}"
