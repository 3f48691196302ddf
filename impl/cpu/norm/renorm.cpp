// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/norm/renorm.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "impl/common/dtype.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kChunk = 256;

double power(double a, double p) {
  if (p == 2) return a * a;
  if (p == 1) return a;
  return p == 0 ? static_cast<double>(a != 0) : std::pow(a, p);
}

// Adds a chunk of elements to a norm: to a sum of powers, or to an extreme magnitude. Eight separate sums keep the
// error small.
double add_powers(double norm, const double* x, int64_t n, double p) {
  constexpr int64_t kLanes = 8;
  if (std::isinf(p)) {
    for (int64_t i = 0; i < n; ++i) {
      const double a = std::fabs(x[i]);
      norm = std::isnan(a) || (p > 0 ? a > norm : a < norm) ? a : norm;
    }
    return norm;
  }
  double lanes[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i % kLanes] += power(std::fabs(x[i]), p);
  return norm + (((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])));
}

double finish_norm(double norm, double p) {
  if (p == 2) return std::sqrt(norm);
  return p == 0 || p == 1 || std::isinf(p) ? norm : std::pow(norm, 1 / p);
}

}  // namespace

void renorm_rows(diopiDtype_t dtype, void* table, const int64_t* offsets, int64_t rows, int64_t width, int64_t step,
                 double max_norm, double norm_type) {
  const int64_t size = diopi::dtype_size(dtype);
  const diopiDtype_t wide = dtype == diopi_dtype_float64 ? diopi_dtype_float64 : diopi_dtype_float32;
  const double start = std::isinf(norm_type) && norm_type < 0 ? std::numeric_limits<double>::infinity() : 0;
  diopi::parallel_for(rows, std::max<int64_t>(1, 8192 / std::max<int64_t>(width, 1)), [&](int64_t begin, int64_t end) {
    double chunk[kChunk];
    for (int64_t r = begin; r < end; ++r) {
      char* row = static_cast<char*>(table) + offsets[r] * size;
      double norm = start;
      for (int64_t i = 0; i < width; i += kChunk) {
        const CopyDim dim{std::min(kChunk, width - i), 1, step};
        copy_strided(chunk, diopi_dtype_float64, row + i * step * size, dtype, &dim, 1);
        norm = add_powers(norm, chunk, dim.extent, norm_type);
      }
      norm = finish_norm(norm, norm_type);
      if (!(norm > max_norm)) continue;
      const double scale = max_norm / (norm + 1e-7);
      float narrow[kChunk];
      for (int64_t i = 0; i < width; i += kChunk) {
        const int64_t n = std::min(kChunk, width - i);
        const CopyDim in{n, 1, step}, out{n, step, 1};
        char* items = row + i * step * size;
        if (wide == diopi_dtype_float64) {
          copy_strided(chunk, wide, items, dtype, &in, 1);
          for (int64_t j = 0; j < n; ++j) chunk[j] *= scale;
          copy_strided(items, dtype, chunk, wide, &out, 1);
        } else {
          copy_strided(narrow, wide, items, dtype, &in, 1);
          for (int64_t j = 0; j < n; ++j) narrow[j] *= static_cast<float>(scale);
          copy_strided(items, dtype, narrow, wide, &out, 1);
        }
      }
    }
  });
}

}  // namespace impl::cpu
