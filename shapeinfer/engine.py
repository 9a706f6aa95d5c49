"""The analysis of a model: the walk over its main graph, with all that it found out."""

from __future__ import annotations

from dataclasses import dataclass, field

import onnx

from shapeinfer import dims, graph, loader
from shapeinfer.diagnostics import Finding
from shapeinfer.dims import Facts
from shapeinfer.operators import Operators
from shapeinfer.options import Options
from shapeinfer.requirements import Requirement
from shapeinfer.symbols import Symbols
from shapeinfer.values import Value
from shapeinfer.walk import Walk


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


def analyse(model: onnx.ModelProto, options: Options | None = None) -> Analysis:
    """Infers every value of the main graph and collects all findings. ``model`` is not changed.

    Raises:
        shapeinfer.loader.RulePackError: when a rule pack of the options cannot be loaded.
        shapeinfer.options.OptionError: when an option cannot be understood.
    """
    options = options or Options()
    loader.load_packs(options.rules)
    facts = Facts()
    options.assume(facts)
    symbols = Symbols(model, options.names_for(model.graph.input))
    operators = Operators(model.opset_import, model)
    walk = Walk(model.ir_version, operators, symbols, facts)
    walk.findings.extend(operators.check_imports())
    walk.read_initializers(model.graph)
    walk.read_inputs(model.graph, options)
    walk.visit_nodes(model.graph.node, [output.name for output in model.graph.output])
    walk.findings.extend(graph.check_outputs(model.graph, walk.values))
    return Analysis(model, options, symbols, facts, walk.values, walk.findings, walk.requirements)


__all__ = ["Analysis", "Requirement", "analyse", "dims"]
