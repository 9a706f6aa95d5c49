from __future__ import annotations

import gc

import onnx
import pytest
from onnx import TensorProto, helper

from shapeinfer import Report, check, infer_shapes, registry
from shapeinfer.context import Context, Result
from shapeinfer.walk import Walk
from tests.support import errors, model, names, requirements, type_of

CUSTOM = '<ir_version: 10, opset_import: ["" : 21, "c" : 1]>'


def report(text: str | onnx.ModelProto) -> Report:
    return check(model(text) if isinstance(text, str) else text)


@pytest.fixture
def broken_relu(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(ctx: Context) -> Result:
        raise RuntimeError("a slip of ours")

    for version in (1, 6, 13, 14):
        monkeypatch.setitem(registry._rules, ("", "Relu", version), fails)  # the walk looks rules up here


# ------------------------------------------------------------------------------------- one bad node stops nothing


def test_a_bad_node_leaves_the_rest_checked() -> None:
    text = "g (float[2, 3] x) => (y, z) <int64[1] a = {0}> { s = Squeeze (x, a) y = Relu (s) z = Neg (x) }"
    assert errors(text) == ["squeeze-not-one"]
    assert type_of(text, "s") == "float[...]"
    assert type_of(text, "y") == "float[...]"
    assert type_of(text, "z") == "float[2, 3]"


def test_every_bad_node_is_told() -> None:
    text = "g (float[2, 3] x) => (y, z) <int64[1] a = {0}, int64[1] b = {7}> { y = Squeeze (x, a) z = Squeeze (x, b) }"
    assert errors(text) == ["squeeze-not-one", "axis-range"]


def test_one_cause_is_told_once() -> None:
    assert names(CUSTOM + "g (float[N] x) => (y) { s = Reluu (x) t = Relu (s) u = Neg (t) y = Add (u, u) }") == [
        "unknown-operator"
    ]


@pytest.mark.internal_faults
@pytest.mark.usefixtures("broken_relu")
@pytest.mark.internal_faults
def test_a_fault_of_a_rule_is_a_note_and_costs_only_its_own_outputs() -> None:
    result = report("g (float[N] x) => (y, z) { y = Relu (x) z = Neg (x) }")
    assert result.ok
    (found,) = result.diagnostics
    assert (found.name, found.severity, found.op) == ("internal-fault", "note", "Relu")
    assert "RuntimeError: a slip of ours" in found.message
    assert result.values["y"].type == "float[...]"
    assert result.values["z"].type == "float[N]"


def test_an_operator_without_a_rule_keeps_its_element_type(monkeypatch: pytest.MonkeyPatch) -> None:
    assert report("g (float[N] x) => (y) { y = Relu (x) }").ok
    for version in (13, 14):
        monkeypatch.delitem(registry._rules, ("", "Relu", version))
    result = report("g (float[N] x) => (y) { s = Relu (x) y = Relu (s) }")
    assert [d.name for d in result.diagnostics] == ["no-rule"]
    assert result.values["y"].type == "float[...]"


# ------------------------------------------------------------------------------------------------ unknown domains


def test_an_unknown_domain_is_a_note_per_operator() -> None:
    text = CUSTOM + "g (float[N] x) => (y) { a = c.One (x) b = c.One (a) d = c.Two (b) y = Relu (d) }"
    result = report(text)
    assert [d.name for d in result.diagnostics] == ["unknown-domain", "unknown-domain"]
    assert result.ok
    assert result.values["a"].type == "?"


def test_a_domain_that_is_not_imported_is_an_error() -> None:
    assert errors("g (float[N] x) => (y) { a = c.One (x) y = c.One (a) }") == ["domain-not-imported"]


def test_ai_onnx_is_the_default_domain() -> None:
    text = '<ir_version: 10, opset_import: ["ai.onnx" : 21]> g (float[N] x) => (y) { y = ai.onnx.Relu (x) }'
    assert names(text) == []
    assert type_of(text) == "float[N]"


# --------------------------------------------------------------------------------------------------- names of dims


def test_unnamed_dims_are_unrelated_and_named_after_their_input() -> None:
    assert type_of("g (float[?, ?] x) => (y) { y = Relu (x) }") == "float[x_0, x_1]"
    assert report("g (float[?, ?] x) => (y) { y = Relu (x) }").symbols["x_0"].endswith("unnamed in the model")


@pytest.mark.parametrize("text", ["", "?", "-1"])
def test_what_counts_as_unnamed(text: str) -> None:
    proto = model("g (float[A] x) => (y) { y = Relu (x) }")
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = text
    assert report(proto).values["y"].type == "float[x_0]"


def test_a_negative_size_is_unnamed_too() -> None:
    proto = model("g (float[A] x) => (y) { y = Relu (x) }")
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value = -1
    assert report(proto).values["y"].type == "float[x_0]"


def test_names_made_here_avoid_those_of_the_model() -> None:
    assert type_of("g (float[?, x_0] x) => (y) { y = Relu (x) }") == "float[x_0_2, x_0]"
    assert type_of("g (float[u0, N] x) => (y) { y = NonZero (x) }") == "int64[2, u1]"


def test_names_made_here_avoid_those_inside_expressions_and_branches() -> None:
    proto = model("g (float[A, N] x) => (y) { y = NonZero (x) }")
    proto.graph.input[0].type.tensor_type.shape.dim[0].dim_param = "2*u0"
    assert report(proto).values["y"].type == "int64[2, u1]"
    text = """g (bool c, float[N] x) => (y, z) {
        y = If (c) <then_branch = t () => (float[u0] a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
        z = NonZero (x)
    }"""
    assert type_of(text, "z") == "int64[1, u1]"


def test_one_name_is_one_number() -> None:
    assert type_of("g (float[N, 2] a, float[N, 2] b) => (y) { y = Add (a, b) }") == "float[N, 2]"
    assert requirements("g (float[N, 2] a, float[N, 2] b) => (y) { y = Add (a, b) }") == []


def test_opaque_names_survive() -> None:
    proto = model("g (float[A, B] x) => (y) { y = Relu (x) }")
    dims = proto.graph.input[0].type.tensor_type.shape.dim
    dims[0].dim_param, dims[1].dim_param = "p2o.DynamicDimension.1", "batch size"
    assert report(proto).values["y"].type == "float[p2o.DynamicDimension.1, batch size]"


# -------------------------------------------------------------------------------------------- too large expressions


def test_an_expression_that_grows_too_large_gets_a_name() -> None:
    count = 260
    inputs = [helper.make_tensor_value_info(f"x{i}", TensorProto.FLOAT, [f"D{i}"]) for i in range(count)]
    node = helper.make_node("Concat", [f"x{i}" for i in range(count)], ["y"], axis=0)
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")])
    result = report(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10))
    assert [d.name for d in result.diagnostics] == ["expression-too-large"]
    assert result.values["y"].type == "float[u0]"
    assert "made by node 0 (Concat)" in result.symbols["u0"]
    assert result.ok


