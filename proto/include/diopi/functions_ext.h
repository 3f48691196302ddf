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
#ifndef DIOPI_FUNCTIONS_EXT_H_
#define DIOPI_FUNCTIONS_EXT_H_

#include "diopirt.h"

#ifdef __cplusplus
extern "C" {
#endif

/** @name attention
 * Scaled dot-product attention for training: fused forms with dropout, causal mask and variable lengths.
 * - broadcasting: Query head h uses key head floor(h / (H / Hk)): the heads of q are a multiple of the heads of k.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Outputs overlap nothing.
 * - empty: Without queries, the gradients of k and v are 0. Without keys, out and the gradient of q are 0.
 * - nan: As IEEE arithmetic has it, with one exception: where query i does not see key j, or s_ij is -infinity, the
 *   pair changes nothing, whatever the numbers of both are. A row whose scores are all -infinity, or whose lse is
 *   +infinity or sum of exponentials 0 in a gradient, counts as a row that sees no key.
 * - accumulation: Products, softmax and sums are computed in float32, or in float64 for float64; results are rounded
 *   once. Before products, the weights and the gradients of scores may be rounded to the dtype of q, as in
 *   FlashAttention 2 and in PyTorch.
 * - determinism: The same bits for any number of threads; with dropout, seed and offset count as inputs.
 */
/** @{ */

/**
 * Attention of q, k, v of shape [batch, length, heads, head size]; older form of diopiFlashAttention.
 *
 * @param[in]  ctx                context of the call
 * @param[in]  q                  read only; the handle is not const for the sake of vendors that pad it in place;
 *         floating
 * @param[in]  k                  read only, as `q`; floating
 * @param[in]  v                  read only, as `q`; floating
 * @param[in]  dropout_p          number
 * @param[in]  is_causal          flag
 * @param[in]  return_debug_mask  flag
 * @param[in]  scale              number
 * @param[out] out                floating
 * @param[out] softmax_lse        float32
 * @param[in]  gen                read only, and not changed; may be null where dropout_p is 0
 * @param[out] debug_attn_mask    may be null if return_debug_mask is false; written only if return_debug_mask is true,
 *         otherwise left as it is; floating, bool
 *
 * - formula: h' = floor(h / (H / Hk)); d = Sk - Sq; s_ij = scale * (q_i . k_j) where query i sees key j, else
 *   -infinity; with is_causal, i sees j if j <= i + d, otherwise every key; lse_i = log(sum over j of exp(s_ij)); P_ij
 *   = exp(s_ij - lse_i); out_i = sum over j of P_ij m_ij v_j. m_ij = 1 without dropout; else word ((b H + h) Sq + i) Sk
 *   + j of the generator's stream decides: m_ij = 1 / (1 - p) where word * 2^-32 < 1 - p, and 0 elsewhere. A row that
 *   sees no key has out = 0 and lse = +infinity
 * - shape: q, out [B, Sq, H, D]; k, v [B, Sk, Hk, D]; softmax_lse [B, H, Sq]; debug_attn_mask [B, H, Sq, Sk].
 * - checks:
 *   - q must have 4 dimensions. [diopiMultiHeadAttention-q-ndim]
 *   - k must have 4 dimensions. [diopiMultiHeadAttention-k-ndim]
 *   - k and v must have the same shape. [diopiMultiHeadAttention-k-same-shape]
 *   - q[0] and k[0] must be equal. [diopiMultiHeadAttention-q-equal]
 *   - q[3] and k[3] must be equal. [diopiMultiHeadAttention-head-size]
 *   - q, k, v and out must have the same dtype. [diopiMultiHeadAttention-q-same-dtype]
 *   - out must have the shape of q. [diopiMultiHeadAttention-out-shape]
 *   - k[2] must be at least 1. [diopiMultiHeadAttention-k-extent]
 *   - q[2] must be a multiple of k[2]. [diopiMultiHeadAttention-q-divisible]
 *   - dropout_p must be within [0, 1]. [diopiMultiHeadAttention-dropout_p-value]
 *   - If dropout_p is at most 1 and is greater than 0, gen must not be null. [diopiMultiHeadAttention-gen-given]
 *   - softmax_lse must have the shape [q[0], q[2], q[1]]. [diopiMultiHeadAttention-softmax_lse-shape]
 *   - If return_debug_mask is true, debug_attn_mask must not be null. [diopiMultiHeadAttention-debug_attn_mask-given]
 *   - If return_debug_mask is true, debug_attn_mask must have the shape [q[0], q[2], q[1], k[1]].
 *     [diopiMultiHeadAttention-debug_attn_mask-shape]
 * - source: torch.nn.functional.scaled_dot_product_attention
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask. With return_debug_mask, a debug_attn_mask of a floating dtype gets P, with the sign bit set where dropout
 *   drops the weight, and one of bool gets whether dropout keeps the weight.
 */
DIOPI_API diopiError_t diopiMultiHeadAttention(diopiContextHandle_t ctx, diopiTensorHandle_t q, diopiTensorHandle_t k,
                                               diopiTensorHandle_t v, double dropout_p, bool is_causal,
                                               bool return_debug_mask, double scale, diopiTensorHandle_t out,
                                               diopiTensorHandle_t softmax_lse, diopiGeneratorHandle_t gen,
                                               diopiTensorHandle_t debug_attn_mask);

/**
 * Gradients of diopiMultiHeadAttention with respect to q, k and v.
 *
 * @param[in]  ctx          context of the call
 * @param[in]  grad_out     floating
 * @param[in]  q            floating
 * @param[in]  k            floating
 * @param[in]  v            floating
 * @param[in]  out          floating
 * @param[in]  softmax_lse  float32
 * @param[in]  dropout_p    number
 * @param[in]  is_causal    flag
 * @param[in]  gen          read only, and not changed; may be null where dropout_p is 0; in the state that it had in
 *         the forward call
 * @param[in]  scale        number
 * @param[out] grad_q       floating
 * @param[out] grad_k       floating
 * @param[out] grad_v       floating
 *
 * - formula: With s, P, m and d of diopiMultiHeadAttention, P_ij = exp(s_ij - lse_i) where i sees j, else 0: grad_v_j =
 *   sum over i of P_ij m_ij grad_out_i; g_ij = P_ij ((grad_out_i . v_j) m_ij - (grad_out_i . out_i)); grad_q_i = scale
 *   * sum over j of g_ij k_j; grad_k_j = scale * sum over i of g_ij q_i. grad_k and grad_v are summed over the query
 *   heads of a key head
 * - shape: As in the forward call; the gradients have the shapes of q, k and v.
 * - checks:
 *   - q must have 4 dimensions. [diopiMultiHeadAttentionBackward-q-ndim]
 *   - k must have 4 dimensions. [diopiMultiHeadAttentionBackward-k-ndim]
 *   - k and v must have the same shape. [diopiMultiHeadAttentionBackward-k-same-shape]
 *   - q[0] and k[0] must be equal. [diopiMultiHeadAttentionBackward-q-equal]
 *   - q[3] and k[3] must be equal. [diopiMultiHeadAttentionBackward-head-size]
 *   - q, k, v, out, grad_out, grad_q, grad_k and grad_v must have the same dtype.
 *     [diopiMultiHeadAttentionBackward-q-same-dtype]
 *   - out must have the shape of q. [diopiMultiHeadAttentionBackward-out-shape]
 *   - grad_out must have the shape of q. [diopiMultiHeadAttentionBackward-grad_out-shape]
 *   - grad_q must have the shape of q. [diopiMultiHeadAttentionBackward-grad_q-shape]
 *   - grad_k must have the shape of k. [diopiMultiHeadAttentionBackward-grad_k-shape]
 *   - grad_v must have the shape of k. [diopiMultiHeadAttentionBackward-grad_v-shape]
 *   - k[2] must be at least 1. [diopiMultiHeadAttentionBackward-k-extent]
 *   - q[2] must be a multiple of k[2]. [diopiMultiHeadAttentionBackward-q-divisible]
 *   - dropout_p must be within [0, 1]. [diopiMultiHeadAttentionBackward-dropout_p-value]
 *   - If dropout_p is at most 1 and is greater than 0, gen must not be null.
 *     [diopiMultiHeadAttentionBackward-gen-given]
 *   - softmax_lse must have the shape [q[0], q[2], q[1]]. [diopiMultiHeadAttentionBackward-softmax_lse-shape]
 * - source: torch.nn.functional.scaled_dot_product_attention, autograd
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask.
 */
DIOPI_API diopiError_t diopiMultiHeadAttentionBackward(diopiContextHandle_t ctx, diopiConstTensorHandle_t grad_out,
                                                       diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                       diopiConstTensorHandle_t v, diopiConstTensorHandle_t out,
                                                       diopiConstTensorHandle_t softmax_lse, double dropout_p,
                                                       bool is_causal, diopiGeneratorHandle_t gen, double scale,
                                                       diopiTensorHandle_t grad_q, diopiTensorHandle_t grad_k,
                                                       diopiTensorHandle_t grad_v);

/**
 * Attention over packed sequences of different lengths; older form of diopiFlashAttentionVarLen.
 *
 * @param[in]  ctx                context of the call
 * @param[in]  q                  read only; the handle is not const for the sake of vendors that pad it in place;
 *         floating
 * @param[in]  k                  read only, as `q`; floating
 * @param[in]  v                  read only, as `q`; floating
 * @param[in]  cum_seq_q          start of each query sequence and the total, [batch + 1]; int32, int64
 * @param[in]  cum_seq_k          start of each key sequence and the total, [batch + 1]; int32, int64
 * @param[in]  max_q              no query sequence is longer
 * @param[in]  max_k              no key sequence is longer
 * @param[in]  dropout_p          number
 * @param[in]  is_causal          flag
 * @param[in]  return_debug_mask  flag
 * @param[in]  scale              number
 * @param[out] out                floating
 * @param[out] softmax_lse        float32
 * @param[in]  gen                read only, and not changed; may be null where dropout_p is 0
 * @param[out] debug_attn_mask    may be null if return_debug_mask is false; written only if return_debug_mask is true,
 *         otherwise left as it is; floating, bool
 *
 * - formula: h' = floor(h / (H / Hk)); d = Sk - Sq; s_ij = scale * (q_i . k_j) where query i sees key j, else
 *   -infinity; with is_causal, i sees j if j <= i + d, otherwise every key; lse_i = log(sum over j of exp(s_ij)); P_ij
 *   = exp(s_ij - lse_i); out_i = sum over j of P_ij m_ij v_j. m_ij = 1 without dropout; else word ((b H + h) max_q + i)
 *   max_k + j of the generator's stream decides: m_ij = 1 / (1 - p) where word * 2^-32 < 1 - p, and 0 elsewhere. A row
 *   that sees no key has out = 0 and lse = +infinity
 * - shape: q, out [T, H, D]; k, v [Tk, Hk, D]; sequence b has the rows from cum_seq[b] to below cum_seq[b + 1];
 *   softmax_lse [batch, H, max_q]; debug_attn_mask [batch, H, max_q, max_k].
 * - checks:
 *   - q must have 3 dimensions. [diopiMultiHeadAttentionVarLen-q-ndim]
 *   - k must have 3 dimensions. [diopiMultiHeadAttentionVarLen-k-ndim]
 *   - k and v must have the same shape. [diopiMultiHeadAttentionVarLen-k-same-shape]
 *   - q[2] and k[2] must be equal. [diopiMultiHeadAttentionVarLen-head-size]
 *   - cum_seq_q must have 1 dimension. [diopiMultiHeadAttentionVarLen-cum_seq_q-ndim]
 *   - cum_seq_k must have 1 dimension. [diopiMultiHeadAttentionVarLen-cum_seq_k-ndim]
 *   - cum_seq_q must have at least 1 element. [diopiMultiHeadAttentionVarLen-cum_seq_q-numel]
 *   - cum_seq_q and cum_seq_k must have the same shape. [diopiMultiHeadAttentionVarLen-cum_seq_q-same-shape]
 *   - max_q must be at least 0. [diopiMultiHeadAttentionVarLen-max_q-value]
 *   - max_k must be at least 0. [diopiMultiHeadAttentionVarLen-max_k-value]
 *   - Each element of cum_seq_q must be at least 0 and at most q[0]. A device may report this when the stream is
 *     synchronised. [diopiMultiHeadAttentionVarLen-cum_seq_q-elements]
 *   - No element of cum_seq_q is less than the one before it, or greater than it by more than max_q. A device may
 *     report this when the stream is synchronised. [diopiMultiHeadAttentionVarLen-cum_seq_q-order]
 *   - Each element of cum_seq_k must be at least 0 and at most k[0]. A device may report this when the stream is
 *     synchronised. [diopiMultiHeadAttentionVarLen-cum_seq_k-elements]
 *   - No element of cum_seq_k is less than the one before it, or greater than it by more than max_k. A device may
 *     report this when the stream is synchronised. [diopiMultiHeadAttentionVarLen-cum_seq_k-order]
 *   - q, k, v and out must have the same dtype. [diopiMultiHeadAttentionVarLen-q-same-dtype]
 *   - out must have the shape of q. [diopiMultiHeadAttentionVarLen-out-shape]
 *   - k[1] must be at least 1. [diopiMultiHeadAttentionVarLen-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiMultiHeadAttentionVarLen-q-divisible]
 *   - dropout_p must be within [0, 1]. [diopiMultiHeadAttentionVarLen-dropout_p-value]
 *   - If dropout_p is at most 1 and is greater than 0, gen must not be null. [diopiMultiHeadAttentionVarLen-gen-given]
 *   - softmax_lse must have the shape [cum_seq_q[0] - 1, q[1], max_q].
 *     [diopiMultiHeadAttentionVarLen-softmax_lse-shape]
 *   - If return_debug_mask is true, debug_attn_mask must not be null.
 *     [diopiMultiHeadAttentionVarLen-debug_attn_mask-given]
 *   - If return_debug_mask is true, debug_attn_mask must have the shape [cum_seq_q[0] - 1, q[1], max_q, max_k].
 *     [diopiMultiHeadAttentionVarLen-debug_attn_mask-shape]
 * - source: flash_attn_varlen_func of FlashAttention 2
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask. With return_debug_mask, a debug_attn_mask of a floating dtype gets P, with the sign bit set where dropout
 *   drops the weight, and one of bool gets whether dropout keeps the weight. Rows of q in no sequence get 0, and
 *   elements of softmax_lse past a sequence +infinity.
 */
DIOPI_API diopiError_t diopiMultiHeadAttentionVarLen(diopiContextHandle_t ctx, diopiTensorHandle_t q,
                                                     diopiTensorHandle_t k, diopiTensorHandle_t v,
                                                     diopiConstTensorHandle_t cum_seq_q,
                                                     diopiConstTensorHandle_t cum_seq_k, int64_t max_q, int64_t max_k,
                                                     double dropout_p, bool is_causal, bool return_debug_mask,
                                                     double scale, diopiTensorHandle_t out,
                                                     diopiTensorHandle_t softmax_lse, diopiGeneratorHandle_t gen,
                                                     diopiTensorHandle_t debug_attn_mask);

/**
 * Gradients of diopiMultiHeadAttentionVarLen with respect to q, k and v.
 *
 * @param[in]  ctx          context of the call
 * @param[in]  grad_out     floating
 * @param[in]  q            floating
 * @param[in]  k            floating
 * @param[in]  v            floating
 * @param[in]  out          floating
 * @param[in]  softmax_lse  float32
 * @param[in]  cum_seq_q    start of each query sequence and the total, [batch + 1]; int32, int64
 * @param[in]  cum_seq_k    start of each key sequence and the total, [batch + 1]; int32, int64
 * @param[in]  max_q        no query sequence is longer
 * @param[in]  max_k        no key sequence is longer
 * @param[in]  dropout_p    number
 * @param[in]  is_causal    flag
 * @param[in]  gen          read only, and not changed; may be null where dropout_p is 0; in the state that it had in
 *         the forward call
 * @param[in]  scale        number
 * @param[out] grad_q       floating
 * @param[out] grad_k       floating
 * @param[out] grad_v       floating
 *
 * - formula: With s, P, m and d of diopiMultiHeadAttentionVarLen, P_ij = exp(s_ij - lse_i) where i sees j, else 0:
 *   grad_v_j = sum over i of P_ij m_ij grad_out_i; g_ij = P_ij ((grad_out_i . v_j) m_ij - (grad_out_i . out_i));
 *   grad_q_i = scale * sum over j of g_ij k_j; grad_k_j = scale * sum over i of g_ij q_i. grad_k and grad_v are summed
 *   over the query heads of a key head
 * - shape: As in the forward call; the gradients have the shapes of q, k and v.
 * - checks:
 *   - q must have 3 dimensions. [diopiMultiHeadAttentionVarLenBackward-q-ndim]
 *   - k must have 3 dimensions. [diopiMultiHeadAttentionVarLenBackward-k-ndim]
 *   - k and v must have the same shape. [diopiMultiHeadAttentionVarLenBackward-k-same-shape]
 *   - q[2] and k[2] must be equal. [diopiMultiHeadAttentionVarLenBackward-head-size]
 *   - cum_seq_q must have 1 dimension. [diopiMultiHeadAttentionVarLenBackward-cum_seq_q-ndim]
 *   - cum_seq_k must have 1 dimension. [diopiMultiHeadAttentionVarLenBackward-cum_seq_k-ndim]
 *   - cum_seq_q must have at least 1 element. [diopiMultiHeadAttentionVarLenBackward-cum_seq_q-numel]
 *   - cum_seq_q and cum_seq_k must have the same shape. [diopiMultiHeadAttentionVarLenBackward-cum_seq_q-same-shape]
 *   - max_q must be at least 0. [diopiMultiHeadAttentionVarLenBackward-max_q-value]
 *   - max_k must be at least 0. [diopiMultiHeadAttentionVarLenBackward-max_k-value]
 *   - Each element of cum_seq_q must be at least 0 and at most q[0]. A device may report this when the stream is
 *     synchronised. [diopiMultiHeadAttentionVarLenBackward-cum_seq_q-elements]
 *   - No element of cum_seq_q is less than the one before it, or greater than it by more than max_q. A device may
 *     report this when the stream is synchronised. [diopiMultiHeadAttentionVarLenBackward-cum_seq_q-order]
 *   - Each element of cum_seq_k must be at least 0 and at most k[0]. A device may report this when the stream is
 *     synchronised. [diopiMultiHeadAttentionVarLenBackward-cum_seq_k-elements]
 *   - No element of cum_seq_k is less than the one before it, or greater than it by more than max_k. A device may
 *     report this when the stream is synchronised. [diopiMultiHeadAttentionVarLenBackward-cum_seq_k-order]
 *   - q, k, v, out, grad_out, grad_q, grad_k and grad_v must have the same dtype.
 *     [diopiMultiHeadAttentionVarLenBackward-q-same-dtype]
 *   - out must have the shape of q. [diopiMultiHeadAttentionVarLenBackward-out-shape]
 *   - grad_out must have the shape of q. [diopiMultiHeadAttentionVarLenBackward-grad_out-shape]
 *   - grad_q must have the shape of q. [diopiMultiHeadAttentionVarLenBackward-grad_q-shape]
 *   - grad_k must have the shape of k. [diopiMultiHeadAttentionVarLenBackward-grad_k-shape]
 *   - grad_v must have the shape of k. [diopiMultiHeadAttentionVarLenBackward-grad_v-shape]
 *   - k[1] must be at least 1. [diopiMultiHeadAttentionVarLenBackward-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiMultiHeadAttentionVarLenBackward-q-divisible]
 *   - dropout_p must be within [0, 1]. [diopiMultiHeadAttentionVarLenBackward-dropout_p-value]
 *   - If dropout_p is at most 1 and is greater than 0, gen must not be null.
 *     [diopiMultiHeadAttentionVarLenBackward-gen-given]
 *   - softmax_lse must have the shape [cum_seq_q[0] - 1, q[1], max_q].
 *     [diopiMultiHeadAttentionVarLenBackward-softmax_lse-shape]
 * - source: flash_attn_varlen_func of FlashAttention 2, autograd
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask. Rows in no sequence get 0.
 */
DIOPI_API diopiError_t diopiMultiHeadAttentionVarLenBackward(diopiContextHandle_t ctx,
                                                             diopiConstTensorHandle_t grad_out,
                                                             diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                             diopiConstTensorHandle_t v, diopiConstTensorHandle_t out,
                                                             diopiConstTensorHandle_t softmax_lse,
                                                             diopiConstTensorHandle_t cum_seq_q,
                                                             diopiConstTensorHandle_t cum_seq_k, int64_t max_q,
                                                             int64_t max_k, double dropout_p, bool is_causal,
                                                             diopiGeneratorHandle_t gen, double scale,
                                                             diopiTensorHandle_t grad_q, diopiTensorHandle_t grad_k,
                                                             diopiTensorHandle_t grad_v);

/**
 * Attention softmax(softmax_scale * q k^T + mask) v with dropout, `flash_attn_func` of FlashAttention 2.
 *
 * @param[in]  ctx                context of the call
 * @param[out] attention_out      floating
 * @param[out] softmax_lse        log of the softmax denominators, for the backward call; float32
 * @param[in]  gen                read only, and not changed; may be null where p_dropout is 0
 * @param[in]  q                  floating
 * @param[in]  k                  floating
 * @param[in]  v                  floating
 * @param[in]  alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]  p_dropout          number
 * @param[in]  softmax_scale      number
 * @param[in]  is_causal          flag
 * @param[in]  window_size_left   keys before the query's position that it sees; negative: all
 * @param[in]  window_size_right  keys after the query's position that it sees; negative: all
 *
 * - formula: h' = floor(h / (H / Hk)); d = Sk - Sq; s_ij = softmax_scale * (q_i . k_j) - alibi_slopes_h * |i + d - j|
 *   where query i sees key j, else -infinity; i sees j if i + d - window_size_left <= j <= i + d + window_size_right,
 *   where a negative window leaves its side open and is_causal sets the right one to 0; lse_i = log(sum over j of
 *   exp(s_ij)); P_ij = exp(s_ij - lse_i); attention_out_i = sum over j of P_ij m_ij v_j. m_ij = 1 without dropout; else
 *   word ((b H + h) Sq + i) Sk + j of the generator's stream decides: m_ij = 1 / (1 - p) where word * 2^-32 < 1 - p,
 *   and 0 elsewhere. A row that sees no key has attention_out = 0 and lse = +infinity
 * - shape: q, attention_out [B, Sq, H, D]; k, v [B, Sk, Hk, D]; softmax_lse [B, H, Sq]; alibi_slopes [H] or [B, H].
 * - checks:
 *   - q must have 4 dimensions. [diopiFlashAttention-q-ndim]
 *   - k must have 4 dimensions. [diopiFlashAttention-k-ndim]
 *   - k and v must have the same shape. [diopiFlashAttention-k-same-shape]
 *   - q[0] and k[0] must be equal. [diopiFlashAttention-q-equal]
 *   - q[3] and k[3] must be equal. [diopiFlashAttention-head-size]
 *   - q, k, v and attention_out must have the same dtype. [diopiFlashAttention-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiFlashAttention-attention_out-shape]
 *   - k[2] must be at least 1. [diopiFlashAttention-k-extent]
 *   - q[2] must be a multiple of k[2]. [diopiFlashAttention-q-divisible]
 *   - p_dropout must be within [0, 1]. [diopiFlashAttention-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, gen must not be null. [diopiFlashAttention-gen-given]
 *   - softmax_lse must have the shape [q[0], q[2], q[1]]. [diopiFlashAttention-softmax_lse-shape]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiFlashAttention-alibi_slopes-ndim]
 *   - alibi_slopes[-1] and q[2] must be equal. [diopiFlashAttention-alibi_slopes-heads]
 *   - If alibi_slopes has 2 dimensions, alibi_slopes[0] and q[0] must be equal.
 *     [diopiFlashAttention-alibi_slopes-batch]
 * - source: flash_attn_func of FlashAttention 2; torch.nn.functional.scaled_dot_product_attention
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask. lse is defined by the formula also with ALiBi, where FlashAttention 2.4 stores a row-shifted number.
 */
DIOPI_API diopiError_t diopiFlashAttention(diopiContextHandle_t ctx, diopiTensorHandle_t attention_out,
                                           diopiTensorHandle_t softmax_lse, diopiGeneratorHandle_t gen,
                                           diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                           diopiConstTensorHandle_t v, diopiConstTensorHandle_t alibi_slopes,
                                           float p_dropout, float softmax_scale, bool is_causal,
                                           int32_t window_size_left, int32_t window_size_right);

/**
 * Gradients of diopiFlashAttention with respect to q, k and v.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_q             floating
 * @param[out] grad_k             floating
 * @param[out] grad_v             floating
 * @param[in]  grad_output        floating
 * @param[in]  gen                read only, and not changed; may be null where p_dropout is 0; in the state that it had
 *         in the forward call
 * @param[in]  q                  floating
 * @param[in]  k                  floating
 * @param[in]  v                  floating
 * @param[in]  alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]  attention_out      floating
 * @param[in]  softmax_lse        float32
 * @param[in]  p_dropout          number
 * @param[in]  softmax_scale      number
 * @param[in]  is_causal          flag
 * @param[in]  window_size_left   integer
 * @param[in]  window_size_right  integer
 *
 * - formula: With s, P, m and d of diopiFlashAttention, P_ij = exp(s_ij - lse_i) where i sees j, else 0: grad_v_j = sum
 *   over i of P_ij m_ij grad_output_i; g_ij = P_ij ((grad_output_i . v_j) m_ij - (grad_output_i . attention_out_i));
 *   grad_q_i = softmax_scale * sum over j of g_ij k_j; grad_k_j = softmax_scale * sum over i of g_ij q_i. grad_k and
 *   grad_v are summed over the query heads of a key head
 * - shape: As in the forward call; the gradients have the shapes of q, k and v.
 * - checks:
 *   - q must have 4 dimensions. [diopiFlashAttentionBackward-q-ndim]
 *   - k must have 4 dimensions. [diopiFlashAttentionBackward-k-ndim]
 *   - k and v must have the same shape. [diopiFlashAttentionBackward-k-same-shape]
 *   - q[0] and k[0] must be equal. [diopiFlashAttentionBackward-q-equal]
 *   - q[3] and k[3] must be equal. [diopiFlashAttentionBackward-head-size]
 *   - q, k, v, attention_out, grad_output, grad_q, grad_k and grad_v must have the same dtype.
 *     [diopiFlashAttentionBackward-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiFlashAttentionBackward-attention_out-shape]
 *   - grad_output must have the shape of q. [diopiFlashAttentionBackward-grad_output-shape]
 *   - grad_q must have the shape of q. [diopiFlashAttentionBackward-grad_q-shape]
 *   - grad_k must have the shape of k. [diopiFlashAttentionBackward-grad_k-shape]
 *   - grad_v must have the shape of k. [diopiFlashAttentionBackward-grad_v-shape]
 *   - k[2] must be at least 1. [diopiFlashAttentionBackward-k-extent]
 *   - q[2] must be a multiple of k[2]. [diopiFlashAttentionBackward-q-divisible]
 *   - p_dropout must be within [0, 1]. [diopiFlashAttentionBackward-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, gen must not be null. [diopiFlashAttentionBackward-gen-given]
 *   - softmax_lse must have the shape [q[0], q[2], q[1]]. [diopiFlashAttentionBackward-softmax_lse-shape]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiFlashAttentionBackward-alibi_slopes-ndim]
 *   - alibi_slopes[-1] and q[2] must be equal. [diopiFlashAttentionBackward-alibi_slopes-heads]
 *   - If alibi_slopes has 2 dimensions, alibi_slopes[0] and q[0] must be equal.
 *     [diopiFlashAttentionBackward-alibi_slopes-batch]
 * - source: flash_attn_func of FlashAttention 2; torch.nn.functional.scaled_dot_product_attention, autograd
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask.
 */
DIOPI_API diopiError_t diopiFlashAttentionBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_q,
                                                   diopiTensorHandle_t grad_k, diopiTensorHandle_t grad_v,
                                                   diopiConstTensorHandle_t grad_output, diopiGeneratorHandle_t gen,
                                                   diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                   diopiConstTensorHandle_t v, diopiConstTensorHandle_t alibi_slopes,
                                                   diopiConstTensorHandle_t attention_out,
                                                   diopiConstTensorHandle_t softmax_lse, float p_dropout,
                                                   float softmax_scale, bool is_causal, int32_t window_size_left,
                                                   int32_t window_size_right);

