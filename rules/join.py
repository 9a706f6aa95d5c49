"""What is known of a value that comes from one of several places: that on which they agree."""

from __future__ import annotations

from shapeinfer.rule import (
    Context,
    MapType,
    Maybe,
    OptionalType,
    SequenceType,
    SparseTensorType,
    TensorType,
    ValueType,
)


def same_kind(a: ValueType | None, b: ValueType | None) -> bool:
    """Whether two types can be of one value: their kinds and element types do not contradict each other."""
    if a is None or b is None:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, TensorType | SparseTensorType):
        return not a.elem or not b.elem or a.elem == b.elem  # type: ignore[union-attr]  # of one type
    if isinstance(a, SequenceType | OptionalType):
        return same_kind(a.elem, b.elem)  # type: ignore[union-attr, arg-type]
    return True


def join(ctx: Context, a: ValueType | None, b: ValueType | None) -> Maybe:
    """The type on which two agree; dims that differ are left to the run."""
    if a is None or b is None or not same_kind(a, b):
        return None
    if isinstance(a, TensorType) and isinstance(b, TensorType):
        elem = a.elem or b.elem
        if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
            return TensorType(elem)
        agreed = tuple(x if ctx.facts.equal(x, y) else None for x, y in zip(a.shape, b.shape, strict=True))
        return TensorType(elem, agreed)
    return inner_join(ctx, a, b)


def inner_join(ctx: Context, a: ValueType | None, b: ValueType | None) -> ValueType | None:
    """As :func:`join` for what lies inside a container: there a dim that differs leaves the whole shape open."""
    if a is None or b is None or not same_kind(a, b):
        return None
    if isinstance(a, SequenceType) and isinstance(b, SequenceType):
        return SequenceType(inner_join(ctx, a.elem, b.elem))
    if isinstance(a, OptionalType) and isinstance(b, OptionalType):
        return OptionalType(inner_join(ctx, a.elem, b.elem))
    if isinstance(a, MapType):
        return a if a == b else MapType()
    shape = a.shape if a.shape == b.shape else None  # type: ignore[union-attr]  # both are tensors
    make = SparseTensorType if isinstance(a, SparseTensorType) else TensorType
    return make(a.elem or b.elem, shape)  # type: ignore[arg-type, union-attr]
