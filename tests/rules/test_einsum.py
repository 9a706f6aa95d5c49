from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support import assert_rule_agrees, errors, graph, node_model, reference, requirements, type_of


def of(equation: str, *shapes: str) -> str:
    inputs = ", ".join(f"float{shape} x{i}" for i, shape in enumerate(shapes))
    names = ", ".join(f"x{i}" for i in range(len(shapes)))
    return graph(inputs, f'y = Einsum <equation = "{equation}"> ({names})')


@pytest.mark.parametrize(
    ("equation", "shapes", "result"),
    [
        ("ij->ji", ["[N, M]"], "[M, N]"),
        ("ij,jk->ik", ["[N, K]", "[K, M]"], "[N, M]"),
        ("ij , jk -> ik", ["[N, K]", "[K, M]"], "[N, M]"),
        ("ij,jk", ["[N, K]", "[K, M]"], "[N, M]"),
        ("ij->", ["[N, M]"], "[]"),
        ("ii->i", ["[N, N]"], "[N]"),
        ("ii", ["[N, N]"], "[]"),
        ("ba", ["[N, M]"], "[M, N]"),
        ("bA", ["[N, M]"], "[M, N]"),
        ("...ij,...jk->...ik", ["[B, N, K]", "[1, K, M]"], "[B, N, M]"),
        ("...ij,...jk->...ik", ["[A, B, N, K]", "[1, B, K, M]"], "[A, B, N, M]"),
        ("...ij,jk", ["[B, N, K]", "[K, M]"], "[B, N, M]"),
        ("i...->...", ["[N, A, B]"], "[A, B]"),
        ("...ij->ij", ["[B, N, K]"], "[N, K]"),
        ("i,i->i", ["[1]", "[N]"], "[N]"),
        ("ij,jk->ik", ["[]", "[K, M]"], "[u0, M]"),
        ("ij,jk->ijk", ["[]", "[3, M]"], "[u0, 3, M]"),
        ("...ij->...ji", ["[]"], "[...]"),
        ("ij->ji", ["[]"], "[u0, u1]"),
    ],
)
def test_shapes(equation: str, shapes: list[str], result: str) -> None:
    assert type_of(of(equation, *shapes)) == f"float{result}"


def test_letters_agree() -> None:
    assert errors(of("ij,jk->ik", "[2, 3]", "[4, 5]")) == ["broadcast"]
    assert requirements(of("ij,jk->ik", "[N, 3]", "[4, M]")) == []
    assert requirements(of("ij,jk->ik", "[N, K]", "[4, M]")) == ["K == 4 or K == 1"]


@pytest.mark.parametrize(
    ("equation", "shapes", "name"),
    [
        ("ij,jk->ik", ["[2, 3]"], "attribute-value"),
        ("ijk->i", ["[2, 3]"], "rank"),
        ("i->i", ["[2, 3]"], "rank"),
        ("ijk...->i", ["[2, 3]"], "rank"),
        ("ij->iz", ["[2, 3]"], "attribute-value"),
        ("ij->ii", ["[2, 3]"], "attribute-value"),
        ("i1->i", ["[2, 3]"], "attribute-value"),
        ("i.j->i", ["[2, 3]"], "attribute-value"),
        ("...i...->i", ["[2, 3]"], "attribute-value"),
        # "every occurrence of ellipsis in the equation must represent the same number of dimensions": NumPy and ONNX
        # Runtime run it all the same
        ("...ij,...jk->...ik", ["[2, 2, 3, 4]", "[4, 5]"], "attribute-value"),
        ("ij->...i", ["[2, 3]"], "attribute-value"),
    ],
)
def test_faults(equation: str, shapes: list[str], name: str) -> None:
    assert errors(of(equation, *shapes)) == [name]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(["ab,bc->ac", "ab,bc", "...a,...a->...", "a...,ab->b...", "ab,ab->ba"]), st.data())
def test_claims_hold_in_a_run(equation: str, data: st.DataObject) -> None:
    sizes = {letter: data.draw(st.integers(1, 3)) for letter in "abc"}
    dots = data.draw(st.lists(st.integers(1, 2), max_size=2))
    feeds, inputs = {}, []
    for i, term in enumerate(equation.split("->")[0].split(",")):
        shape: list[int] = []
        for letter in term.replace("...", "."):
            shape += dots if letter == "." else [sizes[letter]]
        feeds[f"x{i}"] = np.ones(shape, np.float32)
        inputs.append((1, [f"d{i}{axis}" for axis in range(len(shape))]))
    proto = node_model("Einsum", inputs, 12, equation=equation)
    proto.graph.output[0].type.tensor_type.elem_type = 1
    assert_rule_agrees(proto, feeds, reference)