# ----------------------------------------------------------------------------------------------------- initializers


def overridable(ir_version: int) -> onnx.ModelProto:
    proto = model("g (float[N] x, int64[1] axes) => (y) { y = Unsqueeze (x, axes) }")
    proto.graph.initializer.append(helper.make_tensor("axes", TensorProto.INT64, [1], [0]))
    proto.ir_version = ir_version
    return proto


def test_an_initializer_is_known() -> None:
    assert type_of("g (float[1, N] x) => (y) <int64[1] axes = {0}> { y = Squeeze (x, axes) }") == "float[N]"


def test_an_initializer_that_is_an_input_too_is_only_a_default() -> None:
    assert report(overridable(10)).values["y"].type == "float[u0, u1]"


def test_before_ir_4_every_initializer_is_an_input_and_known() -> None:
    result = report(overridable(3))
    assert result.values["y"].type == "float[1, N]"
    assert [v.name for v in result.inputs] == ["x"]
    assert [v.name for v in report(overridable(10)).inputs] == ["x", "axes"]


def test_an_input_that_no_node_uses_is_a_value_all_the_same() -> None:
    assert type_of("g (float[N] x, float[M] unused) => (y) { y = Relu (x) }", "unused") == "float[M]"


def test_two_inputs_of_one_name() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    proto.graph.input.append(proto.graph.input[0])
    assert errors(proto) == ["defined-twice"]


def test_a_graph_output_can_be_an_input_or_an_initializer() -> None:
    text = "g (float[N] x) => (x, w) <float[1] w = {1.0}> { y = Relu (x) }"
    assert names(text) == []


def test_a_graph_without_nodes() -> None:
    proto = model("g (float[N] x) => (y) { y = Relu (x) }")
    del proto.graph.node[:]
    assert errors(proto) == ["output-undefined"]


# ------------------------------------------------------------------------------------------------------- functions


