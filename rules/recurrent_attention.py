"""What newer language models have beside Attention: rotary positions, caches, gates, and layers that carry a state.

RotaryEmbedding (23), TensorScatter (24), LinearAttention and CausalConvWithState (27), SwiGLU (28).
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, Shape, TensorType, codes, dims, rule

from .attention import share_heads, stated_heads
from .broadcasting import same
from .sizes import Sizes, tie

RULES = {"linear": (), "gated": ("decay",), "delta": ("beta",), "gated_delta": ("decay", "beta")}


@rule("SwiGLU", since=(28,))
def swiglu(ctx: Context) -> Result:
    """The one shape of both inputs, which do not broadcast."""
    return same(ctx, [ctx.shape_or_none(0), ctx.shape_or_none(1)])


@rule("RotaryEmbedding", since=(23,))
def rotary_embedding(ctx: Context) -> Result:
    """The shape of X: ``(batch, heads, length, size)``, or ``(batch, length, heads*size)`` with ``num_heads``.

    The caches hold one number for each two that are rotated, for each position; without ``position_ids`` also for each
    member of the batch.
    """
    shape = ctx.shape_or_none("X")
    sizes = Sizes(ctx)
    if shape is not None and len(shape) == 3:
        sizes.put("heads", stated_heads(ctx, "num_heads"))
        sizes.match("X", "batch length heads*size")
    elif shape is not None:
        if len(shape) != 4:
            ctx.fail(codes.RANK, input="X", shape=shape, expected="3 or 4")
        sizes.match("X", "batch heads length size")
    for cache in ("cos_cache", "sin_cache"):
        sizes.match(cache, "positions half" if ctx.given("position_ids") else "batch length half")
    sizes.match("position_ids", "batch length")
    check_rotated(ctx, sizes)
    if shape is None:
        return None
    return sizes.shape("batch length heads*size" if len(shape) == 3 else "batch heads length size")


def check_rotated(ctx: Context, sizes: Sizes) -> None:
    """Requires two rotated numbers for each one in the caches: all of a head, or ``rotary_embedding_dim`` of it."""
    size, half = sizes.get("size"), sizes.get("half")
    rotated: Dim | None = ctx.attr_int("rotary_embedding_dim")
    if rotated == 0:
        rotated = size
    elif size is not None and rotated is not None:
        ctx.require_at_least(size, rotated, codes.AT_LEAST, what="the size of a head", found=size, least=rotated)
    if rotated is None:
        return
    if half is not None:
        tie(ctx, "rotated numbers and 2 * last size of the caches", rotated, dims.mul(2, half))
    else:
        what = "the rotated numbers of a head by 2"
        ctx.require_divisible(rotated, 2, codes.DIVISIBLE, what=what, dim=rotated, divisor=2)


@rule("TensorScatter", since=(24,))
def tensor_scatter(ctx: Context) -> Result:
    """The shape of the cache, along one axis of which the update is written."""
    ctx.attr_choice("mode", ("linear", "circular"))
    cache, update = ctx.shape_or_none("past_cache"), ctx.shape_or_none("update")
    known = cache if cache is not None else update
    if known is None:
        return None
    if len(known) < 2:
        ctx.fail(codes.RANK, input="past_cache", shape=known, expected="at least 2")
    axis = ctx.axis(ctx.attr_int("axis"), len(known))
    if axis == 0:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="axis", value=0, expected="another than that of the batch, 0")
    result: list[Dim | None] = list(known)
    if cache is None:
        result[axis] = None
    elif update is not None:
        result = list(written(ctx, cache, update, axis))
    if ctx.given("write_indices"):
        length = ctx.length("write_indices")
        if length is not None:
            result[0] = tie(ctx, "batch and length of write_indices", known[0], length)
    return tuple(result)


def written(ctx: Context, cache: Shape, update: Shape, axis: int) -> Shape:
    """The cache's shape, which the update has but for the axis along which it is no longer."""
    if len(update) != len(cache):
        ctx.fail(codes.RANK, input="update", shape=update, expected=len(cache))
    out: list[Dim] = []
    for i, (old, new) in enumerate(zip(cache, update, strict=True)):
        if i == axis:
            ctx.require_at_least(old, new, codes.AT_LEAST, what="length of past_cache", found=old, least=new)
            out.append(old)
        else:
            out.append(tie(ctx, f"sizes of past_cache and update along axis {i}", old, new))
    return tuple(out)


@rule("LinearAttention", since=(27,))
def linear_attention(ctx: Context) -> Result:
    """``(batch, length, q_heads*v_size)`` and the state ``(batch, kv_heads, size, v_size)``."""
    chosen = ctx.attr_choice("update_rule", RULES)
    for name in RULES[chosen]:
        if not ctx.given(name):
            expected = f"{name} with the update rule {chosen}"
            ctx.fail(codes.TOO_FEW_INPUTS, expected=expected, found="none is", missing="")
    sizes = Sizes(ctx, q_heads=stated_heads(ctx, "q_num_heads"), kv_heads=stated_heads(ctx, "kv_num_heads"))
    share_heads(ctx, sizes)
    sizes.match("past_state", "batch kv_heads size v_size")
    sizes.match("query", "batch length q_heads*size")
    sizes.match("key", "batch length kv_heads*size")
    sizes.match("value", "batch length kv_heads*v_size")
    for name in ("decay", "beta"):
        sizes.match(name, "batch length _")
    per_head(ctx, sizes, "decay", "kv_heads*size")
    per_head(ctx, sizes, "beta", "1")
    state = ctx.elem("past_state") if ctx.given("past_state") else ctx.elem("query")
    shape = sizes.shape("batch kv_heads size v_size")
    return [sizes.shape("batch length q_heads*v_size"), TensorType(state, shape)]


def per_head(ctx: Context, sizes: Sizes, name: str, other: str) -> None:
    """The last size of a gate is the number of heads or one other size."""
    shape = ctx.shape_or_none(name)
    choices = [sizes.get("kv_heads"), sizes.get(other)]
    if shape and all(size is not None and ctx.facts.equal(shape[-1], size) is False for size in choices):
        expected = f"{choices[0]} or {choices[1]}"
        ctx.fail(codes.SIZE_VALUE, what=f"the last size of {name}", value=shape[-1], expected=expected)


@rule("CausalConvWithState", since=(27,))
def causal_conv_with_state(ctx: Context) -> Result:
    """The input's shape, and a state of the kernel's size less one."""
    ctx.attr_choice("activation", ("none", "silu", "swish"))
    sizes = Sizes(ctx)
    sizes.match("input", "batch channels length")
    sizes.match("weight", "channels 1 kernel")
    sizes.match("bias", "channels")
    kernel = sizes.get("kernel")
    if kernel is not None:
        ctx.require_at_least(kernel, 1, codes.AT_LEAST, what="size of the kernel", found=kernel, least=1)
        sizes.put("state", dims.sub(kernel, 1))
    sizes.match("past_state", "batch channels state")
    return [sizes.shape("batch channels length"), sizes.shape("batch channels state")]
