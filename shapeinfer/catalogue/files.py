"""Codes about model files and what a model says of itself."""

from shapeinfer.diagnostics import Severity, define

FILE_NOT_FOUND = define(
    "M101",
    "file-not-found",
    Severity.ERROR,
    "there is no file {path}",
    explanation="The path given does not exist, or a part of it is no directory.",
    hint="check the spelling, and the directory that the command runs in",
)
NOT_A_FILE = define(
    "M102",
    "not-a-file",
    Severity.ERROR,
    "{path} is {kind}, not a file",
    explanation="A model is one file. Models with external data are named by their .onnx file, not by their directory.",
    hint="name the .onnx file itself",
)
FILE_UNREADABLE = define(
    "M103",
    "file-unreadable",
    Severity.ERROR,
    "{path} cannot be read: {reason}",
    explanation="The operating system refused to open or read the file.",
)
FILE_EMPTY = define(
    "M104",
    "file-empty",
    Severity.ERROR,
    "{path} is empty",
    explanation="The file has no bytes. An interrupted download or export often leaves such a file.",
    hint="fetch or export the model again",
)
NOT_ONNX = define(
    "M105",
    "not-onnx",
    Severity.ERROR,
    "{path} is no ONNX model: {reason}",
    explanation="The bytes are not a serialised ModelProto: another format, or a file that was cut off.",
    hint="check that the file is complete and is an ONNX model (a Git LFS pointer is a common stand-in)",
)
NO_GRAPH = define(
    "M106",
    "no-graph",
    Severity.ERROR,
    "the model has no graph",
    explanation="A ModelProto without a graph has nothing to check. Many files of other formats also read as this.",
)
NO_OPSET = define(
    "M107",
    "no-opset",
    Severity.ERROR,
    "the model imports no operator set for the default domain, which {node} needs",
    explanation="Each operator's meaning depends on the version of its operator set, so a model must state one per domain.",
    hint='add an opset_import for the domain ""',
    bad='<ir_version: 8, opset_import: ["com.example" : 1]>\ng (float[N] x) => (y) { y = Relu (x) }',
    good='<ir_version: 8, opset_import: ["" : 13]>\ng (float[N] x) => (y) { y = Relu (x) }',
)
EXTERNAL_LOCATION = define(
    "M110",
    "external-location",
    Severity.ERROR,
    "the data of '{name}' is said to lie in {location}, which {reason}",
    explanation=(
        "The data of a tensor may lie in a file of its own, in the directory of the model or below it. A model that "
        "names a file elsewhere could make whoever loads it read any file; runtimes refuse such models."
    ),
    hint="move the data beside the model, and state its location relative to the model",
)
OPSET_INVALID = define(
    "M111",
    "opset-invalid",
    Severity.ERROR,
    "there is no operator set {version} of domain '{domain}': they are numbered from 1 on",
    explanation=(
        "A model states the version of each operator set that it imports. Without a version, or with one below 1, "
        "nothing says what its operators mean."
    ),
    hint="state the version that the model was made for",
    bad='<ir_version: 8, opset_import: ["" : 0]>\ng (float[N] x) => (y) { y = Relu (x) }',
    good='<ir_version: 8, opset_import: ["" : 13]>\ng (float[N] x) => (y) { y = Relu (x) }',
)
OPSET_UNKNOWN = define(
    "M108",
    "opset-unknown",
    Severity.ERROR,
    "operator set {version} of domain '{domain}' is not known: the newest that onnx {installed} defines is {newest}",
    explanation="Operators of a version that the installed onnx package does not define cannot be checked.",
    hint="install a newer onnx, or check the version that the model imports",
    bad='<ir_version: 10, opset_import: ["" : 9999]>\ng (float[N] x) => (y) { y = Relu (x) }',
    good='<ir_version: 10, opset_import: ["" : 21]>\ng (float[N] x) => (y) { y = Relu (x) }',
)
IR_VERSION_LOW = define(
    "M109",
    "ir-version-low",
    Severity.NOTE,
    "operator set {opset} came with IR version {needed}, but the model states IR version {stated}",
    explanation=(
        "Each operator set was released with an IR version. A model that states an older one may use types that the "
        "IR version does not have, and tools that go by the IR version may refuse it."
    ),
    hint="state ir_version {needed}",
    bad='<ir_version: 3, opset_import: ["" : 21]>\ng (float[N] x) => (y) { y = Relu (x) }',
    good='<ir_version: 10, opset_import: ["" : 21]>\ng (float[N] x) => (y) { y = Relu (x) }',
)
