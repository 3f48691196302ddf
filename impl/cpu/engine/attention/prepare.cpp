// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/attention/prepare.hpp"

#include "impl/common/temporary.hpp"
#include "impl/common/workspace.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

namespace {

constexpr int kLast = 3;  // the dimension of the elements of a row

bool has_packed_rows(const TensorView& view) { return view.shape[kLast] <= 1 || view.stride[kLast] == 1; }

// The stride of a dimension that may broadcast.
int64_t broadcast_stride(const TensorView& view, int dim) { return view.shape[dim] == 1 ? 0 : view.stride[dim]; }

// The operand in `dtype`, with keys that are packed or broadcast.
Status score_operand(diopiContextHandle_t ctx, const TensorView* view, diopiDtype_t dtype, ScoreOperand* operand) {
  if (view == nullptr || view->numel == 0) return diopiSuccess;
  TensorView ready = *view;
  const bool is_byte = dtype == diopi_dtype_bool && view->dtype == diopi_dtype_uint8;
  const int key = view->ndim() - 1;
  if ((view->dtype != dtype && !is_byte) || (view->shape[key] > 1 && view->stride[key] != 1)) {
    DIOPI_TRY(diopi::make_temporary(ctx, view->shape, dtype, view->name, &ready));
    copy_view(ready, *view);
  }
  operand->data = ready.data;
  operand->batch = broadcast_stride(ready, 0);
  operand->head = broadcast_stride(ready, 1);
  if (ready.ndim() < 4) return diopiSuccess;
  operand->row = broadcast_stride(ready, 2);
  operand->key = broadcast_stride(ready, kLast);
  return diopiSuccess;
}

// An array with one number for each sequence: the given one, or one with the same number everywhere.
Status numbers_or(diopiContextHandle_t ctx, const int64_t* given, int64_t number, int64_t batch, const int64_t** out) {
  *out = given;
  if (given != nullptr) return diopiSuccess;
  int64_t* made = nullptr;
  DIOPI_TRY(diopi::Workspace(ctx).take(batch, &made));
  std::fill_n(made, batch, number);
  *out = made;
  return diopiSuccess;
}

Status read_table(diopiContextHandle_t ctx, const diopi::BlockTable& blocks, AttentionCall* call) {
  if (blocks.table == nullptr) return diopiSuccess;
  TensorView table;
  DIOPI_TRY(diopi::make_temporary(ctx, blocks.table->shape, diopi_dtype_int64, blocks.table->name, &table));
  copy_view(table, *blocks.table);
  call->table = table.ptr<int64_t>();
  call->table_row = table.shape[1];
  call->table_first = blocks.first;
  call->block_size = blocks.block_size;
  return diopiSuccess;
}

}  // namespace

Status with_packed_rows(diopiContextHandle_t ctx, const TensorView& view, TensorView* packed) {
  *packed = view;
  return has_packed_rows(view) ? Status(diopiSuccess) : packed_copy(ctx, view, packed);
}

HeadRows head_rows(const TensorView& view) {
  return {view.data, view.shape[0] == 1 ? 0 : view.stride[0], view.stride[1], view.stride[2]};
}

RowNumbers row_numbers(const TensorView* view) {
  if (view == nullptr) return {};
  RowNumbers numbers{view->ptr<float>(), view->shape[0] == 1 ? 0 : view->stride[0], view->stride[2], view->stride[1]};
  if (view->ndim() <= kLast) return numbers;
  numbers.copies = view->shape[kLast];
  numbers.copy = view->stride[kLast];
  numbers.packed = true;
  return numbers;
}

Status RowOutput::make(diopiContextHandle_t ctx, const TensorView& out) {
  out_ = packed_ = out;
  if (has_packed_rows(out)) return diopiSuccess;
  return packed_copy(ctx, out, &packed_);
}

void RowOutput::put() const {
  if (packed_.data != out_.data) copy_view(out_, packed_);
}

Status make_attention_call(diopiContextHandle_t ctx, const AttentionProblem& p, AttentionCall* call) {
  const diopiDtype_t sums = diopi::compute_dtype(p.q.dtype);
  TensorView q, k, v;
  DIOPI_TRY(with_packed_rows(ctx, p.q, &q));
  DIOPI_TRY(with_packed_rows(ctx, p.k, &k));
  DIOPI_TRY(with_packed_rows(ctx, p.v, &v));
  call->batch = p.batch;
  call->heads = q.shape[2];
  call->key_heads = k.shape[2];
  call->head_size = q.shape[kLast];
  call->q = head_rows(q);
  call->k = head_rows(k);
  call->v = head_rows(v);
  DIOPI_TRY(numbers_or(ctx, p.query_rows.start, 0, p.batch, &call->query_start));
  DIOPI_TRY(numbers_or(ctx, p.query_rows.length, q.shape[1], p.batch, &call->query_length));
  DIOPI_TRY(numbers_or(ctx, p.key_rows.start, 0, p.batch, &call->key_start));
  DIOPI_TRY(numbers_or(ctx, p.key_rows.length, k.shape[1], p.batch, &call->key_length));
  DIOPI_TRY(read_table(ctx, p.blocks, call));
  call->scale = p.scale;
  call->left = p.window.left;
  call->right = p.window.right;
  call->top_left = p.window.top_left;
  DIOPI_TRY(score_operand(ctx, p.mask, diopi_dtype_bool, &call->mask));
  DIOPI_TRY(score_operand(ctx, p.bias, sums, &call->bias));
  DIOPI_TRY(score_operand(ctx, p.slopes, sums, &call->slopes));
  call->drops = p.dropout_p > 0;
  call->kept_scale = p.dropout_p < 1 ? 1 / (1 - p.dropout_p) : 0;
  call->keep = diopi::BernoulliParams(1 - p.dropout_p);
  call->stream = p.stream;
  call->word_rows = p.word_rows;
  call->word_columns = p.word_columns;
  call->keep_bits = p.keep_bits == nullptr ? nullptr : p.keep_bits->ptr<uint8_t>();
  call->first_bit = p.first_bit;
  return diopiSuccess;
}

}  // namespace impl::cpu
