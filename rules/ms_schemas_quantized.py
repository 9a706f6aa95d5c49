"""Operators on quantised tensors, and quantisation itself.

The facts are those of ONNX Runtime's documentation; :mod:`.ms_notation` says how they are written.
"""

from __future__ import annotations

from .ms_notation import BYTES, FLOATS, FLOATS_16_32, INDICES, operator

operator(
    "QuantizeLinear",
    "x:T1 y_scale:T1 y_zero_point?:T2 -> y:T2",
    {"T1": FLOATS_16_32, "T2": "int8 uint8 int16 uint16 int4 uint4"},
    optional="axis:int",
)
operator(
    "DequantizeLinear",
    "x:T1 x_scale:T2 x_zero_point?:T1 -> y:T2",
    {"T1": "int8 uint8 int16 uint16 int32 int4 uint4", "T2": FLOATS_16_32},
    optional="axis:int",
)
operator(
    "QuantizeBFP",
    "x:T1 -> y:T2 shape:T3 strides:T3",
    {"T1": FLOATS, "T2": "uint8", "T3": "int64"},
    required="bfp_type:int",
    defaults={"block_dim": -1},
)
operator(
    "DequantizeBFP",
    "x:T1 shape:T2 strides:T2 -> y:T3",
    {"T1": "uint8", "T2": "int64", "T3": FLOATS},
    required="bfp_type:int",
    defaults={"block_dim": -1, "dtype": 1},
)
operator(
    "QuantizeWithOrder",
    "input:F scale_input:S -> output:Q",
    {"Q": "int8", "F": FLOATS_16_32, "S": "float"},
    required="order_input:int order_output:int",
)
operator(
    "DequantizeWithOrder",
    "input:Q scale_input:S -> output:F",
    {"Q": "int8", "F": FLOATS_16_32, "S": "float"},
    required="order_input:int order_output:int to:int",
)
operator(
    "QOrderedGelu", "X:Q scale_X:S scale_Y:S -> Y:Q", {"Q": "int8", "S": "float"}, optional="order_X:int order_Y:int"
)
operator(
    "QOrderedLayerNormalization",
    "X:Q scale_X:S scale:F B?:F scale_Y:S -> Y:Q",
    {"F": FLOATS_16_32, "S": "float", "Q": "int8"},
    defaults={"axis": -1, "epsilon": 1e-05, "order_X": 1, "order_Y": 1},
)
operator(
    "QLinearAdd",
    "A:T A_scale:float A_zero_point?:T B:T B_scale:float B_zero_point?:T C_scale:float C_zero_point?:T -> C:T",
    {"T": BYTES},
)
operator(
    "QLinearMul",
    "A:T A_scale:float A_zero_point?:T B:T B_scale:float B_zero_point?:T C_scale:float C_zero_point?:T -> C:T",
    {"T": BYTES},
)
operator(
    "QLinearWhere",
    "condition:B X:T x_scale:TF x_zero_point:T Y:T y_scale:TF y_zero_point:T z_scale:TF z_zero_point:T -> Z:T",
    {"B": "bool", "TF": "float", "T": BYTES},
)
operator("QLinearSigmoid", "X:T X_scale:float X_zero_point?:T Y_scale:float Y_zero_point?:T -> Y:T", {"T": BYTES})
operator(
    "QLinearLeakyRelu",
    "X:T X_scale:float X_zero_point?:T Y_scale:float Y_zero_point?:T -> Y:T",
    {"T": BYTES},
    defaults={"alpha": 0.01},
)
operator(
    "QLinearSoftmax",
    "X:T X_scale:float x_zero_point?:T y_scale:float y_zero_point:T -> Y:T",
    {"T": BYTES},
    required="opset:int",
    defaults={"axis": -1},
)
operator(
    "QLinearConcat",
    "Y_scale:TF Y_zero_point:T8 inputs*~:TV -> Y:T8",
    {"T8": BYTES, "TF": "float", "TV": "uint8 int8 float"},
    required="axis:int",
)
operator(
    "QLinearConv",
    "x:T1 x_scale:float x_zero_point:T1 w:T2 w_scale:float w_zero_point:T2 y_scale:float y_zero_point:T3 B?:T4 -> y:T3",
    {"T1": BYTES, "T2": BYTES, "T3": BYTES, "T4": "int32"},
    optional="dilations:ints kernel_shape:ints pads:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "channels_last": 0, "group": 1},
)
operator(
    "QLinearAveragePool",
    "X:T x_scale:float x_zero_point?:T y_scale:float y_zero_point?:T -> Y:T",
    {"T": BYTES},
    required="kernel_shape:ints",
    optional="pads:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "ceil_mode": 0, "channels_last": 0, "count_include_pad": 0},
)
operator(
    "QLinearGlobalAveragePool",
    "X:T x_scale:float x_zero_point:T y_scale:float y_zero_point:T -> Y:T",
    {"T": BYTES},
    defaults={"channels_last": 0},
)
operator(
    "QLinearReduceMean",
    "data:T data_scale:float data_zero_point?:T reduced_scale:float reduced_zero_point?:T -> reduced:T",
    {"T": BYTES},
    required="axes:ints keepdims:int",
)
operator(
    "ReduceSumInteger", "data:T1 -> reduced:T2", {"T1": BYTES, "T2": "int32 uint32"}, required="axes:ints keepdims:int"
)
operator("MulInteger", "A:T A_zero_point?:T B:T B_zero_point?:T -> C:T1", {"T": BYTES, "T1": "int32"})
operator(
    "NhwcMaxPool",
    "x:T -> y:T",
    {"T": BYTES},
    required="kernel_shape:ints",
    optional="dilations:ints pads:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "ceil_mode": 0},
)
operator(
    "DynamicQuantizeLSTM",
    "X:T W:T2 R:T2 B?:T sequence_lens?:T1 initial_h?:T initial_c?:T P?:T W_scale:T "
    "W_zero_point:T2 R_scale:T R_zero_point:T2 -> Y?:T Y_h?:T Y_c?:T",
    {"T": "float", "T1": "int32", "T2": BYTES},
    optional="activation_alpha:floats activation_beta:floats activations:strings clip:float hidden_size:int",
    defaults={"direction": "forward", "input_forget": 0},
)
operator(
    "GatherBlockQuantized",
    "data:T1 indices:Tind scales:T2 zero_points?:T1 -> output:T2",
    {
        "T1": "int4 uint4 uint8 float8e4m3fn float8e4m3fnuz float8e5m2 float8e5m2fnuz float4e2m1",
        "T2": FLOATS,
        "Tind": INDICES,
    },
    defaults={"bits": 4, "block_size": 128, "gather_axis": 0, "quantize_axis": 1},
)
operator(
    "QEmbedLayerNormalization",
    "input_ids:T1 segment_ids?:T1 word_embedding_quant:T2 position_embedding_quant:T2 "
    "segment_embedding?:T2 gamma_quant:T2 beta_quant:T2 mask?:T1 word_embedding_scale:T "
    "position_embedding_scale:T segment_embedding_scale?:T gamma_scale:T beta_scale:T "
    "word_embedding_zero_point:T2 position_embedding_zero_point:T2 "
    "segment_embedding_zero_point?:T2 gamma_zero_point:T2 beta_zero_point:T2 -> layernorm_out:T "
    "mask_index_out:T1",
    {"T1": "int32", "T2": BYTES, "T": "float"},
    defaults={"epsilon": 1e-12},
)
