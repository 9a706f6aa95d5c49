"""Holds the types that a model declares for outputs and in ``value_info`` against what was inferred."""

from __future__ import annotations

from collections.abc import Iterator

import onnx

from shapeinfer import catalogue as codes
from shapeinfer import dims
from shapeinfer.diagnostics import Finding, Where, type_text
from shapeinfer.dims import Dim
from shapeinfer.engine import Analysis
from shapeinfer.symbols import read_type
from shapeinfer.types import TensorType, ValueType, known_element, type_string
from shapeinfer.values import Node, Value


def check_claims(analysis: Analysis) -> Iterator[Finding]:
    """Yields an error for each claim that is contradicted and a note for each that is not decided."""
    graph = analysis.model.graph
    yield from _unknown_elements(graph)
    told = set()
    names: dict[str, Dim] = {}
    for declared in [*graph.output, *graph.value_info]:
        value = analysis.values.get(declared.name)
        if value is None or value.type is None or declared.name in told:
            continue
        told.add(declared.name)
        claim = read_type(declared.type, analysis.symbols, declared.name, fact=False)
        if claim is not None:
            yield from _check(analysis, declared, claim, value, names)


def _unknown_elements(graph: onnx.GraphProto) -> Iterator[Finding]:
    stated = [(tensor.name, tensor.data_type) for tensor in graph.initializer]
    stated += [(sparse.values.name, sparse.values.data_type) for sparse in graph.sparse_initializer]
    for each in (*graph.input, *graph.output, *graph.value_info):
        tensor = each.type.sparse_tensor_type if each.type.HasField("sparse_tensor_type") else each.type.tensor_type
        stated.append((each.name, tensor.elem_type))
    for name, number in stated:
        if number != known_element(number):
            yield Finding(codes.UNKNOWN_ELEMENT_TYPE, Where(), {"value": name, "number": number})


def _check(
    analysis: Analysis, declared: onnx.ValueInfoProto, claim: ValueType, value: Value, names: dict[str, Dim]
) -> Iterator[Finding]:
    found = value.type
    where = _where(value)
    fields = {"value": declared.name, "declared": type_text(claim), "found": type_text(found)}
    if type(claim) is not TensorType or type(found) is not TensorType:
        a, b = type_string(claim), type_string(found)
        if a != b and "?" not in a + b:
            yield Finding(codes.DECLARED_TYPE, where, fields)
        return
    if claim.elem and found.elem and claim.elem != found.elem:
        yield Finding(codes.DECLARED_TYPE, where, fields)
    elif claim.shape is not None:
        answer = _decide(analysis, claim, found, names)
        if answer is False:
            yield Finding(codes.DECLARED_SHAPE, where, fields)
        elif answer is None:
            yield Finding(codes.DECLARED_UNPROVED, where, fields)


def _decide(analysis: Analysis, claim: TensorType, found: TensorType, names: dict[str, Dim]) -> bool | None:
    """Whether a declared shape holds.

    A name that no input has claims nothing of its own: it stands for the dim where it comes first, in ``names``, and
    must stand for the same one from there on.
    """
    assert claim.shape is not None
    if found.shape is None:
        return None
    if len(claim.shape) != len(found.shape):
        return False
    facts = analysis.facts
    answers = []
    for dim, actual in zip(claim.shape, found.shape, strict=True):
        own = type(dim) is not int and dim is not None and dims.size(dim) == 0 and dims.text(dim)
        if own and own not in analysis.symbols.origins:
            dim = names.setdefault(own, actual)
        answers.append(dim is None or facts.equal(dim, actual))
    if False in answers:
        return False
    return None if None in answers else True


def _where(value: Value) -> Where:
    node = value.origin
    return Where((), node.name, node.index, node.op, node.domain) if isinstance(node, Node) else Where()
