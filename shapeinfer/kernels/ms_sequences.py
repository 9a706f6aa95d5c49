"""com.microsoft: around the generation of text: padding and its removal, repeated n-grams, decoding ahead."""

from __future__ import annotations

import numpy as np

from shapeinfer.kernels.arguments import shape_text
from shapeinfer.kernels.dtypes import Array, narrow, widen
from shapeinfer.kernels.errors import KernelError
from shapeinfer.kernels.ms_shared import MS
from shapeinfer.kernels.registry import kernel


@kernel("RemovePadding", since=(1,), domain=MS)
def remove_padding(input: Array, sequence_token_count: Array) -> tuple[Array, Array, Array, Array]:
    """The tokens that are no padding, which is on the right.

    Also the places of all tokens, those of padding last, where each sequence begins among them, and the longest length.
    """
    if input.ndim != 3 or sequence_token_count.shape != input.shape[:1]:
        raise KernelError(f"counts {shape_text(sequence_token_count.shape)} for {shape_text(input.shape)}")
    batch, length, width = input.shape
    kept = (np.arange(length) < sequence_token_count[:, None]).reshape(-1)
    places = np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)]).astype(np.int32)
    begins = np.concatenate([[0], np.cumsum(sequence_token_count)]).astype(np.int32)
    longest = np.array([sequence_token_count.max(initial=0)], dtype=np.int32)
    return input.reshape(-1, width)[kept], places.reshape(batch, length), begins, longest


@kernel("RestorePadding", since=(1,), domain=MS)
def restore_padding(input: Array, token_offset: Array) -> Array:
    """The reverse of RemovePadding, with zeros for padding."""
    if input.ndim != 2 or token_offset.ndim != 2 or input.shape[0] > token_offset.size:
        raise KernelError(f"{shape_text(input.shape)} for the places {shape_text(token_offset.shape)}")
    result = np.zeros((token_offset.size, input.shape[1]), dtype=input.dtype)
    result[token_offset.reshape(-1)[: input.shape[0]]] = input
    return result.reshape(*token_offset.shape, input.shape[1])


@kernel("NGramRepeatBlock", since=(1,), domain=MS)
def ngram_repeat_block(input_ids: Array, scores: Array, *, ngram_size: int) -> Array:
    """The scores, with ``-inf`` for tokens that would repeat an n-gram of the sequence."""
    if input_ids.ndim != 2 or scores.ndim != 2 or input_ids.shape[0] != scores.shape[0] or ngram_size < 1:
        raise KernelError(f"{shape_text(input_ids.shape)} and {shape_text(scores.shape)} do not fit")
    result = scores.copy()
    length = input_ids.shape[1]
    if length < ngram_size:
        return result
    grams = np.lib.stride_tricks.sliding_window_view(input_ids, ngram_size, axis=1)
    ending = input_ids[:, length - ngram_size + 1 :]
    repeated = (grams[:, :, :-1] == ending[:, None]).all(axis=2)
    lines, at = np.nonzero(repeated)
    tokens = grams[lines, at, -1]
    if tokens.size and not (tokens.min() >= 0 and tokens.max() < scores.shape[1]):
        raise KernelError(f"a token is out of range for {scores.shape[1]} scores")
    result[lines, tokens] = -np.inf
    return result


@kernel("BifurcationDetector", since=(1,), domain=MS)
def bifurcation_detector(
    src_tokens: Array,
    cur_tokens: Array,
    prev_suffix_match_idx: Array,
    pred_tokens: Array | None = None,
    *,
    max_ngram_size: int = 3,
    min_ngram_size: int = 1,
) -> tuple[Array, Array]:
    """The current tokens, with those predicted behind them up to the first that the source does not confirm.

    Also where in the source the longest n-gram at their end, of these sizes, ends, if it occurs there once; else -1.
    """
    tokens = cur_tokens
    if pred_tokens is not None:
        begin = int(prev_suffix_match_idx.reshape(-1)[0])
        following = src_tokens[begin:] if begin >= 0 else src_tokens[:0]
        shared = min(following.size, pred_tokens.size)
        differ = np.flatnonzero(following[:shared] != pred_tokens[:shared])
        same = int(differ[0]) if differ.size else shared
        tokens = np.concatenate([cur_tokens, pred_tokens[: same + 1]])
    match = -1
    for size in range(min_ngram_size, max_ngram_size + 1):
        if size > tokens.size or size > src_tokens.size:
            break
        grams = np.lib.stride_tricks.sliding_window_view(src_tokens, size)
        found = np.flatnonzero((grams == tokens[-size:]).all(axis=1))
        if not found.size:
            break
        match = int(found[0]) + size if found.size == 1 else -1
        if found.size == 1:
            break
    return tokens, np.asarray(match, dtype=np.int64).reshape(prev_suffix_match_idx.shape)


@kernel("RelativePositionBias", since=(1,), domain=MS)
def relative_position_bias(
    bias_table: Array, query_length: Array, key_length: Array, *, is_bidirectional: int = 0, max_distance: int
) -> Array:
    """The bias of each pair of positions, ``[1, heads, queries, keys]``, from a table ``[buckets, heads]``.

    Half of the buckets are for single distances, the other half for ranges that grow up to the largest distance.
    """
    queries, keys = int(query_length.reshape(-1)[0]), int(key_length.reshape(-1)[0])
    distance = np.arange(queries)[:, None] - np.arange(keys)
    count = bias_table.shape[0]
    bucket = np.zeros(distance.shape, dtype=np.intp)
    if is_bidirectional:
        count //= 2
        bucket = np.where(distance < 0, count, 0)
        distance = np.abs(distance)
    else:
        distance = np.maximum(distance, 0)
    exact = count // 2
    far = exact + (np.log(np.maximum(distance, 1) / exact) / np.log(max_distance / exact) * (count - exact)).astype(
        np.intp
    )
    bucket = bucket + np.where(distance < exact, distance, np.minimum(far, count - 1))
    return narrow(widen(bias_table)[bucket].transpose(2, 0, 1)[None], bias_table.dtype)
