"""Operator schemas: inputs, outputs, attributes and type constraints of each version of an operator.

The facts come from ``onnx.defs``, read per operator version when first asked for. Operators that ``onnx`` does not
define are added with :func:`register`. The domain ``ai.onnx`` is written ``""``.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal, TypeAlias

import onnx
import onnx.defs
from pydantic import BaseModel, ConfigDict, ValidationInfo, computed_field, field_validator

from shapeinfer import type_sets

AttributeKind: TypeAlias = Literal[
    "FLOAT",
    "INT",
    "STRING",
    "TENSOR",
    "GRAPH",
    "SPARSE_TENSOR",
    "TYPE_PROTO",
    "FLOATS",
    "INTS",
    "STRINGS",
    "TENSORS",
    "GRAPHS",
    "SPARSE_TENSORS",
    "TYPE_PROTOS",
]
"""What an attribute holds, as ``AttributeProto.AttributeType`` names it."""
AttributeValue: TypeAlias = int | float | str | tuple[int, ...] | tuple[float, ...] | tuple[str, ...]
"""A default value. Floats are those of 32 bits; strings are UTF-8."""
Key: TypeAlias = tuple[str, str, int]
"""Domain, operator, since-version."""

_LARGEST = 2**31 - 1


class UnknownOperatorError(LookupError):
    """No schema for this operator in this domain; the message names close matches."""


class UnknownVersionError(LookupError):
    """The operator does not exist at this version; the message names the versions there are."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, ser_json_inf_nan="strings")


class FormalParameter(_Model):
    """An input or output.

    Attributes:
        type_str: the name of a type constraint, or a type such as ``tensor(int64)``.
        option: whether it must be there, may be left out, or stands for any number of values.
        homogeneous: whether all values of a variadic parameter have one type.
        min_arity: how many values a variadic parameter stands for at least.
        types: the types that are allowed.
    """

    name: str
    type_str: str
    description: str = ""
    option: Literal["single", "optional", "variadic"] = "single"
    homogeneous: bool = True
    min_arity: int = 1
    types: tuple[str, ...] = ()


class AttributeSchema(_Model):
    """An attribute: what it holds, whether it must be stated, its default (``None`` where there is none)."""

    name: str
    kind: AttributeKind
    required: bool = False
    default: AttributeValue | None = None
    description: str = ""


class TypeConstraint(_Model):
    """A type variable and the types it may stand for."""

    name: str
    types: tuple[str, ...]
    description: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def ir_version(self) -> int | None:
        """The first IR version that has every element type among the types (:func:`type_sets.ir_version`)."""
        return type_sets.ir_version(self.types)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def label(self) -> str | None:
        """What such a set is called: ``all tensor types up to IRv10``; ``None`` where it has no name."""
        return type_sets.label(self.types)


