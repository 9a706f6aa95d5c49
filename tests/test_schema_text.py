from __future__ import annotations

from itertools import pairwise

import onnx.defs
import pytest

from shapeinfer.schema import resolve, versions
from shapeinfer.schema_diff import diff
from shapeinfer.schema_text import WIDTH, render_diff, render_schema

OPERATORS = sorted({(each.domain, each.name) for each in onnx.defs.get_all_schemas_with_history()})
every_operator = pytest.mark.parametrize(("domain", "name"), OPERATORS)


def assert_readable(text: str) -> None:
    assert text.endswith("\n")
    for line in text.splitlines():
        assert line == line.rstrip()
        assert len(line) <= WIDTH or len(line.split()) <= 2  # a word longer than a line stands alone


@every_operator
def test_every_schema_renders_whole(domain: str, name: str) -> None:
    for version in versions(name, domain):
        schema = resolve(name, domain, version)
        text = render_schema(schema)
        assert_readable(text)
        for parameter in (*schema.inputs, *schema.outputs):
            assert f"\n  {parameter.name}: {parameter.type_str}" in text
        for attribute in schema.attributes:
            assert f"\n  {attribute.name}: {attribute.kind}" in text
        for constraint in schema.type_constraints:
            assert f"\n  {constraint.name}: " in text


@every_operator
def test_every_difference_renders(domain: str, name: str) -> None:
    known = versions(name, domain)
    for old, new in pairwise(known):
        found = diff(name, old, new, domain)
        text = render_diff(found)
        assert_readable(text)
        assert (f"Breaking for a model that uses version {old}:" in text) == found.breaking
        assert text.count("\n  * ") == len(found.reasons)


def test_schema_of_squeeze() -> None:
    assert render_schema(resolve("Squeeze", "", 23)).startswith("""\
Squeeze, version 23

  domain    ai.onnx
  since     23
  latest    25
  versions  1, 11, 13, 21, 23, 24, 25

  Remove single-dimensional entries from the shape of a tensor. Takes an input `axes` with a list of
  axes to squeeze. If `axes` is not provided, all the single dimensions will be removed from the
  shape. If an axis is selected with shape entry not equal to one, an error is raised.

Inputs (1 to 2)
  data: T
      Tensors with at least max(dims) dimensions.
  axes: tensor(int64), optional
      1D tensor of integers indicating the dimensions to squeeze. Negative value means counting
      dimensions from the back. Accepted range is [-r, r-1] where r = rank(data).

Outputs (1)
  squeezed: T
      Reshaped tensor with same data as input.

Type constraints
  T: all tensor types up to IRv11 (23 types, IR version 11)
      tensor: float, uint8, int8, uint16, int16, int32, int64, string, bool, float16, double,
        uint32, uint64, complex64, complex128, bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2,
        float8e5m2fnuz, uint4, int4, float4e2m1
""")


def test_difference_of_squeeze() -> None:
    assert (
        render_diff(diff("Squeeze", 11, 13))
        == """\
Squeeze, version 11 to 13 (ai.onnx)

Breaking for a model that uses version 11:
  * attribute `axes` became input `axes`

Type constraints
  ~ T: all tensor types up to IRv3 (15 types, IR version 3),
      now all tensor types up to IRv4 (16 types, IR version 4)
      + tensor: bfloat16

Inputs
  ~ data: 1 type more
  + axes: tensor(int64), optional (was an attribute)

Outputs
  ~ squeezed: 1 type more

Attributes
  - axes: INTS, optional (now an input)

Wording
  - Takes a parameter `axes` with a list of axes to squeeze.
  + Takes an input `axes` with a list of axes to squeeze.
"""
    )


def test_what_is_not_breaking_says_so() -> None:
    text = render_diff(diff("Squeeze", 21, 23))
    assert "Not breaking for a model that uses version 21, as far as the schemas tell." in text
    assert "\n      + tensor: float4e2m1\n" in text


def test_one_version_under_two_opsets() -> None:
    assert render_diff(diff("Squeeze", 13, 20)).endswith("\nBoth are the same version.\n")


@pytest.mark.parametrize(
    ("name", "version", "line"),
    [
        ("Upsample", 10, "Upsample, version 10 (deprecated)"),
        ("LeakyRelu", 16, "  alpha: FLOAT, default 0.01"),
        ("LeakyRelu", 16, "  function  defined by other operators"),
        ("Conv", 11, "  auto_pad: STRING, default 'NOTSET'"),
        ("Concat", 13, "  axis: INT, required"),
        ("Concat", 13, "Inputs (1 or more)"),
        ("Loop", 13, "  v_initial: V, 0 or more of any types"),
        ("Shape", 13, "  T1: 1 type, IR version 3"),
    ],
)
def test_lines_of_a_schema(name: str, version: int, line: str) -> None:
    assert line in render_schema(resolve(name, "", version)).splitlines()


@pytest.mark.parametrize(
    ("name", "old", "new", "line"),
    [
        ("BatchNormalization", 9, 14, "  ~ input_mean: was called mean; type T, now U; 1 type more"),
        ("BatchNormalization", 9, 14, "  - saved_mean: T, optional"),
        ("BatchNormalization", 9, 14, "  + training_mode: INT, default 0"),
        ("Resize", 10, 11, "  ~ scales: position 1, now 2; reworded"),
        ("Softmax", 11, 13, "  ~ axis: default 1, now default -1; reworded"),
        ("Softmax", 11, 13, "  + defined by other operators (a function)"),
        ("Split", 1, 2, "  - split: T, optional"),
        ("Squeeze", 13, 11, "  - axes: tensor(int64), optional (now an attribute)"),
        ("Squeeze", 13, 11, "  + axes: INTS, optional (was an input)"),
        ("Upsample", 9, 10, "  + deprecated"),
        ("Squeeze", 23, 21, "      - tensor: float4e2m1"),
        ("Cast", 1, 6, "  ~ to: STRING, now INT"),
    ],
)
def test_lines_of_a_difference(name: str, old: int, new: int, line: str) -> None:
    assert line in render_diff(diff(name, old, new)).splitlines()
