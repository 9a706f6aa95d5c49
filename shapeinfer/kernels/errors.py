"""The error that everything in the NumPy backend raises, and the codes that it carries."""

from __future__ import annotations

from typing import Final

FAILED: Final = "R702"
"""A kernel refused its inputs: the code of every error that has none of its own."""
INPUT_MISSING: Final = "R701"
INPUT_UNKNOWN: Final = "R703"
INPUT_TYPE: Final = "R704"
INPUT_SHAPE: Final = "R705"
NO_KERNEL: Final = "R706"
MALFORMED: Final = "R707"
WEIGHTS: Final = "R708"
NODE_TYPES: Final = "R709"
SIZES: Final = "R710"
OUT_OF_RANGE: Final = "R711"
NO_VALUE: Final = "R712"
ATTRIBUTES: Final = "R713"


class KernelError(Exception):
    """A node or a model cannot be run.

    Attributes:
        message: what is wrong, with the actual shapes and element types.
        node: the node's name, or its first output where it has none; empty outside a graph.
        op: the operator with its version, such as ``Squeeze-13``; empty where no operator is at fault.
        code: the kind of fault, as the catalogue of codes explains it.
    """

    def __init__(self, message: str, *, node: str = "", op: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.node = node
        self.op = op
        self.code = code or FAILED

    def __str__(self) -> str:
        where = " ".join(part for part in (self.op, repr(self.node) if self.node else "") if part)
        return f"{where}: {self.message}" if where else self.message

    def at(self, node: str, op: str) -> KernelError:
        """The same error, told of this node unless it is told of one already."""
        return KernelError(self.message, node=self.node or node, op=self.op or op, code=self.code)
