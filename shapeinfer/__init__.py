"""Symbolic shape inference and type checking for ONNX models: sound, precise, and in words you can act on."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

from shapeinfer.api import InferenceError, check, infer_shapes
from shapeinfer.diagnostics import Severity
from shapeinfer.loader import RulePackError
from shapeinfer.modelio import ModelError
from shapeinfer.options import OptionError
from shapeinfer.report import Condition, Diagnostic, Report, ValueReport
from shapeinfer.session import KernelError, Session, run
from shapeinfer.verify import Mismatch, RunReport, VerifyReport, verify

try:
    __version__ = version("shapeinfer")
except PackageNotFoundError:  # a bare checkout on the path
    __version__ = "0+unknown"

__all__ = [
    "Condition",
    "Diagnostic",
    "InferenceError",
    "KernelError",
    "Mismatch",
    "ModelError",
    "OptionError",
    "Report",
    "RulePackError",
    "RunReport",
    "Session",
    "Severity",
    "ValueReport",
    "VerifyReport",
    "__version__",
    "check",
    "infer_shapes",
    "run",
    "verify",
]
