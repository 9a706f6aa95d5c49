from __future__ import annotations

import pytest

from tests.support import errors, graph, model, requirements, type_of

STATISTICS = "float{0} s, float{0} b, float{0} m, float{0} v"


def batch(x: str, each: str, attributes: str = "", opset: int = 15, outputs: str = "y", value: str = "y") -> str:
    inputs = f"float{x} x, {STATISTICS.format(each)}"
    return type_of(graph(inputs, f"{outputs} = BatchNormalization {attributes} (x, s, b, m, v)"), value, opset)


def batch_errors(x: str, each: str, attributes: str = "", opset: int = 15, outputs: str = "y") -> list[str]:
    inputs = f"float{x} x, {STATISTICS.format(each)}"
    return errors(model(graph(inputs, f"{outputs} = BatchNormalization {attributes} (x, s, b, m, v)"), opset))


@pytest.mark.parametrize("opset", [6, 7, 9, 14, 15])
def test_batch_normalization(opset: int) -> None:
    assert batch("[N, C, H, W]", "[C]", opset=opset) == "float[N, C, H, W]"
    assert batch("[N, C, H, W]", "[3]", opset=opset) == "float[N, 3, H, W]"
    assert batch("[]", "[3]", opset=opset) == "float[...]"
    assert batch("[N]", "[1]", opset=opset) == "float[N]"
    assert batch_errors("[N]", "[2]", opset=opset) == ["sizes-differ"]
    assert batch_errors("[N, 3, 5]", "[2]", opset=opset) == ["sizes-differ"]
    assert batch_errors("[N, 3, 5]", "[3, 1]", opset=opset) == ["rank"]
    assert batch_errors("", "[1]", opset=opset) == ["rank"]


def test_batch_normalization_not_spatial() -> None:
    assert batch("[N, C, H]", "[C, H]", "<spatial = 0>", 7) == "float[N, C, H]"
    assert batch_errors("[N, 3, 5]", "[3]", "<spatial = 0>", 7) == ["rank"]
    assert batch_errors("[N, 3, 5]", "[3]", "<spatial = 0>", 6) == []


def test_batch_normalization_in_training() -> None:
    old = "y, a, c, d, e"
    for value in "acde":
        assert batch("[N, C, H]", "[C]", opset=9, outputs=old, value=value) == "float[C]"
        assert batch("[]", "[]", opset=9, outputs=old, value=value).startswith("float[u")
    assert batch("[N, C, H]", "[C]", "<training_mode = 1>", outputs="y, a, c", value="c") == "float[C]"
    assert batch_errors("[N, C, H]", "[C]", outputs="y, a, c") == ["output-count"]


@pytest.mark.parametrize("opset", [1, 6, 22])
def test_instance_normalization(opset: int) -> None:
    inputs = "float{} x, float{} s, float{} b"
    body = "y = InstanceNormalization (x, s, b)"
    assert type_of(graph(inputs.format("[N, C, L]", "[C]", "[4]"), body), opset=opset) == "float[N, 4, L]"
    assert type_of(graph(inputs.format("[]", "[C]", "[4]"), body), opset=opset) == "float[...]"
    assert errors(model(graph(inputs.format("[N, 3, L]", "[4]", "[4]"), body), opset)) == ["sizes-differ"]
    assert errors(model(graph(inputs.format("[N, 3, L]", "[3]", "[3, 1]"), body), opset)) == ["rank"]


def test_group_normalization() -> None:
    inputs = "float{} x, float{} s, float{} b"
    body = "y = GroupNormalization <num_groups = 2> (x, s, b)"
    assert type_of(graph(inputs.format("[N, C, L]", "[4]", "[4]"), body), opset=21) == "float[N, 4, L]"
    assert errors(model(graph(inputs.format("[N, 3, L]", "[3]", "[3]"), body), 21)) == ["not-divisible"]
    assert errors(model(graph(inputs.format("[N, 4, L]", "[2]", "[2]"), body), 21)) == ["sizes-differ"]
    assert "sizes-differ" in errors(model(graph(inputs.format("[N, 4, L]", "[4]", "[4]"), body), 18))
    assert "sizes-differ" not in errors(model(graph(inputs.format("[N, 4, L]", "[2]", "[2]"), body), 18))
    assert requirements(model(graph(inputs.format("[N, C, L]", "[C]", "[C]"), body), 21)) == ["C % 2 == 0"]


def layer(x: str, scale: str, axis: int = -1) -> str:
    inputs = f"float{x} x, float{scale} s, float[1] b"
    return graph(inputs, f"y, m, d = LayerNormalization <axis = {axis}> (x, s, b)")


def test_layer_normalization() -> None:
    assert type_of(layer("[B, T, D]", "[D]")) == "float[B, T, D]"
    assert type_of(layer("[B, T, D]", "[D]", 1), "m") == "float[B, 1, 1]"
    assert type_of(layer("[B, T, D]", "[D]"), "d") == "float[B, T, 1]"
    assert errors(layer("[B, T, D]", "[D]", 3)) == ["axis-range"]
    assert errors(layer("[2, 3, 4]", "[3]")) == ["broadcast"]
    assert errors(layer("[1, 3, 4]", "[2, 3, 4]", 1)) == ["broadcast"]
    assert errors(layer("[4]", "[3, 4]")) == ["rank"]
    assert type_of(layer("[]", "[3]"), "m") == "float[...]"
    assert requirements(layer("[B, D]", "[4]")) == ["D == 4"]


def test_layer_normalization_stash_type() -> None:
    def stashed(elem: int) -> str:
        return graph("float16[B, D] x, float16[D] s", f"y, m = LayerNormalization <stash_type = {elem}> (x, s)")

    assert type_of(stashed(1)) == "float16[B, D]"
    assert type_of(stashed(1), "m") == "float[B, 1]"
    assert type_of(stashed(16), "m") == "bfloat16[B, 1]"
    assert errors(stashed(7)) == ["element-type"]


def test_rms_normalization_has_the_type_of_its_scale() -> None:
    def rms(scale: str, axis: int) -> str:
        return graph(f"float16[B, D] x, float{scale} s", f"y = RMSNormalization <axis = {axis}> (x, s)")

    assert type_of(rms("[D]", -1), opset=23) == "float[B, D]"
    assert errors(model(rms("[D]", 2), 23)) == ["axis-range"]
    assert errors(model(rms("[1, B, D]", -1), 23)) == ["rank"]


def test_those_with_attributes_only() -> None:
    assert type_of(graph("float[N, C, H, W] x", "y = LRN <size = 3> (x)")) == "float[N, C, H, W]"
    assert errors(model(graph("float[N, C, H, W] x", "y = LRN <size = 0> (x)"))) == ["size-value"]
    assert errors(model(graph("float[N] x", "y = LRN <size = 1> (x)"))) == ["rank"]
    assert type_of(graph("float[N, C] x", "y = LpNormalization (x)")) == "float[N, C]"
    assert errors(model(graph("float[N, C] x", "y = LpNormalization <axis = 2> (x)"))) == ["axis-range"]
    assert errors(model(graph("float[N, C] x", "y = LpNormalization <p = 3> (x)"))) == ["attribute-value"]
    assert type_of(graph("float[N, C, H, W] x", "y = MeanVarianceNormalization (x)")) == "float[N, C, H, W]"
    assert errors(model(graph("float[N, C, L] x", "y = MeanVarianceNormalization (x)"))) == ["axis-range"]
    assert errors(model(graph("float[N, C, L] x", "y = MeanVarianceNormalization <axes = [0, 2]> (x)"))) == []
