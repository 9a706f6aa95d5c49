"""com.microsoft: LSTM with quantised weights."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS, required, standard
from shapeinfer.kernels.registry import kernel


def _plain(weights: Array, scale: Array | None, zero: Array | None, what: str) -> Array:
    """Weights ``[directions, inputs, 4 * hidden]`` as floats ``[directions, 4 * hidden, inputs]``."""
    if weights.ndim != 3:
        raise KernelError(f"{what} must be of rank 3, not of shape {shape_text(weights.shape)}")

    def spread(value: Array | None) -> Array:
        given = widen(required(value, f"{what}_scale or {what}_zero_point")).astype(np.float32)
        return given[:, None, :] if given.ndim == 2 else given.reshape(-1, 1, 1)

    return np.asarray(((weights.astype(np.float32) - spread(zero)) * spread(scale)).swapaxes(1, 2))


@kernel("DynamicQuantizeLSTM", since=(1,), domain=MS)
def dynamic_quantize_lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    p: Array | None = None,
    w_scale: Array | None = None,
    w_zero_point: Array | None = None,
    r_scale: Array | None = None,
    r_zero_point: Array | None = None,
    *,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    activations: Sequence[str] | None = None,
    clip: float | None = None,
    direction: str = "forward",
    hidden_size: int | None = None,
    input_forget: int = 0,
) -> tuple[Array, Array, Array]:
    """LSTM with the weights as floats; the rounding of inputs and states to 8 bits is left out.

    How far a runtime rounds them depends on the range of each step's batch, so its results differ by that error.
    """
    names = activations or ("Sigmoid", "Tanh", "Tanh") * (2 if direction == "bidirectional" else 1)
    result: tuple[Array, Array, Array] = standard(
        "LSTM", 22, x, _plain(w, w_scale, w_zero_point, "W"), _plain(r, r_scale, r_zero_point, "R"), b, sequence_lens,
        initial_h, initial_c, p, activation_alpha=activation_alpha, activation_beta=activation_beta,
        activations=names, clip=clip, direction=direction, hidden_size=hidden_size, input_forget=input_forget, layout=0,
    )  # fmt: skip
    return result
