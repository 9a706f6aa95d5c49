"""Codes about running a model, and about what a person asked for."""

from shapeinfer.diagnostics import Severity, define

RUN_INPUT_MISSING = define(
    "R701",
    "run-input-missing",
    Severity.ERROR,
    "{reason}",
    explanation="Every graph input without a default needs a value to run.",
    hint="pass --input NAME=FILE.npy, or --random",
)
RUN_FAILED = define(
    "R702",
    "run-failed",
    Severity.ERROR,
    "{reason}",
    explanation="The kernel of a node found that its operator cannot run on the inputs that reached it. The message has their types and shapes.",
)
RUN_INPUT_UNKNOWN = define(
    "R703",
    "run-input-unknown",
    Severity.ERROR,
    "{reason}",
    explanation="A value was given under a name that no input of the graph has.",
)
RUN_INPUT_TYPE = define(
    "R704",
    "run-input-type",
    Severity.ERROR,
    "{reason}",
    explanation="A value given for an input is of another type than the graph declares. Values are never converted unasked.",
    hint="convert the value, for instance with x.astype(numpy.float32)",
)
RUN_INPUT_SHAPE = define(
    "R705",
    "run-input-shape",
    Severity.ERROR,
    "{reason}",
    explanation="A value given for an input has another rank or size than the graph declares, or one dim name would stand for two sizes.",
)
RUN_NO_KERNEL = define(
    "R706",
    "run-no-kernel",
    Severity.ERROR,
    "{reason}",
    explanation="The operator is not known in this version of its operator set, or is deprecated, or there is neither a NumPy kernel for it nor a function that defines it.",
    hint="run it elsewhere; to infer and check, a rule of your own is enough (--rules)",
)
RUN_MALFORMED = define(
    "R707",
    "run-malformed",
    Severity.ERROR,
    "{reason}",
    explanation="The graph cannot be put in an order to run: a value is made twice, or by no node, or depends on itself, or a function calls itself.",
    hint="'shapeinfer check' tells all that is wrong with the graph",
)
RUN_WEIGHTS = define(
    "R708",
    "run-weights",
    Severity.ERROR,
    "{reason}",
    explanation="A stored tensor cannot be read. External data is read from the directory of the model and those below it only, never through a link or a path that leads out.",
    hint="put the file of the weights where the model says, beside it",
)
RUN_NODE_TYPES = define(
    "R709",
    "run-node-types",
    Severity.ERROR,
    "{reason}",
    explanation="The inputs that reached a node are of types that its operator does not allow, alone or together.",
)
RUN_SIZES = define(
    "R710",
    "run-sizes",
    Severity.ERROR,
    "{reason}",
    explanation="The sizes that reached a node do not go together: they do not broadcast, multiply, reshape or stack. The message has the actual shapes.",
)
RUN_OUT_OF_RANGE = define(
    "R711",
    "run-out-of-range",
    Severity.ERROR,
    "{reason}",
    explanation="An axis or an index that a node was given lies outside of what there is.",
)
RUN_NO_VALUE = define(
    "R712",
    "run-no-value",
    Severity.ERROR,
    "{reason}",
    explanation="A value was asked for that neither the graph nor one of its nodes makes.",
)
RUN_ATTRIBUTES = define(
    "R713",
    "run-attributes",
    Severity.ERROR,
    "{reason}",
    explanation="A node's attributes are not those that its operator takes: one is unknown, missing, stated twice or of a wrong kind.",
)
VERIFY_CONTRADICTED = define(
    "R720",
    "verify-contradicted",
    Severity.ERROR,
    "'{value}' is inferred as {claim} but is {actual} in a run with {sizes}",
    explanation="A run that reached its end contradicts what was inferred. This is a bug of shapeinfer, in the shape rule or in the kernel.",
    hint="please report it with the model that was written",
)
VERIFY_NUMBERS = define(
    "R721",
    "verify-numbers",
    Severity.ERROR,
    "'{value}' differs between kernels and {backend} by up to {difference} in a run with {sizes}",
    explanation="The two backends compute different numbers from the same inputs. One of them has a bug, or the operator leaves room.",
    hint="please report it with the model that was written",
)
BAD_OPTION = define(
    "U801",
    "bad-option",
    Severity.ERROR,
    "{option}: {reason}",
    explanation="A fact or shape given for the check cannot be understood, or contradicts the model.",
)
CANNOT_WRITE = define(
    "U802",
    "cannot-write",
    Severity.ERROR,
    "{path} cannot be written: {reason}",
    explanation="The output is written to a temporary file and moved into place, so nothing is ever half written.",
)
