"""RNN, LSTM and GRU. The inputs of all steps are multiplied at once; only the recurrence goes step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.registry import kernel
from shapeinfer.kernels.rnn_activations import Activation, activations_of

Step: TypeAlias = Callable[[Array, tuple[Array, ...]], tuple[Array, ...]]
"""From the input's part of the gates and the state ``(hidden, ...)``, each ``[batch, ...]``, to the next state."""
_DIRECTIONS: Final = {"forward": (False,), "foward": (False,), "reverse": (True,), "bidirectional": (False, True)}
"""Whether each direction goes backwards; GRU-1 misspells its default."""


@dataclass(frozen=True, slots=True)
class _Layer:
    """The arguments that the three operators share, in float32 or wider, time first.

    Attributes:
        x: ``[steps, batch, input]``.
        w: ``[directions, gates * hidden, input]``.
        r: ``[directions, gates * hidden, hidden]``.
        b: ``[directions, 2 * gates * hidden]``.
        lengths: of each sequence of the batch; ``None`` when all have all steps.
        states: each ``[directions, batch, hidden]``.
    """

    x: Array
    w: Array
    r: Array
    b: Array
    lengths: Array | None
    states: tuple[Array, ...]
    backwards: tuple[bool, ...]
    layout: int
    dtype: np.dtype[Any]

    @property
    def hidden(self) -> int:
        """The size of the hidden state."""
        return int(self.r.shape[2])


def _layer(
    gates: int,
    x: Array,
    w: Array,
    r: Array,
    b: Array | None,
    lengths: Array | None,
    states: Sequence[Array | None],
    *,
    direction: str,
    layout: int,
    hidden_size: int | None,
) -> _Layer:
    if direction not in _DIRECTIONS:
        raise KernelError(f"there is no direction {direction!r}")
    if layout not in (0, 1):
        raise KernelError(f"layout is {layout}, not 0 or 1")
    backwards = _DIRECTIONS[direction]
    count = len(backwards)
    if x.ndim != 3 or r.ndim != 3:
        raise KernelError(f"X {shape_text(x.shape)} and R {shape_text(r.shape)} must be of rank 3")
    if layout:
        x = x.swapaxes(0, 1)
    steps, batch, size = x.shape
    hidden = r.shape[2]
    if hidden_size is not None and hidden_size != hidden:
        raise KernelError(f"hidden_size {hidden_size} is not that of R {shape_text(r.shape)}")
    wide = widen(x)
    _fits("W", w, (count, gates * hidden, size))
    _fits("R", r, (count, gates * hidden, hidden))
    bias = np.zeros((count, 2 * gates * hidden), wide.dtype) if b is None else widen(b)
    _fits("B", bias, (count, 2 * gates * hidden))
    if lengths is not None:
        _fits("sequence_lens", lengths, (batch,))
        if ((lengths < 0) | (lengths > steps)).any():
            raise KernelError(f"sequence_lens {shape_text(lengths.tolist())} for {steps} steps")
    found = []
    for state in states:
        if state is None:
            found.append(np.zeros((count, batch, hidden), wide.dtype))
            continue
        given = widen(state.swapaxes(0, 1) if layout and state.ndim == 3 else state)
        _fits("an initial state", given, (count, batch, hidden))
        found.append(given)
    return _Layer(wide, widen(w), widen(r), bias, lengths, tuple(found), backwards, layout, x.dtype)


def _fits(what: str, value: Array, shape: tuple[int, ...]) -> None:
    if value.shape != shape:
        raise KernelError(f"{what} is {shape_text(value.shape)}, not {shape_text(shape)}")