/**
 * diopiFlashAttention with an explicit mask, a choice of layouts and the softmax intermediates as outputs.
 *
 * @param[in]     ctx                context of the call
 * @param[out]    attention_out      floating
 * @param[out]    dropout_mask       created by the callee; one bit for each weight, least significant bit first, 1 =
 *         kept; null is stored where p_dropout is 0; uint8
 * @param[out]    softmax_max        created by the callee; the largest score of each row, eight times; float32
 * @param[out]    softmax_sum        created by the callee; the sum of exp(score - softmax_max) of each row, eight
 *         times; float32
 * @param[out]    softmax_out        created by the callee; reserved: a tensor of shape [0]; of the dtype of `q`
 * @param[in,out] gen                may be null where p_dropout is 0
 * @param[in]     q                  floating
 * @param[in]     k                  floating
 * @param[in]     v                  floating
 * @param[in]     alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]     attention_mask     true or non-zero hides a key; null: nothing hidden; integral, floating, bool
 * @param[in]     p_dropout          number
 * @param[in]     softmax_scale      number
 * @param[in]     is_causal          flag
 * @param[in]     window_size_left   integer
 * @param[in]     window_size_right  integer
 * @param[in]     head_num           number of query heads, needed for the layouts that merge heads and head size
 * @param[in]     input_layout       'BSND', 'BNSD', 'BSH' or 'SBH'
 *
 * - formula: s, P and attention_out as in diopiFlashAttention, with -infinity also where attention_mask hides a key;
 *   softmax_max_i = the largest s_ij, softmax_sum_i = sum over j of exp(s_ij - softmax_max_i). Word ((b N + n) Sq + i)
 *   Sk + j of the generator's stream decides whether dropout keeps P_ij, and so does this bit of dropout_mask for the
 *   backward call
 * - shape: q, attention_out [B, S, N, D] (BSND), [B, N, S, D] (BNSD), [B, S, N * D] (BSH) or [S, B, N * D] (SBH); k, v
 *   likewise with their lengths and heads; attention_mask broadcasts to [Sq, Sk] or [B, N, Sq, Sk]; softmax_max,
 *   softmax_sum [B, N, Sq, 8]; softmax_out [0]; dropout_mask [16 * ceil(B N Sq Sk / 128)].
 * - checks:
 *   - input_layout must be "BSND", "BNSD", "BSH" or "SBH". [diopiCustomizedFlashAttention-input_layout-string]
 *   - q must have 3 or 4 dimensions. [diopiCustomizedFlashAttention-q-ndim]
 *   - k and v must have the same shape. [diopiCustomizedFlashAttention-k-same-shape]
 *   - q, k, v and attention_out must have the same dtype. [diopiCustomizedFlashAttention-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiCustomizedFlashAttention-attention_out-shape]
 *   - p_dropout must be within [0, 1]. [diopiCustomizedFlashAttention-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, gen must not be null. [diopiCustomizedFlashAttention-gen-given]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiCustomizedFlashAttention-alibi_slopes-ndim]
 *   - q and k must have four dimensions with BSND and BNSD, and three with BSH and SBH.
 *     [diopiCustomizedFlashAttention-q-layout]
 *   - With BSH and SBH, the last extent of q must be head_num heads of one size, and that of k a number of such heads.
 *     [diopiCustomizedFlashAttention-q-heads]
 *   - k and q must have one batch and one head size, and the heads of q must be a multiple of those of k, which has at
 *     least one. [diopiCustomizedFlashAttention-k-heads]
 *   - attention_mask must broadcast to [Sq, Sk] or [B, N, Sq, Sk], or be the compressed form.
 *     [diopiCustomizedFlashAttention-attention_mask-shape]
 *   - alibi_slopes must have the shape [N] or [B, N]. [diopiCustomizedFlashAttention-alibi_slopes-heads]
 * - source: torch.nn.functional.scaled_dot_product_attention
 * - notes: The mask alone decides what is hidden if it is given; is_causal then only tells that a mask of shape [2048,
 *   2048], with Sq and Sk above 2048, is the compressed form of the whole causal mask, which hides j > i. Without a
 *   mask, is_causal hides j > i + Sk - Sq, where the vendor of origin refuses the call; so it does with windows and
 *   ALiBi. head_num has no effect with BSND and BNSD. The forward call moves the offset of gen, and a row that sees no
 *   key has softmax_max = -infinity and softmax_sum = 0.
 */
