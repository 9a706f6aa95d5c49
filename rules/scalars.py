"""Inputs that must be scalars, but that runtimes also take as a list of one element."""

from __future__ import annotations

from shapeinfer.rule import Context, codes


def check_scalar(ctx: Context, name: str) -> None:
    """A list of one element is a warning, since models with it run; any other shape that is no scalar is an error."""
    shape = ctx.shape_or_none(name)
    if not shape:
        return
    if len(shape) > 1 or ctx.facts.equal(shape[0], 1) is False:
        ctx.error(codes.RANK, input=name, shape=shape, expected=0)
        return
    ctx.warn(codes.SCALAR_AS_LIST, input=name, shape=shape)
    ctx.require_equal(shape[0], 1, codes.RANK, input=name, shape=shape, expected=0)
