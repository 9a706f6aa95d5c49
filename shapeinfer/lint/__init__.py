"""The linter: what is right but unwise, and where dynamic shapes break.

One small file per group of lints; each lint is a function that looks at a graph (:mod:`shapeinfer.lint.view`). The
words are in the catalogue (``shapeinfer/catalogue/lint_*.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from shapeinfer import catalogue as codes
from shapeinfer.engine import Analysis
from shapeinfer.lint import (  # noqa: F401 - importing a group registers its lints
    broadcasts,
    constants,
    control,
    data,
    declared,
    eyelike,
    hazards,
    interface,
    islands,
    literals,
    overflow,
    pairs,
    redundant,
    reshape,
    squeeze,
    tables,
    unused,
    versions,
)
from shapeinfer.lint.policy import Policy, SelectorError
from shapeinfer.lint.registry import Fix, Lint, Rule, found, rules
from shapeinfer.lint.view import View

__all__ = ["Fix", "Lint", "Policy", "SelectorError", "lint"]


def lint(analysis: Analysis, wanted: Callable[[str, str], bool] | None = None) -> Iterator[Lint]:
    """Looks at a model with every lint; ``analysis`` should have its inner graphs.

    ``wanted`` answers for a code's id and name whether anybody wants to know.
    """
    views = [View(analysis, (), analysis.model.graph, analysis.values)]
    seen = set()
    for inner in analysis.inner:
        if inner.path not in seen:
            seen.add(inner.path)
            views.append(View(analysis, inner.path, inner.proto, inner.values))
    for rule in rules():
        if wanted is not None and not any(wanted(code.id, code.name) for code in rule.codes):
            continue
        for view in views if rule.everywhere else views[:1]:
            for each in _ask(rule, view):
                if wanted is None or wanted(each.finding.code.id, each.finding.code.name):
                    yield each


def _ask(rule: Rule, view: View) -> list[Lint]:
    """What a lint finds in a graph; a fault of ours must not cost the user the rest."""
    try:
        return list(rule.check(view))
    except UnicodeDecodeError:
        raise  # the model's fault: whoever reads the file tells
    except Exception as error:  # whatever it is, it becomes a finding
        name = rule.codes[0].name
        return [found(view, codes.LINT_FAULT, lint=name, error=f"{type(error).__name__}: {error}")]
