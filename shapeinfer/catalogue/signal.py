"""Codes of signal operators."""

from shapeinfer.diagnostics import Severity, define

SIGNAL_RANK = define(
    "S505",
    "signal-rank",
    Severity.WARNING,
    "the signal has shape {shape}: the specification wants a last dim of 1 for a real signal",
    explanation=(
        "STFT takes signals of shape [batch, length, 1] or [batch, length, 2]. Some exporters leave the last dim out, "
        "and not every runtime takes that."
    ),
    hint="add the last dim, for instance with Unsqueeze",
    bad='g (float[B, 400] x) => (y) <int64 s = {100}, int64 f = {200}> { y = STFT (x, s, "", f) }',
    good='g (float[B, 400, 1] x) => (y) <int64 s = {100}, int64 f = {200}> { y = STFT (x, s, "", f) }',
)
