"""Operators on strings: StringConcat, StringSplit, RegexFullMatch (20), StringNormalizer (10), TfIdfVectorizer (9).

How many words a string splits into, and how many are left when stop words are dropped, only a run can tell.
"""

from __future__ import annotations

from shapeinfer.rule import Context, Dim, ElementType, Result, codes, dims, rule

from .broadcasting import multidirectional
from .sizes import tie


@rule("StringConcat", since=(20,))
def string_concat(ctx: Context) -> Result:
    """What both shapes broadcast to."""
    return multidirectional(ctx, [ctx.shape_or_none(0), ctx.shape_or_none(1)])


@rule("RegexFullMatch", since=(20,))
def regex_full_match(ctx: Context) -> Result:
    """One boolean per string."""
    return ctx.shape_or_none(0)


@rule("StringSplit", since=(20,))
def string_split(ctx: Context) -> Result:
    """The parts along a new last axis, as long as the most parts that one string has, and the number of each."""
    shape = ctx.shape_or_none(0)
    return [None if shape is None else (*shape, None), shape]


@rule("StringNormalizer", since=(10,))
def string_normalizer(ctx: Context) -> Result:
    """``[C]`` or ``[1, C]`` without stop words; where none is left, one empty string."""
    ctx.attr_choice("case_change_action", ("NONE", "LOWER", "UPPER"))
    shape = ctx.shape("X")
    if len(shape) not in (1, 2):
        ctx.fail(codes.RANK, input="X", shape=shape, expected="1 or 2")
    if len(shape) == 2:
        tie(ctx, "X has the shape [C] or [1, C]; its first size and", shape[0], 1)
    kept: Dim | None = None
    stopwords = ctx.attr_proto("stopwords")
    if stopwords is None or not stopwords.strings:
        kept = dims.maximum(shape[-1], 1)
    return (*shape[:-1], kept) if len(shape) == 1 else (1, kept)


@rule("TfIdfVectorizer", since=(9,))
def tf_idf_vectorizer(ctx: Context) -> Result:
    """One number for each coordinate that an n-gram has, up to the greatest: ``[C] -> [M]``, ``[N, C] -> [N, M]``."""
    width = check_ngrams(ctx)
    shape = ctx.shape("X")
    if len(shape) not in (1, 2):
        ctx.fail(codes.RANK, input="X", shape=shape, expected="1 or 2")
    return (*shape[:-1], width)


def check_ngrams(ctx: Context) -> int:
    """The length of a row of the result, after the attributes have been held against each other."""
    ctx.attr_choice("mode", ("TF", "IDF", "TFIDF"))
    indexes = ctx.attr_ints("ngram_indexes") or ()
    if not indexes:
        ctx.fail(codes.LENGTH, what="ngram_indexes", found=0, expected="at least 1")
    if min(indexes) < 0:
        ctx.fail(codes.SIZE_VALUE, what="an entry of ngram_indexes", value=min(indexes), expected="at least 0")
    weights = ctx.attr_proto("weights")
    if weights is not None and len(weights.floats) != len(indexes):
        ctx.fail(codes.LENGTH, what="weights", found=len(weights.floats), expected=len(indexes))
    low, high = ctx.attr_int("min_gram_length"), ctx.attr_int("max_gram_length")
    if low < 1:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="min_gram_length", value=low, expected="at least 1")
    if high < low:
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="max_gram_length", value=high, expected=f"at least {low}")
    check_pool(ctx)
    return max(indexes) + 1


def check_pool(ctx: Context) -> None:
    """There is one pool, of strings for strings and of integers for integers."""
    strings, integers = ctx.has_attr("pool_strings"), ctx.has_attr("pool_int64s")
    if strings == integers:
        value = "stated beside pool_int64s" if strings else "left out, and so is pool_int64s"
        ctx.fail(codes.ATTRIBUTE_VALUE, attribute="pool_strings", value=value, expected="stated if the other is not")
    elem = ctx.elem("X")
    if elem and (elem == ElementType.STRING) != strings:
        allowed = "tensors of string" if strings else "tensors of int32, int64"
        ctx.fail(codes.TYPE_NOT_ALLOWED, input="X", found=ElementType(elem).label, allowed=f"{allowed} with this pool")
