"""Codes of lints about stored numbers and element types."""

from shapeinfer.diagnostics import Severity, define

NAN_CONSTANT = define(
    "L660",
    "nan-constant",
    Severity.WARNING,
    "{what} holds NaN in {count}",
    explanation="NaN spreads through almost every operator. It mostly comes from a training run that diverged.",
    hint="look at how the model was trained or converted",
    bad="g (float[1] x) => (y) { c = Constant <value = float[1] {nan}> () y = Add (x, c) }",
    good="g (float[1] x) => (y) { c = Constant <value = float[1] {1}> () y = Add (x, c) }",
)
INF_CONSTANT = define(
    "L661",
    "infinite-constant",
    Severity.NOTE,
    "{what} holds infinity in {count}",
    explanation=(
        "Minus infinity is common in masks, where a row that is masked as a whole becomes NaN in a softmax; a large "
        "finite number does not."
    ),
    bad="g (float[1] x) => (y) { c = Constant <value = float[1] {inf}> () y = Add (x, c) }",
    good="g (float[1] x) => (y) { c = Constant <value = float[1] {1}> () y = Add (x, c) }",
)
DENORMAL_CONSTANT = define(
    "L662",
    "denormal-constant",
    Severity.NOTE,
    "{what} holds denormal numbers, smaller than {least} but not zero, in {count}",
    explanation=(
        "Some processors are many times slower on denormal numbers, and runtimes that flush them to zero give other "
        "results."
    ),
    hint="set them to zero",
    bad="g (float[1] x) => (y) <float[1] c = {1e-40}> { y = Add (x, c) }",
    good="g (float[1] x) => (y) <float[1] c = {1e-30}> { y = Add (x, c) }",
)
DOUBLE_ISLAND = define(
    "L663",
    "float64-island",
    Severity.NOTE,
    "an island of {count} computes in double, in a model whose inputs and outputs are not",
    explanation=(
        "A part of the graph works in 64 bits between casts, often for a Python number that the exporter took as a "
        "double. It is slow on most accelerators, and some do not have it."
    ),
    hint="compute in the type of the rest, unless the precision is needed",
    bad="g (float[N] x) => (y) { d = Cast <to = 11> (x) e = Exp (d) y = Cast <to = 1> (e) }",
    good="g (float[N] x) => (y) { y = Exp (x) }",
)
