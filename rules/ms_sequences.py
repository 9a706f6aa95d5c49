"""Around attention: rotary and relative positions, padding and its removal, and the generation of text."""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, Result, codes, dims, rule, rules

from .ms_shared import MS, positive, scalar_value, tie, vector


@rules({"RotaryEmbedding": (1,), "MRotaryEmbedding": (1,)}, domain=MS)
def rotary_embedding(ctx: Context) -> Result:
    """The shape of the input, ``(B, S, hidden)`` or ``(B, N, S, H)``; both caches are of one shape."""
    shape = ctx.shape_or_none("input")
    if shape is not None and len(shape) not in (3, 4):
        ctx.fail(codes.RANK, input="input", shape=shape, expected="3 or 4")
    cos, sin = ctx.shape_or_none("cos_cache"), ctx.shape_or_none("sin_cache")
    if cos is not None and sin is not None:
        ctx.require_rank("cos_cache", 2)
        ctx.require_rank("sin_cache", 2)
        for axis in (0, 1):
            tie(ctx, f"dim {axis} of cos_cache and sin_cache", cos[axis], sin[axis])
    return shape


@rule("GemmaRotaryEmbedding", since=(1,), domain=MS)
def gemma_rotary_embedding(ctx: Context) -> Result:
    """Rotated queries and keys, of their own shapes."""
    return [ctx.shape_or_none("q"), ctx.shape_or_none("k")]


@rule("RelativePositionBias", since=(1,), domain=MS)
def relative_position_bias(ctx: Context) -> Result:
    """``(1, N, queries, keys)`` from a table ``(buckets, N)`` and two lengths."""
    table = ctx.shape_or_none("bias_table")
    heads = None if table is None else ctx.require_rank("bias_table", 2)[1]
    return (1, heads, scalar_value(ctx, "query_length"), scalar_value(ctx, "key_length"))


@rule("GatedRelativePositionBias", since=(1,), domain=MS)
def gated_relative_position_bias(ctx: Context) -> Result:
    """``(B, N, S, S)``; with ``token_offset``, ``(B, S)``, the query is packed and cannot say it."""
    heads = positive(ctx, "num_heads")
    which, rank = ("token_offset", 2) if ctx.given("token_offset") else ("query_layer", 3)
    if ctx.shape_or_none(which) is None:
        return (None, heads, None, None)
    batch, length = ctx.require_rank(which, rank)[:2]
    return (batch, heads, length, length)


@rule("RemovePadding", since=(1,), domain=MS)
def remove_padding(ctx: Context) -> Result:
    """The tokens that are no padding, only a run knows how many, and where they and their sequences lie."""
    shape = ctx.shape_or_none("input")
    batch: Dim | None = None
    length: Dim | None = None
    width: Dim | None = None
    if shape is not None:
        batch, length, width = ctx.require_rank("input", 3)
    batch = vector(ctx, "sequence_token_count", batch)
    return [(None, width), (batch, length), (None if batch is None else dims.add(batch, 1),), (1,)]


@rule("RestorePadding", since=(1,), domain=MS)
def restore_padding(ctx: Context) -> Result:
    """``(B, S, hidden)``."""
    shape, offset = ctx.shape_or_none("input"), ctx.shape_or_none("token_offset")
    batch, length = (None, None) if offset is None else ctx.require_rank("token_offset", 2)
    return (batch, length, None if shape is None else ctx.require_rank("input", 2)[1])


@rule("BifurcationDetector", since=(1,), domain=MS)
def bifurcation_detector(ctx: Context) -> Result:
    """The merged tokens, only a run knows how many, and one index."""
    return [(None,), ctx.shape_or_none("prev_suffix_match_idx")]


@rule("NGramRepeatBlock", since=(1,), domain=MS)
def ngram_repeat_block(ctx: Context) -> Result:
    """The scores, with some of them masked."""
    scores, tokens = ctx.shape_or_none("scores"), ctx.shape_or_none("input_ids")
    positive(ctx, "ngram_size")
    if scores is not None and tokens is not None:
        ctx.require_rank("scores", 2)
        ctx.require_rank("input_ids", 2)
        tie(ctx, "the batch sizes of scores and input_ids", scores[0], tokens[0])
    return scores


@rules({"BeamSearch": (1,), "WhisperBeamSearch": (1,)}, domain=MS)
def beam_search(ctx: Context) -> Result:
    """``(B, sequences, max length)`` tokens, a score for each sequence, and scores of every step."""
    batch = batch_of(ctx)
    sequences = scalar_value(ctx, "num_return_sequences")
    steps = (None, batch, scalar_value(ctx, "num_beams"), vocabulary(ctx))
    tokens = (batch, sequences, scalar_value(ctx, "max_length"))
    return [tokens, (batch, sequences), steps, None, (batch,)]


@rules({"GreedySearch": (1,), "Sampling": (1,)}, domain=MS)
def greedy_search(ctx: Context) -> Result:
    """``(B, max length)`` tokens; ``Sampling`` also gives the logits, ``(B, vocabulary)``."""
    batch = batch_of(ctx)
    return [(batch, scalar_value(ctx, "max_length")), (batch, vocabulary(ctx))]


def batch_of(ctx: Context) -> Dim | None:
    """The number of prompts."""
    shape = ctx.shape_or_none("input_ids")
    if shape is not None and not shape:
        ctx.fail(codes.RANK, input="input_ids", shape=shape, expected="at least 2")
    return None if shape is None else shape[0]


def vocabulary(ctx: Context) -> int | None:
    """How many different tokens there are; without the attribute only the decoder says it."""
    size = ctx.attr_int("vocab_size")
    return size if size > 0 else None