DIOPI_API diopiError_t diopiCustomizedFlashAttention(diopiContextHandle_t ctx, diopiTensorHandle_t attention_out,
                                                     diopiTensorHandle_t* dropout_mask,
                                                     diopiTensorHandle_t* softmax_max,
                                                     diopiTensorHandle_t* softmax_sum,
                                                     diopiTensorHandle_t* softmax_out, diopiGeneratorHandle_t gen,
                                                     diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                     diopiConstTensorHandle_t v,
                                                     diopiConstTensorHandle_t alibi_slopes,
                                                     diopiConstTensorHandle_t attention_mask, float p_dropout,
                                                     float softmax_scale, bool is_causal, int32_t window_size_left,
                                                     int32_t window_size_right, int32_t head_num,
                                                     const char* input_layout);

/**
 * Gradients of diopiCustomizedFlashAttention with respect to q, k and v.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_q             floating
 * @param[out] grad_k             floating
 * @param[out] grad_v             floating
 * @param[in]  grad_output        floating
 * @param[in]  q                  floating
 * @param[in]  k                  floating
 * @param[in]  v                  floating
 * @param[in]  alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]  attention_out      floating
 * @param[in]  attention_mask     null: nothing hidden; integral, floating, bool
 * @param[in]  dropout_mask       null where p_dropout is 0; uint8
 * @param[in]  softmax_max        float32
 * @param[in]  softmax_sum        float32
 * @param[in]  softmax_out        not read; floating
 * @param[in]  p_dropout          number
 * @param[in]  softmax_scale      number
 * @param[in]  is_causal          flag
 * @param[in]  window_size_left   integer
 * @param[in]  window_size_right  integer
 * @param[in]  head_num           number of query heads, needed for the layouts that merge heads and head size
 * @param[in]  input_layout       'BSND', 'BNSD', 'BSH' or 'SBH'
 *
 * - formula: With s, P, m and d of diopiCustomizedFlashAttention, P_ij = exp(s_ij - softmax_max_i) / softmax_sum_i
 *   where i sees j, else 0: grad_v_j = sum over i of P_ij m_ij grad_output_i; g_ij = P_ij ((grad_output_i . v_j) m_ij -
 *   (grad_output_i . attention_out_i)); grad_q_i = softmax_scale * sum over j of g_ij k_j; grad_k_j = softmax_scale *
 *   sum over i of g_ij q_i. grad_k and grad_v are summed over the query heads of a key head
 * - shape: As in the forward call; the gradients have the shapes of q, k and v.
 * - checks:
 *   - input_layout must be "BSND", "BNSD", "BSH" or "SBH". [diopiCustomizedFlashAttentionBackward-input_layout-string]
 *   - q must have 3 or 4 dimensions. [diopiCustomizedFlashAttentionBackward-q-ndim]
 *   - k and v must have the same shape. [diopiCustomizedFlashAttentionBackward-k-same-shape]
 *   - q, k, v, attention_out, grad_output, grad_q, grad_k and grad_v must have the same dtype.
 *     [diopiCustomizedFlashAttentionBackward-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiCustomizedFlashAttentionBackward-attention_out-shape]
 *   - grad_output must have the shape of q. [diopiCustomizedFlashAttentionBackward-grad_output-shape]
 *   - grad_q must have the shape of q. [diopiCustomizedFlashAttentionBackward-grad_q-shape]
 *   - grad_k must have the shape of k. [diopiCustomizedFlashAttentionBackward-grad_k-shape]
 *   - grad_v must have the shape of k. [diopiCustomizedFlashAttentionBackward-grad_v-shape]
 *   - p_dropout must be within [0, 1]. [diopiCustomizedFlashAttentionBackward-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, dropout_mask must not be null.
 *     [diopiCustomizedFlashAttentionBackward-dropout_mask-given]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiCustomizedFlashAttentionBackward-alibi_slopes-ndim]
 *   - dropout_mask must have 1 dimension. [diopiCustomizedFlashAttentionBackward-dropout_mask-ndim]
 *   - q and k must have four dimensions with BSND and BNSD, and three with BSH and SBH.
 *     [diopiCustomizedFlashAttentionBackward-q-layout]
 *   - With BSH and SBH, the last extent of q must be head_num heads of one size, and that of k a number of such heads.
 *     [diopiCustomizedFlashAttentionBackward-q-heads]
 *   - k and q must have one batch and one head size, and the heads of q must be a multiple of those of k, which has at
 *     least one. [diopiCustomizedFlashAttentionBackward-k-heads]
 *   - attention_mask must broadcast to [Sq, Sk] or [B, N, Sq, Sk], or be the compressed form.
 *     [diopiCustomizedFlashAttentionBackward-attention_mask-shape]
 *   - alibi_slopes must have the shape [N] or [B, N]. [diopiCustomizedFlashAttentionBackward-alibi_slopes-heads]
 *   - softmax_max must have the shape [B, N, Sq, 8]. [diopiCustomizedFlashAttentionBackward-softmax_max-shape]
 *   - softmax_max and softmax_sum must have the same shape.
 *     [diopiCustomizedFlashAttentionBackward-softmax_max-same-shape]
 *   - If p_dropout is not 0, dropout_mask must have 16 bytes for every 128 weights or part of them.
 *     [diopiCustomizedFlashAttentionBackward-dropout_mask-length]
 * - source: torch.nn.functional.scaled_dot_product_attention, autograd
 * - notes: The mask alone decides what is hidden if it is given; is_causal then only tells that a mask of shape [2048,
 *   2048], with Sq and Sk above 2048, is the compressed form of the whole causal mask, which hides j > i. Without a
 *   mask, is_causal hides j > i + Sk - Sq, where the vendor of origin refuses the call; so it does with windows and
 *   ALiBi. head_num has no effect with BSND and BNSD.
 */
DIOPI_API diopiError_t diopiCustomizedFlashAttentionBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_q,
                                                             diopiTensorHandle_t grad_k, diopiTensorHandle_t grad_v,
                                                             diopiConstTensorHandle_t grad_output,
                                                             diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                             diopiConstTensorHandle_t v,
                                                             diopiConstTensorHandle_t alibi_slopes,
                                                             diopiConstTensorHandle_t attention_out,
                                                             diopiConstTensorHandle_t attention_mask,
                                                             diopiConstTensorHandle_t dropout_mask,
                                                             diopiConstTensorHandle_t softmax_max,
                                                             diopiConstTensorHandle_t softmax_sum,
                                                             diopiConstTensorHandle_t softmax_out, float p_dropout,
                                                             float softmax_scale, bool is_causal,
                                                             int32_t window_size_left, int32_t window_size_right,
                                                             int32_t head_num, const char* input_layout);

