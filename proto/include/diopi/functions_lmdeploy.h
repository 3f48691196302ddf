/* SPDX-License-Identifier: BSD-3-Clause */
/* Generated from proto/registry by adaptor/codegen/headers.py. Do not edit. */
/**
 * @file
 * Operators of DIOPI. All are weak: where a vendor's library has no such operator, its address is null. Rules that
 * hold for every operator are in proto/registry/README.md. A parameter's comment names the dtypes that it may have:
 * - integral: int8, uint8, int16, uint16, int32, uint32, int64, uint64
 * - floating: float16, bfloat16, float32, float64
 * - complex: complex64, complex128
 */
#ifndef DIOPI_FUNCTIONS_LMDEPLOY_H_
#define DIOPI_FUNCTIONS_LMDEPLOY_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name lmdeploy_decode
 * Token bookkeeping around TurboMind's decoding loop.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Different parameters may not share memory.
 * - empty: Empty tensors are ordinary.
 * - nan: Values are moved, not computed.
 * - accumulation: None.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - batch_size must be at least 0. [batch_size-value]
 */
/** @{ */

/**
 * Gathers generated ids [step, batch] into rows without the padding of short prompts, TurboMind's `gather_output`.
 *
 * @param[in]     ctx              context of the call
 * @param[in,out] output_ids       [batch_size, max_output_len]; places past the end of a row keep their value; int32,
 *         int64
 * @param[in]     ids              [at least max_gen_step, batch_size]; int32, int64
 * @param[in]     context_length   int32, int64
 * @param[in]     max_context_len  integer
 * @param[in]     max_gen_step     integer
 * @param[in]     max_output_len   integer
 * @param[in]     batch_size       integer
 *
 * - formula: for each sequence b with c = context_length[b], and for each s in [0, max_gen_step) without c <= s <
 *   max_context_len: output_ids[b, d] = ids[s, b], where d = s if s < c, else s - (max_context_len - c), if d <
 *   max_output_len
 * - shape: output_ids is [batch_size, max_output_len], ids [at least max_gen_step, batch_size], context_length
 *   [batch_size].
 * - checks:
 *   - max_gen_step must be at least 0. [diopiGatherOutput-max_gen_step-value]
 *   - max_output_len must be at least 0. [diopiGatherOutput-max_output_len-value]
 *   - max_context_len must be at least 0. [diopiGatherOutput-max_context_len-value]
 *   - output_ids must have the shape [batch_size, max_output_len]. [diopiGatherOutput-output_ids-shape]
 *   - ids must have the shape [any, batch_size]. [diopiGatherOutput-ids-shape]
 *   - context_length must have the shape [batch_size]. [diopiGatherOutput-context_length-shape]
 *   - ids[0] must be at least max_gen_step. [diopiGatherOutput-ids-extent]
 *   - Each element of context_length must be at least 0 and at most max_context_len. A device may report this when the
 *     stream is synchronised. [diopiGatherOutput-context_length-elements]
 * - source: TurboMind, gather_output
 * - notes: Of an id that does not fit an int32 output_ids, the low bits are kept.
 */
DIOPI_API diopiError_t diopiGatherOutput(diopiContextHandle_t ctx, diopiTensorHandle_t output_ids,
                                         diopiConstTensorHandle_t ids, diopiConstTensorHandle_t context_length,
                                         int64_t max_context_len, int64_t max_gen_step, int64_t max_output_len,
                                         int64_t batch_size);

/**
 * Adds val to the first size elements in place, TurboMind's `plus_scalar`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] inoutput  integral
 * @param[in]     val       integer
 * @param[in]     size      integer
 *
 * - formula: inoutput[i] = inoutput[i] + val for each i < size
 * - shape: inoutput has one dimension.
 * - checks:
 *   - inoutput must have 1 dimension. [diopiPlusScalarInp-inoutput-ndim]
 *   - size must be at least 0. [diopiPlusScalarInp-size-value]
 *   - val must lie in the range of the dtype of inoutput. [diopiPlusScalarInp-val-fits]
 * - source: TurboMind, plus_scalar
 * - notes: A size above the length means all elements. Sums wrap around. The header leaves index 0 out, TurboMind does
 *   not.
 */
DIOPI_API diopiError_t diopiPlusScalarInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput, const int64_t val,
                                          const int64_t size);

/**
 * Padding max_input_length - input_lengths of each sequence, TurboMind's `update_padding_count`.
 *
 * @param[in]  ctx                  context of the call
 * @param[out] total_padding_count  int32, int64
 * @param[in]  input_lengths        int32, int64
 * @param[in]  max_input_length     integer
 * @param[in]  batch_size           integer
 *
 * - formula: total_padding_count = max_input_length - input_lengths
 * - shape: Both tensors are [batch_size].
 * - checks:
 *   - total_padding_count must have the shape [batch_size]. [diopiUpdatePaddingCount-total_padding_count-shape]
 *   - input_lengths must have the shape [batch_size]. [diopiUpdatePaddingCount-input_lengths-shape]
 *   - max_input_length must lie in the range of the dtype of total_padding_count.
 *     [diopiUpdatePaddingCount-max_input_length-fits]
 * - source: TurboMind, update_padding_count
 * - notes: Differences wrap around in the dtype of total_padding_count. The former count has no effect.
 */
DIOPI_API diopiError_t diopiUpdatePaddingCount(diopiContextHandle_t ctx, diopiTensorHandle_t total_padding_count,
                                               diopiConstTensorHandle_t input_lengths, int64_t max_input_length,
                                               int64_t batch_size);

/**
 * Swaps the first two dimensions of a [dim0, dim1, dim2] tensor, TurboMind's `transpose_axis_01`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output  integral, floating, complex, bool
 * @param[in]  input   integral, floating, complex, bool
 * @param[in]  dim0    integer
 * @param[in]  dim1    integer
 * @param[in]  dim2    integer
 *
 * - formula: output[j, i, k] = input[i, j, k]
 * - shape: input has dim0 * dim1 * dim2 elements, which are taken in row-major order as [dim0, dim1, dim2]; output is
 *   [dim1, dim0, dim2], or has as many elements in another shape, which are written in row-major order.
 * - checks:
 *   - output and input must have the same dtype. [diopiTransposeAxis01-output-same-dtype]
 *   - dim0 must be at least 0. [diopiTransposeAxis01-dim0-value]
 *   - dim1 must be at least 0. [diopiTransposeAxis01-dim1-value]
 *   - dim2 must be at least 0. [diopiTransposeAxis01-dim2-value]
 *   - input must have exactly as many elements as dim0 * dim1 * dim2. [diopiTransposeAxis01-input-numel]
 *   - output must have exactly as many elements as dim0 * dim1 * dim2. [diopiTransposeAxis01-output-numel]
 * - source: TurboMind, transpose_axis_01; torch.transpose
 * - notes: A tensor of shape [dim0, dim1, dim2] must be able to exist, so the product of any of these extents must fit
 *   64 bits, even if another extent is 0.
 */
DIOPI_API diopiError_t diopiTransposeAxis01(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiConstTensorHandle_t input, const int64_t dim0, const int64_t dim1,
                                            const int64_t dim2);

