"""Fused activations, normalisations, dropouts and convolutions.

The facts are those of ONNX Runtime's documentation; :mod:`.ms_notation` says how they are written.
"""

from __future__ import annotations

from .ms_notation import ALL_FLOATS, FLOATS, FLOATS_16_32, FLOATS_64, operator

operator("Gelu", "X:T -> Y:T", {"T": ALL_FLOATS})
operator("FastGelu", "X:T bias?:T -> Y:T", {"T": ALL_FLOATS})
operator("BiasGelu", "A:T B:T -> C:T", {"T": ALL_FLOATS})
operator("QuickGelu", "X:T -> Y:T", {"T": ALL_FLOATS}, defaults={"alpha": 1.702})
operator("BiasSplitGelu", "X:T bias:T -> Y:T", {"T": FLOATS_16_32})
operator(
    "SwiGLU",
    "gate:T up?:T -> output:T",
    {"T": FLOATS},
    defaults={"activation_alpha": 1.0, "activation_beta": 0.0, "limit": 0.0, "round_activation": 0},
)
operator("BiasAdd", "X:T bias:T skip:T -> Y:T", {"T": FLOATS_16_32})
operator(
    "BiasSoftmax",
    "data:T bias:T -> output:T",
    {"T": FLOATS_64},
    required="is_inner_broadcast:int",
    defaults={"axis": 1},
)
operator(
    "BiasDropout",
    "data:T bias:T residual?:T ratio?:T1 training_mode?:T2 -> output:T mask?:T2",
    {"T": ALL_FLOATS, "T1": ALL_FLOATS, "T2": "bool"},
    optional="seed:int",
)
operator(
    "BitmaskDropout",
    "data:T ratio?:T1 training_mode?:T2 -> output:T mask?:T3",
    {"T": ALL_FLOATS, "T1": ALL_FLOATS, "T2": "bool", "T3": "uint32"},
    optional="seed:int",
)
operator(
    "BitmaskBiasDropout",
    "data:T bias:T residual?:T ratio?:T1 training_mode?:T2 -> output:T mask?:T3",
    {"T": ALL_FLOATS, "T1": ALL_FLOATS, "T2": "bool", "T3": "uint32"},
    optional="seed:int",
)
operator(
    "SimplifiedLayerNormalization",
    "X:T scale:V -> Y:V inv_std_var?:U",
    {"T": ALL_FLOATS, "U": "float double", "V": ALL_FLOATS},
    defaults={"axis": -1, "epsilon": 1e-05, "stash_type": 1},
    domain="",
)
operator(
    "SkipLayerNormalization",
    "input:T skip:T gamma:T beta?:T bias?:T -> output:T mean?:U inv_std_var?:U input_skip_bias_sum?:T",
    {"T": FLOATS, "U": "float"},
    defaults={"epsilon": 1e-12},
)
operator(
    "SkipSimplifiedLayerNormalization",
    "input:T skip:T gamma:T bias?:T -> output:T mean?:U inv_std_var?:U input_skip_bias_sum?:T",
    {"T": FLOATS, "U": "float"},
    defaults={"epsilon": 1e-12},
)
operator(
    "EmbedLayerNormalization",
    "input_ids:T1 segment_ids?:T1 word_embedding:T position_embedding:T segment_embedding?:T "
    "gamma:T beta:T mask?:T1 position_ids?:T1 -> output:T mask_index?:T1 embedding_sum?:T",
    {"T1": "int32", "T": FLOATS_16_32},
    optional="mask_index_type:int",
    defaults={"epsilon": 1e-12},
)
operator(
    "GroupNorm",
    "X:T gamma:M beta:M -> Y:T",
    {"T": FLOATS_16_32, "M": FLOATS_16_32},
    required="activation:int groups:int",
    defaults={"channels_last": 1, "epsilon": 1e-05},
)
operator(
    "SkipGroupNorm",
    "X:T gamma:M beta:M skip:T bias?:T -> Y:T S?:T",
    {"T": FLOATS_16_32, "M": FLOATS_16_32},
    required="activation:int groups:int",
    defaults={"channels_last": 1, "epsilon": 1e-05},
)
operator("GatedRMSNorm", "X:T scale:T gate:T -> Y:T", {"T": FLOATS}, defaults={"activation": "silu", "epsilon": 1e-05})
operator(
    "FusedConv",
    "X:T W:T B?:T Z?:T -> Y:T",
    {"T": FLOATS_64},
    optional="activation:string activation_params:floats dilations:ints kernel_shape:ints pads:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "group": 1},
)
operator(
    "NhwcConv",
    "X:T W:T B?:T -> Y:T",
    {"T": FLOATS_64},
    optional="dilations:ints kernel_shape:ints pads:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "group": 1},
)
operator(
    "NhwcFusedConv",
    "X:T W:T B?:T Z?:T -> Y:T",
    {"T": FLOATS_16_32},
    optional="activation:string activation_params:floats dilations:ints kernel_shape:ints pads:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "group": 1},
)
operator(
    "ConvTransposeWithDynamicPads",
    "X:T W:T Pads?:int64 B?:T -> Y:T",
    {"T": FLOATS_64},
    optional="dilations:ints kernel_shape:ints output_padding:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "group": 1},
)
operator(
    "CausalConvWithState",
    "input:T weight:T bias?:T past_state?:T -> output:T present_state:T state_update?:T",
    {"T": FLOATS},
    defaults={
        "activation": "none",
        "channels_last": 0,
        "dilation": 1,
        "input_channel_offset": 0,
        "input_channels": 0,
        "ndim": 1,
        "state_channels_last": -1,
        "state_length": 0,
        "state_update_capacity": 0,
        "state_window": 0,
    },
)
operator(
    "MaxpoolWithMask",
    "X:T M:int32 -> Y:T",
    {"T": "float"},
    optional="kernel_shape:ints pads:ints strides:ints",
    defaults={"auto_pad": "NOTSET", "storage_order": 0},
)
operator(
    "ImageScaler",
    "input:T -> output:T",
    {"T": FLOATS_64},
    optional="bias:floats",
    defaults={"scale": 1.0},
    domain="",
    ended=10,
)
operator("Affine", "X:T -> Y:T", {"T": FLOATS_64}, defaults={"alpha": 1.0, "beta": 0.0}, domain="", ended=10)
operator("Crop", "input:T -> output:T", {"T": FLOATS_64}, optional="border:ints scale:ints", domain="", ended=10)
operator("ParametricSoftplus", "X:T -> Y:T", {"T": FLOATS_64}, optional="alpha:float beta:float", domain="", ended=10)
operator("ScaledTanh", "input:T -> output:T", {"T": FLOATS_64}, optional="alpha:float beta:float", domain="", ended=10)
operator("Scale", "input:T -> output:T", {"T": FLOATS_64}, defaults={"scale": 1.0}, domain="", ended=10)
