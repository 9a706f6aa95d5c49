"""Matrix products, plain and with quantised weights, and mixtures of experts.

The facts are those of ONNX Runtime's documentation; :mod:`.ms_notation` says how they are written.
"""

from __future__ import annotations

from .ms_notation import ALL_FLOATS, BYTES, FLOATS, FLOATS_16_32, HALVES, WIDE, operator

operator(
    "FusedMatMul",
    "A:T B:T -> Y:T",
    {"T": ALL_FLOATS},
    defaults={"alpha": 1.0, "transA": 0, "transB": 0, "transBatchA": 0, "transBatchB": 0},
)
operator(
    "FusedMatMulActivation",
    "A:T B:T -> Y:T",
    {"T": ALL_FLOATS},
    required="activation:string",
    optional="activation_alpha:float activation_axis:int activation_beta:float activation_gamma:float",
    defaults={"alpha": 1.0, "transA": 0, "transB": 0, "transBatchA": 0, "transBatchB": 0},
)
operator("TransposeMatMul", "A:T B:T -> Y:T", {"T": ALL_FLOATS}, defaults={"alpha": 1.0, "transA": 0, "transB": 0})
operator(
    "FusedGemm",
    "A:T B:T C?:T -> Y:T",
    {"T": "float16 float double uint32 uint64 int32 int64"},
    optional="activation:string activation_alpha:float activation_beta:float activation_gamma:float",
    defaults={"alpha": 1.0, "beta": 1.0, "transA": 0, "transB": 0},
)
operator("GemmFastGelu", "X:T W:T bias?:T -> Y:T", {"T": FLOATS})
operator(
    "GemmFloat8",
    "A:TA B:TB C?:TC scaleA?:TS scaleB?:TS scaleY?:TS -> Y:TR",
    {
        "TA": "float8e4m3fn float8e5m2 float16 bfloat16 float",
        "TB": "float8e4m3fn float8e5m2 float16 bfloat16 float",
        "TC": FLOATS,
        "TR": "float8e4m3fn float8e5m2 float16 bfloat16 float",
        "TS": "float",
    },
    optional="activation:string",
    defaults={"alpha": 1.0, "beta": 0.0, "dtype": 1, "transA": 0, "transB": 0},
)
operator(
    "MatMulNBits",
    "A:T1 B:T2 scales:T1 zero_points?:T3 g_idx?:T4 bias?:T1 -> Y:T1",
    {"T1": FLOATS, "T2": "uint8", "T3": "uint8 float16 float bfloat16", "T4": "int32"},
    required="K:int N:int block_size:int",
    defaults={"accuracy_level": 0, "bits": 4, "weight_prepacked": 0},
)
operator(
    "MatMulNBitsMlp",
    "A:T1 skip?:T1 norm_scale?:T1 gate_B:T2 gate_scales:T1 gate_bias?:T1 up_B:T2 up_scales:T1 "
    "up_bias?:T1 -> Y:T1 input_skip_bias_sum?:T1",
    {"T1": FLOATS, "T2": "uint8"},
    required="K:int N:int activation:string block_size:int",
    defaults={"accuracy_level": 0, "bits": 4, "epsilon": 1e-05},
)
operator(
    "MatMulNBitsQkv",
    "A:T1 skip?:T1 norm_scale:T1 q_B:T2 q_scales:T1 q_bias?:T1 k_B:T2 k_scales:T1 k_bias?:T1 "
    "v_B:T2 v_scales:T1 v_bias?:T1 -> Q:T1 K:T1 V:T1 input_skip_bias_sum?:T1",
    {"T1": FLOATS, "T2": "uint8"},
    required="K:int Nkv:int Nq:int block_size:int",
    defaults={"accuracy_level": 0, "bits": 4, "epsilon": 1e-06},
)
operator(
    "MatMulBnb4",
    "A:T1 B:T2 absmax:T1 -> Y:T1",
    {"T1": FLOATS, "T2": "uint8"},
    required="K:int N:int block_size:int quant_type:int",
    defaults={"training_mode": 0, "transB": 1},
)
operator(
    "MatMulFpQ4",
    "A:T1 B:T2 B_shape:T3 -> Y:T1",
    {"T1": "float", "T2": "uint8", "T3": "int64"},
    defaults={"blk_quant_type": 1},
)
operator(
    "MatMulBlockQuantizedFp8Weight",
    "A:T B:T1 b_scale:T2 a_scale?:T2 bias?:T -> Y:T",
    {"T": HALVES, "T1": "float8e4m3fn", "T2": "float"},
    defaults={"block_size": 128},
)
operator(
    "MatMulBlockQuantizedFp4Weight",
    "A:T B:T1 weight_scale:T2 weight_scale_2:T3 input_scale?:T3 bias?:T -> Y:T",
    {"T": HALVES, "T1": "uint8", "T2": "uint8", "T3": "float"},
    defaults={"block_size": 16},
)
operator(
    "MatMulIntegerToFloat",
    "A:T1 B:T2 a_scale:T3 b_scale:T3 a_zero_point?:T1 b_zero_point?:T2 bias?:T3 -> Y:T3",
    {"T1": BYTES, "T2": BYTES, "T3": FLOATS_16_32},
)
operator("MatMulInteger16", "A:T1 B:T2 -> Y:T3", {"T1": "int16 uint16", "T2": "int16 uint16", "T3": "int32 uint32"})
operator(
    "DynamicQuantizeMatMul", "A:T1 B:T2 b_scale:T1 b_zero_point?:T2 bias?:T1 -> Y:T1", {"T1": "float", "T2": BYTES}
)
operator(
    "QGemm",
    "A:TA a_scale:T a_zero_point:TA B:TB b_scale:T b_zero_point:TB C?:TC y_scale?:T y_zero_point?:TYZ -> Y:TY",
    {"T": "float", "TA": BYTES, "TB": BYTES, "TC": "int32", "TYZ": BYTES, "TY": "float uint8 int8"},
    defaults={"alpha": 1.0, "transA": 0, "transB": 0},
)
operator(
    "QOrderedMatMul",
    "A:Q scale_A:S B:Q scale_B:S scale_Y:S bias?:S C?:Q scale_C?:S -> Y:Q",
    {"Q": "int8", "S": "float"},
    required="order_A:int order_B:int order_Y:int",
)
operator(
    "SparseToDenseMatMul",
    "A:T B:T1 -> Y:T1",
    {"T": " ".join(f"sparse_tensor({each})" for each in WIDE.split()), "T1": WIDE},
    defaults={"alpha": 1.0, "transA": 0, "transB": 0},
)
operator(
    "MoE",
    "input:T router_probs:T fc1_experts_weights:T fc1_experts_bias?:T fc2_experts_weights:T "
    "fc2_experts_bias?:T fc3_experts_weights?:T fc3_experts_bias?:T -> output:T",
    {"T": FLOATS},
    optional="swiglu_limit:float",
    defaults={
        "activation_alpha": 1.0,
        "activation_beta": 0.0,
        "activation_type": "relu",
        "k": 1,
        "normalize_routing_weights": 0,
        "swiglu_fusion": 0,
        "swiglu_limit_after_activation": 0,
        "use_sparse_mixer": 0,
    },
)
operator(
    "QMoE",
    "input:T router_probs:T fc1_experts_weights:T1 fc1_scales?:T2 fc1_experts_bias?:T "
    "fc2_experts_weights:T1 fc2_scales?:T2 fc2_experts_bias?:T fc3_experts_weights?:T1 "
    "fc3_scales?:T2 fc3_experts_bias?:T fc1_zero_points?:T1 fc2_zero_points?:T1 "
    "fc3_zero_points?:T1 router_weights?:T fc1_global_scale?:T4 fc2_global_scale?:T4 "
    "fc1_act_scale?:T4 fc2_act_scale?:T4 fc1_act_block_scale?:T2 fc2_act_block_scale?:T2 -> "
    "output:T",
    {"T": FLOATS, "T1": "uint8 float8e4m3fn", "T2": "float float16 bfloat16 float8e8m0 float8e4m3fn", "T4": "float"},
    optional=(
        "block_size:int fc1_expert_weight_bits:int fc2_expert_weight_bits:int "
        "fc3_expert_weight_bits:int swiglu_limit:float"
    ),
    defaults={
        "accuracy_level": 0,
        "activation_alpha": 1.0,
        "activation_beta": 0.0,
        "activation_type": "relu",
        "expert_weight_bits": 4,
        "k": 1,
        "normalize_routing_weights": 0,
        "quant_type": "int",
        "swiglu_fusion": 0,
        "swiglu_limit_after_activation": 0,
        "use_sparse_mixer": 0,
        "weights_prepacked": -1,
    },
)
