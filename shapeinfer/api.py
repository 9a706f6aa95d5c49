"""The functions that people call."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, overload

import onnx

from shapeinfer import catalogue as codes
from shapeinfer import collector, irmodel, modelio
from shapeinfer.annotate import annotate
from shapeinfer.claims import check_claims
from shapeinfer.diagnostics import Finding, Where
from shapeinfer.engine import Analysis, analyse
from shapeinfer.loader import RulePackError
from shapeinfer.modelio import ModelError, ModelSource
from shapeinfer.options import OptionError, Options
from shapeinfer.report import Report, failed, report_of

if TYPE_CHECKING:
    import onnx_ir

    from shapeinfer.contract.document import Contract
    from shapeinfer.lint import Policy


class InferenceError(Exception):
    """Raised by :func:`infer_shapes` with ``strict_mode``: the model has errors; ``report`` has them all."""

    def __init__(self, report: Report) -> None:
        super().__init__("\n".join(str(error) for error in report.errors))
        self.report = report


@overload
def infer_shapes(
    model: onnx.ModelProto | bytes | str | os.PathLike[str],
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = True,
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Sequence[str | os.PathLike[str]] = (),
) -> onnx.ModelProto: ...
@overload
def infer_shapes(
    model: onnx_ir.Model,
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = True,
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Sequence[str | os.PathLike[str]] = (),
) -> onnx_ir.Model: ...
def infer_shapes(
    model: ModelSource,
    check_type: bool = False,
    strict_mode: bool = False,
    data_prop: bool = True,
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Sequence[str | os.PathLike[str]] = (),
) -> onnx.ModelProto | onnx_ir.Model:
    """The model with the type and shape of every value in ``value_info`` and the graph outputs.

    A drop-in for :func:`onnx.shape_inference.infer_shapes`. Symbolic sizes are written as expressions in ``dim_param``.

    Args:
        model: a message, serialised bytes, a path, or an ``onnx_ir.Model``. A message is not changed: the result is a
            copy of it. From bytes or a path no second copy of the weights is made, and external weights are never
            read. For an ``onnx_ir.Model`` the result is another one, which shares all tensors with it.
        check_type: raise when the model has errors, as ``strict_mode``.
        strict_mode: raise when the model has errors. Otherwise these are left to :func:`check`.
        data_prop: accepted for compatibility; values are always followed.
        dims: facts about dim names: ``{"N": "1..64", "H": "32*h", "B": 8}``.
        input_shapes: shapes for inputs: ``{"x": "[N, 3, 224, 224]"}``.
        rules: directories of further rules, for custom operators.

    Raises:
        ModelError: when the model cannot be read.
        InferenceError: in strict mode, when the model has errors.
        OptionError, RulePackError: when an option or a rule pack is at fault.
    """
    source, copy = _load(model)
    with modelio.text_checked(source), collector.paused():
        options = _options(dims, input_shapes, rules)
        analysis = analyse(source, options, keep_inner=True, base=modelio.base_directory(model))
        if strict_mode or check_type:
            report = report_of(analysis, _name(model), check_claims(analysis))
            if not report.ok:
                raise InferenceError(report)
        if source is model:
            result = onnx.ModelProto()
            result.CopyFrom(source)
        else:
            result = source
        annotate(analysis, result)
        analysis.release()
        if copy is not None:
            irmodel.write_types(result, copy)
    return result if copy is None else copy


def inferred(
    model: bytes | str | os.PathLike[str],
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Sequence[str | os.PathLike[str]] = (),
) -> tuple[onnx.ModelProto, Report]:
    """What :func:`infer_shapes` gives for bytes or a path, and the report of :func:`check`, from one analysis."""
    source = modelio.load(model)
    with modelio.text_checked(source), collector.paused():
        options = _options(dims, input_shapes, rules)
        analysis = analyse(source, options, keep_inner=True, base=modelio.base_directory(model))
        report = report_of(analysis, _name(model), check_claims(analysis))
        annotate(analysis, source)
        analysis.release()
    return source, report


def check(
    model: ModelSource,
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Sequence[str | os.PathLike[str]] = (),
    lint: bool = True,
) -> Report:
    """Checks a model: names, types, shapes and declared types, all findings at once, and lints unless turned off.

    Takes what :func:`infer_shapes` takes. A model that cannot be read, and an option that cannot be understood, are
    findings too; nothing is raised for them.
    """
    return checked(model, dims=dims, input_shapes=input_shapes, rules=rules, lint=lint)[0]


def checked(
    model: ModelSource,
    *,
    dims: Mapping[str, str | int] | None = None,
    input_shapes: Mapping[str, str] | None = None,
    rules: Sequence[str | os.PathLike[str]] = (),
    lint: bool = True,
    policy: Policy | None = None,
) -> tuple[Report, bool]:
    """As :func:`check`, and whether the model could be looked at at all; with a policy, only what it wants to see."""
    name = _name(model)
    try:
        source, _ = _load(model)
        with modelio.text_checked(source), collector.paused():
            options = _options(dims, input_shapes, rules)
            analysis = analyse(source, options, keep_inner=lint, base=modelio.base_directory(model))
            lints = _lints(analysis, policy) if lint else ()
            claims: Iterable[Finding] = check_claims(analysis)
            if policy is not None:
                claims = list(policy.findings(claims, source))
                analysis.findings = list(policy.findings(analysis.findings, source))
            report = report_of(analysis, name, claims, lints)
            return report.with_contract(partial(_contract, analysis, name)), True
    except ModelError as error:
        return failed(error.finding, name), False
    except OptionError as error:
        return failed(Finding(codes.BAD_OPTION, Where(), {"option": error.option, "reason": error.reason}), name), False
    except RulePackError as error:
        return failed(Finding(codes.BAD_OPTION, Where(), {"option": "rules", "reason": str(error)}), name), False


def _contract(analysis: Analysis, name: str) -> Contract:
    from shapeinfer.contract.document import contract_of  # most checks never ask for it

    return contract_of(analysis, name)


def _lints(analysis: Analysis, policy: Policy | None) -> list[Finding]:
    from shapeinfer.lint import Policy, lint

    policy = policy or Policy()
    return [each.finding for each in policy.lints(lint(analysis, policy.wants), analysis.model)]


def _load(model: ModelSource) -> tuple[onnx.ModelProto, onnx_ir.Model | None]:
    """The model as a message that need not have weights, and the copy of an ``onnx_ir.Model`` to write to."""
    return irmodel.to_light_message(model) if irmodel.is_ir_model(model) else (modelio.load(model), None)


def _options(
    dims: Mapping[str, str | int] | None,
    input_shapes: Mapping[str, str] | None,
    rules: Sequence[str | os.PathLike[str]],
) -> Options:
    return Options(
        dims=dict(dims or {}), input_shapes=dict(input_shapes or {}), rules=tuple(os.fspath(rule) for rule in rules)
    )


def _name(model: ModelSource) -> str:
    if isinstance(model, str | os.PathLike):
        return str(Path(model))
    return "model"
