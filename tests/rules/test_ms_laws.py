"""Random com.microsoft nodes: whatever ONNX Runtime gives, the claim made from symbolic dims must hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from onnx import TensorProto

from tests.support import assert_rule_agrees, node_model

MS = "com.microsoft"
SMALL = st.integers(1, 4)
FLAG = st.integers(0, 1)
FLOAT, UINT8 = TensorProto.FLOAT, TensorProto.UINT8
SCALE, ZERO = np.array(0.5, np.float32), np.array(3, np.uint8)


def run(op: str, inputs: list[Any], feeds: list[Any], **attributes: Any) -> None:
    proto = node_model(op, inputs, 17, 1, MS, **attributes)
    proto.ir_version = 9
    assert_rule_agrees(proto, {f"x{i}": each for i, each in enumerate(feeds) if each is not None})


def arranged(names: list[str], matrix: int, batch: int) -> list[str]:
    """The dims of an operand ``(batch…, rows, columns)`` as its node stores them."""
    *lead, rows, columns = names
    if matrix:
        rows, columns = columns, rows
    return [rows, *lead, columns] if batch else [*lead, rows, columns]


@settings(max_examples=40, deadline=None)
@given(st.lists(SMALL, min_size=5, max_size=5), FLAG, FLAG, FLAG, FLAG)
def test_fused_matmul(sizes: list[int], matrix_a: int, matrix_b: int, batch_a: int, batch_b: int) -> None:
    env = dict(zip(("B", "C", "M", "K", "N"), sizes, strict=True))
    a = arranged(["B", "C", "M", "K"], matrix_a, batch_a)
    b = arranged(["B", "C", "K", "N"], matrix_b, batch_b)
    feeds = [np.ones([env[name] for name in names], np.float32) for names in (a, b)]
    flags = {"transA": matrix_a, "transB": matrix_b, "transBatchA": batch_a, "transBatchB": batch_b}
    run("FusedMatMul", [(FLOAT, a), (FLOAT, b)], feeds, **flags)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_pools_with_channels_last(data: st.DataObject) -> None:
    height, width = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    kernel = [data.draw(SMALL), data.draw(SMALL)]
    pads = [data.draw(st.integers(0, size - 1)) for size in kernel * 2]
    padded = (height + pads[0] + pads[2], width + pads[1] + pads[3])
    assume(all(size >= reach for size, reach in zip(padded, kernel, strict=True)))
    attributes = {
        "kernel_shape": kernel,
        "pads": pads,
        "strides": [data.draw(SMALL), data.draw(SMALL)],
        "ceil_mode": data.draw(FLAG),
    }
    shape = ["N", "H", "W", "C"]
    image = np.ones((1, height, width, 2), np.uint8)
    if data.draw(st.booleans()):
        run("NhwcMaxPool", [(UINT8, shape)], [image], **attributes)
    else:
        run(
            "QLinearAveragePool",
            [(UINT8, shape), SCALE, ZERO, SCALE, ZERO],
            [image],
            channels_last=1,
            count_include_pad=1,
            **attributes,
        )


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_fused_convolution(data: st.DataObject) -> None:
    size, kernel, dilation = data.draw(st.integers(1, 9)), data.draw(SMALL), data.draw(st.integers(1, 2))
    padding = data.draw(st.sampled_from(["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"]))
    begin, end = (data.draw(SMALL), data.draw(SMALL)) if padding == "NOTSET" else (0, 0)
    assume(dilation == 1 or not padding.startswith("SAME"))  # ONNX Runtime does not run these
    assume(padding.startswith("SAME") or size + begin + end >= dilation * (kernel - 1) + 1)
    pads = {"pads": [begin, end]} if padding == "NOTSET" else {"auto_pad": padding}
    run(
        "FusedConv",
        [(FLOAT, ["N", "C", "L"]), (FLOAT, [4, 1, kernel])],
        [np.ones((2, 2, size), np.float32), np.ones((4, 1, kernel), np.float32)],
        group=2,
        dilations=[dilation],
        strides=[data.draw(SMALL)],
        **pads,
    )


@settings(max_examples=30, deadline=None)
@given(
    st.integers(1, 100), st.integers(1, 6), st.sampled_from([16, 32, 64]), st.lists(SMALL, max_size=2), st.booleans()
)
def test_matmul_nbits(inner: int, columns: int, block: int, lead: list[int], flat: bool) -> None:
    blocks = -(-inner // block)
    names = [*("B", "S")[: len(lead)], "D"]
    scales = [columns * blocks] if flat else [columns, blocks]
    zeros = -(-blocks // 2)
    run(
        "MatMulNBits",
        [
            (FLOAT, names),
            (UINT8, [columns, blocks, block // 2]),
            (FLOAT, scales),
            (UINT8, [columns * zeros] if flat else [columns, zeros]),
        ],
        [
            np.ones((*lead, inner), np.float32),
            np.ones((columns, blocks, block // 2), np.uint8),
            np.ones(scales, np.float32),
            np.ones([columns * zeros] if flat else [columns, zeros], np.uint8),
        ],
        K=inner,
        N=columns,
        block_size=block,
        bits=4,
    )


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_quantised_addition_broadcasts(data: st.DataObject) -> None:
    full = [data.draw(SMALL) for _ in range(data.draw(st.integers(0, 3)))]
    shapes = [
        [data.draw(st.sampled_from([1, size])) for size in full[data.draw(st.integers(0, len(full))) :]] for _ in "ab"
    ]
    declared = [(UINT8, [f"{letter}{i}" for i in range(len(s))]) for letter, s in zip("AB", shapes, strict=True)]
    a, b = (np.ones(shape, np.uint8) for shape in shapes)
    run("QLinearAdd", [declared[0], SCALE, ZERO, declared[1], SCALE, ZERO, SCALE, ZERO], [a, None, None, b])
