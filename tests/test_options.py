from __future__ import annotations

import pytest
from pydantic import ValidationError

from shapeinfer import OptionError, Report, check, infer_shapes
from shapeinfer.options import Options
from tests.support import model

RELU = "g (float[N, C] x) => (y) { y = Relu (x) }"


def report(text: str = RELU, shapes: dict[str, str] | None = None, **dims: str | int) -> Report:
    return check(model(text), dims=dims, input_shapes=shapes)


def y(text: str = RELU, shapes: dict[str, str] | None = None, **dims: str | int) -> str:
    result = report(text, shapes, **dims)
    assert result.ok, result.errors
    return result.values["y"].type


def fault(text: str = RELU, shapes: dict[str, str] | None = None, **dims: str | int) -> str:
    result = report(text, shapes, **dims)
    assert [d.name for d in result.diagnostics] == ["bad-option"]
    return result.errors[0].message


def test_a_number() -> None:
    assert y(N=8) == "float[8, C]"
    assert y(N="8") == "float[8, C]"
    assert y(N=0) == "float[0, C]"


def test_an_expression() -> None:
    assert y(N="32*n") == "float[32*n, C]"
    assert y(N="n + 1", C="2*n") == "float[n + 1, 2*n]"


def test_a_new_name_ties_two_dims() -> None:
    assert y("g (float[N, 2] a, float[M, 2] b) => (y) { y = Add (a, b) }", N="K", M="K") == "float[K, 2]"


@pytest.mark.parametrize("said", ["2..64", "2..", ">=2", ">1", " 2 .. 64 "])
def test_a_lower_bound_decides_a_squeeze(said: str) -> None:
    squeeze = "g (float[N, 1, 3] x) => (y) { y = Squeeze (x) }"
    assert y(squeeze) == "float[...]"
    assert y(squeeze, N=said) == "float[N, 3]"


@pytest.mark.parametrize("said", ["..0", "<1", "<=0", "==0"])
def test_an_upper_bound_decides_a_squeeze(said: str) -> None:
    assert y("g (float[N, 1, 3] x) => (y) { y = Squeeze (x) }", N=said) in ("float[N, 3]", "float[0, 3]")


def test_a_range_of_one_number_can_contradict_the_model() -> None:
    squeeze = "g (float[N] x) => (y) <int64[1] a = {0}> { y = Squeeze (x, a) }"
    assert [d.name for d in report(squeeze, N="2..3").errors] == ["squeeze-not-one"]


def test_a_fact_about_a_name_that_the_model_lacks_changes_nothing() -> None:
    assert y(Q="1..3") == y()
    assert y(Q=3) == y()


def test_names_with_dots() -> None:
    proto = model(RELU)
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "p2o.Dim.1"
    assert check(proto, dims={"p2o.Dim.1": 4}).values["y"].type == "float[4, C]"


@pytest.mark.parametrize("said", ["-1", "5..1", "1//0", "x +", "", "1..2..3", "*", "[3]", "os.system('x')", "2*N", "N"])
def test_a_dim_that_cannot_be_understood(said: str) -> None:
    assert "dim N=" in fault(N=said)


def test_a_negative_number() -> None:
    assert "never negative" in fault(N=-1)


def test_an_expression_over_a_name_with_an_option_of_its_own() -> None:
    assert "an option of its own" in fault(N="2*C", C=3)


def test_the_shape_of_an_input() -> None:
    assert y(shapes={"x": "[4, 5]"}) == "float[4, 5]"
    assert y(shapes={"x": " [ a , 2*a ] "}) == "float[a, 2*a]"
    assert y(shapes={"x": "[min(a, 4), max(a, b)]"}) == "float[min(a, 4), max(a, b)]"


def test_a_shape_gives_its_dims_everywhere() -> None:
    text = "g (float[N, C] x, float[N, C] z) => (y) { y = Relu (z) }"
    assert y(text, {"x": "[4, 5]"}) == "float[4, 5]"


def test_a_shape_for_an_input_that_declares_none() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.graph.input[0].type.tensor_type.ClearField("shape")
    assert check(proto, input_shapes={"x": "[2, n]"}).values["y"].type == "float[2, n]"
    assert check(proto, input_shapes={"x": "[]"}).values["y"].type == "float[]"


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("4, 5", "write it as"),
        ("[4", "write it as"),
        ("[4]", "rank 2"),
        ("[4, 5, 6]", "rank 2"),
        ("[4, -5]", "never negative"),
        ("[4,, 5]", "shape x="),
        ("[4, ]", "shape x="),
        ("[4, 5 +]", "shape x="),
    ],
)
def test_a_shape_that_cannot_be_understood(said: str, words: str) -> None:
    assert words in fault(shapes={"x": said})


def test_a_shape_that_contradicts_the_model() -> None:
    assert "declares 3 for axis 0" in fault("g (float[3] x) => (y) { y = Relu (x) }", {"x": "[4]"})


def test_a_shape_for_an_input_that_is_not_there() -> None:
    assert "there are x" in fault(shapes={"z": "[4]"})


def test_infer_shapes_raises_instead() -> None:
    with pytest.raises(OptionError, match="range is empty") as caught:
        infer_shapes(model(RELU), dims={"N": "3..1"})
    assert caught.value.option == "dim N=3..1"


def test_options_are_validated_and_frozen() -> None:
    with pytest.raises(ValidationError):
        Options.model_validate({"dimensions": {}})
    with pytest.raises(ValidationError):
        Options().rules = ("a",)


def test_the_rules_option_names_a_directory_that_is_there() -> None:
    result = check(model(RELU), rules=["no/such/directory"])
    assert [d.name for d in result.diagnostics] == ["bad-option"]
    assert "no directory of rules" in result.errors[0].message
