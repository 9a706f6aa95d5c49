"""ReverseSequence."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import integers, shape_text
from shapeinfer.kernels.dtypes import Array
from shapeinfer.kernels.errors import OUT_OF_RANGE, KernelError
from shapeinfer.kernels.registry import kernel


@kernel("ReverseSequence", since=(10, 28))
def reverse_sequence(input: Array, sequence_lens: Array, *, batch_axis: int, time_axis: int) -> Array:
    """Of each sequence of the batch the first elements, as many as its length, in reverse order."""
    if {batch_axis, time_axis} != {0, 1}:
        raise KernelError(f"batch_axis {batch_axis} and time_axis {time_axis} must be 0 and 1")
    if input.ndim < 2:
        raise KernelError(f"the input {shape_text(input.shape)} must be of rank 2 at least")
    steps, batch = input.shape[time_axis], input.shape[batch_axis]
    lengths = integers(sequence_lens, "sequence_lens")
    if len(lengths) != batch:
        raise KernelError(f"{len(lengths)} sequence_lens for a batch of {batch}")
    if any(not 0 <= each <= steps for each in lengths):
        raise KernelError(f"sequence_lens {shape_text(lengths)} for {steps} steps", code=OUT_OF_RANGE)
    t, ends = np.arange(steps)[:, None], np.asarray(lengths, dtype=np.int64)[None]
    order = np.where(t < ends, ends - 1 - t, t)
    result = input.swapaxes(0, time_axis)[order, np.arange(batch)[None]]
    return result.swapaxes(0, time_axis)
