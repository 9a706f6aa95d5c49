"""Runs models on the NumPy kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shapeinfer import modelio
from shapeinfer.kernels import Executor, KernelError
from shapeinfer.modelio import ModelSource


class Session:
    """A model prepared once, to run many times on the NumPy kernels.

    Random operators draw anew in each run, or the same numbers in each when there is a ``seed``.

    Attributes:
        input_names: the names of the graph inputs that need a value, in order.
        output_names: the names of the graph outputs, in order.

    Raises:
        ModelError: when the model cannot be read.
        KernelError: when it has an operator without a kernel.
    """

    def __init__(self, model: ModelSource, *, seed: int | None = None) -> None:
        proto = modelio.load(model)
        stored = {tensor.name for tensor in proto.graph.initializer}
        self.input_names: tuple[str, ...] = tuple(i.name for i in proto.graph.input if i.name not in stored)
        self.output_names: tuple[str, ...] = tuple(output.name for output in proto.graph.output)
        with modelio.text_checked(proto):
            self._executor = Executor(proto, base_dir=modelio.base_directory(model), seed=seed)

    def run(self, inputs: Mapping[str, ArrayLike | Any], outputs: Sequence[str] | None = None) -> list[NDArray[Any]]:
        """The outputs for these inputs, by default those of the graph; ``outputs`` can name any value.

        Raises:
            KernelError: when an input is missing, unknown or of another type, or a node cannot run with these sizes;
                the message names the node and the actual shapes.
        """
        feeds = {name: np.asarray(value) if _is_plain(value) else value for name, value in inputs.items()}
        return self._executor.run(feeds, outputs)


def _is_plain(value: object) -> bool:
    return isinstance(value, np.ndarray | np.generic | int | float | bool | str)


def run(
    model: ModelSource, inputs: Mapping[str, ArrayLike | Any], outputs: Sequence[str] | None = None
) -> list[NDArray[Any]]:
    """Runs a model once on the NumPy kernels; see :class:`Session`."""
    return Session(model).run(inputs, outputs)


__all__ = ["KernelError", "Session", "run"]
