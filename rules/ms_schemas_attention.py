"""Attention and what surrounds it: rotary and relative positions, packing, caches, and generation.

The facts are those of ONNX Runtime's documentation; :mod:`.ms_notation` says how they are written.
"""

from __future__ import annotations

from .ms_notation import BYTES, FLOATS, FLOATS_16_32, HALVES, operator

operator(
    "Attention",
    "input:T weights:T bias?:T mask_index?:M past?:T attention_bias?:T past_sequence_length?:M -> output:T present?:T",
    {"T": FLOATS, "M": "int32"},
    required="num_heads:int",
    optional=(
        "do_rotary:int mask_filter_value:float past_present_share_buffer:int qkv_hidden_sizes:ints "
        "rotary_embedding_dim:int scale:float"
    ),
    defaults={"unidirectional": 0},
)
operator(
    "MultiHeadAttention",
    "query:T key?:T value?:T bias?:T key_padding_mask?:M attention_bias?:T past_key?:T "
    "past_value?:T past_sequence_length?:M cache_indirection?:M -> output:T present_key?:T "
    "present_value?:T qk?:QK",
    {"T": FLOATS, "QK": FLOATS, "M": "int32"},
    required="num_heads:int",
    optional="mask_filter_value:float scale:float",
    defaults={"unidirectional": 0},
)
operator(
    "GroupQueryAttention",
    "query:T key?:T value?:T past_key?:T_CACHE past_value?:T_CACHE seqlens_k:M "
    "total_sequence_length:M cos_cache?:T sin_cache?:T position_ids?:int64 attention_bias?:T "
    "head_sink?:T k_scale?:T_KV_SCALE v_scale?:T_KV_SCALE q_norm_weight?:T k_norm_weight?:T "
    "query_seqlens?:M -> output:T present_key?:T_CACHE present_value?:T_CACHE output_qk?:T",
    {"T": FLOATS, "T_CACHE": "float float16 bfloat16 uint8 int8 float8e4m3fn", "T_KV_SCALE": "float", "M": "int32"},
    required="kv_num_heads:int num_heads:int",
    optional=(
        "do_rotary:int k_norm_epsilon:float kv_cache_bit_width:int q_norm_epsilon:float "
        "rotary_interleaved:int scale:float softcap:float"
    ),
    defaults={
        "causal": 1,
        "k_quant_type": "NONE",
        "local_window_size": -1,
        "qk_norm_epsilon": 1e-06,
        "qk_output": 0,
        "sliding_window_cache": 0,
        "smooth_softmax": -1,
        "v_quant_type": "NONE",
    },
)
operator(
    "DecoderMaskedMultiHeadAttention",
    "query:T key?:T value?:T mask_index?:M attention_bias?:T past_key?:T past_value?:T "
    "past_sequence_length?:M beam_width?:M cache_indirection?:M bias?:T -> output:T "
    "present_key?:T present_value?:T qk?:QK",
    {"T": FLOATS_16_32, "QK": FLOATS_16_32, "M": "int32"},
    required="num_heads:int",
    optional="mask_filter_value:float output_qk:int past_present_share_buffer:int scale:float",
)
operator(
    "DecoderMaskedSelfAttention",
    "input:T weights:T bias:T mask_index?:M past:T attention_bias?:T past_sequence_length:M "
    "beam_width?:M cache_indirection?:M -> output:T present:T",
    {"T": FLOATS_16_32, "M": "int32"},
    required="num_heads:int",
    optional="do_rotary:int mask_filter_value:float past_present_share_buffer:int scale:float",
)
operator(
    "DecoderAttention",
    "query:T key:T q_weight:T kv_weight:T bias:T key_padding_mask?:B key_cache?:T value_cache?:T "
    "static_kv:B use_past:B has_layer_state:B has_key_padding_mask:B -> output:T new_key_cache?:T "
    "new_value_cache?:T",
    {"T": FLOATS_16_32, "B": "bool"},
    required="num_heads:int",
    optional="mask_filter_value:float",
)
operator(
    "PackedAttention",
    "input:T weights:T bias:T token_offset:M cumulative_sequence_length:M attention_bias?:T -> output:T",
    {"T": FLOATS_16_32, "M": "int32"},
    required="num_heads:int",
    optional="qkv_hidden_sizes:ints scale:float",
)
operator(
    "PackedMultiHeadAttention",
    "query:T key?:T value?:T bias?:T token_offset:M cumulative_sequence_length:M attention_bias?:T -> output:T",
    {"T": FLOATS_16_32, "M": "int32"},
    required="num_heads:int",
    optional="mask_filter_value:float scale:float",
)
operator(
    "PagedAttention",
    "query:T key?:T value?:T key_cache:T_CACHE value_cache?:T_CACHE cumulative_sequence_length:S "
    "past_seqlens:S block_table:S cos_cache?:T sin_cache?:T slot_mapping?:S head_sink?:T "
    "q_norm_weight?:T k_norm_weight?:T k_scale?:T_KV_SCALE v_scale?:T_KV_SCALE "
    "attention_metadata?:S -> output:T key_cache_out?:T_CACHE value_cache_out?:T_CACHE",
    {"T": HALVES, "T_CACHE": "float16 bfloat16 int8 float8e4m3fn uint8", "T_KV_SCALE": "float", "S": "int32"},
    required="kv_num_heads:int num_heads:int",
    optional=(
        "do_rotary:int qk_norm_epsilon:float rotary_interleaved:int rotary_offset:int scale:float "
        "softcap:float v_head_size:int"
    ),
    defaults={
        "is_causal": 1,
        "k_cache_dtype": "",
        "k_quant_type": "NONE",
        "kv_cache_layout": "SEPARATE",
        "local_window_size": -1,
        "v_cache_dtype": "",
        "v_quant_type": "NONE",
    },
)
operator(
    "SparseAttention",
    "query:T key?:T value?:T past_key:T past_value:T block_row_indices:M block_col_indices:M "
    "total_sequence_length:M key_total_sequence_lengths:M cos_cache?:T sin_cache?:T -> output:T "
    "present_key:T present_value:T",
    {"T": FLOATS, "M": "int32"},
    required="kv_num_heads:int num_heads:int sparse_block_size:int",
    optional="do_rotary:int rotary_interleaved:int scale:float",
)
operator(
    "LongformerAttention",
    "input:T weight:T bias:T mask:T global_weight:T global_bias:T global:G -> output:T",
    {"T": FLOATS_16_32, "G": "int32"},
    required="num_heads:int window:int",
)
operator(
    "QAttention",
    "input:T1 weight:T2 bias:T3 input_scale:T3 weight_scale:T3 mask_index?:T4 "
    "input_zero_point?:T1 weight_zero_point?:T2 past?:T3 -> output:T3 present?:T3",
    {"T1": BYTES, "T2": BYTES, "T3": FLOATS_16_32, "T4": "int32"},
    required="num_heads:int",
    optional="do_rotary:int mask_filter_value:float past_present_share_buffer:int scale:float",
    defaults={"unidirectional": 0},
)
operator(
    "QOrderedAttention",
    "input:Q scale_input:S scale_Q_gemm:S scale_K_gemm:S scale_V_gemm:S Q_weight:Q K_weight:Q "
    "V_weight:Q scale_Q_weight:S scale_K_weight:S scale_V_weight:S Q_bias:S K_bias:S V_bias:S "
    "scale_QKT_gemm?:S scale_QKT_softmax?:S scale_values_gemm:S mask_index?:G past?:Q "
    "attention_bias?:S -> output:Q",
    {"Q": "int8", "S": "float", "G": "int32"},
    required="num_heads:int order_input:int order_output:int order_weight:int",
    optional="qkv_hidden_sizes:ints",
    defaults={"unidirectional": 0},
)
operator(
    "QOrderedLongformerAttention",
    "input:Q scale_input:S weight:Q scale_weight:S bias:S scale_bias:S scale_qkv_gemm:S mask:F "
    "global_weight:Q scale_global_weight:S global_bias:S scale_global_gemm:S global:G "
    "scale_output:S -> output:Q",
    {"Q": "int8", "S": "float", "G": "int32", "F": "float16"},
    required="num_heads:int order_global_weight:int order_input:int order_output:int order_weight:int window:int",
)
operator(
    "LinearAttention",
    "query:T key:T value:T past_state?:S decay?:T beta?:T -> output:T present_state:S",
    {"T": FLOATS, "S": FLOATS},
    required="kv_num_heads:int q_num_heads:int",
    defaults={"chunk_size": 64, "scale": 0.0, "state_window": 0, "update_rule": "gated_delta"},
)
operator("LinearAttentionGate", "a:T dt_bias:TF decay_scale:TF b?:T -> decay:T beta?:T", {"T": FLOATS, "TF": "float"})
operator(
    "RotaryEmbedding",
    "input:T position_ids:M cos_cache:T sin_cache:T -> output:T",
    {"T": FLOATS, "M": "int64"},
    optional="interleaved:int is_packed_batching:int num_heads:int rotary_embedding_dim:int scale:float",
)
operator("GemmaRotaryEmbedding", "emb:U q:T q_rot:T k:T k_rot:T -> output1:T output2:T", {"T": "float16", "U": "float"})
operator(
    "MRotaryEmbedding",
    "input:T position_ids:M cos_cache:T sin_cache:T -> output:T",
    {"T": FLOATS, "M": "int64"},
    required="mrope_section:ints",
    optional=(
        "interleaved:int is_packed_batching:int mrope_layout:int num_heads:int rotary_embedding_dim:int scale:float"
    ),
)
operator(
    "RelativePositionBias",
    "bias_table:T query_length:U key_length:U -> output:T",
    {"T": FLOATS_16_32, "U": "int64"},
    required="max_distance:int",
    defaults={"is_bidirectional": 0},
)
operator(
    "GatedRelativePositionBias",
    "query_layer:T query_bias:T rel_pos:T weight:T bias:T eco_a:T token_offset?:M -> output:T",
    {"T": FLOATS_16_32, "M": "int32"},
    required="num_heads:int",
)
operator(
    "RemovePadding",
    "input:T sequence_token_count:M -> output:T token_offset:M cumulated_seq_len:M max_seq_len:M",
    {"T": FLOATS_16_32, "M": "int32"},
)
operator("RestorePadding", "input:T token_offset:M -> output:T", {"T": FLOATS_16_32, "M": "int32"})
operator(
    "BifurcationDetector",
    "src_tokens:T cur_tokens:T prev_suffix_match_idx:T pred_tokens?:T -> tokens:T suffix_match_idx:T",
    {"T": "int64"},
    defaults={"max_ngram_size": 3, "min_ngram_size": 1},
)
operator(
    "NGramRepeatBlock",
    "input_ids:Tid scores:T -> scores_out:T",
    {"Tid": "int64", "T": "float"},
    required="ngram_size:int",
)
operator(
    "BeamSearch",
    "input_ids:F max_length:I min_length?:I num_beams:I num_return_sequences:I length_penalty?:T "
    "repetition_penalty?:T vocab_mask?:M prefix_vocab_mask?:M attention_mask?:I "
    "decoder_input_ids?:I logits_processor?:I -> sequences:I sequences_scores?:T scores?:T",
    {"T": FLOATS_16_32, "F": "float int32 float16", "I": "int32", "M": "int32"},
    required="decoder:graph eos_token_id:int pad_token_id:int",
    optional="encoder:graph init_decoder:graph",
    defaults={
        "decoder_start_token_id": -1,
        "early_stopping": 0,
        "model_type": 0,
        "no_repeat_ngram_size": 0,
        "vocab_size": -1,
    },
)
operator(
    "WhisperBeamSearch",
    "input_ids:F max_length:I min_length?:I num_beams:I num_return_sequences:I length_penalty?:T "
    "repetition_penalty?:T vocab_mask?:M prefix_vocab_mask?:M attention_mask?:I "
    "decoder_input_ids?:I logits_processor?:I cross_qk_layer_head?:I extra_decoding_ids?:I "
    "temperature?:T -> sequences:I sequences_scores?:T scores?:T cross_qk?:V non_speech_probs?:T",
    {"T": FLOATS_16_32, "F": "float int32 float16", "I": "int32", "M": "int32", "V": "float"},
    required="decoder:graph eos_token_id:int pad_token_id:int",
    optional=(
        "beginning_timestamp_token_id:int decoder_output_cross_qk:int encoder:graph "
        "init_decoder:graph no_speech_token_id:int no_timestamps_token_id:int "
        "start_of_lm_token_id:int transcribe_token_id:int translate_token_id:int"
    ),
    defaults={
        "decoder_start_token_id": -1,
        "early_stopping": 0,
        "model_type": 2,
        "no_repeat_ngram_size": 0,
        "vocab_size": -1,
    },
)
operator(
    "GreedySearch",
    "input_ids:I max_length:I min_length?:I repetition_penalty?:T vocab_mask?:I "
    "prefix_vocab_mask?:I attention_mask?:I -> sequences:I",
    {"T": "float", "I": "int32"},
    required="decoder:graph eos_token_id:int pad_token_id:int",
    optional="encoder:graph init_decoder:graph",
    defaults={"decoder_start_token_id": -1, "model_type": 0, "no_repeat_ngram_size": 0, "vocab_size": -1},
)
operator(
    "Sampling",
    "input_ids:I max_length:I min_length?:I repetition_penalty?:T vocab_mask?:I "
    "prefix_vocab_mask?:I attention_mask?:I presence_mask?:I seed?:I -> sequences:I "
    "filtered_logits?:T",
    {"T": "float", "I": "int32"},
    required="decoder:graph eos_token_id:int pad_token_id:int",
    optional="encoder:graph init_decoder:graph",
    defaults={
        "custom": 0,
        "decoder_start_token_id": -1,
        "filter_value": -1e20,
        "min_tokens_to_keep": 0,
        "model_type": 0,
        "no_repeat_ngram_size": 0,
        "presence_penalty": 0.0,
        "temperature": 1.0,
        "top_p": 0.0,
        "vocab_size": -1,
    },
)
