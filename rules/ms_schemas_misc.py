"""All the rest: indexing, transforms, embeddings and text.

The facts are those of ONNX Runtime's documentation; :mod:`.ms_notation` says how they are written.
"""

from __future__ import annotations

from .ms_notation import ALL_FLOATS, FLOATS_64, INDICES, NUMBERS, PLAIN, operator

operator(
    "AttnLSTM",
    "X:T W:T R:T B?:T sequence_lens?:T1 initial_h?:T initial_c?:T P?:T QW?:T MW?:T V?:T M?:T "
    "memory_seq_lens?:T1 AW?:T -> Y?:T Y_h?:T Y_c?:T",
    {"T": "float double", "T1": "int32"},
    optional="activation_alpha:floats activation_beta:floats activations:strings clip:float hidden_size:int",
    defaults={"direction": "forward", "input_forget": 0},
)
operator("CDist", "A:T B:T -> C:T", {"T": "float double"}, defaults={"metric": "sqeuclidean"})
operator("ComplexMul", "A:T B:T -> C:T", {"T": FLOATS_64})
operator("ComplexMulConj", "A:T B:T -> C:T", {"T": FLOATS_64})
operator(
    "CropAndResize",
    "X:T1 rois:T1 batch_indices:T2 crop_size:T2 -> Y:T1",
    {"T1": FLOATS_64, "T2": "int32"},
    defaults={"extrapolation_value": 0.0, "mode": "bilinear"},
)
operator("DynamicTimeWarping", "input:F -> output:I", {"F": "float", "I": "int32"})
operator(
    "EPContext",
    "inputs?*~:T -> outputs?*~:T",
    {"T": "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float double bfloat16"},
    optional=(
        "ep_cache_context:string ep_sdk_version:string hardware_architecture:string notes:string "
        "onnx_model_filename:string partition_name:string source:string"
    ),
    defaults={"embed_mode": 1, "main_context": 1, "max_size": 0},
)
operator("ExpandDims", "X:T axis:int32 -> Y:T", {"T": PLAIN})
operator("GatherND", "data:T indices:Tind -> output:T", {"T": PLAIN, "Tind": INDICES})
operator(
    "GridSample",
    "X:T1 Grid:T1 -> Y:T2",
    {"T1": PLAIN, "T2": FLOATS_64},
    defaults={"align_corners": 0, "mode": "bilinear", "padding_mode": "zeros"},
)
operator("Inverse", "X:T -> Y:T", {"T": FLOATS_64})
operator("Irfft", "X:T -> Y:T", {"T": FLOATS_64}, required="signal_ndim:int", defaults={"normalized": 0, "onesided": 1})
operator("Rfft", "X:T -> Y:T", {"T": FLOATS_64}, defaults={"normalized": 0, "onesided": 1, "signal_ndim": 1})
operator(
    "IsAllFinite", "input*:V -> output:T", {"V": ALL_FLOATS, "T": "bool"}, defaults={"isinf_only": 0, "isnan_only": 0}
)
operator(
    "MurmurHash3",
    "X:T1 -> Y:T2",
    {"T1": "uint32 int32 uint64 int64 float double string", "T2": "uint32 int32"},
    defaults={"positive": 1, "seed": 0},
)
operator("Pad", "data:T pads:int64 value?:T -> output:T", {"T": FLOATS_64}, defaults={"mode": "constant"})
operator("Range", "start:T limit:T delta?:T -> Y:T", {"T": "float double int16 int32 int64"})
operator("SampleOp", "X:T -> Y:T", {"T": "uint32 uint64 int32 int64 float16 float double"})
operator(
    "Snpe",
    "inputs*:T -> outputs*:T",
    {"T": "uint8 uint16 float"},
    required="DLC:string",
    optional="notes:string snpe_version:string target_device:string",
)
operator(
    "Tokenizer",
    "X:T -> Y:T",
    {"T": "string"},
    required="mark:int mincharnum:int pad_value:string",
    optional="separators:strings tokenexp:string",
)
operator("TorchEmbedding", "weight:T indices:int64 padding_idx?:int64 scale_grad_by_freq?:bool -> Y:T", {"T": NUMBERS})
operator(
    "Trilu",
    "X:T k?:int64 -> Y:T",
    {"T": "float16 float double bfloat16 uint8 uint16 uint32 uint64 int8 int16 int32 int64 bool"},
    defaults={"upper": 1},
)
operator(
    "UnfoldTensor",
    "input:T -> output:T",
    {"T": f"{PLAIN} bfloat16"},
    required="size:int",
    defaults={"dim": -1, "step": 1},
)
operator("Unique", "x:T -> y:T idx:int64 counts:int64", {"T": PLAIN})
operator(
    "WordConvEmbedding",
    "Sequence:T W:T1 B:T1 C:T1 -> Y:T1",
    {"T": "int32", "T1": "float"},
    optional="char_embedding_size:int conv_window_size:int embedding_size:int",
)
