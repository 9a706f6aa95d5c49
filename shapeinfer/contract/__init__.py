"""The contract of a model: under which sizes of its inputs it runs to its end, and which node needs what.

Requirements that the walk recorded are brought into the fewest and simplest conditions that say the same
(``build``). Those on one symbol become an exact set of sizes (``solve``, ``sets``), which is then put in words
(``describe``); the others are dropped or shortened where that is proved (``prove``).
"""

from __future__ import annotations

from shapeinfer.contract.answers import Answer, SpecError, Verdict, answers, compared, findings, required
from shapeinfer.contract.document import Contract, ContractCondition, Kind, NeededBy, contract, contract_of
from shapeinfer.contract.text import ConditionSyntaxError, parse_condition

__all__ = [
    "Answer",
    "ConditionSyntaxError",
    "Contract",
    "ContractCondition",
    "Kind",
    "NeededBy",
    "SpecError",
    "Verdict",
    "answers",
    "compared",
    "contract",
    "contract_of",
    "findings",
    "parse_condition",
    "required",
]
