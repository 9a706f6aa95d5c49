from __future__ import annotations

from itertools import pairwise

import onnx.defs
import pytest

from shapeinfer.schema import AttributeSchema, FormalParameter, OperatorSchema, TypeConstraint, resolve, versions
from shapeinfer.schema_diff import SchemaDiff, UnknownOperatorError, UnknownVersionError, compare, diff, value_text

OPERATORS = sorted({(each.domain, each.name) for each in onnx.defs.get_all_schemas_with_history()})
PAIRS = [(domain, name, old, new) for domain, name in OPERATORS for old, new in pairwise(versions(name, domain))]
every_pair = pytest.mark.parametrize(("domain", "name", "old", "new"), PAIRS)


# --------------------------------------------------------------------------------------------- every operator of onnx


@pytest.mark.parametrize(("domain", "name"), OPERATORS)
def test_no_version_differs_from_itself(domain: str, name: str) -> None:
    for version in versions(name, domain):
        same = diff(name, version, version, domain)
        assert same.empty
        assert not same.breaking
        assert not same.doc_changed


@every_pair
def test_the_new_schema_is_the_old_one_with_the_changes(domain: str, name: str, old: int, new: int) -> None:
    found = diff(name, old, new, domain)
    before, after = resolve(name, domain, old), resolve(name, domain, new)
    assert (found.old_version, found.new_version) == (old, new)

    types = {each.name: set(each.types) for each in before.type_constraints}
    for constraint in found.constraints:
        types[constraint.name] = types.get(constraint.name, set()) - set(constraint.removed) | set(constraint.added)
        if constraint.new is None:
            assert not types.pop(constraint.name)
    assert types == {each.name: set(each.types) for each in after.type_constraints}

    for changes, had, has in (
        (found.inputs, before.inputs, after.inputs),
        (found.outputs, before.outputs, after.outputs),
    ):
        rebuilt = dict(enumerate(had))
        for change in changes:
            if change.old_position is not None:
                assert rebuilt.pop(change.old_position) == change.old
        for change in changes:
            if change.new_position is not None and change.new is not None:
                rebuilt[change.new_position] = change.new
        assert [_form(rebuilt[position]) for position in sorted(rebuilt)] == [_form(each) for each in has]

    attributes = {each.name: each for each in before.attributes}
    for attribute in found.attributes:
        assert attributes.pop(attribute.name, None) == attribute.old
        if attribute.new is not None:
            attributes[attribute.name] = attribute.new
    assert {each: _facts(attributes[each]) for each in attributes} == {
        each.name: _facts(each) for each in after.attributes
    }


def _form(each: FormalParameter) -> tuple[str, str, str, bool, frozenset[str], str]:
    return (
        each.name,
        each.type_str,
        each.option,
        each.homogeneous,
        frozenset(each.types),
        " ".join(each.description.split()),
    )


def _facts(each: AttributeSchema) -> tuple[str, bool, object, str]:
    return each.kind, each.required, each.default, " ".join(each.description.split())


@every_pair
def test_the_way_back_undoes_the_way_there(domain: str, name: str, old: int, new: int) -> None:
    there, back = diff(name, old, new, domain), diff(name, new, old, domain)
    assert {(each.name, each.added, each.removed) for each in there.constraints} == {
        (each.name, each.removed, each.added) for each in back.constraints
    }
    assert {(each.name, each.old, each.new) for each in there.attributes} == {
        (each.name, each.new, each.old) for each in back.attributes
    }
    assert there.doc_changed == back.doc_changed


@every_pair
def test_diff_survives_json(domain: str, name: str, old: int, new: int) -> None:
    found = diff(name, old, new, domain)
    assert SchemaDiff.model_validate_json(found.model_dump_json()) == found


@every_pair
def test_lost_types_and_attributes_are_breaking(domain: str, name: str, old: int, new: int) -> None:
    found = diff(name, old, new, domain)
    lost = [each for each in (*found.inputs, *found.outputs) if each.removed_types or each.new is None]
    gone = [each for each in found.attributes if each.new is None]
    assert found.breaking or not (lost or gone)


# ------------------------------------------------------------------------------------------------------- literal facts


@pytest.mark.parametrize("op", ["Squeeze", "Unsqueeze"])
@pytest.mark.parametrize(
    ("old", "new", "added"),
    [
        (1, 11, ()),
        (11, 13, ("tensor(bfloat16)",)),
        (
            *(13, 21),
            (
                *("tensor(float8e4m3fn)", "tensor(float8e4m3fnuz)", "tensor(float8e5m2)", "tensor(float8e5m2fnuz)"),
                *("tensor(uint4)", "tensor(int4)"),
            ),
        ),
        (21, 23, ("tensor(float4e2m1)",)),
        (23, 24, ("tensor(float8e8m0)",)),
        (24, 25, ("tensor(uint2)", "tensor(int2)")),
    ],
)
def test_types_that_squeeze_and_unsqueeze_gained(op: str, old: int, new: int, added: tuple[str, ...]) -> None:
    found = diff(op, old, new)
    assert {each.name: (each.added, each.removed) for each in found.constraints if each.added} == (
        {"T": (added, ())} if added else {}
    )
    assert found.breaking == (old == 11)


