"""Whatever bytes a file holds, there is an answer: a report, and never an exception of another kind than its own."""

from __future__ import annotations

from typing import Any

import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from shapeinfer import KernelError, ModelError, Report, Session, check, infer_shapes, render
from shapeinfer.catalogue import example
from shapeinfer.diagnostics import defined_codes
from tests.support import model

MODELS = [
    model(example(text)).SerializeToString()
    for code in defined_codes().values()
    for text in (code.bad, code.good)
    if text
]
NUMBERS = (0, 1, -1, 2, 7, -(2**63), 2**63 - 1, 2**31, 2**40)
NAMES = ("", "x", "y", "a", "N", "?", "N +", "N//0", "min(N,", "2*N", "a.b", "Squeeze", "If", "Loop", "ai.onnx.ml")

pytestmark = [
    pytest.mark.internal_faults,
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),  # of NumPy, about numbers that a damaged model holds
]
quickly = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def answers(source: bytes | onnx.ModelProto) -> Report:
    """What a check says, after it was printed and written as JSON and the other commands were tried."""
    report = check(source)
    assert Report.model_validate_json(report.model_dump_json()) == report
    render.report(report, values=True)
    try:
        infer_shapes(source)
        Session(source)
    except (ModelError, KernelError):
        pass
    return report


@st.composite
def damaged_bytes(draw: st.DrawFn) -> bytes:
    data = bytearray(draw(st.sampled_from(MODELS)))
    for position, byte in draw(
        st.lists(st.tuples(st.integers(0, 10**6), st.none() | st.integers(0, 255)), min_size=1, max_size=3)
    ):
        if byte is None:
            del data[position % len(data)]
        else:
            data[position % len(data)] = byte
    return bytes(data)


@quickly
@given(damaged_bytes())
def test_damaged_bytes(data: bytes) -> None:
    answers(data)


@quickly
@given(st.sampled_from(MODELS), st.floats(0, 1, exclude_max=True))
def test_a_file_that_was_cut_off(data: bytes, part: float) -> None:
    answers(data[: int(part * len(data))])


def parts(message: Any) -> list[Any]:
    """A message and all that are in it."""
    found = [message]
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for inner in [value] if hasattr(value, "ListFields") else value:
                found += parts(inner)
    return found


@st.composite
def damaged_models(draw: st.DrawFn) -> onnx.ModelProto:
    proto: onnx.ModelProto = onnx.ModelProto.FromString(draw(st.sampled_from(MODELS)))
    for _ in range(draw(st.integers(1, 3))):
        part = draw(st.sampled_from(parts(proto)))
        if not part.ListFields():
            continue
        field, value = draw(st.sampled_from(part.ListFields()))
        if isinstance(value, int) and field.type != field.TYPE_ENUM:
            number = draw(st.sampled_from(NUMBERS))
            if field.type == field.TYPE_INT64 or abs(number) < 2**31:
                setattr(part, field.name, number)
        elif isinstance(value, str):
            setattr(part, field.name, draw(st.sampled_from(NAMES)))
        elif isinstance(value, (bytes, int, float)) or hasattr(value, "ListFields") or not len(value):
            part.ClearField(field.name)
        else:
            del value[draw(st.integers(0, len(value) - 1))]
    return proto


@quickly
@given(damaged_models())
def test_damaged_models(proto: onnx.ModelProto) -> None:
    answers(proto)
