"""Codes of constants and of arithmetic inside the graph."""

from shapeinfer.diagnostics import Severity, define

CONSTANT_VALUES = define(
    "S461",
    "constant-values",
    Severity.ERROR,
    "{op} must state exactly one of its value attributes; {found}",
    explanation="Constant takes its value from one of several attributes: value, value_ints, value_float and so on.",
    bad="g () => (y) { y = Constant <value_int = 1, value_float = 1.0> () }",
    good="g () => (y) { y = Constant <value_int = 1> () }",
)
CONSTANT_EARLY_TYPE = define(
    "S464",
    "constant-early-type",
    Severity.WARNING,
    "attribute '{attribute}' is {value}, which {why}",
    explanation=(
        "Constant-1 makes only floats by its specification, but exporters of its time stored integer shapes with it, "
        "and every runtime takes them."
    ),
    hint="convert the model to opset 9 or later",
    bad='<ir_version: 3, opset_import: ["" : 8]>\ng (float[N] x) => (y) { y = Constant <value = int64[1] {2}> () }',
    good='<ir_version: 4, opset_import: ["" : 9]>\ng (float[N] x) => (y) { y = Constant <value = int64[1] {2}> () }',
)
FLOAT_INEXACT = define(
    "S462",
    "float-inexact",
    Severity.WARNING,
    "{op} computes with {dim} in 32-bit floats, which hold whole numbers only up to {limit}: it is rounded",
    explanation=(
        "Sizes that are computed in floats inside the graph are followed as long as the floats are exact. Where that "
        "depends on the inputs' sizes, it is recorded as a condition."
    ),
    hint="compute with int64, or cast to double",
    bad=(
        "g (float[N] x) => (y) <int64[1] k = {16777217}, float[1] h = {0.5}> "
        "{ s = Shape (x) z = Add (s, k) f = Cast <to = 1> (z) "
        "g = Mul (f, h) i = Cast <to = 7> (g) y = ConstantOfShape (i) }"
    ),
    good=(
        "g (float[N] x) => (y) <int64[1] k = {1}, float[1] h = {0.5}> "
        "{ s = Shape (x) z = Add (s, k) f = Cast <to = 1> (z) "
        "g = Mul (f, h) i = Cast <to = 7> (g) y = ConstantOfShape (i) }"
    ),
)
SCALAR_AS_LIST = define(
    "S463",
    "scalar-as-list",
    Severity.WARNING,
    "{input} has shape {shape}: {op} wants a scalar, and only some runtimes take a list of one element for it",
    explanation="The specification says that the input is a scalar, a tensor without dims.",
    hint="remove the dim, for instance with Squeeze",
    bad="g (float[N] x, int64[1] a) => (y) { y = CumSum (x, a) }",
    good="g (float[N] x, int64 a) => (y) { y = CumSum (x, a) }",
)
