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
 */
/** @{ */

/**
 * Gathers generated ids [step, batch] into rows without the padding of short prompts, TurboMind's `gather_output`.
 *
 * @param[in]     ctx              context of the call
 * @param[in,out] output_ids       [batch_size, max_output_len]; places past the end of a row keep their value
 * @param[in]     ids              tensor
 * @param[in]     context_length   tensor
 * @param[in]     max_context_len  integer
 * @param[in]     max_gen_step     integer
 * @param[in]     max_output_len   integer
 * @param[in]     batch_size       integer
 */
DIOPI_API diopiError_t diopiGatherOutput(diopiContextHandle_t ctx, diopiTensorHandle_t output_ids,
                                         diopiConstTensorHandle_t ids, diopiConstTensorHandle_t context_length,
                                         int64_t max_context_len, int64_t max_gen_step, int64_t max_output_len,
                                         int64_t batch_size);

/**
 * Adds val to the first size elements in place, TurboMind's `plus_scalar`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] inoutput  tensor
 * @param[in]     val       integer
 * @param[in]     size      integer
 */
DIOPI_API diopiError_t diopiPlusScalarInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput, const int64_t val,
                                          const int64_t size);

/**
 * Padding max_input_length - input_lengths of each sequence, TurboMind's `update_padding_count`.
 *
 * @param[in]  ctx                  context of the call
 * @param[out] total_padding_count  tensor
 * @param[in]  input_lengths        tensor
 * @param[in]  max_input_length     integer
 * @param[in]  batch_size           integer
 */
DIOPI_API diopiError_t diopiUpdatePaddingCount(diopiContextHandle_t ctx, diopiTensorHandle_t total_padding_count,
                                               diopiConstTensorHandle_t input_lengths, int64_t max_input_length,
                                               int64_t batch_size);

/**
 * Swaps the first two dimensions of a [dim0, dim1, dim2] tensor, TurboMind's `transpose_axis_01`.
 *
 * @param[in]  ctx     context of the call
 * @param[out] output  tensor
 * @param[in]  input   tensor
 * @param[in]  dim0    integer
 * @param[in]  dim1    integer
 * @param[in]  dim2    integer
 */
DIOPI_API diopiError_t diopiTransposeAxis01(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                            diopiConstTensorHandle_t input, const int64_t dim0, const int64_t dim1,
                                            const int64_t dim2);

/**
 * Embeddings of the ids of one step, [batch_size, hidden_units], TurboMind's `embedding_lookup_pos_encoding`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] from_tensor      tensor
 * @param[in]  embedding_table  tensor
 * @param[in]  all_ids          tensor
 * @param[in]  batch_size       integer
 * @param[in]  hidden_units     integer
 * @param[in]  step             integer
 */
DIOPI_API diopiError_t diopiEmbeddingLookupPosEncoding(diopiContextHandle_t ctx, diopiTensorHandle_t from_tensor,
                                                       diopiConstTensorHandle_t embedding_table,
                                                       diopiConstTensorHandle_t all_ids, const int64_t batch_size,
                                                       const int64_t hidden_units, const int64_t step);

/**
 * Embeddings of a prompt's ids, [input_lengths, hidden_units], TurboMind's `input_ids_embedding_lookup_pos_encoding`.
 *
 * @param[in]  ctx              context of the call
 * @param[out] from_tensor      tensor
 * @param[in]  input_ids        tensor
 * @param[in]  embedding_table  tensor
 * @param[in]  input_lengths    integer
 * @param[in]  hidden_units     integer
 */
DIOPI_API diopiError_t diopiInputIdsEmbeddingLookupPosEncoding(diopiContextHandle_t ctx,
                                                               diopiTensorHandle_t from_tensor,
                                                               diopiConstTensorHandle_t input_ids,
                                                               diopiConstTensorHandle_t embedding_table,
                                                               const int64_t input_lengths, const int64_t hidden_units);

/** @} */

