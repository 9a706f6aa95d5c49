"""Codes about a model's contract."""

from shapeinfer.diagnostics import Severity, define

CONTRACT_REFUTED = define(
    "C511",
    "contract-refuted",
    Severity.ERROR,
    "{condition} is needed by {where}, and {spec} does not ensure it{sizes}",
    explanation="There are sizes for which the model is asked to run, and with which a node of it cannot run. The message names such sizes where they were found.",
    hint="narrow what is asked of the model, or change the node",
)
CONTRACT_UNDECIDED = define(
    "C512",
    "contract-undecided",
    Severity.WARNING,
    "{spec} could not be shown to ensure this, nor the opposite: {condition} ({where})",
    explanation="The model may run for all sizes that are asked for, or not: neither a proof nor sizes that break the condition were found.",
    hint="state more of the sizes, or run the model at the sizes that matter",
)
CONTRACT_FILE = define(
    "C513",
    "contract-file",
    Severity.ERROR,
    "{path} cannot be read as a contract: {reason}",
    explanation="A contract is the JSON that 'shapeinfer contract --json' or '--save' writes.",
    hint="write it with 'shapeinfer contract MODEL --save FILE'",
)