/**
 * diopiFlashAttention over packed sequences of different lengths, `flash_attn_varlen_func` of FlashAttention 2.
 *
 * @param[in]  ctx                context of the call
 * @param[out] attention_out      floating
 * @param[out] softmax_lse        log of the softmax denominators, for the backward call; float32
 * @param[in]  gen                read only, and not changed; may be null where p_dropout is 0
 * @param[in]  q                  floating
 * @param[in]  k                  floating
 * @param[in]  v                  floating
 * @param[in]  cum_seq_q          start of each query sequence and the total, [batch + 1]; int32, int64
 * @param[in]  cum_seq_kv         start of each key sequence and the total, [batch + 1]; int32, int64
 * @param[in]  alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]  max_seqlen_q       no query sequence is longer
 * @param[in]  max_seqlen_kv      no key sequence is longer
 * @param[in]  p_dropout          number
 * @param[in]  softmax_scale      number
 * @param[in]  is_causal          flag
 * @param[in]  window_size_left   integer
 * @param[in]  window_size_right  integer
 *
 * - formula: h' = floor(h / (H / Hk)); d = Sk - Sq; s_ij = softmax_scale * (q_i . k_j) - alibi_slopes_h * |i + d - j|
 *   where query i sees key j, else -infinity; i sees j if i + d - window_size_left <= j <= i + d + window_size_right,
 *   where a negative window leaves its side open and is_causal sets the right one to 0; lse_i = log(sum over j of
 *   exp(s_ij)); P_ij = exp(s_ij - lse_i); attention_out_i = sum over j of P_ij m_ij v_j. m_ij = 1 without dropout; else
 *   word ((b H + h) max_seqlen_q + i) max_seqlen_kv + j of the generator's stream decides: m_ij = 1 / (1 - p) where
 *   word * 2^-32 < 1 - p, and 0 elsewhere. A row that sees no key has attention_out = 0 and lse = +infinity
 * - shape: q, attention_out [T, H, D]; k, v [Tk, Hk, D]; sequence b has the rows from cum_seq[b] to below cum_seq[b +
 *   1]; softmax_lse [batch, H, max_seqlen_q]; alibi_slopes [H] or [batch, H].
 * - checks:
 *   - q must have 3 dimensions. [diopiFlashAttentionVarLen-q-ndim]
 *   - k must have 3 dimensions. [diopiFlashAttentionVarLen-k-ndim]
 *   - k and v must have the same shape. [diopiFlashAttentionVarLen-k-same-shape]
 *   - q[2] and k[2] must be equal. [diopiFlashAttentionVarLen-head-size]
 *   - cum_seq_q must have 1 dimension. [diopiFlashAttentionVarLen-cum_seq_q-ndim]
 *   - cum_seq_kv must have 1 dimension. [diopiFlashAttentionVarLen-cum_seq_kv-ndim]
 *   - cum_seq_q must have at least 1 element. [diopiFlashAttentionVarLen-cum_seq_q-numel]
 *   - cum_seq_q and cum_seq_kv must have the same shape. [diopiFlashAttentionVarLen-cum_seq_q-same-shape]
 *   - max_seqlen_q must be at least 0. [diopiFlashAttentionVarLen-max_seqlen_q-value]
 *   - max_seqlen_kv must be at least 0. [diopiFlashAttentionVarLen-max_seqlen_kv-value]
 *   - Each element of cum_seq_q must be at least 0 and at most q[0]. A device may report this when the stream is
 *     synchronised. [diopiFlashAttentionVarLen-cum_seq_q-elements]
 *   - No element of cum_seq_q is less than the one before it, or greater than it by more than max_seqlen_q. A device
 *     may report this when the stream is synchronised. [diopiFlashAttentionVarLen-cum_seq_q-order]
 *   - Each element of cum_seq_kv must be at least 0 and at most k[0]. A device may report this when the stream is
 *     synchronised. [diopiFlashAttentionVarLen-cum_seq_kv-elements]
 *   - No element of cum_seq_kv is less than the one before it, or greater than it by more than max_seqlen_kv. A device
 *     may report this when the stream is synchronised. [diopiFlashAttentionVarLen-cum_seq_kv-order]
 *   - q, k, v and attention_out must have the same dtype. [diopiFlashAttentionVarLen-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiFlashAttentionVarLen-attention_out-shape]
 *   - k[1] must be at least 1. [diopiFlashAttentionVarLen-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiFlashAttentionVarLen-q-divisible]
 *   - p_dropout must be within [0, 1]. [diopiFlashAttentionVarLen-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, gen must not be null. [diopiFlashAttentionVarLen-gen-given]
 *   - softmax_lse must have the shape [cum_seq_q[0] - 1, q[1], max_seqlen_q].
 *     [diopiFlashAttentionVarLen-softmax_lse-shape]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiFlashAttentionVarLen-alibi_slopes-ndim]
 *   - alibi_slopes[-1] and q[1] must be equal. [diopiFlashAttentionVarLen-alibi_slopes-heads]
 *   - If alibi_slopes has 2 dimensions, alibi_slopes[0] and cum_seq_q[0] - 1 must be equal.
 *     [diopiFlashAttentionVarLen-alibi_slopes-batch]
 * - source: flash_attn_varlen_func of FlashAttention 2
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask. lse is defined by the formula also with ALiBi, where FlashAttention 2.4 stores a row-shifted number. Rows of
 *   q in no sequence get 0, and elements of softmax_lse past a sequence +infinity.
 */
DIOPI_API diopiError_t diopiFlashAttentionVarLen(diopiContextHandle_t ctx, diopiTensorHandle_t attention_out,
                                                 diopiTensorHandle_t softmax_lse, diopiGeneratorHandle_t gen,
                                                 diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                 diopiConstTensorHandle_t v, diopiConstTensorHandle_t cum_seq_q,
                                                 diopiConstTensorHandle_t cum_seq_kv,
                                                 diopiConstTensorHandle_t alibi_slopes, int32_t max_seqlen_q,
                                                 int32_t max_seqlen_kv, float p_dropout, float softmax_scale,
                                                 bool is_causal, int32_t window_size_left, int32_t window_size_right);

/**
 * Gradients of diopiFlashAttentionVarLen with respect to q, k and v.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_q             floating
 * @param[out] grad_k             floating
 * @param[out] grad_v             floating
 * @param[in]  grad_output        floating
 * @param[in]  gen                read only, and not changed; may be null where p_dropout is 0; in the state that it had
 *         in the forward call
 * @param[in]  q                  floating
 * @param[in]  k                  floating
 * @param[in]  v                  floating
 * @param[in]  cum_seq_q          start of each query sequence and the total, [batch + 1]; int32, int64
 * @param[in]  cum_seq_kv         start of each key sequence and the total, [batch + 1]; int32, int64
 * @param[in]  alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]  attention_out      floating
 * @param[in]  softmax_lse        float32
 * @param[in]  max_seqlen_q       no query sequence is longer
 * @param[in]  max_seqlen_kv      no key sequence is longer
 * @param[in]  p_dropout          number
 * @param[in]  softmax_scale      number
 * @param[in]  is_causal          flag
 * @param[in]  window_size_left   integer
 * @param[in]  window_size_right  integer
 *
 * - formula: With s, P, m and d of diopiFlashAttentionVarLen, P_ij = exp(s_ij - lse_i) where i sees j, else 0: grad_v_j
 *   = sum over i of P_ij m_ij grad_output_i; g_ij = P_ij ((grad_output_i . v_j) m_ij - (grad_output_i .
 *   attention_out_i)); grad_q_i = softmax_scale * sum over j of g_ij k_j; grad_k_j = softmax_scale * sum over i of g_ij
 *   q_i. grad_k and grad_v are summed over the query heads of a key head
 * - shape: As in the forward call; the gradients have the shapes of q, k and v.
 * - checks:
 *   - q must have 3 dimensions. [diopiFlashAttentionVarLenBackward-q-ndim]
 *   - k must have 3 dimensions. [diopiFlashAttentionVarLenBackward-k-ndim]
 *   - k and v must have the same shape. [diopiFlashAttentionVarLenBackward-k-same-shape]
 *   - q[2] and k[2] must be equal. [diopiFlashAttentionVarLenBackward-head-size]
 *   - cum_seq_q must have 1 dimension. [diopiFlashAttentionVarLenBackward-cum_seq_q-ndim]
 *   - cum_seq_kv must have 1 dimension. [diopiFlashAttentionVarLenBackward-cum_seq_kv-ndim]
 *   - cum_seq_q must have at least 1 element. [diopiFlashAttentionVarLenBackward-cum_seq_q-numel]
 *   - cum_seq_q and cum_seq_kv must have the same shape. [diopiFlashAttentionVarLenBackward-cum_seq_q-same-shape]
 *   - max_seqlen_q must be at least 0. [diopiFlashAttentionVarLenBackward-max_seqlen_q-value]
 *   - max_seqlen_kv must be at least 0. [diopiFlashAttentionVarLenBackward-max_seqlen_kv-value]
 *   - Each element of cum_seq_q must be at least 0 and at most q[0]. A device may report this when the stream is
 *     synchronised. [diopiFlashAttentionVarLenBackward-cum_seq_q-elements]
 *   - No element of cum_seq_q is less than the one before it, or greater than it by more than max_seqlen_q. A device
 *     may report this when the stream is synchronised. [diopiFlashAttentionVarLenBackward-cum_seq_q-order]
 *   - Each element of cum_seq_kv must be at least 0 and at most k[0]. A device may report this when the stream is
 *     synchronised. [diopiFlashAttentionVarLenBackward-cum_seq_kv-elements]
 *   - No element of cum_seq_kv is less than the one before it, or greater than it by more than max_seqlen_kv. A device
 *     may report this when the stream is synchronised. [diopiFlashAttentionVarLenBackward-cum_seq_kv-order]
 *   - q, k, v, attention_out, grad_output, grad_q, grad_k and grad_v must have the same dtype.
 *     [diopiFlashAttentionVarLenBackward-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiFlashAttentionVarLenBackward-attention_out-shape]
 *   - grad_output must have the shape of q. [diopiFlashAttentionVarLenBackward-grad_output-shape]
 *   - grad_q must have the shape of q. [diopiFlashAttentionVarLenBackward-grad_q-shape]
 *   - grad_k must have the shape of k. [diopiFlashAttentionVarLenBackward-grad_k-shape]
 *   - grad_v must have the shape of k. [diopiFlashAttentionVarLenBackward-grad_v-shape]
 *   - k[1] must be at least 1. [diopiFlashAttentionVarLenBackward-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiFlashAttentionVarLenBackward-q-divisible]
 *   - p_dropout must be within [0, 1]. [diopiFlashAttentionVarLenBackward-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, gen must not be null.
 *     [diopiFlashAttentionVarLenBackward-gen-given]
 *   - softmax_lse must have the shape [cum_seq_q[0] - 1, q[1], max_seqlen_q].
 *     [diopiFlashAttentionVarLenBackward-softmax_lse-shape]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiFlashAttentionVarLenBackward-alibi_slopes-ndim]
 *   - alibi_slopes[-1] and q[1] must be equal. [diopiFlashAttentionVarLenBackward-alibi_slopes-heads]
 *   - If alibi_slopes has 2 dimensions, alibi_slopes[0] and cum_seq_q[0] - 1 must be equal.
 *     [diopiFlashAttentionVarLenBackward-alibi_slopes-batch]
 * - source: flash_attn_varlen_func of FlashAttention 2, autograd
 * - notes: seed and offset of gen stay as they are, so the backward call, which gets the same generator, draws the same
 *   mask. Rows in no sequence get 0.
 */
DIOPI_API diopiError_t diopiFlashAttentionVarLenBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_q,
                                                         diopiTensorHandle_t grad_k, diopiTensorHandle_t grad_v,
                                                         diopiConstTensorHandle_t grad_output,
                                                         diopiGeneratorHandle_t gen, diopiConstTensorHandle_t q,
                                                         diopiConstTensorHandle_t k, diopiConstTensorHandle_t v,
                                                         diopiConstTensorHandle_t cum_seq_q,
                                                         diopiConstTensorHandle_t cum_seq_kv,
                                                         diopiConstTensorHandle_t alibi_slopes,
                                                         diopiConstTensorHandle_t attention_out,
                                                         diopiConstTensorHandle_t softmax_lse, int32_t max_seqlen_q,
                                                         int32_t max_seqlen_kv, float p_dropout, float softmax_scale,
                                                         bool is_causal, int32_t window_size_left,
                                                         int32_t window_size_right);