def test_eye_like_gained_bfloat16() -> None:
    found = diff("EyeLike", 9, 22)
    assert [(each.name, each.added, each.removed) for each in found.constraints] == [
        ("T1", ("tensor(bfloat16)",), ()),
        ("T2", ("tensor(bfloat16)",), ()),
    ]
    assert not found.breaking


LOST = "input `data` and output `squeezed` no longer allow"


def test_axes_of_squeeze_became_an_input() -> None:
    found = diff("Squeeze", 11, 13)
    (attribute,) = found.attributes
    (axes,) = [each for each in found.inputs if each.name == "axes"]
    assert (attribute.name, attribute.change, attribute.new) == ("axes", "moved", None)
    assert (axes.change, axes.new_position, axes.old) == ("moved", 1, None)
    assert found.wording == (
        "-Takes a parameter `axes` with a list of axes to squeeze.",
        "+Takes an input `axes` with a list of axes to squeeze.",
    )


@pytest.mark.parametrize(
    ("name", "old", "new", "reasons"),
    [
        ("Squeeze", 1, 11, ()),
        ("Squeeze", 11, 13, ("attribute `axes` became input `axes`",)),
        ("Squeeze", 13, 11, ("input `axes` became attribute `axes`", f"{LOST} tensor(bfloat16)")),
        ("Unsqueeze", 11, 13, ("attribute `axes` became input `axes`, which is required",)),
        ("Squeeze", 23, 21, (f"{LOST} tensor(float4e2m1)",)),
        ("Softmax", 11, 13, ("the default of attribute `axis` changed from 1 to -1",)),
        (
            "Selu",
            1,
            6,
            (
                "the default of attribute `alpha` changed from 1.6732 to 1.6732632",
                "attribute `consumed_inputs` is gone",
                "the default of attribute `gamma` changed from 1.0507 to 1.050701",
            ),
        ),
        ("Concat", 1, 4, ("attribute `axis` was optional and is now required",)),
        ("Cast", 1, 6, ("attribute `to` holds INT instead of STRING",)),
        ("TopK", 1, 10, ("attribute `k` became input `K`, which is required",)),
        ("Split", 1, 2, ("input `split` is gone",)),
        ("BatchNormalization", 9, 14, ("output `saved_mean` is gone", "output `saved_var` is gone")),
        ("Resize", 10, 11, ("input `roi` is new and required", "input `scales` moved from position 1 to 2")),
        ("Upsample", 9, 10, ("version 10 is deprecated",)),
        ("QuantizeLinear", 13, 19, ("input `x` and input `y_scale` must now have the same type",)),
        ("Add", 7, 13, ()),
        ("Clip", 6, 11, ("attribute `max` became input `max`", "attribute `min` became input `min`")),
    ],
)
def test_reasons(name: str, old: int, new: int, reasons: tuple[str, ...]) -> None:
    found = diff(name, old, new)
    assert found.reasons == reasons
    assert found.breaking == bool(reasons)


def test_renamed_inputs_are_matched_by_position() -> None:
    found = diff("BatchNormalization", 9, 14)
    renamed = {each.name: each.old.name for each in found.inputs if each.old and "name" in each.changed}
    assert renamed == {"input_mean": "mean", "input_var": "var"}


@pytest.mark.parametrize(("old", "new"), [(12, 22), (11, 21), (12, 21), (11, 22)])
def test_any_opset_is_resolved_to_the_version_in_force(old: int, new: int) -> None:
    assert diff("Squeeze", old, new) == diff("Squeeze", 11, 21)


def test_opsets_of_one_version_do_not_differ() -> None:
    assert diff("Squeeze", 13, 20).empty


def test_other_domains() -> None:
    assert diff("LabelEncoder", 1, 2, "ai.onnx.ml").reasons == ("attribute `classes_strings` is gone",)
    assert diff("Squeeze", 1, 11, "ai.onnx") == diff("Squeeze", 1, 11)