def function(call: str, signature: str, body: str, more: str = "") -> str:
    return f"""<ir_version: 9, opset_import: ["" : 17, "f" : 1]>
    g (float[1, N, 3] x) => (y) {{ [call] y = {call} }}
    <domain: "f", opset_import: ["" : 17, "f" : 1]> {signature} {{ {body} }}
    {more}"""


DROP = "ax = Constant <value_ints: ints = @axes> () b = Squeeze (a, ax)"


def test_a_function_is_walked_with_what_the_call_passes() -> None:
    assert type_of(function("f.Same (x)", "Same (a) => (b)", "c = Relu (a) b = Neg (c)")) == "float[1, N, 3]"


def test_attribute_references() -> None:
    drop = function("f.Drop <axes = [0]> (x)", "Drop <axes> (a) => (b)", DROP)
    assert type_of(drop) == "float[N, 3]"
    assert type_of(drop.replace("[0]", "[-3]")) == "float[N, 3]"


def test_attribute_defaults() -> None:
    signature = "Drop <axes: ints = [0]> (a) => (b)"
    assert type_of(function("f.Drop (x)", signature, DROP)) == "float[N, 3]"
    needs = function("f.Drop <axes = [1]> (x)", signature, DROP)
    assert type_of(needs) == "float[1, 3]"
    assert requirements(needs) == ["N == 1"]


def test_the_place_of_a_finding_in_a_function() -> None:
    result = report(function("f.Drop <axes = [2]> (x)", "Drop <axes> (a) => (b)", DROP))
    assert [d.name for d in result.diagnostics] == ["squeeze-not-one"]
    assert result.errors[0].path == ("node 0 'call' (Drop) calls Drop",)
    assert result.errors[0].where == "node 0 'call' (Drop) calls Drop / node 1 (Squeeze-13)"


def test_functions_that_call_functions() -> None:
    inner = '<domain: "f", opset_import: ["" : 17]> Inner (p) => (q) { q = Neg (p) }'
    assert type_of(function("f.Outer (x)", "Outer (a) => (b)", "b = f.Inner (a)", inner)) == "float[1, N, 3]"


def test_recursion_through_another_function() -> None:
    other = '<domain: "f", opset_import: ["" : 17, "f" : 1]> B (p) => (q) { q = f.A (p) }'
    text = function("f.A (x)", "A (a) => (b)", "b = f.B (a)", other)
    assert errors(text) == ["recursive-function"]


def test_a_function_sees_nothing_of_the_graph_around_it() -> None:
    assert errors(function("f.Peek (x)", "Peek (a) => (b)", "b = Add (a, x)")) == ["undefined-value"]


def test_a_function_has_operator_sets_of_its_own() -> None:
    text = """<ir_version: 9, opset_import: ["" : 11, "f" : 1]>
    g (float[1, N] x) => (y) { y = f.Drop (x) }
    <domain: "f", opset_import: ["" : 13]> Drop (a) => (b) {
        ax = Constant <value_ints = [0]> () b = Squeeze (a, ax)
    }"""
    assert names(text) == []
    assert type_of(text) == "float[N]"


def test_a_function_takes_the_place_of_an_operator_of_its_name() -> None:
    text = """<ir_version: 9, opset_import: ["" : 17]>
    g (float[N, M] x) => (y) { y = Relu (x) }
    <domain: "", opset_import: ["" : 17]> Relu (a) => (b) { b = Shape (a) }"""
    assert type_of(text) == "int64[2]"


def test_each_call_is_checked_with_its_own_shapes() -> None:
    text = """<ir_version: 9, opset_import: ["" : 17, "f" : 1]>
    g (float[1, N] x, float[2, N] w) => (y, z) { y = f.Drop (x) z = f.Drop (w) }
    <domain: "f", opset_import: ["" : 17]> Drop (a) => (b) {
        ax = Constant <value_ints = [0]> () b = Squeeze (a, ax)
    }"""
    assert errors(text) == ["squeeze-not-one"]
    assert type_of(text, "y") == "float[N]"


# ---------------------------------------------------------------------------------------------------- inner graphs


def branches(then: str, otherwise: str, inputs: str = "bool c, float[1, N] x, int64[1] k") -> str:
    return f"""g ({inputs}) => (y) {{
        [choose] y = If (c) <then_branch = t () => (a) {{ {then} }}, else_branch = e () => (b) {{ {otherwise} }}>
    }}"""