/**
 * diopiCustomizedFlashAttention over packed sequences of different lengths.
 *
 * @param[in]     ctx                context of the call
 * @param[out]    attention_out      floating
 * @param[out]    dropout_mask       created by the callee; one bit for each weight, least significant bit first, 1 =
 *         kept; null is stored where p_dropout is 0; uint8
 * @param[out]    softmax_max        created by the callee; the largest score of each row, eight times; float32
 * @param[out]    softmax_sum        created by the callee; the sum of exp(score - softmax_max) of each row, eight
 *         times; float32
 * @param[out]    softmax_out        created by the callee; reserved: a tensor of shape [0]; of the dtype of `q`
 * @param[in,out] gen                may be null where p_dropout is 0
 * @param[in]     q                  floating
 * @param[in]     k                  floating
 * @param[in]     v                  floating
 * @param[in]     cum_seq_q          end of each query sequence
 * @param[in]     cum_seq_kv         end of each key sequence
 * @param[in]     alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]     attention_mask     true or non-zero hides a key; null: nothing hidden; integral, floating, bool
 * @param[in]     max_seqlen_q       no query sequence is longer
 * @param[in]     max_seqlen_kv      no key sequence is longer
 * @param[in]     p_dropout          number
 * @param[in]     softmax_scale      number
 * @param[in]     is_causal          flag
 * @param[in]     window_size_left   integer
 * @param[in]     window_size_right  integer
 *
 * - formula: For each sequence b, with n queries, m keys and d = m - n: s, P and attention_out as in
 *   diopiFlashAttention, with -infinity also where attention_mask hides a key; element [i, j] of attention_mask belongs
 *   to query i and key j of every sequence. softmax_max_i = the largest s_ij, softmax_sum_i = sum over j of exp(s_ij -
 *   softmax_max_i). Word w_b + (h n + i) m + j of the generator's stream decides whether dropout keeps P_ij, and so
 *   does this bit of dropout_mask for the backward call, where w_b is the number of weights of the sequences before b
 * - shape: q, attention_out [T, H, D]; k, v [Tk, Hk, D]; sequence b has the rows from cum_seq[b - 1], or 0 if b = 0, to
 *   below cum_seq[b]; attention_mask broadcasts to [max_seqlen_q, max_seqlen_kv]; alibi_slopes [H] or [batch, H];
 *   softmax_max, softmax_sum [T, H, 8]; softmax_out [0]; dropout_mask [16 * ceil(W / 128)], W = sum over b of H n m.
 * - checks:
 *   - q must have 3 dimensions. [diopiCustomizedFlashAttentionVarLen-q-ndim]
 *   - k must have 3 dimensions. [diopiCustomizedFlashAttentionVarLen-k-ndim]
 *   - k and v must have the same shape. [diopiCustomizedFlashAttentionVarLen-k-same-shape]
 *   - q[2] and k[2] must be equal. [diopiCustomizedFlashAttentionVarLen-head-size]
 *   - q, k, v and attention_out must have the same dtype. [diopiCustomizedFlashAttentionVarLen-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiCustomizedFlashAttentionVarLen-attention_out-shape]
 *   - k[1] must be at least 1. [diopiCustomizedFlashAttentionVarLen-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiCustomizedFlashAttentionVarLen-q-divisible]
 *   - Len(cum_seq_q) and len(cum_seq_kv) must be equal. [diopiCustomizedFlashAttentionVarLen-cum_seq-lengths]
 *   - Each entry of cum_seq_q must be at least 0 and at most q[0].
 *     [diopiCustomizedFlashAttentionVarLen-cum_seq_q-values]
 *   - Each entry of cum_seq_kv must be at least 0 and at most k[0].
 *     [diopiCustomizedFlashAttentionVarLen-cum_seq_kv-values]
 *   - max_seqlen_q must be at least 0. [diopiCustomizedFlashAttentionVarLen-max_seqlen_q-value]
 *   - max_seqlen_kv must be at least 0. [diopiCustomizedFlashAttentionVarLen-max_seqlen_kv-value]
 *   - p_dropout must be within [0, 1]. [diopiCustomizedFlashAttentionVarLen-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, gen must not be null.
 *     [diopiCustomizedFlashAttentionVarLen-gen-given]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiCustomizedFlashAttentionVarLen-alibi_slopes-ndim]
 *   - alibi_slopes[-1] and q[1] must be equal. [diopiCustomizedFlashAttentionVarLen-alibi_slopes-heads]
 *   - If alibi_slopes has 2 dimensions, alibi_slopes[0] and len(cum_seq_q) must be equal.
 *     [diopiCustomizedFlashAttentionVarLen-alibi_slopes-batch]
 *   - attention_mask must have 2 dimensions. [diopiCustomizedFlashAttentionVarLen-attention_mask-ndim]
 *   - The first entry of cum_seq_q must not exceed max_seqlen_q, and no other one be less than the one before it or
 *     exceed it by more than max_seqlen_q. [diopiCustomizedFlashAttentionVarLen-cum_seq_q-order]
 *   - The first entry of cum_seq_kv must not exceed max_seqlen_kv, and no other one be less than the one before it or
 *     exceed it by more than max_seqlen_kv. [diopiCustomizedFlashAttentionVarLen-cum_seq_kv-order]
 *   - attention_mask must broadcast to [max_seqlen_q, max_seqlen_kv], or be the compressed form.
 *     [diopiCustomizedFlashAttentionVarLen-attention_mask-shape]
 * - source: torch.nn.functional.scaled_dot_product_attention of each sequence
 * - notes: The mask alone decides what is hidden if it is given; is_causal then only tells that a mask of shape [2048,
 *   2048], with max_seqlen_q and max_seqlen_kv above 2048, is the compressed form of the whole causal mask, which hides
 *   j > i. Without a mask, is_causal hides j > i + d, where the vendor of origin refuses the call; so it does with
 *   windows and ALiBi. The forward call moves the offset of gen. A row that sees no key, or is in no sequence, has
 *   attention_out = 0, softmax_max = -infinity and softmax_sum = 0.
 */
DIOPI_API diopiError_t diopiCustomizedFlashAttentionVarLen(diopiContextHandle_t ctx,
                                                           diopiTensorHandle_t attention_out,
                                                           diopiTensorHandle_t* dropout_mask,
                                                           diopiTensorHandle_t* softmax_max,
                                                           diopiTensorHandle_t* softmax_sum,
                                                           diopiTensorHandle_t* softmax_out,
                                                           diopiGeneratorHandle_t gen, diopiConstTensorHandle_t q,
                                                           diopiConstTensorHandle_t k, diopiConstTensorHandle_t v,
                                                           diopiSize_t cum_seq_q, diopiSize_t cum_seq_kv,
                                                           diopiConstTensorHandle_t alibi_slopes,
                                                           diopiConstTensorHandle_t attention_mask,
                                                           int32_t max_seqlen_q, int32_t max_seqlen_kv,
                                                           float p_dropout, float softmax_scale, bool is_causal,
                                                           int32_t window_size_left, int32_t window_size_right);

/**
 * Gradients of diopiCustomizedFlashAttentionVarLen with respect to q, k and v.
 *
 * @param[in]  ctx                context of the call
 * @param[out] grad_q             floating
 * @param[out] grad_k             floating
 * @param[out] grad_v             floating
 * @param[in]  grad_output        floating
 * @param[in]  q                  floating
 * @param[in]  k                  floating
 * @param[in]  v                  floating
 * @param[in]  cum_seq_q          end of each query sequence
 * @param[in]  cum_seq_kv         end of each key sequence
 * @param[in]  alibi_slopes       [heads] or [batch, heads]; null: no positional bias; floating
 * @param[in]  attention_out      floating
 * @param[in]  attention_mask     null: nothing hidden; integral, floating, bool
 * @param[in]  dropout_mask       null where p_dropout is 0; uint8
 * @param[in]  softmax_max        float32
 * @param[in]  softmax_sum        float32
 * @param[in]  softmax_out        not read; floating
 * @param[in]  max_seqlen_q       no query sequence is longer
 * @param[in]  max_seqlen_kv      no key sequence is longer
 * @param[in]  p_dropout          number
 * @param[in]  softmax_scale      number
 * @param[in]  is_causal          flag
 * @param[in]  window_size_left   integer
 * @param[in]  window_size_right  integer
 *
 * - formula: With s, P and d of diopiCustomizedFlashAttentionVarLen, P_ij = exp(s_ij - softmax_max_i) / softmax_sum_i
 *   where i sees j, else 0: grad_v_j = sum over i of P_ij m_ij grad_output_i; g_ij = P_ij ((grad_output_i . v_j) m_ij -
 *   (grad_output_i . attention_out_i)); grad_q_i = softmax_scale * sum over j of g_ij k_j; grad_k_j = softmax_scale *
 *   sum over i of g_ij q_i. m_ij is 1 / (1 - p_dropout) where dropout keeps P_ij, else 0. grad_k and grad_v are summed
 *   over the query heads of a key head
 * - shape: As in the forward call; the gradients have the shapes of q, k and v.
 * - checks:
 *   - q must have 3 dimensions. [diopiCustomizedFlashAttentionVarLenBackward-q-ndim]
 *   - k must have 3 dimensions. [diopiCustomizedFlashAttentionVarLenBackward-k-ndim]
 *   - k and v must have the same shape. [diopiCustomizedFlashAttentionVarLenBackward-k-same-shape]
 *   - q[2] and k[2] must be equal. [diopiCustomizedFlashAttentionVarLenBackward-head-size]
 *   - q, k, v, attention_out, grad_output, grad_q, grad_k and grad_v must have the same dtype.
 *     [diopiCustomizedFlashAttentionVarLenBackward-q-same-dtype]
 *   - attention_out must have the shape of q. [diopiCustomizedFlashAttentionVarLenBackward-attention_out-shape]
 *   - grad_output must have the shape of q. [diopiCustomizedFlashAttentionVarLenBackward-grad_output-shape]
 *   - grad_q must have the shape of q. [diopiCustomizedFlashAttentionVarLenBackward-grad_q-shape]
 *   - grad_k must have the shape of k. [diopiCustomizedFlashAttentionVarLenBackward-grad_k-shape]
 *   - grad_v must have the shape of k. [diopiCustomizedFlashAttentionVarLenBackward-grad_v-shape]
 *   - k[1] must be at least 1. [diopiCustomizedFlashAttentionVarLenBackward-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiCustomizedFlashAttentionVarLenBackward-q-divisible]
 *   - Len(cum_seq_q) and len(cum_seq_kv) must be equal. [diopiCustomizedFlashAttentionVarLenBackward-cum_seq-lengths]
 *   - Each entry of cum_seq_q must be at least 0 and at most q[0].
 *     [diopiCustomizedFlashAttentionVarLenBackward-cum_seq_q-values]
 *   - Each entry of cum_seq_kv must be at least 0 and at most k[0].
 *     [diopiCustomizedFlashAttentionVarLenBackward-cum_seq_kv-values]
 *   - max_seqlen_q must be at least 0. [diopiCustomizedFlashAttentionVarLenBackward-max_seqlen_q-value]
 *   - max_seqlen_kv must be at least 0. [diopiCustomizedFlashAttentionVarLenBackward-max_seqlen_kv-value]
 *   - p_dropout must be within [0, 1]. [diopiCustomizedFlashAttentionVarLenBackward-p_dropout-value]
 *   - If p_dropout is at most 1 and is greater than 0, dropout_mask must not be null.
 *     [diopiCustomizedFlashAttentionVarLenBackward-dropout_mask-given]
 *   - dropout_mask must have 1 dimension. [diopiCustomizedFlashAttentionVarLenBackward-dropout_mask-ndim]
 *   - softmax_max must have the shape [q[0], q[1], 8]. [diopiCustomizedFlashAttentionVarLenBackward-softmax_max-shape]
 *   - softmax_sum must have the shape [q[0], q[1], 8]. [diopiCustomizedFlashAttentionVarLenBackward-softmax_sum-shape]
 *   - alibi_slopes must have 1 or 2 dimensions. [diopiCustomizedFlashAttentionVarLenBackward-alibi_slopes-ndim]
 *   - alibi_slopes[-1] and q[1] must be equal. [diopiCustomizedFlashAttentionVarLenBackward-alibi_slopes-heads]
 *   - If alibi_slopes has 2 dimensions, alibi_slopes[0] and len(cum_seq_q) must be equal.
 *     [diopiCustomizedFlashAttentionVarLenBackward-alibi_slopes-batch]
 *   - attention_mask must have 2 dimensions. [diopiCustomizedFlashAttentionVarLenBackward-attention_mask-ndim]
 *   - The first entry of cum_seq_q must not exceed max_seqlen_q, and no other one be less than the one before it or
 *     exceed it by more than max_seqlen_q. [diopiCustomizedFlashAttentionVarLenBackward-cum_seq_q-order]
 *   - The first entry of cum_seq_kv must not exceed max_seqlen_kv, and no other one be less than the one before it or
 *     exceed it by more than max_seqlen_kv. [diopiCustomizedFlashAttentionVarLenBackward-cum_seq_kv-order]
 *   - attention_mask must broadcast to [max_seqlen_q, max_seqlen_kv], or be the compressed form.
 *     [diopiCustomizedFlashAttentionVarLenBackward-attention_mask-shape]
 *   - If p_dropout is not 0, dropout_mask must have 16 bytes for every 128 weights or part of them.
 *     [diopiCustomizedFlashAttentionVarLenBackward-dropout_mask-length]
 * - source: torch.nn.functional.scaled_dot_product_attention of each sequence, autograd
 * - notes: The mask alone decides what is hidden if it is given; is_causal then only tells that a mask of shape [2048,
 *   2048], with max_seqlen_q and max_seqlen_kv above 2048, is the compressed form of the whole causal mask, which hides
 *   j > i. Without a mask, is_causal hides j > i + d, where the vendor of origin refuses the call; so it does with
 *   windows and ALiBi. Rows in no sequence get 0.
 */
DIOPI_API diopiError_t diopiCustomizedFlashAttentionVarLenBackward(diopiContextHandle_t ctx,
                                                                   diopiTensorHandle_t grad_q,
                                                                   diopiTensorHandle_t grad_k,
                                                                   diopiTensorHandle_t grad_v,
                                                                   diopiConstTensorHandle_t grad_output,
                                                                   diopiConstTensorHandle_t q,
                                                                   diopiConstTensorHandle_t k,
                                                                   diopiConstTensorHandle_t v, diopiSize_t cum_seq_q,
                                                                   diopiSize_t cum_seq_kv,
                                                                   diopiConstTensorHandle_t alibi_slopes,
                                                                   diopiConstTensorHandle_t attention_out,
                                                                   diopiConstTensorHandle_t attention_mask,
                                                                   diopiConstTensorHandle_t dropout_mask,
                                                                   diopiConstTensorHandle_t softmax_max,
                                                                   diopiConstTensorHandle_t softmax_sum,
                                                                   diopiConstTensorHandle_t softmax_out,
                                                                   int32_t max_seqlen_q, int32_t max_seqlen_kv,
                                                                   float p_dropout, float softmax_scale,
                                                                   bool is_causal, int32_t window_size_left,
                                                                   int32_t window_size_right);

