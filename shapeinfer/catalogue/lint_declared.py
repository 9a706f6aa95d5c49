"""Codes of lints about what a model declares: names of dims, inputs, and value_info."""

from shapeinfer.diagnostics import Severity, define

UNNAMED_DIM = define(
    "L608",
    "unnamed-dim",
    Severity.NOTE,
    "axis {axis} of input '{value}' is dynamic and has no name; it is called {name} here",
    explanation=(
        "A dim without a name is unrelated to all others: nothing tells whether the batch of two inputs is one number. "
        "Names make every inferred shape say more."
    ),
    hint="name it, the same as other dims that are the same number; --fix gives each a name of its own",
    bad="g (float[?, 3] x) => (y) { y = Relu (x) }",
    good="g (float[N, 3] x) => (y) { y = Relu (x) }",
)
OVERRIDABLE = define(
    "L609",
    "overridable-shape",
    Severity.WARNING,
    "input {input} of {user} steers its shape, and '{value}' is an initializer that callers may replace",
    explanation=(
        "From IR version 4 on, an initializer that is listed among the graph inputs too is only a default. So nothing "
        "can rely on its value, the shapes that it steers are unknown, and constant folding stops there."
    ),
    hint="remove it from the graph inputs unless it is meant to be given",
    bad="g (float[2, 6] x, int64[2] s) => (y) <int64[2] s = {3, 4}> { y = Reshape (x, s) }",
    good="g (float[2, 6] x) => (y) <int64[2] s = {3, 4}> { y = Reshape (x, s) }",
)
DECLARED_DIM_WRONG = define(
    "L610",
    "declared-dim-wrong",
    Severity.WARNING,
    "axis {axis} of '{value}' is declared {declared}, but is {found}: with {sizes} that is {actual}, not {claimed}",
    explanation=(
        "The declaration uses the names of the inputs' dims and is right for some sizes at most. Runtimes that plan "
        "memory by it, or warn about it, go wrong for all others."
    ),
    hint="declare {found}, or a name that no input has; --fix writes what was inferred",
    bad="g (float[N, 2] x) => (float[N] y) <int64[1] s = {-1}> { y = Reshape (x, s) }",
    good="g (float[N, 2] x) => (float[M] y) <int64[1] s = {-1}> { y = Reshape (x, s) }",
)
ONE_NAME_TWO_SIZES = define(
    "L611",
    "one-name-two-sizes",
    Severity.WARNING,
    "the name '{name}' stands for {first} in '{one}' and for {second} in '{other}'",
    explanation=(
        "One name is one number throughout a model. Here declarations of outputs or value_info use it for two sizes that "
        "differ, so at least one of them is wrong."
    ),
    hint="give each size a name of its own",
    bad="g (float[N, 2] x) => (float[K] y, float[K] z) <int64[1] s = {-1}, int64[1] a = {1}> { y = Reshape (x, s) z = ReduceSum <keepdims = 0> (x, a) }",
    good="g (float[N, 2] x) => (float[K] y, float[M] z) <int64[1] s = {-1}, int64[1] a = {1}> { y = Reshape (x, s) z = ReduceSum <keepdims = 0> (x, a) }",
)
STALE_VALUE_INFO = define(
    "L644",
    "stale-value-info",
    Severity.NOTE,
    "value_info describes {count} {values} that the graph does not have: {names}",
    explanation="Left behind by a tool that removed or renamed nodes. It says nothing and misleads readers.",
    hint="remove it; lint --fix does",
    bad="g (float[N] x) => (y) <float[N] gone> { y = Relu (x) }",
    good="g (float[N] x) => (y) <float[N] here> { here = Relu (x) y = Neg (here) }",
)