/**
 * Embeddings of the ids of one step, [batch_size, hidden_units], TurboMind's `embedding_lookup_pos_encoding`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] from_tensor      floating
 * @param[in]  embedding_table  floating
 * @param[in]  all_ids          [rows, batch_size]; row `step` is read; int32, int64
 * @param[in]  batch_size       integer
 * @param[in]  hidden_units     integer
 * @param[in]  step             integer
 *
 * - formula: from_tensor[b] = embedding_table[all_ids[step, b]]
 * - shape: from_tensor is [batch_size, hidden_units], embedding_table [ids, hidden_units], all_ids [rows, batch_size].
 * - checks:
 *   - from_tensor and embedding_table must have the same dtype.
 *     [diopiEmbeddingLookupPosEncoding-from_tensor-same-dtype]
 *   - step must be at least 0. [diopiEmbeddingLookupPosEncoding-step-value]
 *   - from_tensor must have the shape [batch_size, hidden_units]. [diopiEmbeddingLookupPosEncoding-from_tensor-shape]
 *   - embedding_table must have the shape [any, hidden_units]. [diopiEmbeddingLookupPosEncoding-embedding_table-shape]
 *   - all_ids must have the shape [any, batch_size]. [diopiEmbeddingLookupPosEncoding-all_ids-shape]
 *   - all_ids[0] must be at least step + 1. [diopiEmbeddingLookupPosEncoding-all_ids-extent]
 *   - Each element of all_ids must be a position of embedding_table in dimension 0. A device may report this when the
 *     stream is synchronised. [diopiEmbeddingLookupPosEncoding-all_ids-index]
 * - source: TurboMind, embedding_lookup_pos_encoding; torch.nn.functional.embedding
 * - notes: Only the ids of row `step` must be in range. No term for the position is added in spite of the name.
 */
DIOPI_API diopiError_t diopiEmbeddingLookupPosEncoding(diopiContextHandle_t ctx, diopiTensorHandle_t from_tensor,
                                                       diopiConstTensorHandle_t embedding_table,
                                                       diopiConstTensorHandle_t all_ids, const int64_t batch_size,
                                                       const int64_t hidden_units, const int64_t step);

/**
 * Embeddings of a prompt's ids, [input_lengths, hidden_units], TurboMind's `input_ids_embedding_lookup_pos_encoding`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] from_tensor      floating
 * @param[in]  input_ids        int32, int64
 * @param[in]  embedding_table  floating
 * @param[in]  input_lengths    integer
 * @param[in]  hidden_units     integer
 *
 * - formula: from_tensor[t] = embedding_table[input_ids[t]] for each t < input_lengths
 * - shape: from_tensor is [input_lengths, hidden_units], embedding_table [ids, hidden_units]; input_ids has one
 *   dimension and at least input_lengths elements.
 * - checks:
 *   - from_tensor and embedding_table must have the same dtype.
 *     [diopiInputIdsEmbeddingLookupPosEncoding-from_tensor-same-dtype]
 *   - from_tensor must have the shape [input_lengths, hidden_units].
 *     [diopiInputIdsEmbeddingLookupPosEncoding-from_tensor-shape]
 *   - embedding_table must have the shape [any, hidden_units].
 *     [diopiInputIdsEmbeddingLookupPosEncoding-embedding_table-shape]
 *   - input_ids must have 1 dimension. [diopiInputIdsEmbeddingLookupPosEncoding-input_ids-ndim]
 *   - input_ids[0] must be at least input_lengths. [diopiInputIdsEmbeddingLookupPosEncoding-input_ids-extent]
 *   - Each element of input_ids must be a position of embedding_table in dimension 0. A device may report this when the
 *     stream is synchronised. [diopiInputIdsEmbeddingLookupPosEncoding-input_ids-index]
 * - source: TurboMind, input_ids_embedding_lookup_pos_encoding; torch.nn.functional.embedding
 * - notes: Only the first input_lengths ids must be in range.
 */
DIOPI_API diopiError_t diopiInputIdsEmbeddingLookupPosEncoding(diopiContextHandle_t ctx,
                                                               diopiTensorHandle_t from_tensor,
                                                               diopiConstTensorHandle_t input_ids,
                                                               diopiConstTensorHandle_t embedding_table,
                                                               const int64_t input_lengths, const int64_t hidden_units);

/** @} */

/** @name lmdeploy_layer
 * Fused decoder layers of TurboMind.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Different parameters may not share memory.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - fusion_level must be at least 0. [fusion_level-value]
 */
/** @{ */

/**
 * Feed-forward block (silu(x W1) * (x W3)) W2 in place, TurboMind's LLaMA feed-forward layer.
 *
 * @param[in]     ctx             context of the call
 * @param[in,out] inoutput        floating
 * @param[in]     weight1         floating
 * @param[in]     weight2         floating
 * @param[in]     weight3         floating
 * @param[in,out] workspace       null while only the size is asked for; integral, floating, complex, bool
 * @param[in,out] workspace_size  bytes; negative: store the size needed and return
 * @param[in]     fusion_level    0: no fusion; higher: more
 *
 * - formula: inoutput = (silu(inoutput @ weight1) * (inoutput @ weight3)) @ weight2, where silu(x) = x / (1 + exp(-x))
 * - shape: inoutput is [tokens, hidden], weight1 and weight3 are [hidden, inter], weight2 is [inter, hidden].
 * - empty: Without tokens, nothing is written; a product over no terms is 0.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: Products of float16 and bfloat16 are accumulated in float32; the products, silu and their product may
 *   be rounded to the dtype.
 * - checks:
 *   - inoutput, weight1, weight2 and weight3 must have the same dtype. [diopiFusedSiluFfnInp-inoutput-same-dtype]
 *   - inoutput must have 2 dimensions. [diopiFusedSiluFfnInp-inoutput-ndim]
 *   - weight1 must have 2 dimensions. [diopiFusedSiluFfnInp-weight1-ndim]
 *   - inoutput[1] and weight1[0] must be equal. [diopiFusedSiluFfnInp-inoutput-equal]
 *   - weight3 must have the shape of weight1. [diopiFusedSiluFfnInp-weight3-shape]
 *   - weight2 must have the shape [weight1[1], weight1[0]]. [diopiFusedSiluFfnInp-weight2-shape]
 * - source: TurboMind, LlamaFfnLayer
 * - notes: The header exchanges the shapes of weight2 and weight3; its formula and TurboMind have these. With
 *   workspace_size < 0, the operator stores the size of the workspace and does nothing else; the size is the vendor's
 *   own, and a vendor may store 0.
 */
DIOPI_API diopiError_t diopiFusedSiluFfnInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                            diopiConstTensorHandle_t weight1, diopiConstTensorHandle_t weight2,
                                            diopiConstTensorHandle_t weight3, diopiTensorHandle_t workspace,
                                            int64_t* workspace_size, int64_t fusion_level);

/**
 * Root mean square normalisation of rows times scale in place, TurboMind's `root_mean_square_norm`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] inoutput  floating
 * @param[in]     scale     floating
 * @param[in]     eps       number
 *
 * - formula: inoutput[t] = inoutput[t] / sqrt(mean of inoutput[t]^2 + eps) * scale for each row t
 * - shape: inoutput is [tokens, hidden], scale [hidden].
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once; sums over rows are pairwise.
 * - checks:
 *   - inoutput must have 2 dimensions. [diopiRootMeanSquareNormInp-inoutput-ndim]
 *   - scale must have the shape [inoutput[1]]. [diopiRootMeanSquareNormInp-scale-shape]
 * - source: torch.nn.functional.rms_norm
 */
DIOPI_API diopiError_t diopiRootMeanSquareNormInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                                  diopiConstTensorHandle_t scale, float eps);