/**
 * Causal inference attention of whole prompts, padded to one length, with grouped key and value heads.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] out                 floating
 * @param[in]  query               floating
 * @param[in]  key                 floating
 * @param[in]  value               floating
 * @param[in]  atten_mask          true or non-zero hides a key, besides the causal mask; null: nothing more is hidden;
 *         integral, floating, bool
 * @param[in]  actual_seq_lengths  length of each sequence
 * @param[in]  max_input_len       rows of each sequence, the padding included
 * @param[in]  num_heads           integer
 * @param[in]  num_kv_heads        integer
 * @param[in]  dim                 the head size
 *
 * - formula: For each sequence b and query i below n = actual_seq_lengths_b: s_ij = (q_i . k_j) / sqrt(dim) for keys j
 *   <= i that atten_mask does not hide, else -infinity; out_i = sum over j of softmax(s_i)_j v_j. A row that sees no
 *   key has out = 0, and so has a row from n on
 * - shape: query, out [B * max_input_len, num_heads * dim] or [B, max_input_len, num_heads * dim], key and value
 *   likewise with num_kv_heads; B is the length of actual_seq_lengths. atten_mask broadcasts to [max_input_len,
 *   max_input_len], [B, max_input_len, max_input_len] or [B, num_heads, max_input_len, max_input_len].
 * - checks:
 *   - num_heads must be at least 1. [diopiPromptFlashAttention-num_heads-value]
 *   - num_kv_heads must be at least 1. [diopiPromptFlashAttention-num_kv_heads-value]
 *   - dim must be at least 1. [diopiPromptFlashAttention-dim-value]
 *   - max_input_len must be at least 0. [diopiPromptFlashAttention-max_input_len-value]
 *   - num_heads must be a multiple of num_kv_heads. [diopiPromptFlashAttention-num_heads-divisible]
 *   - Each entry of actual_seq_lengths must be at least 0 and at most max_input_len.
 *     [diopiPromptFlashAttention-actual_seq_lengths-values]
 *   - query, key, value and out must have the same dtype. [diopiPromptFlashAttention-query-same-dtype]
 *   - query must have 2 or 3 dimensions. [diopiPromptFlashAttention-query-ndim]
 *   - If query has 2 dimensions, query must have the shape [len(actual_seq_lengths) * max_input_len, num_heads * dim].
 *     [diopiPromptFlashAttention-query-rows]
 *   - If query has 3 dimensions, query must have the shape [len(actual_seq_lengths), max_input_len, num_heads * dim].
 *     [diopiPromptFlashAttention-query-padded]
 *   - key must have 2 or 3 dimensions. [diopiPromptFlashAttention-key-ndim]
 *   - If key has 2 dimensions, key must have the shape [len(actual_seq_lengths) * max_input_len, num_kv_heads * dim].
 *     [diopiPromptFlashAttention-key-rows]
 *   - If key has 3 dimensions, key must have the shape [len(actual_seq_lengths), max_input_len, num_kv_heads * dim].
 *     [diopiPromptFlashAttention-key-padded]
 *   - value must have the shape of key. [diopiPromptFlashAttention-value-shape]
 *   - out must have the shape of query. [diopiPromptFlashAttention-out-shape]
 *   - atten_mask must have 2, 3 or 4 dimensions. [diopiPromptFlashAttention-atten_mask-ndim]
 *   - If atten_mask has 2 dimensions, atten_mask must broadcast to [max_input_len, max_input_len].
 *     [diopiPromptFlashAttention-atten_mask-rows]
 *   - If atten_mask has 3 dimensions, atten_mask must broadcast to [len(actual_seq_lengths), max_input_len,
 *     max_input_len]. [diopiPromptFlashAttention-atten_mask-batch]
 *   - If atten_mask has 4 dimensions, atten_mask must broadcast to [len(actual_seq_lengths), num_heads, max_input_len,
 *     max_input_len]. [diopiPromptFlashAttention-atten_mask-heads]
 * - source: torch.nn.functional.scaled_dot_product_attention
 * - notes: The sequences are padded: sequence b begins at row b * max_input_len. Rows of queries at or past the length
 *   of their sequence are 0, as no program reads them.
 */
DIOPI_API diopiError_t diopiPromptFlashAttention(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                 diopiConstTensorHandle_t query, diopiConstTensorHandle_t key,
                                                 diopiConstTensorHandle_t value, diopiConstTensorHandle_t atten_mask,
                                                 diopiSize_t actual_seq_lengths, int64_t max_input_len,
                                                 int64_t num_heads, int64_t num_kv_heads, int64_t dim);

/** @} */

/** @name attention_llm
 * Kernels of LightLLM-style inference: penalties, cache writes, token and paged attention.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: Different parameters may not share memory.
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Subtracts presence and frequency penalties from the logits of generated tokens, LightLLM's `apply_penalty`.
 *
 * @param[in]     ctx                 context of the call
 * @param[in,out] logits              floating
 * @param[in]     presence_penalty    floating
 * @param[in]     frequency_penalty   floating
 * @param[in]     p_token_ids         int32, int64
 * @param[in]     p_token_counts      int32, int64
 * @param[in]     p_cumsum_seq_len    start of each sequence in p_token_ids and the total, [batch + 1]; int32, int64
 * @param[in]     p_max_len_in_batch  has no effect
 *
 * - formula: for each sequence b and each i from p_cumsum_seq_len[b] to below p_cumsum_seq_len[b + 1]: logits[b,
 *   p_token_ids[i]] -= p_token_counts[i] * frequency_penalty[b] + presence_penalty[b]
 * - shape: logits is [batch, vocabulary], the penalties are [batch], p_token_ids and p_token_counts have one dimension
 *   and one length.
 * - checks:
 *   - logits must have 2 dimensions. [diopiApplyPenalty-logits-ndim]
 *   - presence_penalty must have the shape [logits[0]]. [diopiApplyPenalty-presence_penalty-shape]
 *   - frequency_penalty must have the shape [logits[0]]. [diopiApplyPenalty-frequency_penalty-shape]
 *   - p_token_ids must have 1 dimension. [diopiApplyPenalty-p_token_ids-ndim]
 *   - p_cumsum_seq_len must have 1 dimension. [diopiApplyPenalty-p_cumsum_seq_len-ndim]
 *   - p_token_counts must have the shape of p_token_ids. [diopiApplyPenalty-p_token_counts-shape]
 *   - p_cumsum_seq_len[0] and logits[0] + 1 must be equal. [diopiApplyPenalty-p_cumsum_seq_len-equal]
 *   - Each element of p_token_ids must be a position of logits in dimension 1. A device may report this when the stream
 *     is synchronised. [diopiApplyPenalty-p_token_ids-index]
 *   - The elements of p_cumsum_seq_len must not decrease, and lie between 0 and the number of tokens. A device may
 *     report this when the stream is synchronised. [diopiApplyPenalty-p_cumsum_seq_len-ordered]
 * - source: LightLLM, apply_penalty
 * - notes: If an id occurs several times in a sequence, each term is subtracted from the original logit and the last
 *   one stays. The header's formula has the presence penalty in the place of the frequency penalty.
 */
DIOPI_API diopiError_t diopiApplyPenalty(diopiContextHandle_t ctx, diopiTensorHandle_t logits,
                                         diopiConstTensorHandle_t presence_penalty,
                                         diopiConstTensorHandle_t frequency_penalty,
                                         diopiConstTensorHandle_t p_token_ids,
                                         diopiConstTensorHandle_t p_token_counts,
                                         diopiConstTensorHandle_t p_cumsum_seq_len, int p_max_len_in_batch);

/**
 * diopiApplyPenalty with a repetition penalty; p_token_ids index the flattened logits.
 *
 * @param[in]     ctx                 context of the call
 * @param[in,out] logits              floating
 * @param[in]     presence_penalty    floating
 * @param[in]     frequency_penalty   floating
 * @param[in]     repetition_penalty  floating
 * @param[in]     p_token_ids         int32, int64
 * @param[in]     p_token_counts      int32, int64
 *
 * - formula: for each i, with l the element p_token_ids[i] of the flattened logits: l = l / repetition_penalty[i] if l
 *   > 0, else l * repetition_penalty[i]; then l -= p_token_counts[i] * frequency_penalty[i] + presence_penalty[i]
 * - shape: logits is [batch, vocabulary]; the others have one dimension and the length of p_token_ids.
 * - broadcasting: A penalty of one element holds for all tokens.
 * - checks:
 *   - logits must have 2 dimensions. [diopiApplyPenaltyV2-logits-ndim]
 *   - p_token_ids must have 1 dimension. [diopiApplyPenaltyV2-p_token_ids-ndim]
 *   - presence_penalty must have 1 dimension. [diopiApplyPenaltyV2-presence_penalty-ndim]
 *   - frequency_penalty must have 1 dimension. [diopiApplyPenaltyV2-frequency_penalty-ndim]
 *   - repetition_penalty must have 1 dimension. [diopiApplyPenaltyV2-repetition_penalty-ndim]
 *   - presence_penalty must broadcast to the shape of p_token_ids. [diopiApplyPenaltyV2-presence_penalty-broadcasts]
 *   - frequency_penalty must broadcast to the shape of p_token_ids. [diopiApplyPenaltyV2-frequency_penalty-broadcasts]
 *   - repetition_penalty must broadcast to the shape of p_token_ids.
 *     [diopiApplyPenaltyV2-repetition_penalty-broadcasts]
 *   - p_token_counts must have the shape of p_token_ids. [diopiApplyPenaltyV2-p_token_counts-shape]
 *   - Each element of p_token_ids must be 0 to below the number of elements of logits. A device may report this when
 *     the stream is synchronised. [diopiApplyPenaltyV2-p_token_ids-index]
 * - source: LightLLM, apply_penalty_v2
 * - notes: If an id occurs several times, each result is computed from the original logit and the last one stays. The
 *   header gives the penalties one element for each sequence; programs pass one for each token.
 */
DIOPI_API diopiError_t diopiApplyPenaltyV2(diopiContextHandle_t ctx, diopiTensorHandle_t logits,
                                           diopiConstTensorHandle_t presence_penalty,
                                           diopiConstTensorHandle_t frequency_penalty,
                                           diopiConstTensorHandle_t repetition_penalty,
                                           diopiConstTensorHandle_t p_token_ids,
                                           diopiConstTensorHandle_t p_token_counts);

/**
 * Writes the rows of k to the rows dest_loc of out, LightLLM's `destindex_copy_kv`.
 *
 * @param[in]     ctx       context of the call
 * @param[in,out] out       rows that dest_loc does not name keep their value; integral, floating, complex, bool
 * @param[in]     k         integral, floating, complex, bool
 * @param[in]     dest_loc  int32, int64
 *
 * - formula: out[dest_loc[i]] = k[i]; of several i with the same row, the last one
 * - shape: out is [total, ...], k [n, ...] and dest_loc [n].
 * - nan: Values are moved, not computed.
 * - accumulation: None.
 * - checks:
 *   - out and k must have the same dtype. [diopiDestIndexCopyKV-out-same-dtype]
 *   - out must have at least 1 dimension. [diopiDestIndexCopyKV-out-ndim]
 *   - k must have at least 1 dimension. [diopiDestIndexCopyKV-k-ndim]
 *   - k must have the shape [any, out[1:]]. [diopiDestIndexCopyKV-k-shape]
 *   - dest_loc must have the shape [k[0]]. [diopiDestIndexCopyKV-dest_loc-shape]
 *   - Each element of dest_loc must be a position of out in dimension 0. A device may report this when the stream is
 *     synchronised. [diopiDestIndexCopyKV-dest_loc-index]
 * - source: LightLLM, destindex_copy_kv; torch.index_copy
 */
DIOPI_API diopiError_t diopiDestIndexCopyKV(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t k, diopiConstTensorHandle_t dest_loc);

/**
 * Scores q k^T / sqrt(head size) of one new token against its sequence in the cache, LightLLM's first decode step.
 *
 * @param[in]     ctx                  context of the call
 * @param[in,out] token_attention_out  columns of no sequence keep their value; floating
 * @param[in]     q                    floating
 * @param[in]     k                    floating
 * @param[in]     b_loc                int32, int64
 * @param[in]     b_start_loc          int32, int64
 * @param[in]     b_seq_len            int32, int64
 * @param[in]     max_input_len        integer
 *
 * - formula: token_attention_out[h, b_start_loc[b] + t] = (q[b, h] . k[b_loc[b, max_input_len - b_seq_len[b] + t], h'])
 *   / sqrt(D) for each sequence b, head h and t < b_seq_len[b], where h' = floor(h / (heads of q / heads of k))
 * - shape: q is [batch, heads, D], k [total, key heads, D], token_attention_out [heads, columns], b_loc [batch, at
 *   least max_input_len]; b_start_loc and b_seq_len are [batch]. The number of heads is a multiple of that of key
 *   heads.
 * - checks:
 *   - max_input_len must be at least 0. [diopiTokenAttentionInference-max_input_len-value]
 *   - b_loc must have 2 dimensions. [diopiTokenAttentionInference-b_loc-ndim]
 *   - b_loc[1] must be at least max_input_len. [diopiTokenAttentionInference-b_loc-extent]
 *   - b_start_loc must have the shape [b_loc[0]]. [diopiTokenAttentionInference-b_start_loc-shape]
 *   - b_seq_len must have the shape [b_loc[0]]. [diopiTokenAttentionInference-b_seq_len-shape]
 *   - Each element of b_seq_len must be at least 0 and at most max_input_len. A device may report this when the stream
 *     is synchronised. [diopiTokenAttentionInference-b_seq_len-elements]
 *   - token_attention_out, q and k must have the same dtype.
 *     [diopiTokenAttentionInference-token_attention_out-same-dtype]
 *   - q must have 3 dimensions. [diopiTokenAttentionInference-q-ndim]
 *   - k must have 3 dimensions. [diopiTokenAttentionInference-k-ndim]
 *   - q[0] and b_loc[0] must be equal. [diopiTokenAttentionInference-q-equal]
 *   - q[2] and k[2] must be equal. [diopiTokenAttentionInference-q-head-size]
 *   - k[1] must be at least 1. [diopiTokenAttentionInference-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiTokenAttentionInference-q-divisible]
 *   - token_attention_out must have the shape [q[1], any]. [diopiTokenAttentionInference-token_attention_out-shape]
 *   - The entries of b_loc that are used must be rows of k. A device may report this when the stream is synchronised.
 *     [diopiTokenAttentionInference-b_loc-rows]
 *   - Sequences must lie in the columns of token_attention_out, one behind the other. A device may report this when the
 *     stream is synchronised. [diopiTokenAttentionInference-b_start_loc-columns]
 * - source: LightLLM, token_att_fwd
 */
