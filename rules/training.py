"""The previews of training: Adagrad, Adam and Momentum update tensors, Gradient derives one value by others.

The optimisers take a learning rate, a count, and then for n tensors first all tensors, then their gradients, then each
kind of state that is kept of them. They give the new tensors and the new states, each of its tensor's shape and type.
Gradient gives for each tensor named in ``xs`` a derivative of its shape and type.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Maybe, Result, TensorType, codes, rule, rules

from .sizes import tie

TRAINING = "ai.onnx.preview.training"
FIRST = 2  # the inputs before are the learning rate and the count
STATES = {"Adagrad": 1, "Momentum": 1, "Adam": 2}


@rules({"Adagrad": (1,), "Momentum": (1,), "Adam": (1,)}, domain=TRAINING)
def optimizer(ctx: Context) -> Result:
    """The new tensors, then their new states."""
    if ctx.node.op == "Momentum":
        ctx.attr_choice("mode", ("standard", "nesterov"))
    groups = 2 + STATES[ctx.node.op]
    tensors, rest = divmod(len(ctx.inputs) - FIRST, groups)
    if rest or not tensors:
        ctx.fail(codes.LENGTH, what="inputs", found=len(ctx.inputs) - FIRST, expected=f"a multiple of {groups}")
    count = ctx.shape_or_none("T")
    if count is not None and count != ():
        ctx.fail(codes.RANK, input="T", shape=count, expected=0)
    outputs: list[Maybe] = []
    for i in range(FIRST, FIRST + tensors):
        alike = range(i + tensors, i + groups * tensors, tensors)
        for other in alike:
            same_shape(ctx, i, other)
    for group in (0, *range(2, groups)):
        outputs.extend(known_type(ctx, FIRST + group * tensors + i, FIRST + i) for i in range(tensors))
    return outputs


def same_shape(ctx: Context, first: int, second: int) -> None:
    """Requires a gradient or state to have its tensor's shape."""
    a, b = ctx.shape_or_none(first), ctx.shape_or_none(second)
    if a is None or b is None:
        return
    if len(a) != len(b):
        ctx.fail(codes.RANK, input=ctx.input_name(second), shape=b, expected=len(a))
    for left, right in zip(a, b, strict=True):
        tie(ctx, f"shapes of {ctx.input_name(first)} and {ctx.input_name(second)}", left, right)


def known_type(ctx: Context, which: int, like: int) -> Maybe:
    """The type of an input, with the shape of another where its own is unknown."""
    shape = ctx.shape_or_none(which)
    return TensorType(ctx.elem(which), shape if shape is not None else ctx.shape_or_none(like))


@rule("Gradient", since=(1,), domain=TRAINING)
def gradient(ctx: Context) -> Result:
    """For each tensor in ``xs`` one of its type."""
    named = [len(proto.strings) if (proto := ctx.attr_proto(name)) else 0 for name in ("xs", "zs")]
    if len(ctx.inputs) != sum(named):
        ctx.fail(codes.LENGTH, what="inputs", found=len(ctx.inputs), expected=f"{sum(named)}, as xs and zs together")
    if len(ctx.node.outputs) > named[0]:
        ctx.fail(codes.LENGTH, what="outputs", found=len(ctx.node.outputs), expected=f"{named[0]}, as xs")
    return [known_type(ctx, i, i) for i in range(named[0])]
