"""Codes about ranks, axes and sizes that many operators share."""

from shapeinfer.diagnostics import Severity, define

RANK = define(
    "S401",
    "rank",
    Severity.ERROR,
    "{input} has shape {shape}, but must have rank {expected}",
    explanation="The operator takes a tensor of a certain rank only.",
    bad="g (float[3] x) => (y) { y = EyeLike (x) }",
    good="g (float[3, 3] x) => (y) { y = EyeLike (x) }",
)
AXIS_RANGE = define(
    "S402",
    "axis-range",
    Severity.ERROR,
    "axis {axis} is out of range for rank {rank}: it must be in [{low}, {high}]",
    explanation="An axis counts the dims of a tensor, from the front or, where negative ones are allowed, from the back.",
    bad="g (float[2, 3] x) => (y) { y = Softmax <axis = 2> (x) }",
    good="g (float[2, 3] x) => (y) { y = Softmax <axis = 1> (x) }",
)
AXIS_NEGATIVE = define(
    "S403",
    "axis-negative",
    Severity.ERROR,
    "axis {axis} is negative, which {op} allows only from version {allowed} on; this is version {version}",
    explanation="Early operator versions count axes from the front only.",
    hint="count from the front, or convert the model to opset {allowed}",
    bad='<ir_version: 5, opset_import: ["" : 9]>\ng (float[1, 3] x) => (y) { y = Squeeze <axes = [-2]> (x) }',
    good='<ir_version: 5, opset_import: ["" : 9]>\ng (float[1, 3] x) => (y) { y = Squeeze <axes = [0]> (x) }',
)
NOT_ONE_D = define(
    "S404",
    "not-one-d",
    Severity.ERROR,
    "{input} has shape {shape}, but must be a 1-D tensor",
    explanation="The input is a list of integers and so must be a tensor of rank 1.",
    bad="g (float[1, 3] x, int64[1, 1] axes) => (y) { y = Squeeze (x, axes) }",
    good="g (float[1, 3] x, int64[1] axes) => (y) { y = Squeeze (x, axes) }",
)
BROADCAST = define(
    "S405",
    "broadcast",
    Severity.ERROR,
    "shapes {a} and {b} do not broadcast: {left} against {right}",
    explanation="Aligned from the right, two dims must be equal or one of them must be 1.",
    bad="g (float[2, 3] x, float[2] z) => (y) { y = Add (x, z) }",
    good="g (float[2, 3] x, float[3] z) => (y) { y = Add (x, z) }",
)
SIZES_DIFFER = define(
    "S406",
    "sizes-differ",
    Severity.ERROR,
    "{what}: {left} and {right} must be equal",
    explanation="Two sizes that the specification ties to each other differ for all sizes of the model's inputs.",
    bad="g (float[2, 3] a, float[4, 5] b) => (y) { y = MatMul (a, b) }",
    good="g (float[2, 3] a, float[3, 5] b) => (y) { y = MatMul (a, b) }",
)
LENGTH = define(
    "S407",
    "length",
    Severity.ERROR,
    "{what} has {found} entries, but must have {expected}",
    explanation="A list must have one entry per axis, per spatial axis, or whatever the specification says.",
    bad="g (float[1, 1, 8, 8] x) => (y) { y = MaxPool <kernel_shape = [2, 2], strides = [2]> (x) }",
    good="g (float[1, 1, 8, 8] x) => (y) { y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) }",
)
SIZE_VALUE = define(
    "S408",
    "size-value",
    Severity.ERROR,
    "{what} is {value}, but must be {expected}",
    explanation="A number that steers a size is outside of what the specification allows.",
    bad="g (float[1, 1, 8, 8] x) => (y) { y = MaxPool <kernel_shape = [2, 2], strides = [0, 2]> (x) }",
    good="g (float[1, 1, 8, 8] x) => (y) { y = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x) }",
)
REPEATED_AXIS = define(
    "S409",
    "repeated-axis",
    Severity.ERROR,
    "{what} {axes} names axis {axis} twice",
    explanation="Each axis may be named once, also when one name counts from the front and the other from the back.",
    bad="g (float[2, 3] x) => (y) { y = Transpose <perm = [0, 0]> (x) }",
    good="g (float[2, 3] x) => (y) { y = Transpose <perm = [1, 0]> (x) }",
)
DIVISIBLE = define(
    "S410",
    "not-divisible",
    Severity.ERROR,
    "{what}: {dim} is no multiple of {divisor}",
    explanation="A size must be a multiple of another for the operator to run.",
    bad="g (float[3, 5] x) => (y) <int64[2] s = {2, -1}> { y = Reshape (x, s) }",
    good="g (float[3, 4] x) => (y) <int64[2] s = {2, -1}> { y = Reshape (x, s) }",
)
AT_LEAST = define(
    "S411",
    "too-small",
    Severity.ERROR,
    "{what} is {found}, but must be at least {least}",
    explanation="A size is too small for the operator to run.",
    bad="g (float[1, 1, 2, 2] x, float[1, 1, 3, 3] w) => (y) { y = Conv (x, w) }",
    good="g (float[1, 1, 4, 4] x, float[1, 1, 3, 3] w) => (y) { y = Conv (x, w) }",
)
INDEX_RANGE = define(
    "S412",
    "index-range",
    Severity.ERROR,
    "index {index} is out of range for axis {axis} of size {size}",
    explanation="A constant index points outside of the tensor for all sizes of the model's inputs.",
    bad="g (float[2, 3] x) => (y) <int64 i = {2}> { y = Gather (x, i) }",
    good="g (float[2, 3] x) => (y) <int64 i = {1}> { y = Gather (x, i) }",
)