DIOPI_API diopiError_t diopiTokenAttentionInference(diopiContextHandle_t ctx, diopiTensorHandle_t token_attention_out,
                                                    diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                    diopiConstTensorHandle_t b_loc,
                                                    diopiConstTensorHandle_t b_start_loc,
                                                    diopiConstTensorHandle_t b_seq_len, int max_input_len);

/**
 * Softmax of diopiTokenAttentionInference's scores times the cached values, LightLLM's second decode step.
 *
 * @param[in]  ctx             context of the call
 * @param[out] out             floating
 * @param[in]  logics          floating
 * @param[in]  v               floating
 * @param[in]  b_loc           int32, int64
 * @param[in]  b_start_loc     int32, int64
 * @param[in]  b_seq_len       int32, int64
 * @param[in]  max_input_len   integer
 * @param[in]  other_kv_index  has no effect: a cache row that may be read for positions past a sequence's end
 *
 * - formula: out[b, h] = sum over t < b_seq_len[b] of softmax(logics[h, b_start_loc[b] : b_start_loc[b] +
 *   b_seq_len[b]])[t] * v[b_loc[b, max_input_len - b_seq_len[b] + t], h'] for each sequence b and head h, where h' =
 *   floor(h / (heads of logics / heads of v)); 0 for a sequence of length 0
 * - shape: out is [batch, heads, D], logics [heads, columns], v [total, key heads, D], b_loc [batch, at least
 *   max_input_len]; b_start_loc and b_seq_len are [batch]. The number of heads is a multiple of that of key heads.
 * - checks:
 *   - max_input_len must be at least 0. [diopiTokenSoftmaxReduceVInference-max_input_len-value]
 *   - b_loc must have 2 dimensions. [diopiTokenSoftmaxReduceVInference-b_loc-ndim]
 *   - b_loc[1] must be at least max_input_len. [diopiTokenSoftmaxReduceVInference-b_loc-extent]
 *   - b_start_loc must have the shape [b_loc[0]]. [diopiTokenSoftmaxReduceVInference-b_start_loc-shape]
 *   - b_seq_len must have the shape [b_loc[0]]. [diopiTokenSoftmaxReduceVInference-b_seq_len-shape]
 *   - Each element of b_seq_len must be at least 0 and at most max_input_len. A device may report this when the stream
 *     is synchronised. [diopiTokenSoftmaxReduceVInference-b_seq_len-elements]
 *   - out, logics and v must have the same dtype. [diopiTokenSoftmaxReduceVInference-out-same-dtype]
 *   - logics must have 2 dimensions. [diopiTokenSoftmaxReduceVInference-logics-ndim]
 *   - v must have 3 dimensions. [diopiTokenSoftmaxReduceVInference-v-ndim]
 *   - v[1] must be at least 1. [diopiTokenSoftmaxReduceVInference-v-extent]
 *   - logics[0] must be a multiple of v[1]. [diopiTokenSoftmaxReduceVInference-logics-divisible]
 *   - out must have the shape [b_loc[0], logics[0], v[2]]. [diopiTokenSoftmaxReduceVInference-out-shape]
 *   - The entries of b_loc that are used must be rows of v. A device may report this when the stream is synchronised.
 *     [diopiTokenSoftmaxReduceVInference-b_loc-rows]
 *   - Sequences must lie in the columns of logics, one behind the other. A device may report this when the stream is
 *     synchronised. [diopiTokenSoftmaxReduceVInference-b_start_loc-columns]
 * - source: LightLLM, token_softmax_reducev_fwd
 */
DIOPI_API diopiError_t diopiTokenSoftmaxReduceVInference(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                                         diopiConstTensorHandle_t logics, diopiConstTensorHandle_t v,
                                                         diopiConstTensorHandle_t b_loc,
                                                         diopiConstTensorHandle_t b_start_loc,
                                                         diopiConstTensorHandle_t b_seq_len, int max_input_len,
                                                         int other_kv_index);

/**
 * Attention of one new token per sequence against a key and value cache stored in blocks.
 *
 * @param[in]  ctx                 context of the call
 * @param[out] out                 floating
 * @param[in]  q                   floating
 * @param[in]  k                   floating
 * @param[in]  v                   floating
 * @param[in]  attenMask           null: nothing hidden; bool
 * @param[in]  actual_seq_lengths  length of each sequence in the cache
 * @param[in]  num_heads           integer
 * @param[in]  num_kv_heads        integer
 * @param[in]  dim                 the size of a head
 * @param[in]  block_table         cache blocks of each sequence, [batch, blocks]; int32, int64
 * @param[in]  block_size          integer
 *
 * - formula: out[b, h] = softmax over t < actual_seq_lengths[b] of (q[b, h] . k[slot(t), h'] / sqrt(dim)) times
 *   v[slot(t), h'], where slot(t) = block_table[b, t / block_size] * block_size + t mod block_size and h' = floor(h /
 *   (num_heads / num_kv_heads)); keys that attenMask hides do not count; 0 if no key counts
 * - shape: q and out have batch * num_heads * dim elements, batch = len(actual_seq_lengths) first; k and v have slots *
 *   num_kv_heads * dim elements, in row-major order; block_table is [batch, blocks]; attenMask is [batch or 1, keys] or
 *   [batch or 1, 1, keys].
 * - checks:
 *   - num_heads must be at least 1. [diopiPagedAttention-num_heads-value]
 *   - num_kv_heads must be at least 1. [diopiPagedAttention-num_kv_heads-value]
 *   - dim must be at least 1. [diopiPagedAttention-dim-value]
 *   - block_size must be at least 1. [diopiPagedAttention-block_size-value]
 *   - num_heads must be a multiple of num_kv_heads. [diopiPagedAttention-num_heads-divisible]
 *   - out, q, k and v must have the same dtype. [diopiPagedAttention-out-same-dtype]
 *   - q must have at least 1 dimension. [diopiPagedAttention-q-ndim]
 *   - q[0] and len(actual_seq_lengths) must be equal. [diopiPagedAttention-q-equal]
 *   - q must have exactly as many elements as the length of actual_seq_lengths * num_heads * dim.
 *     [diopiPagedAttention-q-numel]
 *   - out must have the shape of q. [diopiPagedAttention-out-shape]
 *   - Numel(k) must be a multiple of num_kv_heads * dim. [diopiPagedAttention-k-divisible]
 *   - v must have the shape of k. [diopiPagedAttention-v-shape]
 *   - block_table must have 2 dimensions. [diopiPagedAttention-block_table-ndim]
 *   - block_table[0] and len(actual_seq_lengths) must be equal. [diopiPagedAttention-block_table-batch]
 *   - Each entry of actual_seq_lengths must be at least 0. [diopiPagedAttention-actual_seq_lengths-values]
 *   - No entry of actual_seq_lengths may exceed the number of slots in a row of block_table.
 *     [diopiPagedAttention-actual_seq_lengths-blocks]
 *   - attenMask must have 2 or 3 dimensions. [diopiPagedAttention-attenMask-ndim]
 *   - attenMask must be [batch or 1, keys] or [batch or 1, 1, keys], with as many keys as the longest sequence.
 *     [diopiPagedAttention-attenMask-shape]
 *   - The slots that are used must be in the cache. A device may report this when the stream is synchronised.
 *     [diopiPagedAttention-block_table-slots]
 * - source: vLLM, paged_attention
 * - notes: The number of slots need not be a multiple of block_size.
 */
DIOPI_API diopiError_t diopiPagedAttention(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                           diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                           diopiConstTensorHandle_t v, diopiConstTensorHandle_t attenMask,
                                           diopiSize_t actual_seq_lengths, int64_t num_heads, int64_t num_kv_heads,
                                           int64_t dim, diopiConstTensorHandle_t block_table, int64_t block_size);

/**
 * Causal softmax(q k^T / sqrt(head size)) v over packed prompts, LightLLM's `context_attention_fwd`.
 *
 * @param[in]     ctx                    context of the call
 * @param[in,out] context_attention_out  rows of no sequence keep their value; floating
 * @param[in]     q                      floating
 * @param[in]     k                      floating
 * @param[in]     v                      floating
 * @param[in]     b_start_loc            int32, int64
 * @param[in]     b_seq_len              int32, int64
 * @param[in]     max_input_len          has no effect: no sequence is longer
 *
 * - formula: for each sequence b with the rows b_start_loc[b] to below b_start_loc[b] + b_seq_len[b]:
 *   context_attention_out[i, h] = softmax over j <= i of (q[i, h] . k[j, h'] / sqrt(D)) times v[j, h'], where h' =
 *   floor(h / (heads of q / heads of k))
 * - shape: q and context_attention_out are [rows, heads, D], k and v [rows, key heads, D], b_start_loc and b_seq_len
 *   [batch]. The number of heads is a multiple of that of key heads.
 * - nan: As IEEE arithmetic has it. Keys j > i change nothing, whatever their numbers are.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once. Before the product with v, the weights
 *   may be rounded to the dtype of v, as LightLLM rounds them.
 * - checks:
 *   - context_attention_out, q, k and v must have the same dtype.
 *     [diopiContextAttentionInference-context_attention_out-same-dtype]
 *   - q must have 3 dimensions. [diopiContextAttentionInference-q-ndim]
 *   - k must have 3 dimensions. [diopiContextAttentionInference-k-ndim]
 *   - context_attention_out must have the shape of q. [diopiContextAttentionInference-context_attention_out-shape]
 *   - k must have the shape [q[0], any, q[2]]. [diopiContextAttentionInference-k-shape]
 *   - v must have the shape of k. [diopiContextAttentionInference-v-shape]
 *   - k[1] must be at least 1. [diopiContextAttentionInference-k-extent]
 *   - q[1] must be a multiple of k[1]. [diopiContextAttentionInference-q-divisible]
 *   - b_start_loc must have 1 dimension. [diopiContextAttentionInference-b_start_loc-ndim]
 *   - b_seq_len must have the shape of b_start_loc. [diopiContextAttentionInference-b_seq_len-shape]
 *   - Each element of b_seq_len must be at least 0. A device may report this when the stream is synchronised.
 *     [diopiContextAttentionInference-b_seq_len-elements]
 *   - Sequences must lie in the rows of q, one behind the other. A device may report this when the stream is
 *     synchronised. [diopiContextAttentionInference-b_start_loc-rows]
 * - source: LightLLM, context_attention_fwd
 */
DIOPI_API diopiError_t diopiContextAttentionInference(diopiContextHandle_t ctx,
                                                      diopiTensorHandle_t context_attention_out,
                                                      diopiConstTensorHandle_t q, diopiConstTensorHandle_t k,
                                                      diopiConstTensorHandle_t v,
                                                      diopiConstTensorHandle_t b_start_loc,
                                                      diopiConstTensorHandle_t b_seq_len, int max_input_len);

/**
 * Matrix product x1 x2 + bias, reduced over the devices of a communication group.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  x1           floating
 * @param[in]  x2           floating
 * @param[in]  bias         may be null; floating
 * @param[in]  group        name of the communication group
 * @param[in]  reduce_op    "sum"
 * @param[in]  comm_turn    a hint
 * @param[in]  stream_mode  a hint
 *
 * - formula: out = sum over the devices of the group of (x1 @ x2 + bias)
 * - shape: x1 is [..., M, K], x2 [K, N], bias [N], out [..., M, N].
 * - aliasing: Any.
 * - empty: A product over no terms is 0.
 * - checks:
 *   - out, x1, x2 and bias must have the same dtype. [diopiMatmulAllReduce-out-same-dtype]
 *   - x1 must have at least 2 dimensions. [diopiMatmulAllReduce-x1-ndim]
 *   - x2 must have 2 dimensions. [diopiMatmulAllReduce-x2-ndim]
 *   - x1[-1] and x2[0] must be equal. [diopiMatmulAllReduce-x1-equal]
 *   - out must have the shape [x1[:-1], x2[1]]. [diopiMatmulAllReduce-out-shape]
 *   - bias must have the shape [x2[1]]. [diopiMatmulAllReduce-bias-shape]
 *   - reduce_op must be "sum". [diopiMatmulAllReduce-reduce_op-string]
 * - source: torch.matmul
 * - notes: On a single device, or where the vendor has no group of that name with more than one member, the product
 *   itself is the result. Each device adds its own bias.
 */
DIOPI_API diopiError_t diopiMatmulAllReduce(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t x1, diopiConstTensorHandle_t x2,
                                            diopiConstTensorHandle_t bias, const char* group, const char* reduce_op,
                                            int64_t comm_turn, int64_t stream_mode);

/** @} */