/**
 * Adds inoutput and bias to residual, then normalises residual into inoutput, TurboMind's `add_residual_rms_norm`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] inoutput  floating
 * @param[in,out] residual  floating
 * @param[in]     bias      may be null; floating
 * @param[in]     scale     floating
 * @param[in]     eps       number
 *
 * - formula: residual = residual + inoutput + bias, rounded to its dtype; inoutput[t] = residual[t] / sqrt(mean of
 *   residual[t]^2 + eps) * scale for each row t
 * - shape: inoutput and residual are [tokens, hidden], bias and scale [hidden].
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once; sums over rows are pairwise.
 * - checks:
 *   - inoutput and residual must have the same dtype. [diopiFusedAddRootMeanSquareNormInp-inoutput-same-dtype]
 *   - inoutput must have 2 dimensions. [diopiFusedAddRootMeanSquareNormInp-inoutput-ndim]
 *   - residual must have the shape of inoutput. [diopiFusedAddRootMeanSquareNormInp-residual-shape]
 *   - bias must have the shape [inoutput[1]]. [diopiFusedAddRootMeanSquareNormInp-bias-shape]
 *   - scale must have the shape [inoutput[1]]. [diopiFusedAddRootMeanSquareNormInp-scale-shape]
 * - source: TurboMind, add_residual_rms_norm
 */
DIOPI_API diopiError_t diopiFusedAddRootMeanSquareNormInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                                          diopiTensorHandle_t residual, diopiConstTensorHandle_t bias,
                                                          diopiConstTensorHandle_t scale, float eps);

/**
 * Attention of whole prompts with rotary embedding and cache writes in place, TurboMind's context attention layer.
 *
 * @param[in]     ctx                context of the call
 * @param[in,out] inoutput           floating
 * @param[in]     qkv_weight         null while only the size is asked for; floating
 * @param[in]     qkv_bias           may be null; floating
 * @param[in,out] pre_work           prepared masks and offsets; null while only the size is asked for; integral,
 *         floating, complex, bool
 * @param[in,out] pre_work_size      bytes; negative: store the size needed and return
 * @param[in]     is_prepared        whether `pre_work` is filled; false: fill it and return
 * @param[in,out] workspace          null while only the size is asked for; integral, floating, complex, bool
 * @param[in,out] workspace_size     bytes; negative: store the size needed and return
 * @param[in]     fusion_level       0: no fusion; higher: more
 * @param[in,out] key_cache          floating
 * @param[in,out] value_cache        floating
 * @param[in]     layer_id           integer
 * @param[in]     local_head_num     integer
 * @param[in]     local_kv_head_num  integer
 * @param[in]     size_per_head      integer
 * @param[in]     max_seq_len        integer
 * @param[in]     max_q_len          integer
 * @param[in]     max_kv_len         integer
 * @param[in]     rotary_embedding   number of dimensions of a head that rotate
 * @param[in]     rope_theta         base of the rotary frequencies
 *
 * - formula: with B = key_cache[1] sequences of max_q_len tokens each, h = max_kv_len - max_q_len tokens before them:
 *   qkv = inoutput @ qkv_weight + qkv_bias, whose columns are local_head_num query heads, local_kv_head_num key heads
 *   and as many value heads; in query and key heads each pair (x[2 i], x[2 i + 1]) with 2 i < rotary_embedding is
 *   rotated by the angle (h + t) * rope_theta^(-2 i / rotary_embedding), where t is the position of the token among the
 *   new ones; keys and values of token t of sequence b become key_cache and value_cache[layer_id, b, :, h + t];
 *   inoutput = softmax over j <= h + t of (query . key_cache[layer_id, b, head, j] / sqrt(size_per_head)) times
 *   value_cache[layer_id, b, head, j]
 * - shape: inoutput is [B * max_q_len, local_head_num * size_per_head], one sequence after the other; the caches are
 *   [layers, B, local_kv_head_num, max_seq_len, size_per_head].
 * - empty: Without tokens, nothing is written.
 * - nan: As IEEE arithmetic has it. Keys j > h + t change nothing, whatever their numbers are.
 * - accumulation: Products, sums and the softmax of float16 and bfloat16 are float32; queries, keys and values are
 *   rounded to the dtype after the product and after the rotation.
 * - checks:
 *   - max_q_len must be at least 0. [diopiFusedContextAttentionInp-max_q_len-value]
 *   - max_q_len must be at most max_kv_len. [diopiFusedContextAttentionInp-max_q_len-ordered]
 *   - max_kv_len must be at most max_seq_len. [diopiFusedContextAttentionInp-max_kv_len-ordered]
 *   - inoutput, qkv_weight, qkv_bias, key_cache and value_cache must have the same dtype.
 *     [diopiFusedContextAttentionInp-inoutput-same-dtype]
 *   - layer_id must be at least 0. [diopiFusedContextAttentionInp-layer_id-value]
 *   - local_head_num must be at least 1. [diopiFusedContextAttentionInp-local_head_num-value]
 *   - local_kv_head_num must be at least 1. [diopiFusedContextAttentionInp-local_kv_head_num-value]
 *   - size_per_head must be at least 1. [diopiFusedContextAttentionInp-size_per_head-value]
 *   - max_seq_len must be at least 1. [diopiFusedContextAttentionInp-max_seq_len-value]
 *   - local_head_num must be a multiple of local_kv_head_num. [diopiFusedContextAttentionInp-local_head_num-divisible]
 *   - rotary_embedding must be at most size_per_head. [diopiFusedContextAttentionInp-rotary_embedding-ordered]
 *   - If rotary_embedding is at least 1, rotary_embedding must be a multiple of 2.
 *     [diopiFusedContextAttentionInp-rotary_embedding-divisible]
 *   - rope_theta must be greater than 0 and be finite. [diopiFusedContextAttentionInp-rope_theta-value]
 *   - key_cache must have the shape [any, any, local_kv_head_num, max_seq_len, size_per_head].
 *     [diopiFusedContextAttentionInp-key_cache-shape]
 *   - value_cache must have the shape of key_cache. [diopiFusedContextAttentionInp-value_cache-shape]
 *   - key_cache[0] must be at least layer_id + 1. [diopiFusedContextAttentionInp-key_cache-extent]
 *   - qkv_weight must have the shape [local_head_num * size_per_head, local_head_num * size_per_head + 2 *
 *     local_kv_head_num * size_per_head]. [diopiFusedContextAttentionInp-qkv_weight-shape]
 *   - qkv_bias must have the shape [1, local_head_num * size_per_head + 2 * local_kv_head_num * size_per_head].
 *     [diopiFusedContextAttentionInp-qkv_bias-shape]
 *   - qkv_weight must be given unless only the sizes are asked for. [diopiFusedContextAttentionInp-qkv_weight-given]
 *   - inoutput must have the shape [key_cache[1] * max_q_len, local_head_num * size_per_head].
 *     [diopiFusedContextAttentionInp-inoutput-shape]
 * - source: TurboMind, LlamaContextAttentionLayer
 * - notes: The signature has no lengths, so all sequences have equal ones. With pre_work_size < 0 or workspace_size <
 *   0, the operator stores both sizes and does nothing else; the sizes are the vendor's own, and a vendor may store 0.
 *   With is_prepared false, it prepares pre_work for itself and does nothing else. rotary_embedding <= 0: no rotation.
 */