/** @name lmdeploy_layer
 * Fused decoder layers of TurboMind.
 */
/** @{ */

/**
 * Feed-forward block (silu(x W1) * (x W3)) W2 in place, TurboMind's LLaMA feed-forward layer.
 *
 * @param[in]     ctx             context of the call
 * @param[in,out] inoutput        tensor
 * @param[in]     weight1         tensor
 * @param[in]     weight2         tensor
 * @param[in]     weight3         tensor
 * @param[in,out] workspace       null while only the size is asked for
 * @param[in,out] workspace_size  bytes; negative: store the size needed and return
 * @param[in]     fusion_level    0: no fusion; higher: more
 *
 * - notes: Asked for the size of workspace, the operator stores it and touches nothing else.
 */
DIOPI_API diopiError_t diopiFusedSiluFfnInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                            diopiConstTensorHandle_t weight1, diopiConstTensorHandle_t weight2,
                                            diopiConstTensorHandle_t weight3, diopiTensorHandle_t workspace,
                                            int64_t* workspace_size, int64_t fusion_level);

/**
 * Root mean square normalisation of rows times scale in place, TurboMind's `root_mean_square_norm`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] inoutput  tensor
 * @param[in]     scale     tensor
 * @param[in]     eps       number
 */
DIOPI_API diopiError_t diopiRootMeanSquareNormInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                                  diopiConstTensorHandle_t scale, float eps);

/**
 * Adds inoutput and bias to residual, then normalises residual into inoutput, TurboMind's `add_residual_rms_norm`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] inoutput  tensor
 * @param[in,out] residual  tensor
 * @param[in]     bias      may be null
 * @param[in]     scale     tensor
 * @param[in]     eps       number
 */
DIOPI_API diopiError_t diopiFusedAddRootMeanSquareNormInp(diopiContextHandle_t ctx, diopiTensorHandle_t inoutput,
                                                          diopiTensorHandle_t residual, diopiConstTensorHandle_t bias,
                                                          diopiConstTensorHandle_t scale, float eps);

/**
 * Attention of whole prompts with rotary embedding and cache writes in place, TurboMind's context attention layer.
 *
 * @param[in]     ctx                context of the call
 * @param[in,out] inoutput           tensor
 * @param[in]     qkv_weight         tensor
 * @param[in]     qkv_bias           may be null
 * @param[in,out] pre_work           prepared masks and offsets; null while only the size is asked for
 * @param[in,out] pre_work_size      bytes; negative: store the size needed and return
 * @param[in]     is_prepared        whether `pre_work` is filled; false: fill it and return
 * @param[in,out] workspace          null while only the size is asked for
 * @param[in,out] workspace_size     bytes; negative: store the size needed and return
 * @param[in]     fusion_level       0: no fusion; higher: more
 * @param[in,out] key_cache          tensor
 * @param[in,out] value_cache        tensor
 * @param[in]     layer_id           integer
 * @param[in]     local_head_num     integer
 * @param[in]     local_kv_head_num  integer
 * @param[in]     size_per_head      integer
 * @param[in]     max_seq_len        integer
 * @param[in]     max_q_len          integer
 * @param[in]     max_kv_len         integer
 * @param[in]     rotary_embedding   number of dimensions of a head that rotate
 * @param[in]     rope_theta         base of the rotary frequencies
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
 * @param[in,out] inoutput              tensor
 * @param[in]     qkv_weight            tensor
 * @param[in]     qkv_bias              may be null
 * @param[in,out] workspace             null while only the size is asked for
 * @param[in,out] workspace_size        bytes; negative: store the size needed and return
 * @param[in]     fusion_level          0: no fusion; higher: more
 * @param[in,out] key_cache             tensor
 * @param[in,out] value_cache           tensor
 * @param[in]     finished              sequences to pass over; null: none
 * @param[in]     total_padding_tokens  may be null
 * @param[in]     sequence_lengths      tensor
 * @param[in]     step                  integer
 * @param[in]     layer_id              integer
 * @param[in]     local_head_num        integer
 * @param[in]     local_kv_head_num     integer
 * @param[in]     size_per_head         integer
 * @param[in]     max_seq_len           integer
 * @param[in]     rotary_embedding      number of dimensions of a head that rotate
 * @param[in]     rope_theta            base of the rotary frequencies
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
 */
