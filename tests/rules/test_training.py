from __future__ import annotations

from tests.support import errors, requirements, type_of

HEADER = '<ir_version: 10, opset_import: ["" : 21, "ai.onnx.preview.training" : 1]>\n'
MOMENTUM = 'Momentum <mode = "standard", alpha = 0.9, beta = 1.0, norm_coefficient = 0.0>'


def step(op: str, inputs: str, names: str, outputs: str) -> str:
    call = op.replace(" <", " <", 1)
    body = f"{outputs} = ai.onnx.preview.training.{call} (r, t, {names})"
    return f"{HEADER}g (float r, int64 t, {inputs}) => ({outputs}) {{ {body} }}"


def test_each_new_tensor_and_state_is_of_its_tensors_type() -> None:
    text = step(
        "Adagrad",
        "float[N] a, double[M, 2] b, float[N] ga, double[M, 2] gb, float[N] ha, double[M, 2] hb",
        "a, b, ga, gb, ha, hb",
        "x, y, hx, hy",
    )
    assert [type_of(text, v) for v in ("x", "y", "hx", "hy")] == ["float[N]", "double[M, 2]"] * 2
    text = step("Adam", "float[N] a, float[N] g, float[N] v, float[N] h", "a, g, v, h", "x, y, z")
    assert [type_of(text, v) for v in "xyz"] == ["float[N]"] * 3
    text = step(MOMENTUM, "float[N] a, float[N] g, float[N] v", "a, g, v", "x, y")
    assert [type_of(text, v) for v in "xy"] == ["float[N]"] * 2


def test_gradients_and_states_have_the_tensors_shape() -> None:
    def text(g: str, v: str = "float[N]") -> str:
        return step("Adagrad", f"float[N] a, {g} g, {v} h", "a, g, h", "x, y")

    assert errors(text("float[N, 1]")) == ["rank"]
    assert requirements(text("float[M]")) == ["N == M"]
    assert errors(step("Adagrad", "float[N] a, float[N] g", "a, g", "x, y")) == ["length"]


def test_gradient() -> None:
    body = 'z = Add (a, b) x = ai.onnx.preview.training.Gradient <xs = ["a"], zs = ["b"], y = "z"> (a, b)'
    text = f"{HEADER}g (float[N] a, float[N] b) => (x) {{ {body} }}"
    assert type_of(text, "x") == "float[N]"
    assert errors(text.replace("(a, b) }", "(a) }")) == ["length"]
