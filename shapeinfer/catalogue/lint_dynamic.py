"""Codes of lints about dynamic shapes: where they are lost, and which sizes a model does not take."""

from shapeinfer.diagnostics import Severity, define

SQUEEZE_WITHOUT_AXES = define(
    "L601",
    "squeeze-without-axes",
    Severity.NOTE,
    "which axes go is left to the sizes: with shape {shape} it is always {axes}",
    explanation=(
        "Squeeze without axes removes every dim of size 1. Here the sizes are known well enough to tell which these "
        "are, but a change of the model or of its inputs' shapes would change the rank without a word. Where the sizes "
        "do not tell, check says so itself (S422)."
    ),
    hint="give the axes; lint --fix does",
    bad="g (float[2, 1, 3] x) => (y) { y = Squeeze (x) }",
    good="g (float[2, 1, 3] x) => (y) <int64[1] axes = {1}> { y = Squeeze (x, axes) }",
)
EMPTY_AXES = define(
    "L602",
    "empty-axes",
    Severity.WARNING,
    "axes are given and empty, which {meaning}",
    explanation=(
        "An empty list of axes reads as 'reduce nothing', as it does in NumPy, but a reduction without "
        "noop_with_empty_axes reduces every axis then, and runtimes have disagreed on it. For Squeeze, see S424."
    ),
    hint="name the axes, or leave them out to reduce all of them",
    bad="g (float[N, 3] x) => (y) <int64[0] axes = {}> { y = ReduceSum (x, axes) }",
    good="g (float[N, 3] x) => (y) <int64[2] axes = {0, 1}> { y = ReduceSum (x, axes) }",
)
HARD_CODED_RESHAPE = define(
    "L603",
    "hard-coded-reshape",
    Severity.WARNING,
    "{given} is reshaped to the literal {shape}, which {trouble}",
    explanation=(
        "The target shape was written down when the model was exported, often with the batch size of the example "
        "input, so the model takes only sizes that fit it. An entry of -1 follows the input instead."
    ),
    hint="{advice}",
    bad="g (float[N, 3, 4] x) => (y) <int64[2] s = {1, 12}> { y = Reshape (x, s) }",
    good="g (float[N, 3, 4] x) => (y) <int64[2] s = {-1, 12}> { y = Reshape (x, s) }",
)
LITERAL_SIZE = define(
    "L604",
    "literal-size",
    Severity.WARNING,
    "the constant size {size} made here meets a dynamic dim at {user}, which needs {condition}",
    explanation=(
        "A constant that steers Expand, Tile, Slice, Pad, Resize or ConstantOfShape fixes a size where the rest of the "
        "graph follows the inputs. The graph then runs only with inputs of just that size."
    ),
    hint="compute the size from the input's Shape instead of storing it",
    bad=("g (float[N, 4] x, float[1, 4] z) => (y) <int64[2] s = {8, 4}> { e = Expand (z, s) y = Add (x, e) }"),
    good=("g (float[N, 4] x, float[1, 4] z) => (y) { s = Shape (x) e = Expand (z, s) y = Add (x, e) }"),
)
SLICE_CUTS = define(
    "L605",
    "slice-cuts",
    Severity.NOTE,
    "axis {axis} of size {dim} is sliced up to the constant {end}: the result is {size}, so larger sizes are cut off",
    explanation=(
        "A constant end is right for the sizes that the exporter saw. Beyond it, elements are dropped without an error, "
        "and the size of the result no longer follows the input."
    ),
    hint="slice up to a computed size, or up to 9223372036854775807 for the end of the axis",
    bad="g (float[S, 4] x) => (y) <int64[1] b = {0}, int64[1] e = {128}> { y = Slice (x, b, e) }",
    good="g (float[S, 4] x) => (y) <int64[1] b = {1}, int64[1] e = {9223372036854775807}> { y = Slice (x, b, e) }",
)
FIXED_RESIZE = define(
    "L606",
    "fixed-resize",
    Severity.NOTE,
    "axis {axis} of size {dim} is resized to the constant {size} whatever the input",
    explanation=(
        "Resize with constant sizes gives one size for all inputs and distorts pictures whose sides have another ratio. "
        "Scales, or sizes computed from the input, keep the size dynamic."
    ),
    hint="use scales, or compute the sizes from the input's Shape",
    bad="g (float[1, 3, H, 8] x) => (y) <int64[4] s = {1, 3, 32, 16}> { y = Resize (x, , , s) }",
    good="g (float[1, 3, H, 8] x) => (y) <float[4] s = {1, 1, 2, 2}> { y = Resize (x, , s) }",
)
SPECIALISED_DIM = define(
    "L607",
    "specialised-dim",
    Severity.WARNING,
    "axis {axis} of input '{value}' is declared dynamic ({name}), but {where} needs {condition}{because}",
    explanation=(
        "The declaration promises any size; the graph runs with one size only (or with that one and 1). Exporters leave "
        "this behind when a size of the example input was traced into a constant."
    ),
    hint="declare the size that works, or make the node that needs it dynamic",
    bad="g (float[N, 4] x) => (y) <float[3, 4] w = {1,2,3,4,5,6,7,8,9,10,11,12}> { y = Concat <axis = 1> (x, w) }",
    good="g (float[3, 4] x) => (y) <float[3, 4] w = {1,2,3,4,5,6,7,8,9,10,11,12}> { y = Concat <axis = 1> (x, w) }",
)
AMBIGUOUS_BROADCAST = define(
    "L612",
    "ambiguous-broadcast",
    Severity.WARNING,
    "{left} against {right}: nothing says whether they are equal or one of them is 1, so the result is {result}",
    explanation=(
        "Two dims with different names broadcast when they are equal or one of them is 1. Mostly they are meant to be "
        "equal, and a size of 1 is stretched without an error."
    ),
    hint="give the two dims one name where they are meant to be equal",
    bad="g (float[A, 3] x, float[B, 3] z) => (y) { y = Add (x, z) }",
    good="g (float[A, 3] x, float[A, 3] z) => (y) { y = Add (x, z) }",
)
DATA_DEPENDENT = define(
    "L613",
    "data-dependent-size",
    Severity.NOTE,
    "{sizes} only a run can tell; {reach}",
    explanation=(
        "The size depends on the values of the inputs, not on their sizes. Memory cannot be planned for it, and some "
        "runtimes cannot compile what comes after it."
    ),
    bad="g (float[N] x) => (y) { y = NonZero (x) }",
    good="g (float[N] x) => (y) { y = Sign (x) }",
)
EMPTY_REDUCTION = define(
    "L614",
    "empty-reduction",
    Severity.NOTE,
    "axis {axis} has size {dim}, which may be 0, and {op} over nothing {outcome}",
    explanation=(
        "A dim may be 0: no boxes were found, the text is empty. The maximum of nothing is no number, its mean is 0/0; "
        "runtimes fail or return NaN or infinities."
    ),
    hint="state that the size is at least 1 (--dim NAME=1..), or see to it that it is never 0",
    bad="g (float[N, 3] x) => (y) { y = ArgMax <axis = 0> (x) }",
    good="g (float[N, 3] x) => (y) { y = ArgMax <axis = 1> (x) }",
)
ZERO_COPIES = define(
    "L615",
    "zero-copies",
    Severity.NOTE,
    "entry {entry} of the new shape is {dim}; where it is 0, Reshape takes it as 'copy axis {entry}', which is {copied}",
    explanation=(
        "An entry of 0 means the input's dim at that place unless allowzero is 1. A computed entry that can become 0 "
        "changes its meaning for that size."
    ),
    hint="set allowzero = 1 where the entries are computed",
    bad=(
        "g (float[C, N] x) => (y) <int64[1] one = {1}, int64[1] zero = {0}> "
        "{ s = Shape (x) n = Gather (s, one) c = Gather (s, zero) t = Concat <axis = 0> (n, c) y = Reshape (x, t) }"
    ),
    good=(
        "g (float[C, N] x) => (y) <int64[1] one = {1}, int64[1] zero = {0}> "
        "{ s = Shape (x) n = Gather (s, one) c = Gather (s, zero) t = Concat <axis = 0> (n, c) "
        "y = Reshape <allowzero = 1> (x, t) }"
    ),
)
BEYOND_TABLE = define(
    "L616",
    "beyond-table",
    Severity.WARNING,
    "{what} reaches only up to {limit}, but the sizes allow more: it needs {condition}",
    explanation=(
        "A table, often one of positions, has a fixed number of rows, and the sizes that the inputs declare go beyond "
        "it. The model fails for such inputs when it runs."
    ),
    hint="state the bound (--dim NAME=1..{limit}), and check it before the model is called",
    bad=(
        "g (float[S, 2] x) => (y) <float[4, 2] t = {1,2,3,4,5,6,7,8}, int64 zero = {0}, int64 one = {1}> "
        "{ s = Shape (x) n = Gather (s, zero) i = Range (zero, n, one) y = Gather (t, i) }"
    ),
    good=(
        "g (float[4, 2] x) => (y) <float[4, 2] t = {1,2,3,4,5,6,7,8}, int64 zero = {0}, int64 one = {1}> "
        "{ s = Shape (x) n = Gather (s, zero) i = Range (zero, n, one) y = Gather (t, i) }"
    ),
)
BRANCH_RANKS = define(
    "L617",
    "branch-ranks",
    Severity.WARNING,
    "output '{value}' has rank {first} in then_branch ({then}) and rank {second} in else_branch ({other})",
    explanation=(
        "Which branch runs is decided only when the model runs, and so is the rank: nothing that depends on it can be inferred, and "
        "most runtimes that compile models refuse it. Exporters leave such an If behind for a squeeze that is "
        "conditional on a size."
    ),
    hint="reshape one of the two, or decide the condition when exporting",
    bad="""g (bool c, float[1, N] x) => (y) {
    y = If (c) <then_branch = t () => (a) { a = ReduceSum <keepdims = 0> (x) }, else_branch = e () => (b) { b = Neg (x) }>
}""",
    good="""g (bool c, float[1, N] x) => (y) {
    y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
}""",
)
CARRIED_SHAPE = define(
    "L618",
    "carried-shape-changes",
    Severity.WARNING,
    "carried value {index} is {before} before the loop and {after} after an iteration",
    explanation=(
        "The shape of a carried value changes from one iteration to the next, so it depends on how often the loop runs, "
        "and its memory cannot be planned. It is only a note where the rank stays."
    ),
    bad="""g (int64 m, bool c, float[1, N] x) => (y) {
    y = Loop (m, c, x) <body = b (int64 i, bool k, float[R, N] v) => (l, w) { l = Identity (k) w = Concat <axis = 0> (v, v) }>
}""",
    good="""g (int64 m, bool c, float[1, N] x) => (y) {
    y = Loop (m, c, x) <body = b (int64 i, bool k, float[R, N] v) => (l, w) { l = Identity (k) w = Relu (v) }>
}""",
)
ELEMENT_COUNT = define(
    "L619",
    "element-count",
    Severity.WARNING,
    "'{value}' {shape} has up to {count} elements for the sizes that are allowed, more than 32-bit indices reach{more}",
    explanation=(
        "Kernels that count elements in 32-bit integers overflow at 2147483647. Only sizes with a known upper bound are "
        "looked at: state bounds with --dim."
    ),
    bad="g (float[65536, 1] x, float[1, 65536] z) => (y) { y = Add (x, z) }",
    good="g (float[4096, 1] x, float[1, 4096] z) => (y) { y = Add (x, z) }",
)
INT32_OVERFLOW = define(
    "L620",
    "int32-overflow",
    Severity.WARNING,
    "an element of the int32 tensor '{value}' is {dim}, which reaches {bound}: more than int32 holds",
    explanation=(
        "Sizes that are computed in int32 wrap around beyond 2147483647 without an error. Only sizes with a known upper "
        "bound are looked at: state bounds with --dim."
    ),
    hint="compute with int64",
    bad=("g (float[65536, 65536] x) => (y) { s = Shape (x) i = Cast <to = 6> (s) y = ReduceProd <keepdims = 0> (i) }"),
    good="g (float[65536, 65536] x) => (y) { s = Shape (x) y = ReduceProd <keepdims = 0> (s) }",
)
EYE_TYPE = define(
    "L621",
    "eyelike-type-follows",
    Severity.WARNING,
    "without dtype the result is {found}, the type of the input, which {maker} changed to that",
    explanation=(
        "EyeLike without dtype gives the element type of its input. Where that input has been cast or compared on the "
        "way, the type is an accident of the path: a change there changes the result's type."
    ),
    hint="state dtype; lint --fix does",
    bad="g (float[3, 3] x) => (y) { c = Cast <to = 7> (x) y = EyeLike (c) }",
    good="g (float[3, 3] x) => (y) { c = Cast <to = 7> (x) y = EyeLike <dtype = 1> (c) }",
)
EYE_OUTSIDE = define(
    "L622",
    "eyelike-diagonal-leaves",
    Severity.WARNING,
    "the diagonal k = {k} lies inside of {shape} only for some sizes; it takes {condition}, else the result is all zeros",
    explanation=(
        "With k >= the number of columns, or -k >= the number of rows, no element lies on the diagonal and the result "
        "is all zeros, without an error."
    ),
    hint="state the least size (--dim NAME=LOW..)",
    bad="g (float[N, N] x) => (y) { y = EyeLike <k = 2> (x) }",
    good="g (float[N, N] x) => (y) { y = EyeLike (x) }",
)
