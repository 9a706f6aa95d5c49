"""Attention of ``com.microsoft``: with its own projection, as ``Attention``, without it, and packed.

Names used throughout: batch B, query length S, key length L, heads N, head size H. The output is ``(B, S, hidden of
V)``. Keys and values of earlier steps come in as ``past`` and go out, with the new ones behind them, as ``present``;
where both share one buffer, ``present`` has the shape of ``past``. ``Attention`` stacks keys and values in one tensor
``(2, B, N, P, H)``; ``MultiHeadAttention`` has two of ``(B, N, P, H)``. Grouped queries: :mod:`.ms_grouped`.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Maybe, Result, Shape, codes, dims, rule, rules

from .ms_shared import MS, flag, positive, quotient, same, tie, vector


@rules({"Attention": (1,), "QAttention": (1,), "DecoderMaskedSelfAttention": (1,)}, domain=MS)
def attention(ctx: Context) -> Result:
    """Self attention with the projections of Q, K and V in one matrix ``(D, hidden + hidden + hidden of V)``."""
    heads = positive(ctx, "num_heads")
    shape = ctx.require_rank("input", 3) if ctx.shape_or_none("input") is not None else None
    values = value_width(ctx, shape[2] if shape is not None else None)
    if shape is None:
        return [(None, None, values), present_of(ctx, None, None, heads, None)]
    batch, queries, _ = shape
    size = None if values is None else quotient(ctx, "the hidden size and num_heads", values, heads)
    return [(batch, queries, values), present_of(ctx, batch, queries, heads, size)]


def value_width(ctx: Context, width: Dim | None) -> Dim | None:
    """The hidden size of the values: stated, or a third of the columns of the weights."""
    weights = "weight" if ctx.node.op == "QAttention" else "weights"
    columns: Dim | None = None
    if ctx.shape_or_none(weights) is not None:
        rows, columns = ctx.require_rank(weights, 2)
        if width is not None:
            tie(ctx, f"the input size and the rows of {weights}", width, rows)
    columns = vector(ctx, "bias", columns)
    proto = ctx.attr_proto("qkv_hidden_sizes")
    stated = tuple(proto.ints) if proto is not None else ()
    if stated:
        if len(stated) != 3:
            ctx.fail(codes.LENGTH, what="qkv_hidden_sizes", found=len(stated), expected=3)
        if columns is not None:
            tie(ctx, f"the columns of {weights} and the sum of qkv_hidden_sizes", columns, sum(stated))
        return int(stated[2])
    return None if columns is None else quotient(ctx, f"the columns of {weights}, which are three parts", columns, 3)


def present_of(ctx: Context, batch: Dim | None, length: Dim | None, heads: int, size: Dim | None) -> Maybe:
    """``(2, B, N, P + S, H)``: ``past`` grown by the new keys and values."""
    past = ctx.shape_or_none("past")
    if past is None:
        missing = ctx.given("past") and length is not None
        return (2, batch, heads, None if missing else length, size)
    ctx.require_rank("past", 5)
    tie(ctx, "dim 0 of past", past[0], 2)
    tie(ctx, "dim 2 of past and num_heads", past[2], heads)
    if flag(ctx, "past_present_share_buffer"):
        return past
    return (2, past[1], heads, None if length is None else dims.add(past[3], length), past[4])


@rule("MultiHeadAttention", since=(1,), domain=MS)
def multi_head_attention(ctx: Context) -> Result:
    """Attention of projected queries, keys and values, which may come packed into one or two tensors."""
    heads = positive(ctx, "num_heads")
    query = ctx.shape_or_none("query")
    if query is not None and len(query) not in (3, 5):
        ctx.fail(codes.RANK, input="query", shape=query, expected="3, or 5 with keys and values packed into it")
    batch, length = (None, None) if query is None else query[:2]
    keys, size = keys_of(ctx, query, heads)
    presents = [cache_of(ctx, which, batch, keys, heads, size) for which in ("past_key", "past_value")]
    total = presents[0][2] if presents[0] is not None else None
    output = (batch, length, output_width(ctx, query, heads))
    return [output, *presents, (batch, heads, length, total)]


def keys_of(ctx: Context, query: Shape | None, heads: int) -> tuple[Dim | None, Dim | None]:
    """The number of new keys and the head size."""
    key = ctx.shape_or_none("key") if ctx.given("key") else query
    if key is None:
        return None, None
    if ctx.given("key") and len(key) not in (3, 4, 5):
        ctx.fail(codes.RANK, input="key", shape=key, expected="3, 4 or 5")
    if len(key) == 4:
        tie(ctx, "dim 1 of key and num_heads", key[1], heads)
        return key[2], key[3]
    if len(key) == 5:
        packed = 2 if ctx.given("key") else 3
        tie(ctx, "the heads that are packed and num_heads", key[2], heads)
        tie(ctx, f"dim 3 of the packed {'key' if packed == 2 else 'query'}", key[3], packed)
        return key[1], key[4]
    if query is not None and ctx.given("key"):
        tie(ctx, "the batch sizes of query and key", key[0], query[0])
    return key[1], quotient(ctx, "the hidden size of key and num_heads", key[2], heads)


def output_width(ctx: Context, query: Shape | None, heads: int) -> Dim | None:
    """The hidden size of the values, which are given, or packed with the keys or with everything."""
    if not ctx.given("value"):
        if query is None:
            return None
        if len(query) == 5:
            return dims.mul(heads, query[4])
        return query[2] if ctx.given("key") else None
    value = ctx.shape_or_none("value")
    if value is None:
        return None
    if len(value) not in (3, 4):
        ctx.fail(codes.RANK, input="value", shape=value, expected="3 or 4")
    return value[2] if len(value) == 3 else dims.mul(heads, value[3])


def cache_of(
    ctx: Context, which: str, batch: Dim | None, keys: Dim | None, heads: int, size: Dim | None
) -> tuple[Dim | None, ...]:
    """What becomes of ``past_key`` or ``past_value``, ``(B, N, P, H)``."""
    shape = ctx.shape_or_none(which)
    if shape is None:
        value = ctx.shape_or_none("value")
        if which == "past_value" and value is not None and len(value) == 3:
            size = quotient(ctx, "the hidden size of value and num_heads", value[2], heads)
        return (batch, heads, None if ctx.given(which) else keys, size)
    ctx.require_rank(which, 4)
    tie(ctx, f"dim 1 of {which} and num_heads", shape[1], heads)
    if ctx.given("past_sequence_length") or flag(ctx, "past_present_share_buffer"):
        return shape
    return (shape[0], shape[1], None if keys is None else dims.add(shape[2], keys), shape[3])


@rule("DecoderMaskedMultiHeadAttention", since=(1,), domain=MS)
def decoder_masked(ctx: Context) -> Result:
    """One step of decoding: a single query for each sequence; keys of rank 4 are those of another sequence."""
    heads = positive(ctx, "num_heads")
    query = ctx.shape_or_none("query")
    batch = None
    if query is not None:
        ctx.require_rank("query", 3)
        batch = query[0]
        tie(ctx, "the query length", query[1], 1)
    width: Dim | None = None
    if ctx.given("value"):
        width = output_width(ctx, query, heads)
    elif query is not None:
        width = quotient(ctx, "the width of the packed query, which is three parts", query[2], 3)
    key = ctx.shape_or_none("key")
    keys = None if ctx.given("key") and (key is None or len(key) != 3) else 1
    presents = [cache_of(ctx, which, batch, keys, heads, None) for which in ("past_key", "past_value")]
    return [(batch, 1, width), *presents, (batch, heads, 1, presents[0][2])]


@rule("PackedAttention", since=(1,), domain=MS)
def packed_attention(ctx: Context) -> Result:
    """``Attention`` on the tokens of all sequences in one row: ``(tokens, D)``."""
    shape = ctx.shape_or_none("input")
    if shape is not None:
        ctx.require_rank("input", 2)
    tokens, width = (None, None) if shape is None else shape
    return (tokens, value_width(ctx, width))


@rule("PackedMultiHeadAttention", since=(1,), domain=MS)
def packed_multi_head_attention(ctx: Context) -> Result:
    """``MultiHeadAttention`` on the tokens of all sequences in one row; the query may hold keys and values too."""
    query = ctx.shape_or_none("query")
    if query is None:
        return (None, None)
    if len(query) not in (2, 4):
        ctx.fail(codes.RANK, input="query", shape=query, expected="2, or 4 with keys and values packed into it")
    if len(query) == 4:
        return (query[0], dims.mul(query[1], query[3]))
    value = ctx.shape_or_none("value")
    if value is not None:
        ctx.require_rank("value", 2)
    return (query[0], None if value is None else value[1])


@rule("DecoderAttention", since=(1,), domain=MS)
def decoder_attention(ctx: Context) -> Result:
    """Attention with the sequence first; how long the caches get depends on run-time switches."""
    shape = ctx.shape_or_none("query")
    heads = positive(ctx, "num_heads")
    if shape is None:
        return [(None, None, None), (None, heads, None, None), (None, heads, None, None)]
    _, batch, width = ctx.require_rank("query", 3)
    cache = (batch, heads, None, quotient(ctx, "the hidden size and num_heads", width, heads))
    return [shape, cache, cache]


rules({"LongformerAttention": (1,), "QOrderedLongformerAttention": (1,)}, domain=MS)(same)


@rule("QOrderedAttention", since=(1,), domain=MS)
def ordered_attention(ctx: Context) -> Result:
    """``(B, S, hidden of V)``, where each projection has its own weights."""
    shape, weights = ctx.shape_or_none("input"), ctx.shape_or_none("V_weight")
    batch, length = (None, None) if shape is None else ctx.require_rank("input", 3)[:2]
    return (batch, length, None if weights is None else ctx.require_rank("V_weight", 2)[1])