def test_inner_graphs_see_the_values_around_them() -> None:
    assert type_of(branches("a = Neg (x)", "b = Relu (x)")) == "float[1, N]"


def test_an_inner_graph_may_not_define_an_outer_name_again() -> None:
    assert errors(branches("x = Neg (x) a = Relu (x)", "b = Relu (x)")) == ["shadowed-name"]


def test_the_two_branches_may_use_the_same_inner_names() -> None:
    assert names(branches("z = Neg (x) a = Relu (z)", "z = Relu (x) b = Neg (z)")) == []


def test_the_place_of_a_finding_in_a_branch() -> None:
    found = report(branches("a = Reluu (x)", "b = Relu (x)")).errors[0]
    assert found.path == ("node 0 'choose' (If)", "then_branch")
    assert found.where == "node 0 'choose' (If) / then_branch / node 0 (Reluu)"


def test_faults_of_size_in_a_branch_that_need_not_run_are_warnings() -> None:
    result = report(branches("ax = Constant <value_ints = [7]> () a = Squeeze (x, ax)", "b = Relu (x)"))
    assert result.ok
    assert [d.name for d in result.warnings] == ["axis-range"]


def test_what_a_branch_needs_is_not_needed_of_the_model() -> None:
    text = branches("ax = Constant <value_ints = [1]> () a = Squeeze (x, ax)", "b = Relu (x)")
    assert requirements(text) == []


def test_a_value_of_an_inner_graph_is_not_seen_outside() -> None:
    text = """g (bool c, float[N] x) => (z) {
        y = If (c) <then_branch = t () => (a) { a = Neg (x) }, else_branch = e () => (b) { b = Relu (x) }>
        z = Neg (a)
    }"""
    assert errors(text) == ["undefined-value"]


# ---------------------------------------------------------------------------------------------------- requirements


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("g (float[N, C] x) => (y) <int64[1] a = {0}> { y = Squeeze (x, a) }", "N == 1"),
        ("g (float[A, B] x, float[B] z) => (y) <int64[1] a = {0}> { y = Squeeze (x, a) }", "A == 1"),
        ("g (float[A] x, float[B] z) => (y) { y = Add (x, z) }", "A == B or A == 1 or B == 1"),
        ("g (float[A] x, float[4] z) => (y) { y = Add (x, z) }", "A == 4 or A == 1"),
        ("g (float[2, K] x, float[M, 3] z) => (y) { y = MatMul (x, z) }", "K == M"),
        ("g (float[N, C] x) => (y) <int64[2] s = {8, -1}> { y = Reshape (x, s) }", "(C*N) % 8 == 0"),
    ],
)
def test_the_text_of_a_requirement(text: str, condition: str) -> None:
    assert requirements(text) == [condition]


def test_what_is_required_is_used_from_there_on() -> None:
    text = "g (float[N, C] x) => (y, z) <int64[1] a = {0}> { y = Squeeze (x, a) z = Squeeze (x, a) }"
    assert len(requirements(text)) == 1


def test_a_node_that_no_output_depends_on_requires_nothing() -> None:
    text = "g (float[N, C] x) => (y) <int64[1] a = {0}> { unused = Squeeze (x, a) y = Relu (x) }"
    assert requirements(text) == []


def test_requirements_that_contradict_each_other_are_an_error() -> None:
    text = """g (float[N, 3] x, float[5, 2] v) => (y, z) <int64[1] a = {0}> {
        y = Squeeze (x, a)
        z = MatMul (v, x)
    }"""
    result = report(text)
    assert len(result.errors) == 1
    assert result.errors[0].op == "MatMul"


def test_what_a_walk_held_is_freed_without_the_garbage_collector() -> None:
    proto = model(
        """g (float[N, 3] x, bool c) => (y) {
            s = Shape (x)
            t = Add (s, s)
            y = If (c) <then_branch = a () => (p) { p = Shape (x) }, else_branch = b () => (p) { p = Identity (t) }>
        }"""
    )
    infer_shapes(proto)
    gc.collect()
    gc.disable()
    try:
        infer_shapes(proto)
        assert [each for each in gc.get_objects() if type(each) is Walk] == []
    finally:
        gc.enable()


def test_the_garbage_collector_stays_as_it_was() -> None:
    proto = model("g (float[2] x) => (y) { y = Relu (x) }")
    assert gc.isenabled()
    infer_shapes(proto)
    assert gc.isenabled()
    gc.disable()
    try:
        infer_shapes(proto)
        assert not gc.isenabled()
    finally:
        gc.enable()