def _run(layer: _Layer, bias: Callable[[int], Array], step: Callable[[int], Step]) -> tuple[Array, ...]:
    """All directions: ``Y`` and then the last of each state, in the layout and type of the inputs.

    Args:
        layer: the arguments.
        bias: what is added to the input's part of the gates of a direction.
        step: the cell of a direction.
    """
    steps, batch = layer.x.shape[:2]
    rows, finals = [], []
    for at, backwards in enumerate(layer.backwards):
        order = _backwards(steps, layer.lengths, batch) if backwards else None
        x = layer.x if order is None else np.take_along_axis(layer.x, order, axis=0)
        gates = np.matmul(x.reshape(steps * batch, x.shape[2]), layer.w[at].T).reshape(steps, batch, -1) + bias(at)
        states: tuple[Array, ...] = tuple(each[at] for each in layer.states)
        cell = step(at)
        y = np.zeros((steps, batch, layer.hidden), layer.x.dtype)
        shortest = steps if layer.lengths is None or not batch else int(layer.lengths.min())
        for t in range(steps):
            new = cell(gates[t], states)
            if t < shortest:
                states = new
                y[t] = new[0]
            else:
                assert layer.lengths is not None
                on = (layer.lengths > t)[:, None]
                states = tuple(np.where(on, n, old) for n, old in zip(new, states, strict=True))
                y[t] = np.where(on, new[0], 0)
        rows.append(y if order is None else np.take_along_axis(y, order, axis=0))
        finals.append(states)
    y_all = np.stack(rows, axis=1)
    last = [np.stack([final[i] for final in finals]) for i in range(len(layer.states))]
    if layer.layout:
        y_all = y_all.transpose(2, 0, 1, 3)
        last = [each.swapaxes(0, 1) for each in last]
    return tuple(narrow(each, layer.dtype) for each in (y_all, *last))


def _backwards(steps: int, lengths: Array | None, batch: int) -> Array:
    """For each step, of which step it takes the place when each sequence is turned round, ``[steps, batch, 1]``."""
    t = np.arange(steps)[:, None, None]
    ends = np.full((1, batch, 1), steps) if lengths is None else lengths.reshape(1, batch, 1).astype(np.int64)
    return np.where(t < ends, ends - 1 - t, t)


def _chosen(
    names: Sequence[str] | None,
    default: tuple[str, ...],
    directions: int,
    alpha: Sequence[float] | None,
    beta: Sequence[float] | None,
    clip: float | None,
) -> list[tuple[Activation, ...]]:
    """The activations of each direction."""
    count = len(default)
    found = activations_of(default * directions if names is None else names, alpha or (), beta or (), clip)
    if len(found) < count * directions:
        raise KernelError(f"{len(found)} activations, where {count * directions} are needed")
    return [tuple(found[at * count : (at + 1) * count]) for at in range(directions)]


@kernel("RNN", since=(1, 7, 14, 22))
def rnn(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    activations: Sequence[str],
    direction: str,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    clip: float | None = None,
    hidden_size: int | None = None,
    layout: int = 0,
    output_sequence: int = 0,
) -> tuple[Array, ...]:
    """``Ht = f(Xt * Wi^T + Ht-1 * Ri^T + Wbi + Rbi)``. The hidden state after every step, and the last one."""
    layer = _layer(
        1, x, w, r, b, sequence_lens, (initial_h,), direction=direction, layout=layout, hidden_size=hidden_size
    )
    chosen = _chosen(activations, ("Tanh",), len(layer.backwards), activation_alpha, activation_beta, clip)

    def step(at: int) -> Step:
        recurrent, f = np.ascontiguousarray(layer.r[at].T), chosen[at][0]
        return lambda gates, states: (f(gates + states[0] @ recurrent),)

    return _run(layer, lambda at: layer.b[at, : layer.hidden] + layer.b[at, layer.hidden :], step)