DIOPI_API diopiError_t diopiFusedContextAttentionInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                                     diopiConstTensorHandle_t qkv_weight,
                                                     diopiConstTensorHandle_t qkv_bias, diopiTensorHandle_t pre_work,
                                                     int64_t* pre_work_size, bool is_prepared,
                                                     diopiTensorHandle_t workspace, int64_t* workspace_size,
                                                     int64_t fusion_level, diopiTensorHandle_t key_cache,
                                                     diopiTensorHandle_t value_cache, int64_t layer_id,
                                                     int64_t local_head_num, int64_t local_kv_head_num,
                                                     int64_t size_per_head, int64_t max_seq_len, int64_t max_q_len,
                                                     int64_t max_kv_len, int64_t rotary_embedding, float rope_theta);

/**
 * Attention of one new token per sequence with rotary embedding and cache writes in place, TurboMind's decoder
 * attention.
 *
 * @param[in]     ctx                   context of the call
 * @param[in,out] inoutput              floating
 * @param[in]     qkv_weight            null while only the size is asked for; floating
 * @param[in]     qkv_bias              may be null; floating
 * @param[in,out] workspace             null while only the size is asked for; integral, floating, complex, bool
 * @param[in,out] workspace_size        bytes; negative: store the size needed and return
 * @param[in]     fusion_level          0: no fusion; higher: more
 * @param[in,out] key_cache             floating
 * @param[in,out] value_cache           floating
 * @param[in]     finished              sequences to pass over; null: none; bool
 * @param[in]     total_padding_tokens  may be null; int32, int64
 * @param[in]     sequence_lengths      int32, int64
 * @param[in]     step                  integer
 * @param[in]     layer_id              integer
 * @param[in]     local_head_num        integer
 * @param[in]     local_kv_head_num     integer
 * @param[in]     size_per_head         integer
 * @param[in]     max_seq_len           integer
 * @param[in]     rotary_embedding      number of dimensions of a head that rotate
 * @param[in]     rope_theta            base of the rotary frequencies
 *
 * - formula: for each sequence b that is not finished, with L = sequence_lengths[b]: qkv, heads and rotation as in
 *   diopiFusedContextAttentionInp, for the position step - 1 - total_padding_tokens[b]; key and value become key_cache
 *   and value_cache[layer_id, b, :, L mod max_seq_len]; inoutput[b] = softmax over j < min(L + 1, max_seq_len) of
 *   (query . key_cache[layer_id, b, head, j] / sqrt(size_per_head)) times value_cache[layer_id, b, head, j]
 * - shape: inoutput is [batch, local_head_num * size_per_head]; the caches are [layers, batch, local_kv_head_num,
 *   max_seq_len, size_per_head]; finished, total_padding_tokens and sequence_lengths are [batch].
 * - empty: Without sequences, nothing is written.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: Products, sums and the softmax of float16 and bfloat16 are float32; queries, keys and values are
 *   rounded to the dtype after the product and after the rotation.
 * - checks:
 *   - inoutput, qkv_weight, qkv_bias, key_cache and value_cache must have the same dtype.
 *     [diopiFusedDecoderAttentionInp-inoutput-same-dtype]
 *   - layer_id must be at least 0. [diopiFusedDecoderAttentionInp-layer_id-value]
 *   - local_head_num must be at least 1. [diopiFusedDecoderAttentionInp-local_head_num-value]
 *   - local_kv_head_num must be at least 1. [diopiFusedDecoderAttentionInp-local_kv_head_num-value]
 *   - size_per_head must be at least 1. [diopiFusedDecoderAttentionInp-size_per_head-value]
 *   - max_seq_len must be at least 1. [diopiFusedDecoderAttentionInp-max_seq_len-value]
 *   - local_head_num must be a multiple of local_kv_head_num. [diopiFusedDecoderAttentionInp-local_head_num-divisible]
 *   - rotary_embedding must be at most size_per_head. [diopiFusedDecoderAttentionInp-rotary_embedding-ordered]
 *   - If rotary_embedding is at least 1, rotary_embedding must be a multiple of 2.
 *     [diopiFusedDecoderAttentionInp-rotary_embedding-divisible]
 *   - rope_theta must be greater than 0 and be finite. [diopiFusedDecoderAttentionInp-rope_theta-value]
 *   - key_cache must have the shape [any, any, local_kv_head_num, max_seq_len, size_per_head].
 *     [diopiFusedDecoderAttentionInp-key_cache-shape]
 *   - value_cache must have the shape of key_cache. [diopiFusedDecoderAttentionInp-value_cache-shape]
 *   - key_cache[0] must be at least layer_id + 1. [diopiFusedDecoderAttentionInp-key_cache-extent]
 *   - qkv_weight must have the shape [local_head_num * size_per_head, local_head_num * size_per_head + 2 *
 *     local_kv_head_num * size_per_head]. [diopiFusedDecoderAttentionInp-qkv_weight-shape]
 *   - qkv_bias must have the shape [1, local_head_num * size_per_head + 2 * local_kv_head_num * size_per_head].
 *     [diopiFusedDecoderAttentionInp-qkv_bias-shape]
 *   - qkv_weight must be given unless only the sizes are asked for. [diopiFusedDecoderAttentionInp-qkv_weight-given]
 *   - inoutput must have the shape [key_cache[1], local_head_num * size_per_head].
 *     [diopiFusedDecoderAttentionInp-inoutput-shape]
 *   - finished must have the shape [key_cache[1]]. [diopiFusedDecoderAttentionInp-finished-shape]
 *   - total_padding_tokens must have the shape [key_cache[1]].
 *     [diopiFusedDecoderAttentionInp-total_padding_tokens-shape]
 *   - sequence_lengths must have the shape [key_cache[1]]. [diopiFusedDecoderAttentionInp-sequence_lengths-shape]
 *   - Each element of sequence_lengths must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiFusedDecoderAttentionInp-sequence_lengths-elements]
 *   - step must be at least 1 unless only the sizes are asked for. [diopiFusedDecoderAttentionInp-step-positive]
 *   - If rotary_embedding is at least 1, each element of total_padding_tokens must be at least 0 and at most step - 1.
 *     A device may report this when the stream is synchronised.
 *     [diopiFusedDecoderAttentionInp-total_padding_tokens-elements]
 * - source: TurboMind, LlamaDecoderSelfAttentionLayer
 * - notes: The cache of a sequence is a ring: the new token takes the place of one that is out of view. Neither the row
 *   nor the cache of a finished sequence is written. With workspace_size < 0, the operator stores the size of the
 *   workspace and does nothing else; the size is the vendor's own, and a vendor may store 0. rotary_embedding <= 0: no
 *   rotation.
 */
DIOPI_API diopiError_t diopiFusedDecoderAttentionInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                                     diopiConstTensorHandle_t qkv_weight,
                                                     diopiConstTensorHandle_t qkv_bias, diopiTensorHandle_t workspace,
                                                     int64_t* workspace_size, int64_t fusion_level,
                                                     diopiTensorHandle_t key_cache, diopiTensorHandle_t value_cache,
                                                     diopiConstTensorHandle_t finished,
                                                     diopiConstTensorHandle_t total_padding_tokens,
                                                     diopiConstTensorHandle_t sequence_lengths, int64_t step,
                                                     int64_t layer_id, int64_t local_head_num,
                                                     int64_t local_kv_head_num, int64_t size_per_head,
                                                     int64_t max_seq_len, int64_t rotary_embedding, float rope_theta);

/** @} */

