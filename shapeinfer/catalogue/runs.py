"""Codes about running a model, and about what a person asked for."""

from shapeinfer.diagnostics import Severity, define

RUN_INPUT_MISSING = define(
    "R701",
    "run-input-missing",
    Severity.ERROR,
    "no value for input '{name}' ({type})",
    explanation="Every graph input without a default needs a value to run.",
    hint="pass --input {name}=FILE.npy, or --random",
)
RUN_FAILED = define(
    "R702",
    "run-failed",
    Severity.ERROR,
    "{reason}",
    explanation="A value that was fed does not fit the model, or a kernel found sizes with which the operator cannot run.",
)
BAD_OPTION = define(
    "U801",
    "bad-option",
    Severity.ERROR,
    "{option}: {reason}",
    explanation="A fact or shape given for the check cannot be understood, or contradicts the model.",
)
CANNOT_WRITE = define(
    "U802",
    "cannot-write",
    Severity.ERROR,
    "{path} cannot be written: {reason}",
    explanation="The output is written to a temporary file and moved into place, so nothing is ever half written.",
)
