"""Codes of lints about what a model could do without."""

from shapeinfer.diagnostics import Severity, define

REDUNDANT_CAST = define(
    "L630",
    "redundant-cast",
    Severity.NOTE,
    "{what}",
    explanation=(
        "A cast to the type that the value has already does nothing, and so does a cast to a type that holds every value "
        "of the first one exactly, followed by a cast back."
    ),
    hint="remove it; lint --fix does",
    bad="g (float[N] x) => (y) { c = Cast <to = 1> (x) y = Relu (c) }",
    good="g (float[N] x) => (y) { c = Cast <to = 10> (x) y = Relu (c) }",
)
REDUNDANT_RESHAPE = define(
    "L631",
    "redundant-reshape",
    Severity.NOTE,
    "the result has the shape of the input, {shape}, whatever the sizes",
    explanation="Reshape, Flatten or Expand to the shape that the value has already does nothing.",
    hint="remove it; lint --fix does",
    bad="g (float[N, 3] x) => (y) <int64[2] s = {0, 3}> { r = Reshape (x, s) y = Relu (r) }",
    good="g (float[N, 3] x) => (y) <int64[2] s = {3, -1}> { r = Reshape (x, s) y = Relu (r) }",
)
REDUNDANT_TRANSPOSE = define(
    "L632",
    "redundant-transpose",
    Severity.NOTE,
    "{what}",
    explanation="A Transpose that keeps the order of the axes, or that undoes the one before it, does nothing.",
    hint="remove it; lint --fix does",
    bad="g (float[N, 3] x) => (y) { t = Transpose <perm = [0, 1]> (x) y = Relu (t) }",
    good="g (float[N, 3] x) => (y) { t = Transpose <perm = [1, 0]> (x) y = Relu (t) }",
)
SQUEEZE_PAIR = define(
    "L633",
    "squeeze-unsqueeze-pair",
    Severity.NOTE,
    "{op} of axes {axes} undoes {before} of the same axes",
    explanation="Removing dims of 1 and putting them back, or the other way round, does nothing.",
    hint="take the value before the two; lint --fix does",
    bad="g (float[N, 3] x) => (y) <int64[1] a = {1}> { u = Unsqueeze (x, a) s = Squeeze (u, a) y = Relu (s) }",
    good="g (float[N, 3] x) => (y) <int64[1] a = {1}, int64[1] b = {0}> { u = Unsqueeze (x, a) s = Unsqueeze (u, b) y = Relu (s) }",
)
REDUNDANT_IDENTITY = define(
    "L634",
    "redundant-identity",
    Severity.NOTE,
    "Identity only gives '{source}' another name",
    explanation="Identity does nothing. It is needed only where an input or an initializer is an output at once.",
    hint="remove it; lint --fix does",
    bad="g (float[N] x) => (y) { i = Identity (x) y = Relu (i) }",
    good="g (float[N] x) => (y) { y = Identity (x) }",
)
DEAD_NODE = define(
    "L640",
    "dead-node",
    Severity.NOTE,
    "no output of the graph depends on this node",
    explanation="Runtimes leave such a node out; it only makes the file larger and hides what matters.",
    hint="remove it; lint --fix does",
    bad="g (float[N] x) => (y) { y = Relu (x) z = Neg (x) }",
    good="g (float[N] x) => (y) { z = Neg (x) y = Relu (z) }",
)
UNUSED_INPUT = define(
    "L641",
    "unused-input",
    Severity.NOTE,
    "no node takes input '{value}'",
    explanation="Callers must pass a value that makes no difference. Often the exporter folded what depended on it.",
    hint="remove it from the inputs when callers can be changed",
    bad="g (float[N] x, float[N] z) => (y) { y = Relu (x) }",
    good="g (float[N] x, float[N] z) => (y) { y = Add (x, z) }",
)
UNUSED_INITIALIZER = define(
    "L642",
    "unused-initializer",
    Severity.NOTE,
    "no node takes initializer '{value}' of {size}",
    explanation="The tensor is stored and loaded for nothing.",
    hint="remove it; lint --fix does",
    bad="g (float[N] x) => (y) <float[2] w = {1, 2}> { y = Relu (x) }",
    good="g (float[2] x) => (y) <float[2] w = {1, 2}> { y = Add (x, w) }",
)
DUPLICATE_INITIALIZER = define(
    "L643",
    "duplicate-initializer",
    Severity.NOTE,
    "initializer '{value}' has the same data as {others}",
    explanation="The same tensor is stored more than once under different names.",
    hint="keep one of them; lint --fix does",
    bad="g (float[2] x) => (y) <float[2] v = {1, 2}, float[2] w = {1, 2}> { a = Add (x, v) y = Mul (a, w) }",
    good="g (float[2] x) => (y) <float[2] v = {1, 2}, float[2] w = {1, 3}> { a = Add (x, v) y = Mul (a, w) }",
)
