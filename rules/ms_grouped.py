"""Attention in which groups of query heads share one head of keys and values, and attention over paged caches.

``num_heads`` counts the query heads, ``kv_num_heads`` those of keys and values. Without ``key`` and ``value``, the
query holds all three side by side: its width is ``(num_heads + 2 * kv_num_heads) * head size``.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, dims, rule

from .ms_shared import MS, flag, positive, quotient, scalar_value, tie, vector


def heads_of(ctx: Context) -> tuple[int, int]:
    """The query heads, and the heads of keys and values, of which they must be a multiple."""
    heads, groups = positive(ctx, "num_heads"), positive(ctx, "kv_num_heads")
    if heads % groups:
        ctx.fail(codes.DIVISIBLE, what="num_heads and kv_num_heads", dim=heads, divisor=groups)
    return heads, groups


def head_size(ctx: Context, width: Dim) -> Dim | None:
    """The size of one head of the query."""
    heads, groups = heads_of(ctx)
    if ctx.given("key"):
        return quotient(ctx, "the hidden size and num_heads", width, heads)
    what = "the width of the packed query and num_heads + 2 * kv_num_heads"
    return quotient(ctx, what, width, heads + 2 * groups)


def output_width(ctx: Context, width: Dim, size: Dim | None) -> Dim | None:
    """All query heads side by side."""
    if ctx.given("key"):
        return width
    return None if size is None else dims.mul(heads_of(ctx)[0], size)


@rule("GroupQueryAttention", since=(1,), domain=MS)
def group_query_attention(ctx: Context) -> Result:
    """``(B, S, hidden)`` and the caches ``(B, kv heads, length, H)``, long enough for the total length."""
    query = ctx.shape_or_none("query")
    heads, groups = heads_of(ctx)
    if query is None:
        caches = [cache(ctx, which, None, groups, None) for which in ("key", "value")]
        return [(None, None, None), *caches, (None, heads, None, None)]
    batch, length, width = ctx.require_rank("query", 3)
    check_keys(ctx, batch, length)
    size = head_size(ctx, width)
    vector(ctx, "seqlens_k", batch) if ctx.shape_or_none("seqlens_k") not in (None, ()) else None
    caches = [cache(ctx, which, batch, groups, size) for which in ("key", "value")]
    return [(batch, length, output_width(ctx, width, size)), *caches, (batch, heads, length, None)]


def check_keys(ctx: Context, batch: Dim, length: Dim) -> None:
    """Keys and values come together, for as many tokens as the query has."""
    if ctx.given("key") != ctx.given("value"):
        ctx.fail(codes.TOO_FEW_INPUTS, expected="key and value together", found="only one of them is", missing="")
    for which in ("key", "value"):
        shape = ctx.shape_or_none(which)
        if shape is not None:
            ctx.require_rank(which, 3)
            tie(ctx, f"the batch sizes of query and {which}", shape[0], batch)


def cache(ctx: Context, which: str, batch: Dim | None, groups: int, size: Dim | None) -> Maybe:
    """The cache after the step: as long as the one before it, or as the total length if that is longer."""
    past = f"past_{which}"
    shape = ctx.shape_or_none(past)
    total = None if ctx.given("query_seqlens") else scalar_value(ctx, "total_sequence_length")
    if shape is None:
        quantised = flag(ctx, "kv_cache_bit_width") == 4
        length = None if ctx.given(past) else total
        return (batch, groups, length, None if quantised else size)
    ctx.require_rank(past, 4)
    tie(ctx, f"dim 1 of {past} and kv_num_heads", shape[1], groups)
    if flag(ctx, "sliding_window_cache"):
        return shape
    return (shape[0], groups, None if total is None else dims.maximum(shape[2], total), shape[3])


@rule("SparseAttention", since=(1,), domain=MS)
def sparse_attention(ctx: Context) -> Result:
    """``(B, S, hidden)``; the caches keep their shape."""
    shape = ctx.shape_or_none("query")
    heads_of(ctx)
    caches = [ctx.shape_or_none("past_key"), ctx.shape_or_none("past_value")]
    if shape is None:
        return [(None, None, None), *caches]
    batch, length, width = ctx.require_rank("query", 3)
    return [(batch, length, output_width(ctx, width, head_size(ctx, width))), *caches]


@rule("PagedAttention", since=(1,), domain=MS)
def paged_attention(ctx: Context) -> Result:
    """``(tokens, hidden)``; the caches, blocks of ``(blocks, block size, kv heads, H)``, keep their shape."""
    shape = ctx.shape_or_none("query")
    heads, _ = heads_of(ctx)
    caches = [ctx.shape_or_none("key_cache"), ctx.shape_or_none("value_cache")]
    if shape is None:
        return [(None, None), *caches]
    tokens, width = ctx.require_rank("query", 2)
    if ctx.has_attr("v_head_size"):
        return [(tokens, heads * flag(ctx, "v_head_size")), *caches]
    if ctx.has_attr("kv_cache_layout"):
        return [(tokens, None), *caches]
    return [(tokens, output_width(ctx, width, head_size(ctx, width))), *caches]


@rule("LinearAttention", since=(1,), domain=MS)
def linear_attention(ctx: Context) -> Result:
    """``(B, S, heads * value head size)``, with as many heads as the side that has more, and the recurrent state."""
    queries, groups = positive(ctx, "q_num_heads"), positive(ctx, "kv_num_heads")
    query, value = ctx.shape_or_none("query"), ctx.shape_or_none("value")
    batch = length = keys = values = None
    if query is not None:
        batch, length, width = ctx.require_rank("query", 3)
        keys = quotient(ctx, "the width of query and q_num_heads", width, queries)
    if value is not None:
        values = quotient(ctx, "the width of value and kv_num_heads", ctx.require_rank("value", 3)[2], groups)
    state: tuple[Dim | None, ...] = (batch, groups, keys, values)
    window = flag(ctx, "state_window")
    width_out = None if values is None else dims.mul(max(queries, groups), values)
    return [(batch, length, width_out), (window, *state) if window else state]


@rule("LinearAttentionGate", since=(1,), domain=MS)
def linear_attention_gate(ctx: Context) -> Result:
    """Both gates have the shape of ``a``."""
    shape: Shape | None = ctx.shape_or_none("a")
    if shape is not None:
        *_, heads = ctx.require_rank("a", 3)
        vector(ctx, "dt_bias", heads)
        vector(ctx, "decay_scale", heads)
    return [shape, shape]
