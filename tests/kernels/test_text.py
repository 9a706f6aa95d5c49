"""Strings, and counts of n-grams."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shapeinfer.kernels import KernelError

Agrees = Callable[..., list[Any]]
Run = Callable[..., Any]


def words(*values: Any) -> Any:
    return np.array(values, dtype=object)


@pytest.mark.parametrize("attributes", [{}, {"is_case_sensitive": 1, "stopwords": ["monday"]}])
@pytest.mark.parametrize("case", ["NONE", "LOWER", "UPPER"])
def test_normalizer(agrees: Agrees, attributes: dict[str, Any], case: str) -> None:
    for x in (words("Monday", "tuesday", "MONDAY"), words(["monday", "Sunday"])):
        agrees("StringNormalizer", [x], 10, case_change_action=case, **attributes)


def test_stop_words_in_any_case(run: Run) -> None:
    # onnx.reference keeps MONDAY here.
    assert run("StringNormalizer", [words("Monday", "b", "MONDAY")], 10, stopwords=["Monday"]).tolist() == ["b"]


def test_nothing_left_of_strings(run: Run) -> None:
    assert run("StringNormalizer", [words("a", "a")], 10, stopwords=["a"]).tolist() == [""]
    assert run("StringNormalizer", [words(["a"])], 10, stopwords=["a"]).tolist() == [[""]]
    with pytest.raises(KernelError, match=r"\[2, 1\]"):
        run("StringNormalizer", [words(["a"], ["b"])], 10)


def test_concat(run: Run) -> None:
    assert run("StringConcat", [words(["a"], ["b"]), words("x", "y")], 20).tolist() == [["ax", "ay"], ["bx", "by"]]
    assert run("StringConcat", [words("a")[0:1].reshape(()), words("b").reshape(())], 20).tolist() == "ab"


def test_split(run: Run) -> None:
    y, z = run("StringSplit", [words("a.b.c", "", "d")], 20, 2, delimiter=".")
    assert (y.tolist(), z.tolist()) == ([["a", "b", "c"], ["", "", ""], ["d", "", ""]], [3, 1, 1])
    assert run("StringSplit", [words("a.b.c")], 20, delimiter=".", maxsplit=1).tolist() == [["a", "b.c"]]
    assert run("StringSplit", [words("  a  b c ")], 20, maxsplit=1).tolist() == [["a", "b c"]]
    empty, none = run("StringSplit", [words(" ")], 20, 2)
    assert (empty.shape, none.tolist()) == ((1, 0), [0])


@pytest.mark.parametrize(
    ("pattern", "matching", "other"),
    [
        (r"www\.[\w.-]+\.\bcom\b", "www.google.com", "www.google.org"),
        (r"[[:alpha:]_]+\d", "ab_1", "ab1_"),
        (r"\Qa.b\E+", "a.bb", "acb"),
        (r"(?P<x>a|ab)c", "abc", "abcc"),
        (r"(?i)abc", "ABC", "abd"),
        (r"\w+", "abc", "äöü"),
        (r"\D\S", "a1", "1a"),
        (r"a\z", "a", "a\n"),
        (r"[]\d[:space:]]+", "1] 2", "x"),
    ],
)
def test_patterns(run: Run, pattern: str, matching: str, other: str) -> None:
    assert run("RegexFullMatch", [words(matching, other)], 20, pattern=pattern).tolist() == [True, False]


@pytest.mark.parametrize("pattern", ["(", "(?=a)", r"(a)\1", "(?<!a)b", r"\pN"])
def test_what_is_no_pattern(run: Run, pattern: str) -> None:
    with pytest.raises(KernelError, match="pattern"):
        run("RegexFullMatch", [words("a")], 20, pattern=pattern)


POOL: dict[str, Any] = {
    "ngram_counts": [0, 4],
    "ngram_indexes": [0, 1, 2, 3, 4, 5, 6],
    "pool_int64s": [2, 3, 5, 4, 5, 6, 7, 8, 6, 7],
    "weights": [0.5, 1, 2, 3, 4, 5, 6],
}


@pytest.mark.parametrize("mode", ["TF", "IDF", "TFIDF"])
@pytest.mark.parametrize(("least", "most", "skips"), [(1, 1, 0), (2, 2, 0), (1, 2, 3), (2, 2, 5)])
@pytest.mark.parametrize("shape", [(12,), (2, 6)])
def test_tfidf(agrees: Agrees, mode: str, least: int, most: int, skips: int, shape: tuple[int, ...]) -> None:
    x = np.array([1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8], np.int64).reshape(shape)
    lengths = {"min_gram_length": least, "max_gram_length": most, "max_skip_count": skips}
    agrees("TfIdfVectorizer", [x], 9, mode=mode, **lengths, **POOL)


def test_tfidf_of_strings(run: Run) -> None:
    pool = {"pool_strings": ["a", "b", "a", "b"], "ngram_counts": [0, 2], "ngram_indexes": [2, 0, 1]}
    lengths = {"min_gram_length": 1, "max_gram_length": 2, "max_skip_count": 0}
    assert run("TfIdfVectorizer", [words("a", "b", "a", "c")], 9, mode="TF", **pool, **lengths).tolist() == [1, 1, 2]
    with pytest.raises(KernelError, match="pool_strings"):
        run("TfIdfVectorizer", [np.array([1])], 9, mode="TF", **pool, **lengths)
    with pytest.raises(KernelError, match="too few"):
        run("TfIdfVectorizer", [words("a")], 9, mode="TF", **{**pool, "ngram_indexes": [0]}, **lengths)