/** @name lmdeploy_sampling
 * Sampling, penalties and stop criteria of TurboMind.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Different parameters may not share memory.
 * - empty: Without sequences, nothing is written.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - batch_size must be at least 0. [batch_size-value]
 *   - step must be at least 0. [step-value]
 *   - fusion_level must be at least 0. [fusion_level-value]
 *   - vocab_size_padded must be at least 1. [vocab_size_padded-value]
 *   - id_offset must be at least 0. [id_offset-value]
 *   - top_ks must have the shape [batch_size]. [top_ks-shape]
 *   - top_ps must have the shape [batch_size]. [top_ps-shape]
 *   - end_ids must have the shape [batch_size]. [end_ids-shape]
 *   - finished must have the shape [batch_size]. [finished-shape]
 *   - sequence_lengths must have the shape [batch_size]. [sequence_lengths-shape]
 *   - runtime_top_k must have the shape [batch_size]. [runtime_top_k-shape]
 *   - runtime_top_p must have the shape [batch_size]. [runtime_top_p-shape]
 *   - skip_decode must have the shape [batch_size]. [skip_decode-shape]
 *   - cum_log_probs must have the shape [batch_size]. [cum_log_probs-shape]
 *   - output_log_probs must have the shape [batch_size]. [output_log_probs-shape]
 *   - penalties must have the shape [batch_size]. [penalties-shape]
 *   - temperatures must have the shape [batch_size]. [temperatures-shape]
 *   - input_lengths must have the shape [batch_size]. [input_lengths-shape]
 *   - sequence_limit_length must have the shape [batch_size]. [sequence_limit_length-shape]
 *   - logits must have the shape [batch_size, vocab_size_padded]. [logits-shape]
 */
/** @{ */

/**
 * Settles k and p of each sequence for top-k sampling, TurboMind's `setup_topk_runtime_args`.
 *
 * @param[in]     ctx          context of the call
 * @param[in,out] top_ks       read where top_ks_size > 1, written always; int32, int64
 * @param[in,out] top_ps       read where top_ps_size > 1, written always; floating
 * @param[out]    skip_decode  true where k is 0: the sequence is not sampled by top-k; bool
 * @param[in]     batch_size   integer
 * @param[in]     top_k        integer
 * @param[in]     top_ks_size  integer
 * @param[in]     top_p        number
 * @param[in]     top_ps_size  integer
 *
 * - formula: for each sequence b: k = top_ks[b] if top_ks_size > 1, else top_k; p = top_ps[b] if top_ps_size > 1, else
 *   top_p; if k = 0 and p = 0, then k = 1; if k > 0 and p = 0, then p = 1; top_ks[b] = min(k, 1024); top_ps[b] = p
 *   limited to [0, 1]; skip_decode[b] = (k = 0)
 * - shape: top_ks, top_ps and skip_decode are [batch_size].
 * - nan: p is finite.
 * - accumulation: None.
 * - checks:
 *   - top_ks_size must be at least 0. [diopiSetupTopkRuntimeArgsInp-top_ks_size-value]
 *   - top_ps_size must be at least 0. [diopiSetupTopkRuntimeArgsInp-top_ps_size-value]
 *   - If top_ks_size is at least 2, top_ks_size and batch_size must be equal.
 *     [diopiSetupTopkRuntimeArgsInp-top_ks_size-equal]
 *   - If top_ps_size is at least 2, top_ps_size and batch_size must be equal.
 *     [diopiSetupTopkRuntimeArgsInp-top_ps_size-equal]
 *   - If top_ks_size is at most 1, top_k must be at least 0. [diopiSetupTopkRuntimeArgsInp-top_k-value]
 *   - If top_ps_size is at most 1, top_p must be finite. [diopiSetupTopkRuntimeArgsInp-top_p-value]
 *   - If top_ks_size is at least 2, each element of top_ks must be at least 0. A device may report this when the stream
 *     is synchronised. [diopiSetupTopkRuntimeArgsInp-top_ks-elements]
 *   - If top_ps_size is at least 2, each element of top_ps must be finite. A device may report this when the stream is
 *     synchronised. [diopiSetupTopkRuntimeArgsInp-top_ps-elements]
 * - source: TurboMind, setup_topk_runtime_args
 * - notes: A list of one element is passed as the number; the header says that the lists are read from size 1 on.
 */
DIOPI_API diopiError_t diopiSetupTopkRuntimeArgsInp(diopiContextHandle_t ctx, diopiTensorHandle_t top_ks,
                                                    diopiTensorHandle_t top_ps, diopiTensorHandle_t skip_decode,
                                                    int64_t batch_size, int64_t top_k, int64_t top_ks_size,
                                                    float top_p, int64_t top_ps_size);

/**
 * Draws the next id of each sequence from its top-k logits, TurboMind's `TopKSamplingLayer`.
 *
 * @param[in]     ctx                context of the call
 * @param[in,out] output_ids         [max length, batch]; row `step` is written; int32, int64
 * @param[in,out] logits             written for finished sequences only; floating
 * @param[in,out] workspace          null while only the size is asked for; integral, floating, complex, bool
 * @param[in,out] workspace_size     bytes; negative: store the size needed and return
 * @param[in]     fusion_level       0: no fusion; higher: more
 * @param[in]     end_ids            int32, int64
 * @param[in,out] finished           sequences that have ended; null: none; bool
 * @param[in,out] sequence_lengths   may be null; grown by one where the sequence goes on; int32, int64
 * @param[in]     step               integer
 * @param[in]     batch_size         integer
 * @param[in]     vocab_size_padded  integer
 * @param[in]     runtime_top_k      int32, int64
 * @param[in]     runtime_top_p      floating
 * @param[in]     skip_decode        null: every sequence is sampled; bool
 * @param[in,out] cum_log_probs      null: not wanted; floating
 * @param[in,out] output_log_probs   null: not wanted; not written for skipped and finished sequences; floating
 * @param[in,out] generators         list of `batch_size` generators; one per sequence; only those of sampled sequences
 *         advance
 *
 * - formula: for each sequence b that skip_decode does not skip. If it is finished: all logits of b become -M, that of
 *   end_ids[b] M, and output_ids[step, b] = end_ids[b]. Otherwise: w_0 >= w_1 >= ... are exp(logit - largest logit) of
 *   the k = runtime_top_k[b] largest logits, of equal logits that of the smaller id first; S is their sum, u the
 *   uniform number of generators[b]; the id of the first w_i with w_0 + ... + w_i >= u * runtime_top_p[b] * S, or of
 *   the last w, becomes output_ids[step, b]; cum_log_probs[b] += log(w_i / W) and output_log_probs[b] = log(w_i / S),
 *   where W is the sum over all logits; if finished and sequence_lengths are given, sequence_lengths[b] += 1 and
 *   finished[b] = (id = end_ids[b])
 * - shape: output_ids is [rows, batch_size] with more than `step` rows, logits [batch_size, vocab_size_padded]; the
 *   others are [batch_size].
 * - nan: NaN counts as minus infinity. Logits that equal the largest have weight 1, also if that is infinite. M is the
 *   largest number of float32, or of the dtype of logits if that is smaller.
 * - accumulation: Weights and their sums are computed in float64, so that all vendors draw the same ids; S and the sums
 *   of weights are added one by one in the order of the weights.
 * - determinism: The same bits for any number of threads. u is word 0 of generators[b] as diopiUniformInp on one
 *   float32 makes it; the generators of other sequences stay as they were.
 * - checks:
 *   - output_ids must have the shape [any, batch_size]. [diopiTopKSampling-output_ids-shape]
 *   - output_ids[0] must be at least step + 1. [diopiTopKSampling-output_ids-extent]
 *   - Each element of end_ids must be 0 to below vocab_size_padded. A device may report this when the stream is
 *     synchronised. [diopiTopKSampling-end_ids-index]
 *   - Each element of runtime_top_k must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiTopKSampling-runtime_top_k-elements]
 *   - Each element of runtime_top_p must be within [0, 1]. A device may report this when the stream is synchronised.
 *     [diopiTopKSampling-runtime_top_p-elements]
 *   - If finished is given, each element of sequence_lengths must be at least 0. A device may report this when the
 *     stream is synchronised. [diopiTopKSampling-sequence_lengths-elements]
 *   - If finished is given, Each element of sequence_lengths must be less than the greatest number of its dtype. A
 *     device may report this when the stream is synchronised. [diopiTopKSampling-sequence_lengths-grows]
 * - source: The text of the header; TurboMind, TopKSamplingLayer
 * - notes: A k of 0 counts as 1, one above vocab_size_padded as vocab_size_padded. With workspace_size < 0, the
 *   operator stores the size of the workspace and does nothing else; the size is the vendor's own, and a vendor may
 *   store 0.
 */
