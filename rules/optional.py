"""Optional (15, 28), OptionalGetElement and OptionalHasElement (15, 18, 28): values that may be empty.

Optional holds its input or, without one, nothing, and then ``type`` says of what. From 18 on the other two take what is
no optional as well, which holds itself, and OptionalHasElement may be given nothing at all. 28 adds element types.
"""

from __future__ import annotations

import numpy as np

from shapeinfer.rule import (
    Array,
    Context,
    OptionalType,
    Result,
    codes,
    rule,
    value_rule,
)

from .members import as_elements, members


@rule("Optional", since=(15, 28))
def optional(ctx: Context) -> Result:
    """An optional of the input's type, or of the type that is stated."""
    if ctx.given(0):
        return OptionalType(ctx.type(0))
    if not ctx.has_attr("type"):
        ctx.fail(codes.ATTRIBUTE_MISSING, attribute="type")
    return OptionalType(ctx.attr_type("type"))


@value_rule("Optional", since=(15, 28))
def held(ctx: Context) -> Array | None:
    """The input, or nothing."""
    value = ctx.inputs[0] if ctx.given(0) else None
    return as_elements([] if value is None else [value])


@rule("OptionalGetElement", since=(15, 18, 28))
def optional_get_element(ctx: Context) -> Result:
    """What the optional holds."""
    kind = ctx.type(0)
    if not isinstance(kind, OptionalType):
        return kind
    known = members(ctx, 0)
    if known is None:
        return kind.elem
    if not known:
        ctx.fail(codes.AT_LEAST, what="number of elements in the optional", found=0, least=1)
    return known[0].type


@value_rule("OptionalGetElement", since=(15, 18, 28))
def got(ctx: Context) -> Array | None:
    """The elements of what the optional holds."""
    if not isinstance(ctx.type(0), OptionalType):
        return ctx.elements(0)
    known = members(ctx, 0)
    return known[0].elements if known else None


@rule("OptionalHasElement", since=(15, 18, 28))
def optional_has_element(ctx: Context) -> Result:
    """A scalar."""
    return ()


@value_rule("OptionalHasElement", since=(15, 18, 28))
def has(ctx: Context) -> Array | None:
    """Whether there is one, where that is known."""
    if not ctx.given(0):
        return np.array(False)
    if not isinstance(ctx.type(0), OptionalType):
        return np.array(True)
    known = members(ctx, 0)
    return None if known is None else np.array(len(known) > 0)
