"""Codes of If, Loop and Scan."""

from shapeinfer.diagnostics import Severity, define

BRANCH_TYPES = define(
    "T321",
    "branch-types",
    Severity.ERROR,
    "output {output} is {first} in then_branch, but {second} in else_branch",
    explanation="Both branches of an If must give values of the same kind and element type; shapes may differ.",
    bad="""g (bool c, float[N] x) => (y) {
    y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Shape (x) }>
}""",
    good="""g (bool c, float[N] x) => (y) {
    y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
}""",
)
CARRIED_TYPE = define(
    "T322",
    "carried-type",
    Severity.ERROR,
    "carried value {index} goes into the body as {before} and comes out as {after}",
    explanation="A loop-carried value must keep its kind and element type from one iteration to the next.",
    bad="""g (int64 m, bool c, float[N] x) => (y) {
    y = Loop (m, c, x) <body = b (int64 i, bool k, float[N] v) => (l, w) { l = Identity (k) w = Shape (v) }>
}""",
    good="""g (int64 m, bool c, float[N] x) => (y) {
    y = Loop (m, c, x) <body = b (int64 i, bool k, float[N] v) => (l, w) { l = Identity (k) w = Relu (v) }>
}""",
)
GRAPH_COUNT = define(
    "T323",
    "inner-graph-count",
    Severity.ERROR,
    "{graph} has {found} {what}, but {op} needs {expected} here",
    explanation="An inner graph takes and gives as many values as the node around it passes in and out.",
    bad="""g (bool c, float[N] x) => (y) {
    y, z = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
}""",
    good="""g (bool c, float[N] x) => (y) {
    y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
}""",
)