DIOPI_API diopiError_t diopiTopKSampling(diopiContextHandle_t ctx, diopiTensorHandle_t output_ids,
                                         diopiTensorHandle_t logits, diopiTensorHandle_t workspace,
                                         int64_t* workspace_size, int64_t fusion_level,
                                         diopiConstTensorHandle_t end_ids, diopiTensorHandle_t finished,
                                         diopiTensorHandle_t sequence_lengths, int64_t step, int64_t batch_size,
                                         int64_t vocab_size_padded, diopiConstTensorHandle_t runtime_top_k,
                                         diopiConstTensorHandle_t runtime_top_p, diopiConstTensorHandle_t skip_decode,
                                         diopiTensorHandle_t cum_log_probs, diopiTensorHandle_t output_log_probs,
                                         diopiGeneratorHandle_t* generators);

/**
 * Settles k, p, decay, minimum and reset id of each sequence for top-p sampling, TurboMind's `set_topp_runtime_args`.
 *
 * @param[in]     ctx                  context of the call
 * @param[in,out] top_ks               read where top_ks_size > 1, written always; int32, int64
 * @param[in,out] top_ps               read where top_ps_size > 1, written always; floating
 * @param[out]    skip_decode          true where k > 0: the sequence is not sampled by top-p; bool
 * @param[in]     batch_size           integer
 * @param[in]     top_k                integer
 * @param[in]     top_ks_size          integer
 * @param[in]     top_p                number
 * @param[in]     top_ps_size          integer
 * @param[out]    initial_top_p_buf    floating
 * @param[out]    top_p_decay_buf      floating
 * @param[in]     top_p_decay          number
 * @param[out]    top_p_min_buf        floating
 * @param[in]     top_p_min            number
 * @param[out]    top_p_reset_ids_buf  int32, int64
 * @param[in]     top_p_reset_ids      integer
 *
 * - formula: for each sequence b: k and p as in diopiSetupTopkRuntimeArgsInp; if k = 0 and p = 0, then k = 1; top_ks[b]
 *   = k; top_ps[b] = p limited to [0, 1]; skip_decode[b] = (k > 0); initial_top_p_buf[b] = top_ps[b];
 *   top_p_decay_buf[b] = top_p_decay if that is in (0, 1], else 1; top_p_min_buf[b] = top_p_min if that is in (0, 1],
 *   else 0.5; top_p_reset_ids_buf[b] = top_p_reset_ids
 * - shape: All tensors are [batch_size].
 * - nan: p is finite; a decay or minimum that is NaN is outside of (0, 1].
 * - accumulation: None.
 * - checks:
 *   - initial_top_p_buf must have the shape [batch_size]. [diopiSetupToppRuntimeArgsInp-initial_top_p_buf-shape]
 *   - top_p_decay_buf must have the shape [batch_size]. [diopiSetupToppRuntimeArgsInp-top_p_decay_buf-shape]
 *   - top_p_min_buf must have the shape [batch_size]. [diopiSetupToppRuntimeArgsInp-top_p_min_buf-shape]
 *   - top_p_reset_ids_buf must have the shape [batch_size]. [diopiSetupToppRuntimeArgsInp-top_p_reset_ids_buf-shape]
 *   - top_ks_size must be at least 0. [diopiSetupToppRuntimeArgsInp-top_ks_size-value]
 *   - top_ps_size must be at least 0. [diopiSetupToppRuntimeArgsInp-top_ps_size-value]
 *   - If top_ks_size is at least 2, top_ks_size and batch_size must be equal.
 *     [diopiSetupToppRuntimeArgsInp-top_ks_size-equal]
 *   - If top_ps_size is at least 2, top_ps_size and batch_size must be equal.
 *     [diopiSetupToppRuntimeArgsInp-top_ps_size-equal]
 *   - If top_ks_size is at most 1, top_k must be at least 0. [diopiSetupToppRuntimeArgsInp-top_k-value]
 *   - If top_ks_size is at most 1, top_k must lie in the range of the dtype of top_ks.
 *     [diopiSetupToppRuntimeArgsInp-top_k-fits]
 *   - top_p_reset_ids must lie in the range of the dtype of top_p_reset_ids_buf.
 *     [diopiSetupToppRuntimeArgsInp-top_p_reset_ids-fits]
 *   - If top_ps_size is at most 1, top_p must be finite. [diopiSetupToppRuntimeArgsInp-top_p-value]
 *   - If top_ks_size is at least 2, each element of top_ks must be at least 0. A device may report this when the stream
 *     is synchronised. [diopiSetupToppRuntimeArgsInp-top_ks-elements]
 *   - If top_ps_size is at least 2, each element of top_ps must be finite. A device may report this when the stream is
 *     synchronised. [diopiSetupToppRuntimeArgsInp-top_ps-elements]
 * - source: TurboMind, set_topp_runtime_args
 * - notes: A list of one element is passed as the number; the header says that the lists are read from size 1 on. Its
 *   defaults for decay, minimum and reset id (1, 1e-6, -1) are the caller's, because these are numbers here.
 */
DIOPI_API diopiError_t diopiSetupToppRuntimeArgsInp(diopiContextHandle_t ctx, diopiTensorHandle_t top_ks,
                                                    diopiTensorHandle_t top_ps, diopiTensorHandle_t skip_decode,
                                                    int64_t batch_size, int64_t top_k, int64_t top_ks_size,
                                                    float top_p, int64_t top_ps_size,
                                                    diopiTensorHandle_t initial_top_p_buf,
                                                    diopiTensorHandle_t top_p_decay_buf, float top_p_decay,
                                                    diopiTensorHandle_t top_p_min_buf, float top_p_min,
                                                    diopiTensorHandle_t top_p_reset_ids_buf, int64_t top_p_reset_ids);

