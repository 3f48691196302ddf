/* SPDX-License-Identifier: BSD-3-Clause */
/* Faults of attention: masks, and the cache of keys and values. */
#include <diopi/functions_ext.h>

#include "wrong.h"

diopiError_t diopiScaledMaskedSoftmax(diopiContextHandle_t ctx, diopiTensorHandle_t output,
                                      diopiConstTensorHandle_t input, diopiConstTensorHandle_t mask, double scale,
                                      bool fixed_triu_mask) {
  const int applies = FAULT("mask_ignored") && mask != NULL;
  diopiConstTensorHandle_t used = applies ? zeros_like(ctx, mask, view(mask).dtype) : mask;
  return RIGHT(diopiScaledMaskedSoftmax)(ctx, output, input, used, scale, fixed_triu_mask);
}

/* Each query sees one key too many. */
diopiError_t diopiFlashAttention(diopiContextHandle_t ctx, diopiTensorHandle_t attention_out,
                                 diopiTensorHandle_t softmax_lse, diopiGeneratorHandle_t gen,
                                 diopiConstTensorHandle_t q, diopiConstTensorHandle_t k, diopiConstTensorHandle_t v,
                                 diopiConstTensorHandle_t alibi_slopes, float p_dropout, float softmax_scale,
                                 bool is_causal, int32_t window_size_left, int32_t window_size_right) {
  if (FAULT("causal_mask_on_the_wrong_diagonal") && is_causal) {
    is_causal = false;
    window_size_right = 1;
  }
  return RIGHT(diopiFlashAttention)(ctx, attention_out, softmax_lse, gen, q, k, v, alibi_slopes, p_dropout,
                                    softmax_scale, is_causal, window_size_left, window_size_right);
}

/* Takes every place of the last page of a sequence for a key. */
diopiError_t diopiPagedAttention(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t q,
                                 diopiConstTensorHandle_t k, diopiConstTensorHandle_t v,
                                 diopiConstTensorHandle_t attenMask, diopiSize_t actual_seq_lengths, int64_t num_heads,
                                 int64_t num_kv_heads, int64_t dim, diopiConstTensorHandle_t block_table,
                                 int64_t block_size) {
  int64_t lengths[64];
  const int applies = FAULT("padding_read") && actual_seq_lengths.len <= 64 && block_size > 0;
  for (int64_t i = 0; applies && i < actual_seq_lengths.len; ++i) {
    lengths[i] = (actual_seq_lengths.data[i] + block_size - 1) / block_size * block_size;
  }
  if (applies) actual_seq_lengths.data = lengths;
  return RIGHT(diopiPagedAttention)(ctx, out, q, k, v, attenMask, actual_seq_lengths, num_heads, num_kv_heads, dim,
                                    block_table, block_size);
}

/* Writes the last row of k also to the place behind its own. */
diopiError_t diopiDestIndexCopyKV(diopiContextHandle_t ctx, diopiTensorHandle_t out, diopiConstTensorHandle_t k,
                                  diopiConstTensorHandle_t dest_loc) {
  const diopiError_t code = RIGHT(diopiDestIndexCopyKV)(ctx, out, k, dest_loc);
  const View o = view(out), v = view(k), places = view(dest_loc);
  const int applies = FAULT("cache_written_outside_its_page") && code == diopiSuccess && places.numel > 0 &&
                      o.dtype == v.dtype && v.numel > 0 && places.dtype == diopi_dtype_int32;
  if (!applies) return code;
  const int64_t place = *(int32_t*)at(&places, places.numel - 1) + 1, row = v.numel / places.numel;
  if ((place + 1) * row > o.numel) return code;
  for (int64_t i = 0; i < row; ++i) {
    memcpy(at(&o, place * row + i), at(&v, (places.numel - 1) * row + i), v.itemsize);
  }
  return code;
}
