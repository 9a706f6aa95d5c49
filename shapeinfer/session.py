"""Runs models on the NumPy kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shapeinfer import modelio
from shapeinfer.diagnostics import Finding, Where, defined_codes
from shapeinfer.kernels import Executor, KernelError
from shapeinfer.modelio import ModelSource

Watch = Callable[[str, Any], None]
Progress = Callable[[int, int], None]


class Session:
    """A model prepared once, to run many times on the NumPy kernels.

    Attributes:
        input_names: the names of the graph inputs that need a value, in order.
        output_names: the names of the graph outputs, in order.

    Raises:
        ModelError: when the model cannot be read.
        KernelError: when it has an operator without a kernel, or a graph that is not well formed.
    """

    def __init__(self, model: ModelSource, *, seed: int | None = None) -> None:
        """Prepares the model, which must not be changed afterwards; ``seed`` repeats what is random in every run."""
        proto = modelio.load(model)
        stored = {tensor.name for tensor in proto.graph.initializer}
        stored |= {sparse.values.name for sparse in proto.graph.sparse_initializer}
        self.input_names: tuple[str, ...] = tuple(i.name for i in proto.graph.input if i.name not in stored)
        self.output_names: tuple[str, ...] = tuple(output.name for output in proto.graph.output)
        with modelio.text_checked(proto):
            self._executor = Executor(proto, base_dir=modelio.base_directory(model), seed=seed)

    def run(
        self,
        inputs: Mapping[str, ArrayLike | Any],
        outputs: Sequence[str] | None = None,
        *,
        watch: Watch | None = None,
        progress: Progress | None = None,
    ) -> list[NDArray[Any]]:
        """The outputs for these inputs.

        Args:
            inputs: by name. Sequences are lists, maps are dicts, an optional without an element is ``None``.
            outputs: the values wanted, which any node may make; only what they depend on is run then. By default all
                nodes are run, and the outputs of the graph are wanted.
            watch: called with the name and value of every input and of every output of a node, as it comes to be;
                a value of a graph inside a node goes by a path, ``loop / body / x``.
            progress: called after each node with the number of nodes done and of all.

        Raises:
            KernelError: when an input is missing, unknown or of another type, or a node cannot run with these sizes;
                the message names the node and the actual shapes, and ``code`` is explained by the catalogue.
        """
        feeds = {name: np.asarray(value) if _is_plain(value) else value for name, value in inputs.items()}
        return self._executor.run(feeds, outputs, watch=watch, progress=progress)


def _is_plain(value: object) -> bool:
    return isinstance(value, np.ndarray | np.generic | int | float | bool | str)


def run(
    model: ModelSource, inputs: Mapping[str, ArrayLike | Any], outputs: Sequence[str] | None = None
) -> list[NDArray[Any]]:
    """Runs a model once on the NumPy kernels; see :class:`Session`."""
    return Session(model).run(inputs, outputs)


def finding(error: KernelError) -> Finding:
    """A failed run as a finding, with the code that the error carries."""
    return Finding(defined_codes()[error.code], Where(), {"reason": str(error)})


__all__ = ["KernelError", "Session", "finding", "run"]