/**
 * Draws the next id of each sequence from the smallest set of ids with probability p, TurboMind's `TopPSamplingLayer`.
 *
 * @param[in]     ctx                        context of the call
 * @param[in,out] output_ids                 [max length, batch]; row `step` is written; int32, int64
 * @param[in,out] logits                     written for finished sequences only; floating
 * @param[in,out] persistent_workspace       kept between steps; null while only the size is asked for; integral,
 *         floating, complex, bool
 * @param[in,out] persistent_workspace_size  bytes; negative: store the size needed and return
 * @param[in,out] workspace                  null while only the size is asked for; integral, floating, complex, bool
 * @param[in,out] workspace_size             bytes; negative: store the size needed and return
 * @param[in]     fusion_level               0: no fusion; higher: more
 * @param[in]     end_ids                    int32, int64
 * @param[in,out] finished                   sequences that have ended; null: none; bool
 * @param[in,out] sequence_lengths           may be null; grown by one where the sequence goes on; int32, int64
 * @param[in]     step                       integer
 * @param[in]     batch_size                 integer
 * @param[in]     vocab_size_padded          integer
 * @param[in]     runtime_top_p              p of each sequence; only read, although the handle is not const; floating
 * @param[in]     skip_decode                null: every sequence is sampled; bool
 * @param[in,out] cum_log_probs              null: not wanted; floating
 * @param[in,out] output_log_probs           null: not wanted; not written for skipped and finished sequences; floating
 * @param[in,out] generators                 list of `batch_size` generators; one per sequence; only those of sampled
 *         sequences advance
 *
 * As diopiTopKSampling, except:
 * - formula: as diopiTopKSampling with all logits instead of the k largest: the probabilities P_0 >= P_1 >= ... are w_i
 *   / W; if P_0 >= runtime_top_p[b], the id of P_0 is taken, otherwise that of the first P_i with P_0 + ... + P_i >= u
 *   * runtime_top_p[b]; cum_log_probs[b] += log P_i and output_log_probs[b] = log P_i
 * - accumulation: Weights and their sums are computed in float64, so that all vendors draw the same ids. The comparison
 *   is w_0 + ... + w_i >= u * runtime_top_p[b] * W, in which the sums are added one by one in the order of the weights.
 * - notes: u is drawn in both branches. runtime_top_p stays as it is: the signature has no decay, minimum or reset id.
 *   The id with the largest probability is taken where the header takes the smallest id with at least p, as TurboMind
 *   does. With persistent_workspace_size < 0 or workspace_size < 0, the operator stores both sizes and does nothing
 *   else; the sizes are the vendor's own, and a vendor may store 0.
 */
DIOPI_API diopiError_t diopiTopPSampling(diopiContextHandle_t ctx, diopiTensorHandle_t output_ids,
                                         diopiTensorHandle_t logits, diopiTensorHandle_t persistent_workspace,
                                         int64_t* persistent_workspace_size, diopiTensorHandle_t workspace,
                                         int64_t* workspace_size, int64_t fusion_level,
                                         diopiConstTensorHandle_t end_ids, diopiTensorHandle_t finished,
                                         diopiTensorHandle_t sequence_lengths, int64_t step, int64_t batch_size,
                                         int64_t vocab_size_padded, diopiTensorHandle_t runtime_top_p,
                                         diopiConstTensorHandle_t skip_decode, diopiTensorHandle_t cum_log_probs,
                                         diopiTensorHandle_t output_log_probs, diopiGeneratorHandle_t* generators);

/**
 * Sets the logit that would complete a banned word to minus infinity, TurboMind's `ban_bad_words`.
 *
 * @param[in]     ctx            context of the call
 * @param[in,out] logits         floating
 * @param[in]     output_ids     [steps, batch_size]; int32, int64
 * @param[in]     bad_words      ids and end offsets, [batch_size, 2, bad_words_len], or [2, bad_words_len] where
 *         shared; int32, int64
 * @param[in]     id_offset      integer
 * @param[in]     bad_words_len  integer
 * @param[in]     share_words    flag
 * @param[in]     batch_size     integer
 * @param[in]     vocab_size     integer
 * @param[in]     step           integer
 *
 * - formula: for each sequence b and each word of m ids: if step >= m - 1 and the m - 1 ids that b produced last equal
 *   the first m - 1 ids of the word, then logits[b, z] = -inf for its last id z, if 0 < z < vocab_size. The id that b
 *   produced in step t is element t * batch_size + id_offset + b of the flattened output_ids. Row 0 of the words of b
 *   has the ids of all words one after another, row 1 the end of each word; a negative end is no word, and a word
 *   begins where the word before it ends.
 * - shape: logits is [batch_size, vocab_size], output_ids has two dimensions and at least step * batch_size + id_offset
 *   elements, bad_words is [batch_size, 2, bad_words_len] or, if share_words, [2, bad_words_len].
 * - nan: Does not arise.
 * - accumulation: None.
 * - checks:
 *   - bad_words_len must be at least 0. [diopiBanBadWordsInp-bad_words_len-value]
 *   - logits must have the shape [batch_size, vocab_size]. [diopiBanBadWordsInp-logits-shape]
 *   - output_ids must have 2 dimensions. [diopiBanBadWordsInp-output_ids-ndim]
 *   - If step is at least 1, the number of elements of output_ids must be at least step * batch_size + id_offset.
 *     [diopiBanBadWordsInp-output_ids-extent]
 *   - If share_words is false, bad_words must have the shape [batch_size, 2, bad_words_len].
 *     [diopiBanBadWordsInp-bad_words-each]
 *   - If share_words is true, bad_words must have the shape [2, bad_words_len]. [diopiBanBadWordsInp-bad_words-shared]
 *   - The ends of words must be at most bad_words_len. A device may report this when the stream is synchronised.
 *     [diopiBanBadWordsInp-bad_words-ends]
 * - source: TurboMind, ban_bad_words
 * - notes: Words without ids are passed over. The header's loop also compares the id of the present step, which does
 *   not exist yet.
 */
DIOPI_API diopiError_t diopiBanBadWordsInp(diopiContextHandle_t ctx, diopiTensorHandle_t logits,
                                           diopiConstTensorHandle_t output_ids, diopiConstTensorHandle_t bad_words,
                                           int64_t id_offset, int64_t bad_words_len, bool share_words,
                                           int64_t batch_size, int64_t vocab_size, int64_t step);

/**
 * Marks sequences that end with a stop word as finished, TurboMind's `stop_words_criterion`.
 *
 * @param[in]     ctx             context of the call
 * @param[in]     output_ids      [steps, batch_size]; int32, int64
 * @param[in]     stop_words      ids and end offsets, [batch_size, 2, stop_words_len]; int32, int64
 * @param[in,out] finished        bool
 * @param[in]     id_offset       integer
 * @param[in]     stop_words_len  integer
 * @param[in]     batch_size      integer
 * @param[in]     step            integer
 *
 * - formula: for each sequence b: finished[b] becomes true if a word of m ids has step + 1 >= m and equals the ids of
 *   the steps step - m + 1 to step. Words and ids of steps are as in diopiBanBadWordsInp; finished[b] never becomes
 *   false.
 * - shape: output_ids has two dimensions and at least (step + 1) * batch_size + id_offset elements, stop_words is
 *   [batch_size, 2, stop_words_len], finished [batch_size].
 * - nan: Does not arise.
 * - accumulation: None.
 * - checks:
 *   - stop_words_len must be at least 0. [diopiStopWordsCriterion-stop_words_len-value]
 *   - output_ids must have 2 dimensions. [diopiStopWordsCriterion-output_ids-ndim]
 *   - The number of elements of output_ids must be at least step * batch_size + batch_size + id_offset.
 *     [diopiStopWordsCriterion-output_ids-extent]
 *   - stop_words must have the shape [batch_size, 2, stop_words_len]. [diopiStopWordsCriterion-stop_words-shape]
 *   - The ends of words must be at most stop_words_len. A device may report this when the stream is synchronised.
 *     [diopiStopWordsCriterion-stop_words-ends]
 * - source: TurboMind, stop_words_criterion
 * - notes: The header demands step + 1 > m; TurboMind takes words as long as all ids so far, too.
 */
