"""Attention (23, 24, 25; FlexAttention in the preview domain): ``softmax(Q @ K^T) @ V`` for several heads at once.

Q, K and V are 4-D, ``(batch, heads, length, size)``, or 3-D with the heads packed into the last axis,
``(batch, length, heads*size)``; then ``q_num_heads`` and ``kv_num_heads`` must be stated. Keys and values may have
fewer heads than queries, which share them evenly. A cache of past keys and values is always 4-D; the present one is
longer by what is new. The mask broadcasts to ``(batch, q_heads, q_len, total)``; from 24 on its last axis may be
shorter. 24 adds ``nonpad_kv_seqlen``, 25 windows.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Maybe, Result, Shape, TensorType, Value, codes, dims, rule

from .broadcasting import fit
from .sizes import Sizes, positive_attr, tie

INPUTS = ("Q", "K", "V")
PREVIEW = "ai.onnx.preview"
PRECISIONS = (ElementType.FLOAT, ElementType.FLOAT16, ElementType.DOUBLE, ElementType.BFLOAT16)


@rule("Attention", since=(23, 24, 25))
def attention(ctx: Context) -> Result:
    """The output in the form of Q, the present keys and values, and the scores."""
    check_options(ctx)
    rank = common_rank(ctx)
    sizes = Sizes(ctx)
    if rank == 3:
        sizes.put("q_heads", stated_heads(ctx, "q_num_heads"))
        sizes.put("kv_heads", stated_heads(ctx, "kv_num_heads"))
        sizes.match("past_key", "batch kv_heads past size")
        sizes.match("past_value", "batch kv_heads past v_size")
        sizes.match("Q", "batch q_len q_heads*size")
        sizes.match("K", "batch kv_len kv_heads*size")
        sizes.match("V", "batch kv_len kv_heads*v_size")
    else:
        sizes.match("Q", "batch q_heads q_len size")
        sizes.match("K", "batch kv_heads kv_len size")
        sizes.match("V", "batch kv_heads kv_len v_size")
        sizes.match("past_key", "batch kv_heads past size")
        sizes.match("past_value", "batch kv_heads past v_size")
    sizes.match("nonpad_kv_seqlen", "batch")
    share_heads(ctx, sizes)
    sizes.put("total", total_length(ctx, sizes))
    scores = sizes.shape("batch q_heads q_len total")
    masked = check_mask(ctx, scores)
    for name, dim in zip(("out_batch", "out_heads", "out_len"), masked, strict=False):
        sizes.put(name, dim)
    output: Maybe = None
    if rank is not None:
        packed = rank == 3
        output = sizes.shape("out_batch out_len out_heads*v_size" if packed else "out_batch out_heads out_len v_size")
    key, value = "batch kv_heads total size", "batch kv_heads total v_size"
    before_mask = ctx.attr_int("qk_matmul_output_mode") < 2
    return [output, sizes.shape(key), sizes.shape(value), scores if before_mask else masked]


def check_options(ctx: Context) -> None:
    """Flags, and the cache, of which keys and values come together."""
    mode = ctx.attr_int("qk_matmul_output_mode")
    if mode not in range(4):
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="qk_matmul_output_mode", value=mode, expected="0, 1, 2 or 3")
    check_precision(ctx)
    if ctx.given("past_key") != ctx.given("past_value"):
        found = "only past_key is" if ctx.given("past_key") else "only past_value is"
        ctx.fail(codes.TOO_FEW_INPUTS, expected="past_key and past_value together", found=found, missing="")


def check_precision(ctx: Context) -> None:
    """``softmax_precision`` names a floating-point type."""
    if ctx.has_attr("softmax_precision") and ctx.attr_int("softmax_precision") not in PRECISIONS:
        value = ctx.attr_int("softmax_precision")
        ctx.fail(codes.ELEMENT_TYPE, attribute="softmax_precision", value=value, why="is no floating-point type")


def common_rank(ctx: Context) -> int | None:
    """3 or 4: the rank of Q, K and V, of which one tells the others."""
    rank: int | None = None
    for name in INPUTS:
        shape = ctx.shape_or_none(name)
        if shape is None:
            continue
        if len(shape) not in (3, 4) or len(shape) != (rank or len(shape)):
            ctx.fail(codes.RANK, input=name, shape=shape, expected=rank or "3 or 4")
        rank = len(shape)
    return rank


def stated_heads(ctx: Context, name: str) -> int:
    """The number of heads, which must be stated where the heads are packed."""
    heads = positive_attr(ctx, name)
    if heads is None:
        ctx.fail(codes.ATTRIBUTE_MISSING, attribute=name)
    return heads


def share_heads(ctx: Context, sizes: Sizes) -> None:
    """Requires the heads of the queries to be a multiple of the others."""
    heads, shared = sizes.get("q_heads"), sizes.get("kv_heads")
    if heads is not None and shared is not None and shared != 0:
        what = "heads of the queries by those of keys and values"
        ctx.require_divisible(heads, shared, codes.DIVISIBLE, what=what, dim=heads, divisor=shared)


def total_length(ctx: Context, sizes: Sizes) -> Dim | None:
    """The length of past and new keys together."""
    new, past = sizes.get("kv_len"), sizes.get("past") if ctx.given("past_key") else 0
    return None if new is None or past is None else dims.add(past, new)


def check_mask(ctx: Context, scores: tuple[Dim | None, ...]) -> tuple[Dim | None, ...]:
    """The shape of the scores after the mask, which must broadcast to them.

    Where it is open whether a mask is 1 long or as long as the scores, the claim also holds for the runtimes that let
    scores that are 1 long broadcast to the mask, as the body of the operator's function does.
    """
    mask = ctx.shape_or_none("attn_mask")
    if mask is None:
        sure = [dim if dim is not None and ctx.facts.equal(dim, 1) is False else None for dim in scores[:3]]
        return (*sure, scores[3]) if ctx.given("attn_mask") else scores
    if len(mask) > 4:
        ctx.fail(codes.RANK, input="attn_mask", shape=mask, expected="at most 4")
    masked = list(scores)
    for axis, size in enumerate(mask, 4 - len(mask)):
        score = scores[axis]
        if score is None or ctx.facts.equal(score, size) or ctx.facts.equal(size, 1):
            continue
        if axis == 3 and ctx.version >= 24:
            what = "the total length, of which attn_mask has the mask,"
            ctx.require_at_least(score, size, codes.AT_LEAST, what=what, found=score, least=size)
        elif axis == 3 or ctx.facts.equal(score, size) is False or ctx.facts.equal(score, 1):
            fit(ctx, (score,), (size,), 0)
        else:
            masked[axis] = ctx.broadcast_dims(score, size, (score,), (size,))
    return tuple(masked)


@rule("FlexAttention", since=(1,), domain=PREVIEW)
def flex_attention(ctx: Context) -> Result:
    """``(batch, q_heads, q_len, v_size)``; the inner graphs keep the shape of scores and probabilities."""
    check_precision(ctx)
    sizes = Sizes(ctx)
    sizes.match("Q", "batch q_heads q_len size")
    sizes.match("K", "batch kv_heads kv_len size")
    sizes.match("V", "batch kv_heads kv_len v_size")
    share_heads(ctx, sizes)
    scores = sizes.shape("batch q_heads q_len kv_len")
    for name in ("score_mod", "prob_mod"):
        if ctx.has_attr(name):
            check_modifier(ctx, name, TensorType(inner_precision(ctx), without_unknown(scores)))
    return sizes.shape("batch q_heads q_len v_size")


def inner_precision(ctx: Context) -> int:
    """The element type of the scores: ``softmax_precision``, else double for double and float for others."""
    if ctx.has_attr("softmax_precision"):
        return ctx.attr_int("softmax_precision")
    elem = ctx.elem("Q")
    return ElementType.UNDEFINED if not elem else elem if elem == ElementType.DOUBLE else ElementType.FLOAT


def without_unknown(shape: tuple[Dim | None, ...]) -> Shape | None:
    """The shape, where all of it is known."""
    known = tuple(dim for dim in shape if dim is not None)
    return known if len(known) == len(shape) else None


def check_modifier(ctx: Context, name: str, kind: TensorType) -> None:
    """Walks an inner graph, whose one output must be of the type of its one input."""
    declared = ctx.graph_inputs(name)
    if len(declared) != 1:
        ctx.fail(codes.GRAPH_COUNT, graph=name, what="inputs", found=len(declared), expected=1)
    result = ctx.run_graph(name, [Value(declared[0].name, kind, "inner input")], certain=True)
    if len(result.outputs) != 1:
        ctx.fail(codes.GRAPH_COUNT, graph=name, what="outputs", found=len(result.outputs), expected=1)
    made = result.outputs[0].type if result.outputs[0] is not None else None
    if not isinstance(made, TensorType) or made.shape is None:
        return
    if len(made.shape) != 4:
        ctx.fail(codes.RANK, input=f"the output of {name}", shape=made.shape, expected=4)
    for before, after in zip(kind.shape or (), made.shape, strict=False):
        tie(ctx, f"sizes before and after {name}", before, after)
