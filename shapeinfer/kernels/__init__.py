"""NumPy implementations of the operators, written from the text of their specification, and an executor for models.

They share no helper with the shape rules, which are tested against them.
"""

from __future__ import annotations

from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.executor import Executor, run_node
from shapeinfer.kernels.registry import Kernel, call, find, kernel, registered

__all__ = ["Executor", "Kernel", "KernelError", "call", "find", "kernel", "registered", "run_node"]