class OperatorSchema(_Model):
    """One version of an operator.

    Attributes:
        since_version: the opset version that brought it; it holds until the next one.
        function_body: whether the specification defines it by other operators.
        non_deterministic: whether two runs may differ, or ``onnx`` does not say that they do not.
        open_attributes: whether a node may state attributes that are not listed: the operator grows without a new
            version.
    """

    domain: str = ""
    name: str
    since_version: int
    deprecated: bool = False
    doc: str = ""
    type_constraints: tuple[TypeConstraint, ...] = ()
    inputs: tuple[FormalParameter, ...] = ()
    outputs: tuple[FormalParameter, ...] = ()
    attributes: tuple[AttributeSchema, ...] = ()
    function_body: bool = False
    non_deterministic: bool = False
    open_attributes: bool = False

    @field_validator("domain")
    @classmethod
    def _plain_domain(cls, domain: str) -> str:
        return plain_domain(domain)

    @field_validator("inputs", "outputs")
    @classmethod
    def _with_types(cls, parameters: tuple[FormalParameter, ...], info: ValidationInfo) -> tuple[FormalParameter, ...]:
        if any(each.option == "variadic" for each in parameters[:-1]):
            raise ValueError("only the last parameter can be variadic")
        if all(each.types for each in parameters):
            return parameters
        allowed = {constraint.name: constraint.types for constraint in info.data.get("type_constraints", ())}
        for each in parameters:
            if each.type_str not in allowed and "(" not in each.type_str:
                raise ValueError(f"{each.name}: {each.type_str} is neither a type nor the name of a type constraint")
        return tuple(
            each.model_copy(update={"types": allowed.get(each.type_str, (each.type_str,))}) for each in parameters
        )

    @property
    def key(self) -> Key:
        """Domain, operator, since-version."""
        return self.domain, self.name, self.since_version

    @property
    def title(self) -> str:
        """The operator as people write it: ``Squeeze-13``, ``ai.onnx.ml.Scaler-1``."""
        return f"{self.domain}.{self.name}-{self.since_version}" if self.domain else f"{self.name}-{self.since_version}"

    @computed_field  # type: ignore[prop-decorator]
    @property
    def summary(self) -> str:
        """The first paragraph of the text."""
        return " ".join(self.doc.replace("<br>", "").strip().split("\n\n", 1)[0].split())

    @computed_field  # type: ignore[prop-decorator]
    @property
    def min_inputs(self) -> int:
        """How many inputs a node names at least."""
        return _fewest(self.inputs)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def max_inputs(self) -> int | None:
        """How many inputs a node names at most; ``None`` without limit."""
        return _most(self.inputs)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def min_outputs(self) -> int:
        """How many outputs a node names at least."""
        return _fewest(self.outputs)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def max_outputs(self) -> int | None:
        """How many outputs a node names at most; ``None`` without limit."""
        return _most(self.outputs)


def _fewest(parameters: tuple[FormalParameter, ...]) -> int:
    fewest = 0
    for position, each in enumerate(parameters):
        if each.option == "single":
            fewest = position + 1
        elif each.option == "variadic":
            fewest = position + each.min_arity
    return fewest


def _most(parameters: tuple[FormalParameter, ...]) -> int | None:
    return None if parameters and parameters[-1].option == "variadic" else len(parameters)


# ------------------------------------------------------------------------------------------------------------- look up

_registered: dict[tuple[str, str], dict[int, OperatorSchema]] = {}


def plain_domain(domain: str) -> str:
    """The domain with ``ai.onnx`` written ``""``."""
    return "" if domain == "ai.onnx" else domain


def register(schema: OperatorSchema) -> None:
    """Adds an operator version that ``onnx`` does not define.

    Raises:
        ValueError: when the operator has this version already.
    """
    if schema.since_version in versions(schema.name, schema.domain):
        raise ValueError(f"{schema.title} is defined already")
    _registered.setdefault((schema.domain, schema.name), {})[schema.since_version] = schema
    lookup.cache_clear()


@cache
def lookup(name: str, domain: str = "", version: int | None = None) -> OperatorSchema | None:
    """The schema in force at an opset version, or the latest; deprecated ones too. ``None`` where there is none."""
    domain = plain_domain(domain)
    limit = _LARGEST if version is None else min(version, _LARGEST)
    since = _since_in_onnx(name, domain, limit)
    added = _registered.get((domain, name), {})
    newest_added = max((each for each in added if each <= limit), default=0)
    if newest_added > since:
        return added[newest_added]
    return _from_onnx(name, domain, since) if since else None


def versions(name: str, domain: str = "") -> tuple[int, ...]:
    """The since-versions of an operator, rising; empty for an unknown one."""
    domain = plain_domain(domain)
    found = set(_registered.get((domain, name), {}))
    since = _since_in_onnx(name, domain, _LARGEST)
    while since:
        found.add(since)
        since = _since_in_onnx(name, domain, since - 1)
    return tuple(sorted(found))


def all_operators() -> Iterator[Key]:
    """Every operator version there is: domain, operator, since-version."""
    for each in onnx.defs.get_all_schemas_with_history():
        yield plain_domain(each.domain), each.name, each.since_version
    for (domain, name), added in _registered.items():
        for since in added:
            yield domain, name, since


