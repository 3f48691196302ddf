// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/sparse/pairs.hpp"

#include <algorithm>
#include <cstdint>

#include "impl/cpu/engine/norm/layout.hpp"

namespace impl::cpu {
namespace {

// Requires that the rows of one kernel position are in [0, limit). `side` is the row of indicePairs: 0 or 1.
Status check_rows(const SparsePairs& pairs, const PackedPairs& packed, int64_t k, int side, const char* name,
                  int64_t limit) {
  const int32_t* rows = packed.pairs + (2 * k + side) * packed.pitch;
  const auto most = static_cast<uint32_t>(std::min<int64_t>(limit, INT32_MAX));
  bool outside = false;
  for (int64_t j = 0; j < packed.count[k]; ++j) outside |= static_cast<uint32_t>(rows[j]) >= most;
  if (!outside) return diopiSuccess;
  for (int64_t j = 0; j < packed.count[k]; ++j) {
    DIOPI_REQUIRE(rows[j] >= 0 && rows[j] < limit, diopiErrorOccurred,
                  "%s[%lld, %d, %lld] = %d, expected a row of %s, which has %lld", pairs.pairs.name,
                  static_cast<long long>(k), side, static_cast<long long>(j), rows[j], name,
                  static_cast<long long>(limit));
  }
  return diopiSuccess;
}

}  // namespace

Status pack_pairs(diopiContextHandle_t ctx, const SparsePairs& pairs, PackedPairs* packed) {
  TensorView rows, count;
  DIOPI_TRY(arrange_input(ctx, pairs.pairs, nullptr, false, diopi_dtype_int32, &rows));
  DIOPI_TRY(arrange_input(ctx, pairs.count, nullptr, false, diopi_dtype_int32, &count));
  packed->pairs = rows.ptr<int32_t>();
  packed->count = count.ptr<int32_t>();
  packed->positions = pairs.pairs.shape[0];
  packed->pitch = pairs.pairs.shape[2];
  packed->inverse = pairs.inverse;
  for (int64_t k = 0; k < packed->positions; ++k) {
    if (packed->count[k] <= packed->most) continue;
    packed->most = packed->count[k];
    if (pairs.submanifold) packed->centre = k;
  }
  return diopiSuccess;
}

Status check_sparse_rows(diopiContextHandle_t ctx, const SparsePairs& pairs, const SparseRows& rows) {
  PackedPairs packed;
  DIOPI_TRY(pack_pairs(ctx, pairs, &packed));
  for (int64_t k = 0; k < packed.positions; ++k) {
    if (k == packed.centre) continue;  // its pairs are not read
    DIOPI_TRY(check_rows(pairs, packed, k, pairs.inverse ? 1 : 0, rows.input_name, rows.input));
    DIOPI_TRY(check_rows(pairs, packed, k, pairs.inverse ? 0 : 1, rows.output_name, rows.output));
  }
  return diopiSuccess;
}

}  // namespace impl::cpu