/** @{ */

/**
 * Settles k and p of each sequence for top-k sampling, TurboMind's `setup_topk_runtime_args`.
 *
 * @param[in]     ctx          context of the call
 * @param[in,out] top_ks       read where top_ks_size > 0, written always
 * @param[in,out] top_ps       read where top_ps_size > 0, written always
 * @param[out]    skip_decode  true where k is 0: the sequence is not sampled by top-k
 * @param[in]     batch_size   integer
 * @param[in]     top_k        integer
 * @param[in]     top_ks_size  integer
 * @param[in]     top_p        number
 * @param[in]     top_ps_size  integer
 */
DIOPI_API diopiError_t diopiSetupTopkRuntimeArgsInp(diopiContextHandle_t ctx, diopiTensorHandle_t top_ks,
                                                    diopiTensorHandle_t top_ps, diopiTensorHandle_t skip_decode,
                                                    int64_t batch_size, int64_t top_k, int64_t top_ks_size,
                                                    float top_p, int64_t top_ps_size);

/**
 * Draws the next id of each sequence from its top-k logits, TurboMind's `TopKSamplingLayer`.
 *
 * @param[in]     ctx                context of the call
 * @param[in,out] output_ids         [max length, batch]; row `step` is written
 * @param[in,out] logits             overwritten during the draw
 * @param[in,out] workspace          null while only the size is asked for
 * @param[in,out] workspace_size     bytes; negative: store the size needed and return
 * @param[in]     fusion_level       0: no fusion; higher: more
 * @param[in]     end_ids            tensor
 * @param[in,out] finished           sequences that have ended; null: none
 * @param[in,out] sequence_lengths   may be null; grown by one where the sequence goes on
 * @param[in]     step               integer
 * @param[in]     batch_size         integer
 * @param[in]     vocab_size_padded  integer
 * @param[in]     runtime_top_k      tensor
 * @param[in]     runtime_top_p      tensor
 * @param[in]     skip_decode        null: every sequence is sampled
 * @param[in,out] cum_log_probs      null: not wanted
 * @param[out]    output_log_probs   null: not wanted
 * @param[in,out] generators         list of `batch_size` generators; one per sequence
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
 * @param[in,out] top_ks               read where top_ks_size > 0, written always
 * @param[in,out] top_ps               read where top_ps_size > 0, written always
 * @param[out]    skip_decode          true where k > 0: the sequence is not sampled by top-p
 * @param[in]     batch_size           integer
 * @param[in]     top_k                integer
 * @param[in]     top_ks_size          integer
 * @param[in]     top_p                number
 * @param[in]     top_ps_size          integer
 * @param[out]    initial_top_p_buf    tensor
 * @param[out]    top_p_decay_buf      tensor
 * @param[in]     top_p_decay          number
 * @param[out]    top_p_min_buf        tensor
 * @param[in]     top_p_min            number
 * @param[out]    top_p_reset_ids_buf  tensor
 * @param[in]     top_p_reset_ids      integer
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
 * @param[in,out] output_ids                 [max length, batch]; row `step` is written
 * @param[in,out] logits                     overwritten during the draw
 * @param[in,out] persistent_workspace       kept between steps; null while only the size is asked for
 * @param[in,out] persistent_workspace_size  bytes; negative: store the size needed and return
 * @param[in,out] workspace                  null while only the size is asked for
 * @param[in,out] workspace_size             bytes; negative: store the size needed and return
 * @param[in]     fusion_level               0: no fusion; higher: more
 * @param[in]     end_ids                    tensor
 * @param[in,out] finished                   sequences that have ended; null: none
 * @param[in,out] sequence_lengths           may be null; grown by one where the sequence goes on
 * @param[in]     step                       integer
 * @param[in]     batch_size                 integer
 * @param[in]     vocab_size_padded          integer
 * @param[in,out] runtime_top_p              p of each sequence, decayed or reset for the next step
 * @param[in]     skip_decode                null: every sequence is sampled
 * @param[in,out] cum_log_probs              null: not wanted
 * @param[out]    output_log_probs           null: not wanted
 * @param[in,out] generators                 list of `batch_size` generators; one per sequence
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
 * @param[in,out] logits         tensor
 * @param[in]     output_ids     tensor
 * @param[in]     bad_words      ids and end offsets, [batch_size, 2, bad_words_len], or [2, bad_words_len] where shared
 * @param[in]     id_offset      integer
 * @param[in]     bad_words_len  integer
 * @param[in]     share_words    flag
 * @param[in]     batch_size     integer
 * @param[in]     vocab_size     integer
 * @param[in]     step           integer
 */
