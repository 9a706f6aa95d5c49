"""Codes of lints about versions: operator sets, and what stands in the way of a newer one."""

from shapeinfer.diagnostics import Severity, define

IMPORTED_TWICE = define(
    "L650",
    "domain-imported-twice",
    Severity.WARNING,
    "domain '{domain}' is imported more than once: versions {versions}",
    explanation="A model may import one version of a domain ('' and 'ai.onnx' are one domain). Readers differ on which counts; where they are the same, it is only a note.",
    hint="keep the version that the nodes were written for",
    bad='<ir_version: 10, opset_import: ["" : 21, "ai.onnx" : 20]>\ng (float[N] x) => (y) { y = Relu (x) }',
    good='<ir_version: 10, opset_import: ["" : 21]>\ng (float[N] x) => (y) { y = Relu (x) }',
)
UNUSED_IMPORT = define(
    "L651",
    "unused-import",
    Severity.NOTE,
    "domain '{domain}' is imported and no node uses it",
    explanation="Some runtimes refuse a model that imports a domain they do not know, even when nothing uses it.",
    hint="remove the import; lint --fix does",
    bad='<ir_version: 10, opset_import: ["" : 21, "ai.onnx.ml" : 5]>\ng (float[N] x) => (y) { y = Relu (x) }',
    good='<ir_version: 10, opset_import: ["" : 21]>\ng (float[N] x) => (y) { y = Relu (x) }',
)
FUNCTION_OPSET = define(
    "L652",
    "function-opset-differs",
    Severity.WARNING,
    "function {function} imports version {inner} of domain '{domain}', the model version {outer}",
    explanation=(
        "The body of a function means what its own operator sets say. Runtimes that inline functions need the versions to "
        "be the same, and refuse the model or misread it where they are not."
    ),
    hint="convert the function and the model to one version",
    bad="""<ir_version: 9, opset_import: ["" : 17, "f" : 1]>
g (float[N] x) => (y) { y = f.Once (x) }
<domain: "f", opset_import: ["" : 16]>
Once (a) => (b) { b = Relu (a) }""",
    good="""<ir_version: 9, opset_import: ["" : 17, "f" : 1]>
g (float[N] x) => (y) { y = f.Once (x) }
<domain: "f", opset_import: ["" : 17]>
Once (a) => (b) { b = Relu (a) }""",
)
BLOCKS_UPGRADE = define(
    "L653",
    "blocks-upgrade",
    Severity.NOTE,
    "{op} ({count}) {reason}",
    explanation=(
        "What must change before the model can be read with a newer operator set. The version converter of onnx handles "
        "some of it; deprecated operators have a successor that their documentation names."
    ),
    bad='<ir_version: 4, opset_import: ["" : 9]>\ng (float[1, 1, 2, 2] x, float[4] s) => (y) { y = Upsample (x, s) }',
    good="g (float[1, 1, 2, 2] x, float[4] s) => (y) { y = Resize (x, , s) }",
)
NEGATIVE_AXIS = define(
    "L654",
    "negative-axis-early",
    Severity.WARNING,
    "{attribute} is {value}, and {op}-{version} does not allow negative ones; {allowed}",
    explanation=(
        "Early operator versions count axes from the front only. Some runtimes take negative ones all the same, others "
        "fail or misread them."
    ),
    hint="count from the front, or convert the model to a newer opset",
    bad='<ir_version: 5, opset_import: ["" : 10]>\ng (float[N, 3] x) => (y) { y = Concat <axis = -1> (x, x) }',
    good='<ir_version: 5, opset_import: ["" : 10]>\ng (float[N, 3] x) => (y) { y = Concat <axis = 1> (x, x) }',
)
LINT_FAULT = define(
    "L699",
    "lint-fault",
    Severity.NOTE,
    "the lint {lint} failed ({error}); please report this",
    explanation="A fault in shapeinfer, not in the model. Everything else is looked at all the same.",
)
