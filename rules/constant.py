"""Constant makes a tensor out of attributes, ConstantOfShape one of a given shape out of a single element.

Versions: Constant-1 and 9 have ``value`` only; 11 adds ``sparse_value``, 12 plain numbers and strings. Then exactly one
attribute must be stated. ConstantOfShape makes float zeros without ``value``, which must have one element. Later
versions of both add element types.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from shapeinfer.rule import Array, Context, ElementType, Result, TensorType, codes, rule, value_rule

from .element_types import out_of

VERSIONS = (1, 9, 11, 12, 13, 19, 21, 23, 24, 25)
NUMBERS = {
    "value_int": np.int64,
    "value_ints": np.int64,
    "value_float": np.float32,
    "value_floats": np.float32,
}
TYPES = {
    "value_int": ElementType.INT64,
    "value_float": ElementType.FLOAT,
    "value_string": ElementType.STRING,
}
FEW = 1024  # elements of more are not followed


@rule("Constant", since=VERSIONS)
def constant(ctx: Context) -> Result:
    """The type of the one attribute that is stated."""
    name = stated(ctx)
    attribute: Any = ctx.attr_proto(name)
    if name == "value":
        return stored(ctx, name, attribute.t.data_type, attribute.t.dims)
    if name == "sparse_value":
        sparse = attribute.sparse_tensor
        return stored(ctx, name, sparse.values.data_type, sparse.dims)
    if name.endswith("s"):
        items = attribute.ints or attribute.floats or attribute.strings
        return TensorType(TYPES[name.removesuffix("s")], (len(items),))
    return TensorType(TYPES[name], ())


def stated(ctx: Context) -> str:
    """The attribute that holds the value."""
    names = [name for name in ctx.signature.attributes if ctx.has_attr(name)]
    if len(names) != 1:
        found = f"it states {' and '.join(sorted(names))}" if names else "it states none"
        ctx.fail(codes.CONSTANT_VALUES, found=found)
    return names[0]


def stored(ctx: Context, name: str, elem: int, sizes: Sequence[int]) -> Result:
    """The type of a tensor attribute; one that the output cannot have is an error, and all the same what it is."""
    if elem not in ElementType._value2member_map_:
        ctx.fail(codes.ELEMENT_TYPE, attribute=name, value=f"a tensor of type {elem}", why="is no data type")
    if not ctx.signature.outputs[0].tensor_mask >> elem & 1:
        label = ElementType(elem).label
        code = codes.ELEMENT_TYPE if ctx.version > 1 else codes.CONSTANT_EARLY_TYPE
        ctx.error(code, attribute=name, value=f"a tensor of {label}", why=out_of(ctx))
    for axis, size in enumerate(sizes):
        if size < 0:
            ctx.fail(codes.SIZE_VALUE, what=f"dim {axis} of {name}", value=size, expected="at least 0")
    return TensorType(elem, tuple(sizes))


@value_rule("Constant", since=VERSIONS)
def constant_elements(ctx: Context) -> Array | None:
    """The elements, where they are few numbers."""
    name = stated(ctx)
    attribute: Any = ctx.attr_proto(name)
    if name in NUMBERS:
        value = {"value_int": attribute.i, "value_float": attribute.f}.get(name, attribute.ints or attribute.floats)
        return np.array(value, dtype=NUMBERS[name])
    if name != "value" or attribute.t.data_type == ElementType.STRING or attribute.t.data_location:
        return None
    if math.prod(attribute.t.dims) > FEW:
        return None
    try:
        array: Array = ctx.decoded_attributes()["value"]
    except (ValueError, TypeError, KeyError):
        return None
    return array


@rule("ConstantOfShape", since=(9, 20, 21, 23, 24, 25))
def constant_of_shape(ctx: Context) -> Result:
    """The shape that the elements of the input say, which must not be negative."""
    elem = fill_type(ctx)
    ctx.best(TensorType(elem, None))
    sizes = ctx.ints("input")
    if sizes is None:
        return TensorType(elem, None)
    for axis, size in enumerate(sizes):
        if size is not None:
            ctx.require_at_least(size, 0, codes.SIZE_VALUE, what=f"input[{axis}]", value=size, expected="at least 0")
    return TensorType(elem, sizes)


def fill_type(ctx: Context) -> int:
    """The element type of ``value``, which must be a tensor of one element; float without it."""
    attribute: Any = ctx.attr_proto("value")
    if attribute is None:
        return ElementType.FLOAT
    kind = stored(ctx, "value", attribute.t.data_type, attribute.t.dims)
    if math.prod(attribute.t.dims) != 1:
        ctx.fail(codes.LENGTH, what="value", found=math.prod(attribute.t.dims), expected=1)
    return kind.elem if isinstance(kind, TensorType) else 0