def resolve(name: str, domain: str = "", version: int | None = None) -> OperatorSchema:
    """As :func:`lookup`, for what a person typed.

    Raises:
        UnknownOperatorError: when there is no such operator in the domain.
        UnknownVersionError: when it came later than this version, or the version is higher than any known.
    """
    domain = plain_domain(domain)
    known = versions(name, domain)
    if not known:
        raise UnknownOperatorError(_unknown_operator(name, domain))
    schema = lookup(name, domain, version)
    listed = ", ".join(map(str, known))
    if schema is None:
        raise UnknownVersionError(f"{name} does not exist at version {version}; its versions are {listed}")
    _, newest = onnx.defs.C.schema_version_map().get(domain, (1, _LARGEST))
    if version is not None and version > max(newest, known[-1]):
        raise UnknownVersionError(
            f"{name}: version {version} is higher than the newest known opset of {domain or 'ai.onnx'}, {newest};"
            f" its versions are {listed}"
        )
    return schema


def _unknown_operator(name: str, domain: str) -> str:
    operators = {(each_domain, each) for each_domain, each, _ in all_operators()}
    message = f"onnx defines no operator {name} in the domain {domain or 'ai.onnx'}"
    elsewhere = sorted(each_domain or "ai.onnx" for each_domain, each in operators if each == name)
    if elsewhere:
        return f"{message}; there is one in {', '.join(elsewhere)}"
    here = {each.lower(): each for each_domain, each in operators if each_domain == domain}
    if not here:
        domains = ", ".join(sorted({each_domain or "ai.onnx" for each_domain, _ in operators}))
        return f"{message}: the known domains are {domains}"
    close = [here[each] for each in difflib.get_close_matches(name.lower(), here, n=3, cutoff=0.7)]
    return f"{message}; did you mean {' or '.join(close)}?" if close else message


# ----------------------------------------------------------------------------------------------------------- onnx.defs


def _since_in_onnx(name: str, domain: str, limit: int) -> int:
    if limit < 1:
        return 0
    try:
        return onnx.defs.get_schema(name, limit, domain).since_version
    except onnx.defs.SchemaError:
        return 0


@cache
def _from_onnx(name: str, domain: str, since: int) -> OperatorSchema:
    source: Any = onnx.defs.get_schema(name, since, domain)  # its stubs leave members out, hence Any
    constraints = [
        (each.type_param_str, tuple(each.allowed_type_strs), each.description) for each in source.type_constraints
    ]
    allowed = {constraint: types for constraint, types, _ in constraints}
    return OperatorSchema.model_validate(
        {
            "domain": domain,
            "name": name,
            "since_version": since,
            "deprecated": source.deprecated,
            "doc": (source.doc or "").strip("\n"),
            "type_constraints": [
                {"name": constraint, "types": types, "description": description}
                for constraint, types, description in constraints
            ],
            "inputs": [_parameter(each, allowed) for each in source.inputs],
            "outputs": [_parameter(each, allowed) for each in source.outputs],
            "attributes": [_attribute(each) for _, each in sorted(source.attributes.items())],
            "function_body": source.has_function or source.has_context_dependent_function,
            "non_deterministic": source.non_deterministic,
        }
    )


def _parameter(source: Any, allowed: dict[str, tuple[str, ...]]) -> dict[str, object]:
    return {
        "name": source.name,
        "type_str": source.type_str,
        "description": source.description,
        "option": source.option.name.lower(),
        "homogeneous": source.is_homogeneous,
        "min_arity": source.min_arity,
        "types": allowed.get(source.type_str) or (source.type_str,),
    }


def _attribute(source: Any) -> dict[str, object]:
    return {
        "name": source.name,
        "kind": source.type.name,
        "required": source.required,
        "default": _decoded(source.default_value),
        "description": source.description,
    }


def _decoded(value: onnx.AttributeProto) -> AttributeValue | None:
    match value.type:
        case onnx.AttributeProto.INT:
            return value.i
        case onnx.AttributeProto.FLOAT:
            return value.f
        case onnx.AttributeProto.STRING:
            return value.s.decode()
        case onnx.AttributeProto.INTS:
            return tuple(value.ints)
        case onnx.AttributeProto.FLOATS:
            return tuple(value.floats)
        case onnx.AttributeProto.STRINGS:
            return tuple(each.decode() for each in value.strings)
        case _:
            return None
