"""The analysis of a model: the walk over its main graph, with all that it found out."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import onnx

from shapeinfer import collector, graph, loader
from shapeinfer.diagnostics import Finding
from shapeinfer.dims import Facts
from shapeinfer.given import Given
from shapeinfer.naming import Renamer, names_for
from shapeinfer.operators import Operators
from shapeinfer.options import Options
from shapeinfer.requirements import Requirement
from shapeinfer.symbols import Symbols
from shapeinfer.values import Pending, Value
from shapeinfer.walk import InnerGraph, Walk


@dataclass(slots=True)
class Analysis:
    """What the walk found out about a model."""

    model: onnx.ModelProto
    options: Options
    symbols: Symbols
    facts: Facts
    values: dict[str, Value] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    requirements: list[Requirement] = field(default_factory=list)
    inner: list[InnerGraph] = field(default_factory=list)
    """The inner graphs as they were walked, where that was asked for."""
    waiting: list[Pending] = field(default_factory=list, repr=False)
    """Elements that may still be asked for."""

    def release(self) -> None:
        """Gives up elements that nobody asked for, so that the model's memory is freed with the model.

        Otherwise values and the walk refer to each other, and to the model, until the garbage collector comes.
        """
        for pending in self.waiting:
            pending.drop()
        self.waiting.clear()


def analyse(
    model: onnx.ModelProto,
    options: Options | None = None,
    *,
    keep_inner: bool = False,
    base: Path | None = None,
) -> Analysis:
    """Infers every value of the main graph and collects all findings. ``model`` is not changed.

    Args:
        keep_inner: keep what is known of the values of inner graphs too, for those who look at them.
        base: the directory of the model, beside which small stored tensors may lie in files of their own.

    Raises:
        shapeinfer.loader.RulePackError: when a rule pack of the options cannot be loaded.
        shapeinfer.options.OptionError: when an option cannot be understood.
    """
    options = options or Options()
    loader.load_packs(options.rules)
    with collector.paused():
        return _analyse(model, options, keep_inner, base)


def _analyse(model: onnx.ModelProto, options: Options, keep_inner: bool, base: Path | None) -> Analysis:
    facts = Facts()
    options.assume(facts)
    symbols = Symbols(model, options.names_for(model.graph.input))
    operators = Operators(model.opset_import, model)
    given = Given(model.ir_version, base)
    walk = Walk(given, operators, symbols, facts)
    walk.inner = [] if keep_inner else None
    walk.findings.extend(operators.check_imports())
    values = given.initializers(model.graph, ())
    values.update(given.inputs(model.graph, values, symbols, options))
    walk.values = values
    walk.findings.extend(given.take_findings())
    walk.visit_nodes(model.graph.node, [output.name for output in model.graph.output])
    walk.findings.extend(graph.check_outputs(model.graph, values))
    inner = walk.inner or []
    analysis = Analysis(model, options, symbols, facts, values, walk.findings, walk.requirements, inner, walk.waiting)
    _take_names(analysis)
    return analysis


def _take_names(analysis: Analysis) -> None:
    """Gives fresh symbols the names that the model declares for them, in all that was found out."""
    names = names_for(analysis.model, analysis.values, analysis.symbols, analysis.facts)
    if not names:
        return
    renamer = Renamer(names)
    for values in (analysis.values, *(inner.values.own for inner in analysis.inner)):
        for value in values.values():
            if value.type is not None:
                value.type = renamer.type(value.type)
    for requirement in analysis.requirements:
        renamer.requirement(requirement)
    analysis.findings = [renamer.finding(finding) for finding in analysis.findings]
    for old, new in names.items():
        analysis.facts.assume_equal(new, old)
    analysis.symbols.rename(names)
