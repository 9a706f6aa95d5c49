"""RNN, LSTM and GRU: recurrent layers over sequences, in one direction or in both.

The weights are ``W (directions, gates*hidden, input)`` and ``R (directions, gates*hidden, hidden)`` with 1, 4 and 3
gates; ``R`` says the hidden size also where the attribute ``hidden_size`` is left out. ``directions`` is 2 for
``bidirectional``. There are up to three outputs, each of which may be left out: ``Y``, the hidden states of all steps,
and the last states ``Y_h`` and, for LSTM, ``Y_c``.

Versions: 1 has the attribute ``output_sequence``, by which ``Y`` might be left out, which 7 (for GRU 3 already) does by
its name. GRU-1 misspells its own default, ``foward``. 14 brings ``layout``: with 1 the batch comes first everywhere.
22 adds bfloat16.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Result, codes, rule

from .sizes import Sizes, positive_attr

DIRECTIONS = ("forward", "reverse", "bidirectional")
ACTIVATIONS = "relu tanh sigmoid affine leakyrelu thresholdedrelu scaledtanh hardsigmoid elu softsign softplus".split()


@rule("RNN", since=(1, 7, 14, 22))
def rnn(ctx: Context) -> Result:
    """Hidden states of one gate."""
    return recurrent(ctx, gates=1, functions=1)


@rule("GRU", since=(1, 3, 7, 14, 22))
def gru(ctx: Context) -> Result:
    """Hidden states of three gates: update, reset, hidden."""
    return recurrent(ctx, gates=3, functions=2)


@rule("LSTM", since=(1, 7, 14, 22))
def lstm(ctx: Context) -> Result:
    """Hidden and cell states of four gates: input, output, forget, cell."""
    return recurrent(ctx, gates=4, functions=3)


def recurrent(ctx: Context, gates: int, functions: int) -> Result:
    """All states, then the last ones, after the weights have been held against each other."""
    directions = number_of_directions(ctx)
    check_activations(ctx, functions * directions)
    hidden = positive_attr(ctx, "hidden_size")
    batch_first = batch_comes_first(ctx)
    sizes = Sizes(ctx, directions=directions, hidden=hidden)
    state = "batch directions hidden" if batch_first else "directions batch hidden"
    sizes.match("X", "batch length input" if batch_first else "length batch input")
    sizes.match("R", f"directions {gates}*hidden hidden")
    sizes.match("initial_h", state)
    sizes.match("initial_c", state)
    sizes.match("W", f"directions {gates}*hidden input")
    sizes.match("B", f"directions {2 * gates}*hidden")
    sizes.match("P", "directions 3*hidden")
    sizes.match("sequence_lens", "batch")
    steps = "batch length directions hidden" if batch_first else "length directions batch hidden"
    return [sizes.shape(steps), sizes.shape(state), sizes.shape(state)]


def number_of_directions(ctx: Context) -> int:
    """2 for ``bidirectional``, else 1."""
    if not ctx.has_attr("direction"):
        return 1
    return 2 if ctx.attr_choice("direction", DIRECTIONS) == "bidirectional" else 1


def batch_comes_first(ctx: Context) -> bool:
    """``layout``, from version 14 on, is 0 or 1."""
    layout = ctx.attr_int("layout") if ctx.version >= 14 else 0
    if layout not in (0, 1):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="layout", value=layout, expected="0 or 1")
    return layout == 1


def check_activations(ctx: Context, needed: int) -> None:
    """Requires a function for each activation, and each by a name that the specification lists."""
    proto = ctx.attr_proto("activations")
    if proto is None:
        return
    names = [name.decode("utf-8", "replace") for name in proto.strings]
    if len(names) < needed:
        ctx.fail(codes.LENGTH, what="activations", found=len(names), expected=needed)
    for name in names:
        if name.lower() not in ACTIVATIONS:
            ctx.fail(codes.ATTRIBUTE_VALUE, attribute="activations", value=name, expected=", ".join(ACTIVATIONS))
