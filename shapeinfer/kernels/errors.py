"""The error that everything in the NumPy backend raises."""

from __future__ import annotations


class KernelError(Exception):
    """A node or a model cannot be run.

    Attributes:
        message: what is wrong, with the actual shapes and element types.
        node: the node's name, or its first output where it has none; empty outside a graph.
        op: the operator with its version, such as ``Squeeze-13``; empty where no operator is at fault.
        code: left for upper layers to fill in.
    """

    def __init__(self, message: str, *, node: str = "", op: str = "", code: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.node = node
        self.op = op
        self.code = code

    def __str__(self) -> str:
        where = " ".join(part for part in (self.op, repr(self.node) if self.node else "") if part)
        return f"{where}: {self.message}" if where else self.message
