"""Codes of Squeeze, Unsqueeze and EyeLike."""

from shapeinfer.diagnostics import Severity, define

SQUEEZE_NOT_ONE = define(
    "S421",
    "squeeze-not-one",
    Severity.ERROR,
    "axis {axis} of {shape} has size {size}, and only an axis of size 1 can be squeezed",
    explanation="Squeeze removes dims of size 1. An axis that is named and has any other size is an error when run.",
    hint="name another axis, or use Reshape",
    bad="g (float[2, 3] x) => (y) <int64[1] axes = {0}> { y = Squeeze (x, axes) }",
    good="g (float[1, 3] x) => (y) <int64[1] axes = {0}> { y = Squeeze (x, axes) }",
)
SQUEEZE_RANK = define(
    "S422",
    "squeeze-rank-unknown",
    Severity.WARNING,
    "without axes, every dim of size 1 goes; {dims} may or may not be 1, so even the rank is unknown",
    explanation=(
        "The result's rank then depends on the sizes of the inputs: a model that works with batch size 8 gives another "
        "rank with batch size 1."
    ),
    hint="give the axes, or state that these dims are never 1 (for instance --dim {first}=2..)",
    bad="g (float[N, 1, 3] x) => (y) { y = Squeeze (x) }",
    good="g (float[N, 1, 3] x) => (y) <int64[1] axes = {1}> { y = Squeeze (x, axes) }",
)
SQUEEZE_REPEATED = define(
    "S423",
    "squeeze-repeated-axes",
    Severity.WARNING,
    "axes {axes} name axis {axis} more than once; they are taken as a set",
    explanation="The specification does not say what a repeated axis means, and runtimes differ: some refuse it.",
    hint="name each axis once",
    bad="g (float[1, 3, 1] x) => (y) <int64[2] axes = {0, -3}> { y = Squeeze (x, axes) }",
    good="g (float[1, 3, 1] x) => (y) <int64[2] axes = {0, 2}> { y = Squeeze (x, axes) }",
)
SQUEEZE_EMPTY = define(
    "S424",
    "squeeze-empty-axes",
    Severity.WARNING,
    "axes are given and empty: by the specification nothing is squeezed, but ONNX Runtime squeezes every dim of 1",
    explanation="Only where axes are not given at all does the specification squeeze every dim of 1.",
    hint="leave the axes out to squeeze every dim of 1, or use Identity to squeeze none",
    bad="g (float[1, 3] x) => (y) <int64[0] axes = {}> { y = Squeeze (x, axes) }",
    good="g (float[1, 3] x) => (y) <int64[1] axes = {0}> { y = Squeeze (x, axes) }",
)
SQUEEZE_NO_ONE = define(
    "S425",
    "squeeze-nothing-fits",
    Severity.ERROR,
    "at least {count} axes of {shape} are squeezed, but only {ones} can be 1",
    explanation="The axes are only known at run time, but whatever they are, one of them has a size other than 1.",
    bad="g (float[2, 3] x, int64[1] axes) => (y) { y = Squeeze (x, axes) }",
    good="g (float[1, 3] x, int64[1] axes) => (y) { y = Squeeze (x, axes) }",
)
UNSQUEEZE_REPEATED = define(
    "S426",
    "unsqueeze-repeated-axes",
    Severity.ERROR,
    "axes {axes} name axis {axis} of the output more than once{rank}",
    explanation="Each axis of the output can be inserted once; 1 and -2 are the same axis of an output of rank 3.",
    bad="g (float[5] x) => (y) <int64[2] axes = {1, -2}> { y = Unsqueeze (x, axes) }",
    good="g (float[5] x) => (y) <int64[2] axes = {1, -1}> { y = Unsqueeze (x, axes) }",
)
EYE_ZEROS = define(
    "S427",
    "eyelike-all-zeros",
    Severity.WARNING,
    "the diagonal k = {k} lies outside of a matrix of shape {shape}: the result is all zeros",
    explanation="With k >= the number of columns, or -k >= the number of rows, no element lies on the diagonal.",
    bad="g (float[3, 3] x) => (y) { y = EyeLike <k = 3> (x) }",
    good="g (float[3, 3] x) => (y) { y = EyeLike <k = 2> (x) }",
)
AXES_SCALAR = define(
    "S428",
    "scalar-axes",
    Severity.WARNING,
    "axes is a scalar and is taken as one axis; the specification asks for a list",
    explanation=(
        "From version 23 on axes must be a 1-D tensor. Before, the text speaks of a list of integers, and runtimes "
        "differ on a scalar: some take it as one axis, some refuse it."
    ),
    hint="make axes a tensor of shape [1]",
    bad="g (float[3] x) => (y) <int64 axes = {0}> { y = Unsqueeze (x, axes) }",
    good="g (float[3] x) => (y) <int64[1] axes = {0}> { y = Unsqueeze (x, axes) }",
)
