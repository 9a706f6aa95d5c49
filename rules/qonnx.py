"""Quant, BipolarQuant, IntQuant, FloatQuant and Trunc of QONNX and Brevitas: quantisation simulated in floats.

Each gives a float tensor of its first input's shape; scale, zero point and bit width broadcast to that shape. The
exporters write them under several domains, all with version 1.
"""

from __future__ import annotations

from shapeinfer.rule import Context, ElementType, Result, TensorType, rules

from .broadcasting import fit

DOMAINS = ("onnx.brevitas", "qonnx.custom_op.general", "finn.custom_op.general")
OPERATORS = dict.fromkeys(("Quant", "IntQuant", "BipolarQuant", "FloatQuant", "Trunc"), (1,))


def quantised(ctx: Context) -> Result:
    """The first input's shape, as floats."""
    shape = ctx.shape_or_none(0)
    if shape is not None:
        for position in range(1, len(ctx.inputs)):
            other = ctx.shape_or_none(position)
            if other is not None and len(other) <= len(shape):
                fit(ctx, shape, other, len(shape) - len(other))
    return TensorType(ElementType.FLOAT, shape)


for domain in DOMAINS:
    rules(OPERATORS, domain=domain)(quantised)
