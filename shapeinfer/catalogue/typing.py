"""Codes about types, arity and attributes: what a node says against the specification of its operator."""

from shapeinfer.diagnostics import Severity, define

TOO_FEW_INPUTS = define(
    "T301",
    "missing-input",
    Severity.ERROR,
    "{op} needs {expected}, but {found} given{missing}",
    explanation="An input that the specification does not mark optional is left out.",
    bad="g (float[N] x) => (y) { y = Add (x) }",
    good="g (float[N] x) => (y) { y = Add (x, x) }",
)
TOO_MANY_INPUTS = define(
    "T302",
    "too-many-inputs",
    Severity.ERROR,
    "{op} takes no more than {expected}, but {found} inputs are given",
    explanation="The node lists more inputs than the operator has in this version.",
    bad="g (float[N] x) => (y) { y = Relu (x, x) }",
    good="g (float[N] x) => (y) { y = Relu (x) }",
)
OUTPUT_COUNT = define(
    "T303",
    "output-count",
    Severity.ERROR,
    "{op} has {expected} outputs, but the node names {found}",
    explanation="The node names more outputs than the operator has in this version, or leaves out one that it must name.",
    bad="g (float[N] x) => (y) { y, z = Relu (x) }",
    good="g (float[N] x) => (y) { y = Relu (x) }",
)
TYPE_NOT_ALLOWED = define(
    "T304",
    "type-not-allowed",
    Severity.ERROR,
    "input {input} is {found}, which {op}-{version} does not take; it takes {allowed}",
    explanation="Each operator version lists the types that it takes. Later versions often take more.",
    bad="g (string[N] x) => (y) { y = Relu (x) }",
    good="g (float[N] x) => (y) { y = Relu (x) }",
)
TYPE_MISMATCH = define(
    "T305",
    "type-mismatch",
    Severity.ERROR,
    "input {input} is {found}, but input {other} is {bound}: both must be of one type ({variable})",
    explanation="Inputs that share a type variable in the specification must have the same type: ONNX never converts.",
    hint="insert a Cast",
    bad="g (float[N] x, int64[N] z) => (y) { y = Add (x, z) }",
    good="g (float[N] x, float[N] z) => (y) { y = Add (x, z) }",
)
TYPE_IN_IR = define(
    "T306",
    "type-not-in-ir",
    Severity.ERROR,
    "'{value}' is {found}, a type that came with IR version {first}; the model states IR version {stated}",
    explanation="An element type exists only from a certain version of the ONNX IR on.",
    hint="state ir_version {first} or later",
    bad='<ir_version: 9, opset_import: ["" : 19]>\ng (float[N] x, int4[N] z) => (y) { y = Relu (x) }',
    good='<ir_version: 10, opset_import: ["" : 19]>\ng (float[N] x, int4[N] z) => (y) { y = Relu (x) }',
)
ATTRIBUTE_MISSING = define(
    "T307",
    "attribute-missing",
    Severity.ERROR,
    "{op}-{version} needs the attribute '{attribute}'",
    explanation="The attribute has no default, and the specification marks it required.",
    bad="g (float[N] x) => (y) { y = Cast (x) }",
    good="g (float[N] x) => (y) { y = Cast <to = 7> (x) }",
)
ATTRIBUTE_UNKNOWN = define(
    "T308",
    "attribute-unknown",
    Severity.ERROR,
    "{op}-{version} has no attribute '{attribute}'{suggestion}",
    explanation=(
        "The node states an attribute that this version of the operator does not have: misspelt, from another version, "
        "or turned into an input since."
    ),
    bad="g (float[N] x) => (y) { y = Softmax <axes = 0> (x) }",
    good="g (float[N] x) => (y) { y = Softmax <axis = 0> (x) }",
)
ATTRIBUTE_KIND = define(
    "T309",
    "attribute-kind",
    Severity.ERROR,
    "attribute '{attribute}' is of kind {found}, but must be {expected}",
    explanation="An attribute's value is of another kind than the specification says.",
    bad="g (float[N] x) => (y) { y = Softmax <axis = 0.5> (x) }",
    good="g (float[N] x) => (y) { y = Softmax <axis = 0> (x) }",
)
ATTRIBUTE_VALUE = define(
    "T310",
    "attribute-value",
    Severity.ERROR,
    "attribute '{attribute}' is {value}, but must be {expected}",
    explanation="The attribute's value is not one that the specification allows.",
    bad='g (float[1, 1, H, W] x) => (y) { y = MaxPool <kernel_shape = [2, 2], auto_pad = "SAME"> (x) }',
    good='g (float[1, 1, H, W] x) => (y) { y = MaxPool <kernel_shape = [2, 2], auto_pad = "SAME_UPPER"> (x) }',
)
ELEMENT_TYPE = define(
    "T311",
    "element-type",
    Severity.ERROR,
    "attribute '{attribute}' is {value}, which {why}",
    explanation="The attribute must be a number of TensorProto.DataType that the operator can give as an output type.",
    bad="g (float[3, 3] x) => (y) { y = EyeLike <dtype = 77> (x) }",
    good="g (float[3, 3] x) => (y) { y = EyeLike <dtype = 7> (x) }",
)