@kernel("LSTM", since=(1, 7, 14, 22))
def lstm(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    initial_c: Array | None = None,
    p: Array | None = None,
    *,
    direction: str,
    input_forget: int,
    activations: Sequence[str] | None = None,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    clip: float | None = None,
    hidden_size: int | None = None,
    layout: int = 0,
    output_sequence: int = 0,
) -> tuple[Array, ...]:
    """Gates ``i o f c``, peepholes of ``i o f``. The hidden state after every step, the last one, the last cell.

    With ``input_forget`` the forget gate is ``1 - i``.
    """
    states = (initial_h, initial_c)
    layer = _layer(4, x, w, r, b, sequence_lens, states, direction=direction, layout=layout, hidden_size=hidden_size)
    count, n = len(layer.backwards), layer.hidden
    default = ("Sigmoid", "Tanh", "Tanh")
    chosen = _chosen(activations, default, count, activation_alpha, activation_beta, clip)
    peepholes = None if p is None else widen(p)
    if peepholes is not None:
        _fits("P", peepholes, (count, 3 * n))

    def step(at: int) -> Step:
        recurrent, (f, g, h) = np.ascontiguousarray(layer.r[at].T), chosen[at]
        peep = None if peepholes is None else peepholes[at].reshape(3, n)

        def cell(gates: Array, states: tuple[Array, ...]) -> tuple[Array, ...]:
            hidden, memory = states
            gates = gates + hidden @ recurrent
            if peep is None:
                opened = f(gates[:, : 3 * n])
                i, o, forget = opened[:, :n], opened[:, n : 2 * n], opened[:, 2 * n :]
            else:
                i = f(gates[:, :n] + peep[0] * memory)
                forget = f(gates[:, 2 * n : 3 * n] + peep[2] * memory)
            if input_forget:
                forget = 1 - i
            memory = forget * memory + i * g(gates[:, 3 * n :])
            if peep is not None:
                o = f(gates[:, n : 2 * n] + peep[1] * memory)
            return o * h(memory), memory

        return cell

    return _run(layer, lambda at: layer.b[at, : 4 * n] + layer.b[at, 4 * n :], step)


@kernel("GRU", since=(1, 3, 7, 14, 22))
def gru(
    x: Array,
    w: Array,
    r: Array,
    b: Array | None = None,
    sequence_lens: Array | None = None,
    initial_h: Array | None = None,
    *,
    direction: str,
    activations: Sequence[str] | None = None,
    activation_alpha: Sequence[float] | None = None,
    activation_beta: Sequence[float] | None = None,
    clip: float | None = None,
    hidden_size: int | None = None,
    layout: int = 0,
    linear_before_reset: int = 0,
    output_sequence: int = 0,
) -> tuple[Array, ...]:
    """Gates ``z r h``; ``linear_before_reset`` resets the product of the hidden state, else the state itself."""
    layer = _layer(
        3, x, w, r, b, sequence_lens, (initial_h,), direction=direction, layout=layout, hidden_size=hidden_size
    )
    n = layer.hidden
    default = ("Sigmoid", "Tanh")
    chosen = _chosen(activations, default, len(layer.backwards), activation_alpha, activation_beta, clip)

    def bias(at: int) -> Array:
        both = layer.b[at, : 3 * n].copy()
        both[: 2 * n] += layer.b[at, 3 * n : 5 * n]
        if not linear_before_reset:
            both[2 * n :] += layer.b[at, 5 * n :]
        return both

    def step(at: int) -> Step:
        (f, g), inner = chosen[at], layer.b[at, 5 * n :]
        recurrent = np.ascontiguousarray(layer.r[at].T)
        of_gates, of_candidate = (np.ascontiguousarray(each) for each in (recurrent[:, : 2 * n], recurrent[:, 2 * n :]))

        def cell(gates: Array, states: tuple[Array, ...]) -> tuple[Array, ...]:
            hidden = states[0]
            if linear_before_reset:
                product = hidden @ recurrent
                opened = f(gates[:, : 2 * n] + product[:, : 2 * n])
                candidate = g(gates[:, 2 * n :] + opened[:, n:] * (product[:, 2 * n :] + inner))
            else:
                opened = f(gates[:, : 2 * n] + hidden @ of_gates)
                candidate = g(gates[:, 2 * n :] + (opened[:, n:] * hidden) @ of_candidate)
            update = opened[:, :n]
            return ((1 - update) * candidate + update * hidden,)

        return cell

    return _run(layer, bias, step)