@pytest.mark.parametrize(
    ("name", "old", "new", "error", "words"),
    [
        ("Squeezee", 1, 11, UnknownOperatorError, "did you mean Squeeze"),
        ("Squeeze", 0, 11, UnknownVersionError, "its versions are 1, 11, 13"),
        ("Squeeze", 1, 999, UnknownVersionError, "version 999 is higher"),
        ("EyeLike", 1, 9, UnknownVersionError, "its versions are 9, 22"),
    ],
)
def test_errors(name: str, old: int, new: int, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        diff(name, old, new)


# ----------------------------------------------------------------------------------------------- changes of one thing

TWO = ("tensor(float)", "tensor(int64)")
X = FormalParameter(name="x", type_str="T")
A = AttributeSchema(name="a", kind="INT", default=1)


def operator(
    *inputs: FormalParameter,
    outputs: tuple[FormalParameter, ...] = (),
    attributes: tuple[AttributeSchema, ...] = (),
    doc: str = "",
) -> OperatorSchema:
    constraints = (TypeConstraint(name="T", types=TWO), TypeConstraint(name="S", types=TWO[::-1]))
    return OperatorSchema(
        name="Op",
        since_version=1,
        doc=doc,
        type_constraints=constraints,
        inputs=inputs,
        outputs=outputs,
        attributes=attributes,
    )


def parameter(name: str = "x", *, type_str: str = "T", **more: object) -> FormalParameter:
    return FormalParameter.model_validate({"name": name, "type_str": type_str, **more})


def attribute(**more: object) -> AttributeSchema:
    return AttributeSchema.model_validate({"name": "a", "kind": "INT", **more})


@pytest.mark.parametrize(
    ("old", "new", "reasons"),
    [
        ([X], [X, parameter("y", option="optional")], []),
        ([X], [X, parameter("y")], ["input `y` is new and required"]),
        ([X], [parameter("y"), X], ["input `y` is new and required", "input `x` moved from position 0 to 1"]),
        ([X], [X, parameter("y", option="variadic", min_arity=0)], []),
        ([X], [X, parameter("y", option="variadic", min_arity=1)], ["input `y` is new and required"]),
        ([X], [], ["input `x` is gone"]),
        ([X], [parameter("renamed")], []),
        ([X], [parameter(option="optional")], []),
        ([parameter(option="optional")], [X], ["input `x` was optional and is now required"]),
        ([X], [parameter(option="variadic")], []),
        ([X], [parameter(option="variadic", min_arity=2)], ["input `x` needs at least 2 values instead of 1"]),
        ([parameter(option="variadic")], [X], ["input `x` stood for any number of values and is now one"]),
        (
            [parameter(option="variadic", homogeneous=False)],
            [parameter(option="variadic")],
            ["the values of input `x` must now have one type"],
        ),
        ([parameter(type_str="tensor(float)")], [X], []),
        ([X], [parameter(type_str="tensor(float)")], ["input `x` no longer allows tensor(int64)"]),
        ([X, parameter("y")], [X, parameter("y", type_str="S")], []),
        (
            [X, parameter("y", type_str="S")],
            [X, parameter("y")],
            ["input `x` and input `y` must now have the same type"],
        ),
        (
            [parameter(type_str="tensor(float)"), parameter("y", type_str="tensor(float)")],
            [X, parameter("y")],
            [],
        ),
        ([X], [parameter(description="said otherwise")], []),
    ],
)
def test_reasons_of_parameters(old: list[FormalParameter], new: list[FormalParameter], reasons: list[str]) -> None:
    assert list(compare(operator(*old), operator(*new)).reasons) == reasons
    of_outputs = compare(operator(outputs=tuple(old)), operator(outputs=tuple(new))).reasons
    assert [each.replace("output", "input") for each in of_outputs] == reasons


@pytest.mark.parametrize(
    ("old", "new", "reasons"),
    [
        ([], [A], []),
        ([], [attribute(required=True)], ["attribute `a` is new and required"]),
        ([A], [], ["attribute `a` is gone"]),
        ([A], [attribute(default=2)], ["the default of attribute `a` changed from 1 to 2"]),
        ([A], [attribute()], ["attribute `a` has no default any more: it was 1"]),
        ([A], [attribute(required=True)], ["attribute `a` was optional and is now required"]),
        ([attribute(required=True)], [A], []),
        ([attribute()], [A], []),
        (
            [A],
            [attribute(kind="INTS", default=(1,))],
            [
                "attribute `a` holds INTS instead of INT",
                "the default of attribute `a` changed from 1 to [1]",
            ],
        ),
        ([A], [attribute(default=1, description="said otherwise")], []),
    ],
)
def test_reasons_of_attributes(old: list[AttributeSchema], new: list[AttributeSchema], reasons: list[str]) -> None:
    assert list(compare(operator(attributes=tuple(old)), operator(attributes=tuple(new))).reasons) == reasons


@pytest.mark.parametrize(
    ("old", "new", "wording"),
    [
        ("One. Two.", "One.\nTwo.", ()),
        ("One.\n\nTwo.", "One. Two.", ()),
        ("One. Two.", "One. Three.", ("-Two.", "+Three.")),
        ("One.", "One. Two.", ("+Two.",)),
        ("", "One.", ("+One.",)),
        ("-- One.", "One.", ("--- One.", "+One.")),
    ],
)
def test_wording(old: str, new: str, wording: tuple[str, ...]) -> None:
    found = compare(operator(doc=old), operator(doc=new))
    assert found.wording == wording
    assert found.doc_changed == bool(wording)
    assert not found.breaking


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1, "1"),
        (0.009999999776482582, "0.01"),
        (1.0, "1.0"),
        (-3.4028234663852886e38, "-3.4028235e+38"),
        ("NOTSET", "'NOTSET'"),
        ((1, 2), "[1, 2]"),
        (("a",), "['a']"),
        ((), "[]"),
        (None, "None"),
    ],
)
def test_value_text(value: int | float | str | tuple[int, ...] | tuple[str, ...] | None, text: str) -> None:
    assert value_text(value) == text