DIOPI_API diopiError_t diopiStopWordsCriterion(diopiContextHandle_t ctx, diopiConstTensorHandle_t output_ids,
                                               diopiConstTensorHandle_t stop_words, diopiTensorHandle_t finished,
                                               int64_t id_offset, int64_t stop_words_len, int64_t batch_size,
                                               int64_t step);

/**
 * Marks sequences at their length limit as finished and counts them, TurboMind's `length_criterion`.
 *
 * @param[in]     ctx                    context of the call
 * @param[in,out] finished               bool
 * @param[out]    should_stop            whether all are finished; may be a tensor in host memory; bool
 * @param[out]    finished_sum           how many are finished; integral
 * @param[in]     sequence_limit_length  int32, int64
 * @param[in]     batch_size             integer
 * @param[in]     step                   integer
 *
 * - formula: finished[b] = finished[b] or step >= sequence_limit_length[b]; finished_sum = the number of finished
 *   sequences; should_stop = (finished_sum = batch_size)
 * - shape: finished and sequence_limit_length are [batch_size]; should_stop and finished_sum have one element.
 * - empty: Without sequences, finished_sum is 0 and should_stop true.
 * - nan: Does not arise.
 * - accumulation: None.
 * - checks:
 *   - should_stop must have 1 element. [diopiLengthCriterion-should_stop-numel]
 *   - finished_sum must have 1 element. [diopiLengthCriterion-finished_sum-numel]
 *   - batch_size must lie in the range of the dtype of finished_sum. [diopiLengthCriterion-batch_size-fits]
 *   - Each element of sequence_limit_length must be at least 0. A device may report this when the stream is
 *     synchronised. [diopiLengthCriterion-sequence_limit_length-elements]
 * - source: TurboMind, length_criterion
 * - notes: Sequences that have ended before stay finished.
 */
DIOPI_API diopiError_t diopiLengthCriterion(diopiContextHandle_t ctx, diopiTensorHandle_t finished,
                                            diopiTensorHandle_t should_stop, diopiTensorHandle_t finished_sum,
                                            diopiConstTensorHandle_t sequence_limit_length, int64_t batch_size,
                                            int64_t step);

/**
 * Penalises the logits of ids already produced, TurboMind's `batch_apply_repetition_penalty`.
 *
 * @param[in]     ctx               context of the call
 * @param[in,out] logits            floating
 * @param[in]     penalties         floating
 * @param[in]     output_ids        [steps, batch_size]; int32, int64
 * @param[in]     batch_size        integer
 * @param[in]     vocab_size        integer
 * @param[in]     input_lengths     int32, int64
 * @param[in]     max_input_length  integer
 * @param[in]     step              integer
 * @param[in]     penalty_type      0: none; 1: logit - penalty; 2: negative logits times, others divided by penalty
 *
 * - formula: for each sequence b, the logit l of each id in [0, vocab_size) that occurs in output_ids[t, b] for a t
 *   below step, without input_lengths[b] <= t < max_input_length, becomes l - penalties[b] (type 1), or l *
 *   penalties[b] if l < 0 and l / penalties[b] otherwise (type 2). An id that occurs several times is penalised once.
 * - shape: logits is [batch_size, vocab_size], output_ids [at least step, batch_size]; penalties and input_lengths are
 *   [batch_size].
 * - nan: As IEEE arithmetic has it.
 * - accumulation: Computed in float64 if logits is float64, otherwise in float32, and rounded once.
 * - checks:
 *   - penalty_type must be within [0, 2]. [diopiBatchApplyRepetitionPenaltyInp-penalty_type-value]
 *   - logits must have the shape [batch_size, vocab_size]. [diopiBatchApplyRepetitionPenaltyInp-logits-shape]
 *   - output_ids must have the shape [any, batch_size]. [diopiBatchApplyRepetitionPenaltyInp-output_ids-shape]
 *   - output_ids[0] must be at least step. [diopiBatchApplyRepetitionPenaltyInp-output_ids-extent]
 *   - max_input_length must be at least 0. [diopiBatchApplyRepetitionPenaltyInp-max_input_length-value]
 *   - If penalty_type is at least 1, each element of input_lengths must be at least 0. A device may report this when
 *     the stream is synchronised. [diopiBatchApplyRepetitionPenaltyInp-input_lengths-elements]
 * - source: TurboMind, batch_apply_repetition_penalty
 * - notes: Other ids are passed over. A sequence whose length is at least max_input_length has no padding, as in
 *   TurboMind.
 */
DIOPI_API diopiError_t diopiBatchApplyRepetitionPenaltyInp(diopiContextHandle_t ctx, diopiTensorHandle_t logits,
                                                           diopiConstTensorHandle_t penalties,
                                                           diopiConstTensorHandle_t output_ids,
                                                           const int64_t batch_size, const int64_t vocab_size,
                                                           diopiConstTensorHandle_t input_lengths,
                                                           const int64_t max_input_length, const int64_t step,
                                                           const int64_t penalty_type);

/**
 * Adds bias and divides logits by their temperature, TurboMind's `batch_apply_temperature_penalty`.
 *
 * @param[in]     ctx              context of the call
 * @param[in,out] logits           floating
 * @param[in]     bias             null: zero; floating
 * @param[in]     temperatures     floating
 * @param[in]     batch_size       integer
 * @param[in]     vocab_size       integer
 * @param[in]     vocab_size_padd  integer
 *
 * - formula: logits[b, i] = (logits[b, i] + bias[i]) * (1 / (temperatures[b] + 1e-6)) for i < vocab_size, and -M for
 *   the others
 * - shape: logits is [batch_size, vocab_size_padd], bias has one dimension and at least vocab_size elements,
 *   temperatures is [batch_size].
 * - nan: As IEEE arithmetic has it. M is the largest number of float32, or of the dtype of logits if that is smaller.
 * - accumulation: Computed in float64 if logits is float64, otherwise in float32, and rounded once.
 * - checks:
 *   - vocab_size must be at least 0. [diopiBatchApplyTemperaturePenaltyInp-vocab_size-value]
 *   - vocab_size must be at most vocab_size_padd. [diopiBatchApplyTemperaturePenaltyInp-vocab_size-ordered]
 *   - logits must have the shape [batch_size, vocab_size_padd]. [diopiBatchApplyTemperaturePenaltyInp-logits-shape]
 *   - bias must have 1 dimension. [diopiBatchApplyTemperaturePenaltyInp-bias-ndim]
 *   - bias[0] must be at least vocab_size. [diopiBatchApplyTemperaturePenaltyInp-bias-extent]
 * - source: TurboMind, batch_apply_temperature_penalty
 */
DIOPI_API diopiError_t diopiBatchApplyTemperaturePenaltyInp(diopiContextHandle_t ctx, diopiTensorHandle_t logits,
                                                            diopiConstTensorHandle_t bias,
                                                            diopiConstTensorHandle_t temperatures,
                                                            const int64_t batch_size, const int64_t vocab_size,
                                                            const int64_t vocab_size_padd);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_LMDEPLOY_H_ */
