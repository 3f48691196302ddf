// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/points/rows.hpp"

#include <algorithm>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"

namespace impl::cpu {

using diopi::Picoseconds;

namespace {

constexpr int64_t kElement = 1000;  // picoseconds for an element that is found through an index

// Calls f(T{}) for the type of `dtype`, float or double.
template <typename F>
void with_type(diopiDtype_t dtype, F f) {
  if (dtype == diopi_dtype_float64) {
    f(double{});
  } else {
    f(float{});
  }
}

// Calls f(row, batch) for each row, in parallel.
template <typename F>
void for_rows(const PickedRows& rows, F f) {
  const int64_t channels = rows.channels;
  diopi::parallel_for(rows.batches * channels, Picoseconds{kElement * (rows.picks + rows.width / 8 + 1)},
                      [=](int64_t begin, int64_t end) {
                        for (int64_t row = begin; row < end; ++row) f(row, row / channels);
                      });
}

}  // namespace

void gather_rows(const PickedRows& rows, int itemsize, void* out, const void* in) {
  diopi::for_itemsize(itemsize, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for_rows(rows, [&rows, out, in](int64_t row, int64_t batch) {
      const T* from = static_cast<const T*>(in) + row * rows.width;
      const int32_t* index = rows.index + batch * rows.picks;
      T* to = static_cast<T*>(out) + row * rows.picks;
      for (int64_t p = 0; p < rows.picks; ++p) to[p] = from[index[p]];
    });
  });
}

void add_rows(const PickedRows& rows, diopiDtype_t dtype, double* sum, const void* in) {
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    for_rows(rows, [&rows, sum, in](int64_t row, int64_t batch) {
      const T* from = static_cast<const T*>(in) + row * rows.picks;
      const int32_t* index = rows.index + batch * rows.picks;
      double* to = sum + row * rows.width;
      std::fill_n(to, rows.width, 0.0);
      for (int64_t p = 0; p < rows.picks; ++p) to[index[p]] += static_cast<double>(from[p]);
    });
  });
}

void interpolate_rows(const PickedRows& rows, diopiDtype_t dtype, void* out, const void* in, const void* weight) {
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    for_rows(rows, [&rows, out, in, weight](int64_t row, int64_t batch) {
      const T* from = static_cast<const T*>(in) + row * rows.width;
      const int32_t* index = rows.index + batch * rows.picks * 3;
      const T* w = static_cast<const T*>(weight) + batch * rows.picks * 3;
      T* to = static_cast<T*>(out) + row * rows.picks;
      for (int64_t p = 0; p < rows.picks; ++p, index += 3, w += 3) {
        to[p] = (w[0] * from[index[0]] + w[1] * from[index[1]]) + w[2] * from[index[2]];
      }
    });
  });
}

void add_weighted_rows(const PickedRows& rows, diopiDtype_t dtype, double* sum, const void* in, const void* weight) {
  with_type(dtype, [&](auto zero) {
    using T = decltype(zero);
    for_rows(rows, [&rows, sum, in, weight](int64_t row, int64_t batch) {
      const T* from = static_cast<const T*>(in) + row * rows.picks;
      const int32_t* index = rows.index + batch * rows.picks * 3;
      const T* w = static_cast<const T*>(weight) + batch * rows.picks * 3;
      double* to = sum + row * rows.width;
      std::fill_n(to, rows.width, 0.0);
      for (int64_t p = 0; p < 3 * rows.picks; ++p) {
        to[index[p]] += static_cast<double>(w[p]) * static_cast<double>(from[p / 3]);
      }
    });
  });
}

}  // namespace impl::cpu