/** @name norm_rms
 * Root mean square normalisation.
 * - shape: normalized_shape is the end of the shape of input; out and grad_input have the shape of input, weight, bias
 *   and their gradients normalized_shape, inv_rms the leading dimensions, with or without a 1 for each normalised one.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: out may be input, and grad_input may be grad_output or input; other overlap is not allowed.
 * - empty: Empty tensors are ordinary; the mean of no squares is NaN.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once; sums over rows are pairwise.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - normalized_shape must have at least 1 entry. [normalized_shape-length]
 *   - normalized_shape must be the end of the shape of input. [normalized_shape-end]
 *   - out must have the shape of input. [out-shape]
 *   - grad_output must have the shape of input. [grad_output-shape]
 *   - grad_input must have the shape of input. [grad_input-shape]
 *   - weight must have the shape of normalized_shape. [weight-shape]
 *   - grad_weight must have the shape of normalized_shape. [grad_weight-shape]
 *   - grad_bias must have the shape of normalized_shape. [grad_bias-shape]
 */
/** @{ */

/**
 * Divides by the root mean square of the last dimensions, as `torch.nn.functional.rms_norm`.
 *
 * @param[in]  ctx               context of the call
 * @param[out] out               floating
 * @param[out] inv_rms           inverse root mean square of each slice, for the backward call; floating
 * @param[in]  input             floating
 * @param[in]  normalized_shape  list of integers
 * @param[in]  weight            null: one; floating
 * @param[in]  bias              null: zero; floating
 * @param[in]  eps               number
 *
 * - formula: inv_rms = 1 / sqrt(mean of input^2 over the normalised dimensions + eps); out = input * inv_rms * weight +
 *   bias
 * - checks:
 *   - bias must have the shape of normalized_shape. [diopiRMSNorm-bias-shape]
 *   - inv_rms must have the shape of the result, with or without the reduced dimensions. [diopiRMSNorm-inv_rms-shape]
 * - source: torch.nn.functional.rms_norm, and bias
 * - notes: inv_rms is computed in float32 if input is float16 or bfloat16, in the dtype of input otherwise; it has any
 *   floating point dtype.
 */
DIOPI_API diopiError_t diopiRMSNorm(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiTensorHandle_t inv_rms,
                                    diopiConstTensorHandle_t input, diopiSize_t normalized_shape,
                                    diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias, double eps);

/**
 * Gradients of diopiRMSNorm with respect to input, weight and bias.
 *
 * @param[in]  ctx               context of the call
 * @param[out] grad_input        may be null; floating
 * @param[out] grad_weight       may be null; floating
 * @param[out] grad_bias         may be null; floating
 * @param[in]  grad_output       floating
 * @param[in]  input             floating
 * @param[in]  weight            null: one; floating
 * @param[in]  bias              has no effect; may be null; floating
 * @param[in]  inv_rms           floating
 * @param[in]  normalized_shape  list of integers
 * @param[in]  eps               has no effect: inv_rms contains it
 *
 * - formula: x = input * inv_rms; grad_bias, grad_weight = sums of grad_output, grad_output * x over the leading
 *   dimensions; g = weight * grad_output; grad_input = inv_rms * (g - x * mean of g * x)
 * - checks:
 *   - bias must have exactly as many dimensions as the length of normalized_shape. [diopiRMSNormBackward-bias-ndim]
 *   - inv_rms must have the shape of inv_rms of diopiRMSNorm, with or without the reduced dimensions.
 *     [diopiRMSNormBackward-inv_rms-shape]
 * - source: The derivative of torch.nn.functional.rms_norm.
 */
DIOPI_API diopiError_t diopiRMSNormBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                            diopiTensorHandle_t grad_weight, diopiTensorHandle_t grad_bias,
                                            diopiConstTensorHandle_t grad_output, diopiConstTensorHandle_t input,
                                            diopiConstTensorHandle_t weight, diopiConstTensorHandle_t bias,
                                            diopiConstTensorHandle_t inv_rms, diopiSize_t normalized_shape, double eps);

/** @} */

/** @name rotary
 * Rotary position embedding.
 * - strides: Any for every tensor; inputs may be expanded.
 * - empty: Empty tensors are ordinary.
 * - nan: As IEEE arithmetic has it.
 * - accumulation: Computed in float64 if the rotated tensor is float64, otherwise in float32, and rounded once.
 * - determinism: The same bits for any number of threads.
 */
/** @{ */

/**
 * Rotates pairs of features by the angles given by cos and sin, as in FlashAttention's rotary kernel.
 *
 * @param[in]  ctx          context of the call
 * @param[out] out          floating
 * @param[in]  x            floating
 * @param[in]  cos          floating
 * @param[in]  sin          floating
 * @param[in]  conj         rotate backwards, as the gradient needs
 * @param[in]  interleaved  pairs are neighbours instead of the two halves
 *
 * - formula: a pair i is (x[.., i], x[.., i + D/2]), or (x[.., 2 i], x[.., 2 i + 1]) if interleaved, where D is the
 *   last extent of x; with c, s = cos[.., i], sin[.., i] (-sin if conj), the pair (a, b) becomes (a c - b s, a s + b c)
 * - shape: out has the shape of x, and cos and sin have half of its last extent.
 * - broadcasting: cos and sin broadcast to the other extents of x.
 * - aliasing: out may be x; other overlap is not allowed.
 * - checks:
 *   - out and x must have the same dtype. [diopiRotaryEmbedding-out-same-dtype]
 *   - x must have at least 1 dimension. [diopiRotaryEmbedding-x-ndim]
 *   - cos must have at least 1 dimension. [diopiRotaryEmbedding-cos-ndim]
 *   - sin must have at least 1 dimension. [diopiRotaryEmbedding-sin-ndim]
 *   - out must have the shape of x. [diopiRotaryEmbedding-out-shape]
 *   - 2 * cos[-1] and x[-1] must be equal. [diopiRotaryEmbedding-cos-half]
 *   - 2 * sin[-1] and x[-1] must be equal. [diopiRotaryEmbedding-sin-half]
 *   - The leading extents of cos must broadcast to those of x. [diopiRotaryEmbedding-cos-broadcasts]
 *   - The leading extents of sin must broadcast to those of x. [diopiRotaryEmbedding-sin-broadcasts]
 * - source: apply_rotary_emb of FlashAttention 2
 */
DIOPI_API diopiError_t diopiRotaryEmbedding(diopiContextHandle_t ctx, diopiTensorHandle_t out,
                                            diopiConstTensorHandle_t x, diopiConstTensorHandle_t cos,
                                            diopiConstTensorHandle_t sin, const bool conj, const bool interleaved);

/**
 * Rotates query and key in place by the angles given by cos and sin.
 *
 * @param[in]     ctx    context of the call
 * @param[in,out] query  floating
 * @param[in,out] key    floating
 * @param[in]     cos    floating
 * @param[in]     sin    floating
 * @param[in]     dim    the size of a head
 *
 * - formula: in each head x of query and of key at position t, with c, s = cos[t, 0], sin[t, 0] and h = dim / 2: for i
 *   < h, x[i] becomes x[i] c[i] - x[i + h] s[i], and x[i + h] becomes x[i + h] c[i + h] + x[i] s[i + h]
 * - shape: query and key are [T, heads * dim] or [1, T, heads, dim], each with its own number of heads; cos and sin are
 *   [T, 1, dim].
 * - broadcasting: cos and sin hold for all heads of a position.
 * - aliasing: query and key may not overlap each other, cos or sin.
 * - checks:
 *   - dim must be at least 2. [diopiRotaryEmbeddingV2-dim-value]
 *   - dim must be a multiple of 2. [diopiRotaryEmbeddingV2-dim-even]
 *   - query must have 2 or 4 dimensions. [diopiRotaryEmbeddingV2-query-ndim]
 *   - key must have 2 or 4 dimensions. [diopiRotaryEmbeddingV2-key-ndim]
 *   - If query has 2 dimensions, query[1] must be a multiple of dim. [diopiRotaryEmbeddingV2-query-divisible]
 *   - If key has 2 dimensions, key[1] must be a multiple of dim. [diopiRotaryEmbeddingV2-key-divisible]
 *   - If query has 4 dimensions, query must have the shape [1, any, any, dim]. [diopiRotaryEmbeddingV2-query-shape]
 *   - If key has 4 dimensions, key must have the shape [1, any, any, dim]. [diopiRotaryEmbeddingV2-key-shape]
 *   - If query has 2 dimensions, cos must have the shape [query[0], 1, dim]. [diopiRotaryEmbeddingV2-cos-shape]
 *   - If query has 2 dimensions, sin must have the shape [query[0], 1, dim]. [diopiRotaryEmbeddingV2-sin-shape]
 *   - If query has 4 dimensions, cos must have the shape [query[1], 1, dim]. [diopiRotaryEmbeddingV2-cos-positions]
 *   - If query has 4 dimensions, sin must have the shape [query[1], 1, dim]. [diopiRotaryEmbeddingV2-sin-positions]
 *   - If key has 2 dimensions, key[0] and cos[0] must be equal. [diopiRotaryEmbeddingV2-key-equal]
 *   - If key has 4 dimensions, key[1] and cos[0] must be equal. [diopiRotaryEmbeddingV2-key-positions]
 * - source: apply_rotary_pos_emb of Hugging Face's LLaMA (rotate_half)
 * - notes: cos and sin have the full width of a head; their halves need not be equal.
 */
DIOPI_API diopiError_t diopiRotaryEmbeddingV2(diopiContextHandle_t ctx, diopiTensorHandle_t query,
                                              diopiTensorHandle_t key, diopiConstTensorHandle_t cos,
                                              diopiConstTensorHandle_t sin, int64_t dim);

/** @} */

/** @name softmax
 * Softmax, its logarithm and a fused masked form.
 * - shape: All tensors have the same shape.
 * - broadcasting: None.
 * - strides: Any for every tensor; inputs may be expanded.
 * - aliasing: The output may be an input itself.
 * - empty: Empty and 0-d tensors are ordinary; a 0-d tensor is a row of one element.
 * - nan: A row with NaN or +Inf, or of -Inf alone, becomes NaN.
 * - accumulation: float16 and bfloat16 are computed in float32 and rounded once.
 * - determinism: The same bits for any number of threads.
 * - checks:
 *   - out and input must have the same shape. [out-same-shape]
 *   - output and input must have the same shape. [output-same-shape]
 *   - grad_input, grad_output and output must have the same shape. [grad_input-same-shape]
 */
/** @{ */

/**
 * Softmax of scale * input over the last dimension, with -10000 in place of masked elements, as Megatron's fused
 * kernel.
 *
 * @param[in]  ctx              context of the call
 * @param[out] output           floating
 * @param[in]  input            floating
 * @param[in]  mask             non-zero hides an element; broadcasts to input; integral, floating, bool
 * @param[in]  scale            number
 * @param[in]  fixed_triu_mask  hide what lies above the diagonal instead of what `mask` names
 *
 * - formula: z = -10000 where an element is hidden, else scale * input; output = softmax of z over the last dimension.
 *   Hidden is what mask names with a number other than 0, or with fixed_triu_mask every element whose position in the
 *   last dimension is greater than that in the one before
 * - shape: input and output [B, H, Sq, Sk]; mask broadcasts to them.
 * - broadcasting: The mask broadcasts.
 * - aliasing: output may be input itself; mask shares memory with no output.
 * - checks:
 *   - input must have 4 dimensions. [diopiScaledMaskedSoftmax-input-ndim]
 *   - output and input must have the same dtype. [diopiScaledMaskedSoftmax-output-same-dtype]
 *   - mask must broadcast to the shape of input. [diopiScaledMaskedSoftmax-mask-broadcasts]
 * - source: masked_fill(scale * input, mask, -10000).softmax(-1)
 * - notes: A row whose elements are all hidden gives 1 / Sk, because hidden elements are -10000 and not -infinity. With
 *   fixed_triu_mask the elements of mask have no effect; its shape is checked. The header names the dimensions batch,
 *   seq, head and dim; the last one is that of the keys.
 */
DIOPI_API diopiError_t diopiScaledMaskedSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                                diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask,
                                                double scale, bool fixed_triu_mask);

/**
 * Gradient of diopiScaledMaskedSoftmax from its output.
 *
 * @param[in]  ctx              context of the call
 * @param[out] grad_input       floating
 * @param[in]  grad_output      floating
 * @param[in]  output           floating
 * @param[in]  mask             integral, floating, bool
 * @param[in]  scale            number
 * @param[in]  fixed_triu_mask  as in the forward call
 *
 * - formula: grad_input = scale * output * (grad_output - sum of grad_output * output over the last dimension), and 0
 *   where an element is hidden, as diopiScaledMaskedSoftmax says
 * - shape: grad_input, grad_output and output [B, H, Sq, Sk]; mask broadcasts to them.
 * - broadcasting: The mask broadcasts.
 * - aliasing: grad_input may be grad_output or output; mask shares memory with no output.
 * - checks:
 *   - grad_output must have 4 dimensions. [diopiScaledMaskedSoftmaxBackward-grad_output-ndim]
 *   - grad_input, grad_output and output must have the same dtype.
 *     [diopiScaledMaskedSoftmaxBackward-grad_input-same-dtype]
 *   - mask must broadcast to the shape of grad_output. [diopiScaledMaskedSoftmaxBackward-mask-broadcasts]
 * - source: masked_fill(scale * input, mask, -10000).softmax(-1), autograd
 */
DIOPI_API diopiError_t diopiScaledMaskedSoftmaxBackward(diopiContextHandle_t ctx, diopiTensorHandle_t grad_input,
                                                        diopiConstTensorHandle_t grad_output,
                                                        diopiConstTensorHandle_t output,
                                                        diopiConstTensorHandle_t mask, double scale,
                                                        bool fixed_triu_mask);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DIOPI_FUNCTIONS_EXT_H_ */