DIOPI_API diopiError_t diopiBanBadWordsInp(diopiContextHandle_t ctx, diopiTensorHandle_t logits,
                                           diopiConstTensorHandle_t output_ids, diopiConstTensorHandle_t bad_words,
                                           int64_t id_offset, int64_t bad_words_len, bool share_words,
                                           int64_t batch_size, int64_t vocab_size, int64_t step);

/**
 * Marks sequences that end with a stop word as finished, TurboMind's `stop_words_criterion`.
 *
 * @param[in]     ctx             context of the call
 * @param[in]     output_ids      tensor
 * @param[in]     stop_words      ids and end offsets, [batch_size, 2, stop_words_len]
 * @param[in,out] finished        tensor
 * @param[in]     id_offset       integer
 * @param[in]     stop_words_len  integer
 * @param[in]     batch_size      integer
 * @param[in]     step            integer
 */
DIOPI_API diopiError_t diopiStopWordsCriterion(diopiContextHandle_t ctx, diopiConstTensorHandle_t output_ids,
                                               diopiConstTensorHandle_t stop_words, diopiTensorHandle_t finished,
                                               int64_t id_offset, int64_t stop_words_len, int64_t batch_size,
                                               int64_t step);

/**
 * Marks sequences at their length limit as finished and counts them, TurboMind's `length_criterion`.
 *
 * @param[in]     ctx                    context of the call
 * @param[in,out] finished               tensor
 * @param[out]    should_stop            whether all are finished
 * @param[out]    finished_sum           how many are finished
 * @param[in]     sequence_limit_length  tensor
 * @param[in]     batch_size             integer
 * @param[in]     step                   integer
 */
DIOPI_API diopiError_t diopiLengthCriterion(diopiContextHandle_t ctx, diopiTensorHandle_t finished,
                                            diopiTensorHandle_t should_stop, diopiTensorHandle_t finished_sum,
                                            diopiConstTensorHandle_t sequence_limit_length, int64_t batch_size,
                                            int64_t step);

/**
 * Penalises the logits of ids already produced, TurboMind's `batch_apply_repetition_penalty`.
 *
 * @param[in]     ctx               context of the call
 * @param[in,out] logits            tensor
 * @param[in]     penalties         tensor
 * @param[in]     output_ids        tensor
 * @param[in]     batch_size        integer
 * @param[in]     vocab_size        integer
 * @param[in]     input_lengths     tensor
 * @param[in]     max_input_length  integer
 * @param[in]     step              integer
 * @param[in]     penalty_type      0: none; 1: logit - penalty; 2: negative logits times, others divided by penalty
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
 * @param[in,out] logits           tensor
 * @param[in]     bias             null: zero
 * @param[in]     temperatures     tensor
 * @param[in]     batch_size       integer
 * @param[in]     vocab_size       integer
 * @param[in]     vocab_size_padd  integer
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
