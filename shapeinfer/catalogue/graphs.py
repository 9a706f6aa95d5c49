"""Codes about graphs: names, order, operator sets, and claims that the file makes."""

from shapeinfer.diagnostics import Severity, define

UNDEFINED_VALUE = define(
    "G201",
    "undefined-value",
    Severity.ERROR,
    "input {position} is '{value}', which nothing defines",
    explanation="Every name a node takes must be a graph input, an initializer or the output of a node.",
    bad="g (float[N] x) => (y) { y = Add (x, missing) }",
    good="g (float[N] x) => (y) { y = Add (x, x) }",
)
DEFINED_TWICE = define(
    "G202",
    "defined-twice",
    Severity.ERROR,
    "'{value}' is defined again; it was first defined by {first}",
    explanation="A graph is in single-assignment form: each name has exactly one definition.",
    hint="give one of the two another name",
    bad="g (float[N] x) => (y) { y = Relu (x) y = Neg (x) }",
    good="g (float[N] x) => (y) { z = Relu (x) y = Neg (z) }",
)
USED_BEFORE = define(
    "G203",
    "used-before-defined",
    Severity.ERROR,
    "input {position} is '{value}', which {definer} defines only later{more}",
    explanation=(
        "The specification wants nodes in topological order, and the checker of onnx refuses a graph without it, though "
        "ONNX Runtime sorts the nodes and runs it. Inference goes on as if they were sorted."
    ),
    hint="sort the nodes",
    bad="g (float[N] x) => (y) { y = Neg (z) z = Relu (x) }",
    good="g (float[N] x) => (y) { z = Relu (x) y = Neg (z) }",
)
CYCLE = define(
    "G204",
    "cycle",
    Severity.ERROR,
    "the node depends on its own output: {cycle}",
    explanation="Nodes whose inputs depend on their own outputs can never run.",
    bad="g (float[N] x) => (y) { y = Add (x, z) z = Relu (y) }",
    good="g (float[N] x) => (y) { z = Relu (x) y = Add (x, z) }",
)
NO_DOMAIN = define(
    "G205",
    "domain-not-imported",
    Severity.ERROR,
    "the model imports no operator set for domain '{domain}'",
    explanation="A node's operator is looked up in the operator set that the model imports for the node's domain.",
    hint="add an opset_import for '{domain}'",
    bad="g (float[N] x) => (y) { y = com.example.Op (x) }",
    good='<ir_version: 10, opset_import: ["" : 21, "com.example" : 1]>\ng (float[N] x) => (y) { y = com.example.Op (x) }',
)
UNKNOWN_OPERATOR = define(
    "G206",
    "unknown-operator",
    Severity.ERROR,
    "there is no operator {op} in domain '{domain}'{suggestion}",
    explanation="The operator set of this domain has no operator of this name in any version.",
    bad="g (float[N] x) => (y) { y = Reluu (x) }",
    good="g (float[N] x) => (y) { y = Relu (x) }",
)
OPERATOR_TOO_NEW = define(
    "G207",
    "operator-too-new",
    Severity.ERROR,
    "{op} came with opset {since}; the model imports {opset}",
    explanation="The operator exists only in later operator sets than the one the model imports.",
    hint="convert the model to opset {since} or later",
    bad='<ir_version: 8, opset_import: ["" : 16]>\ng (float[N, 4] x, float[4] s) => (y) { y = LayerNormalization (x, s) }',
    good='<ir_version: 8, opset_import: ["" : 17]>\ng (float[N, 4] x, float[4] s) => (y) { y = LayerNormalization (x, s) }',
)
DEPRECATED = define(
    "G208",
    "deprecated-operator",
    Severity.ERROR,
    "{op} is deprecated since opset {since}; the model imports {opset}",
    explanation="A deprecated operator is no part of the operator set from that version on.",
    bad='<ir_version: 8, opset_import: ["" : 13]>\ng (float[1, 1, 2, 2] x, float[4] s) => (y) { y = Upsample (x, s) }',
    good='<ir_version: 4, opset_import: ["" : 9]>\ng (float[1, 1, 2, 2] x, float[4] s) => (y) { y = Upsample (x, s) }',
)
INITIALIZER_DATA = define(
    "G209",
    "initializer-data",
    Severity.ERROR,
    "{what} '{name}' is {type} and needs {needed}, but has {found}",
    explanation="The number of values stored must be the product of the tensor's dims.",
    bad="g (float[2, 3] x) => (y) <float[2, 3] w = {1.0, 2.0, 3.0}> { y = Add (x, w) }",
    good="g (float[2, 3] x) => (y) <float[2, 3] w = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0}> { y = Add (x, w) }",
)
OUTPUT_UNDEFINED = define(
    "G210",
    "output-undefined",
    Severity.ERROR,
    "graph output '{value}' is defined by nothing",
    explanation="Every graph output must be the output of a node, a graph input or an initializer.",
    bad="g (float[N] x) => (z) { y = Relu (x) }",
    good="g (float[N] x) => (y) { y = Relu (x) }",
)
SHADOWED = define(
    "G215",
    "shadowed-name",
    Severity.ERROR,
    "the inner graph defines '{value}', a name that is visible from the graph around it",
    explanation="A name in an inner graph may not be one that the graph around it has: it would mean two things.",
    hint="give the inner value another name",
    bad="""g (bool c, float[N] x) => (y) {
    y = If (c) <then_branch = t () => (float[N] x) { x = Neg (x) }, else_branch = e () => (float[N] b) { b = Relu (x) }>
}""",
    good="""g (bool c, float[N] x) => (y) {
    y = If (c) <then_branch = t () => (float[N] a) { a = Neg (x) }, else_branch = e () => (float[N] b) { b = Relu (x) }>
}""",
)
RECURSION = define(
    "G216",
    "recursive-function",
    Severity.ERROR,
    "function {function} calls itself",
    explanation="Functions of a model are expanded in place, so a function may not call itself, directly or through others.",
    bad="""<ir_version: 9, opset_import: ["" : 17, "f" : 1]>
g (float[N] x) => (y) { y = f.Again (x) }
<domain: "f", opset_import: ["" : 17, "f" : 1]>
Again (a) => (b) { b = f.Again (a) }""",
    good="""<ir_version: 9, opset_import: ["" : 17, "f" : 1]>
g (float[N] x) => (y) { y = f.Once (x) }
<domain: "f", opset_import: ["" : 17]>
Once (a) => (b) { b = Relu (a) }""",
)
NO_RULE = define(
    "G211",
    "no-rule",
    Severity.NOTE,
    "there is no shape rule for {op} yet: the shapes of its outputs are unknown",
    explanation="The operator is known and its types are checked, but no rule says how its output shapes follow.",
)
UNKNOWN_DOMAIN = define(
    "G212",
    "unknown-domain",
    Severity.NOTE,
    "operator {op} of domain '{domain}' is not known: its outputs are unknown",
    explanation="Custom operators need a rule pack (--rules DIR); without one, nothing is claimed of their outputs.",
    hint="write a rule for it and pass the directory with --rules",
    bad='<ir_version: 10, opset_import: ["" : 21, "com.example" : 1]>\ng (float[N] x) => (y) { y = com.example.Op (x) }',
    good="g (float[N] x) => (y) { y = Relu (x) }",
)
INTERNAL = define(
    "G213",
    "internal-fault",
    Severity.NOTE,
    "the rule for this node failed ({error}): nothing is claimed of its outputs",
    explanation="A fault in a rule, not in the model. The rest of the model is checked all the same.",
    hint="correct the rule if it is one of your own (--rules), else please report this",
)
TOO_LARGE = define(
    "G214",
    "expression-too-large",
    Severity.NOTE,
    "axis {axis} of output '{value}' is too long an expression ({size} operations): it is called {symbol} from here on",
    explanation="Very long dim expressions are replaced by a fresh name, which loses how they follow from the inputs.",
)
DECLARED_TYPE = define(
    "C501",
    "declared-type",
    Severity.ERROR,
    "'{value}' is declared {declared}, but is {found}",
    explanation="The type stated for a graph output or in value_info contradicts what the graph computes.",
    hint="correct the declaration, or insert a Cast if the declared type is what is wanted",
    bad="g (float[N] x) => (int64[N] y) { y = Relu (x) }",
    good="g (float[N] x) => (float[N] y) { y = Relu (x) }",
)
DECLARED_SHAPE = define(
    "C502",
    "declared-shape",
    Severity.ERROR,
    "'{value}' is declared {declared}, but is {found}",
    explanation="The shape stated for a graph output or in value_info is right for no size of the inputs.",
    hint="correct the declaration",
    bad="g (float[2, 3] x) => (float[2, 3] y) { y = Transpose (x) }",
    good="g (float[2, 3] x) => (float[3, 2] y) { y = Transpose (x) }",
)
UNKNOWN_ELEMENT_TYPE = define(
    "C504",
    "unknown-element-type",
    Severity.ERROR,
    "'{value}' has element type {number}, and no element type has this number",
    explanation="Element types are numbered by TensorProto.DataType. A file of a newer ONNX may use more of them.",
    hint="install a newer onnx, or export the model again",
)
DECLARED_UNPROVED = define(
    "C503",
    "declared-unproved",
    Severity.NOTE,
    "'{value}' is declared {declared}; what is known is {found}, which does not decide it",
    explanation="The declared shape holds for some sizes of the inputs, or for all of them in a way that is not proved.",
    bad="g (float[N] x) => (float[4] y) { y = Relu (x) }",
    good="g (float[N] x) => (float[N] y) { y = Relu (x) }",
)
