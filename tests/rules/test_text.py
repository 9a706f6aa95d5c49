from __future__ import annotations

import numpy as np
import pytest
from onnx import TensorProto as T

from tests.support import assert_rule_agrees, errors, graph, node_model, reference, requirements, type_of

NGRAMS = "ngram_counts = [0], ngram_indexes = [0, 4], min_gram_length = 1, max_gram_length = 1, max_skip_count = 0"


def tfidf(x: str, attributes: str = f'mode = "TF", pool_int64s = [1, 2], {NGRAMS}') -> str:
    return graph(f"{x} x", f"y = TfIdfVectorizer <{attributes}> (x)")


def test_strings() -> None:
    assert type_of(graph("string[N, 1] x, string[M] z", "y = StringConcat (x, z)")) == "string[N, M]"
    assert type_of(graph("string[N] x", 'y = RegexFullMatch <pattern = "a*"> (x)')) == "bool[N]"
    text = graph("string[N, 2] x", "y, z = StringSplit (x)", "y, z")
    assert type_of(text) == "string[N, 2, u0]"
    assert type_of(text, "z") == "int64[N, 2]"


def test_string_normalizer() -> None:
    assert type_of(graph("string[3] x", "y = StringNormalizer (x)")) == "string[3]"
    assert type_of(graph("string[1, C] x", "y = StringNormalizer (x)")) == "string[1, max(C, 1)]"
    assert type_of(graph("string[C] x", 'y = StringNormalizer <stopwords = ["a"]> (x)')) == "string[u0]"
    assert requirements(graph("string[N, C] x", "y = StringNormalizer (x)")) == ["N == 1"]
    assert errors(graph("string[2, C] x", "y = StringNormalizer (x)")) == ["sizes-differ"]
    assert errors(graph("string[1, 1, C] x", "y = StringNormalizer (x)")) == ["rank"]
    assert errors(graph("string[C] x", 'y = StringNormalizer <case_change_action = "no"> (x)')) == ["attribute-value"]


def test_tf_idf() -> None:
    assert type_of(tfidf("int64[C]")) == "float[5]"
    assert type_of(tfidf("int32[N, C]")) == "float[N, 5]"
    assert errors(tfidf("int32[1, N, C]")) == ["rank"]
    assert errors(tfidf("string[N, C]")) == ["type-not-allowed"]
    assert errors(tfidf("int64[N, C]", f'mode = "TF", {NGRAMS}')) == ["attribute-value"]
    assert errors(tfidf("int64[N, C]", f'mode = "F", pool_int64s = [1, 2], {NGRAMS}')) == ["attribute-value"]
    weights = f'mode = "IDF", pool_int64s = [1, 2], weights = [1.0], {NGRAMS}'
    assert errors(tfidf("int64[N, C]", weights)) == ["length"]


@pytest.mark.parametrize("size", [0, 1, 3])
@pytest.mark.parametrize("action", ["NONE", "LOWER"])
def test_a_normalized_text_has_one_string_at_least(size: int, action: str) -> None:
    proto = node_model("StringNormalizer", [(T.STRING, ["C"])], 10, case_change_action=action)
    assert_rule_agrees(proto, {"x0": np.array(["A"] * size, dtype=object)}, reference)
