// SPDX-License-Identifier: BSD-3-Clause
// Sliding windows: unfolding along a dimension, blocks to columns, and the sums back.
// impl/<vendor>/functions/im2col.cpp includes this file.
#ifndef IMPL_COMMON_FAMILIES_IM2COL_HPP_
#define IMPL_COMMON_FAMILIES_IM2COL_HPP_

#include "arguments/im2col.hpp"
#include "impl/common/checked.hpp"
#include "impl/common/engine/copy.hpp"
#include "impl/common/engine/im2col.hpp"
#include "impl/common/shape.hpp"

namespace impl::DIOPI_VENDOR {

using diopi::Windows;

// --- windows along one dimension ---

// The view of all windows: dimension `dim` counts them, and a new last dimension counts their elements. A number is a
// vector of one element, and its only window has one dimension.
inline TensorView windows_of(const TensorView& view, int64_t dim, int64_t size, int64_t step) {
  TensorView result = view;
  if (view.ndim() == 0) {
    result.shape.push_back(size);
    result.stride.push_back(1);
  } else {
    const int i = static_cast<int>(dim);
    const int64_t stride = view.stride[i];
    result.shape[i] = (view.shape[i] - size) / step + 1;
    result.stride[i] = result.shape[i] > 1 ? stride * step : stride;
    result.shape.push_back(size);
    result.stride.push_back(stride);
  }
  result.numel = result.shape.product();
  return result;
}

// Requires that a shape can have one more dimension, and that the number of its elements fits 64 bits.
inline Status require_room_for_windows(const TensorView& view, int64_t dim, int64_t size, int64_t step) {
  DIOPI_REQUIRE(view.ndim() < diopi::kMaxDims, diopiErrorOccurred, "%s has %d dimensions, expected at most %d",
                view.name, view.ndim(), diopi::kMaxDims - 1);
  return diopi::require_countable(windows_of(view, dim, size, step).shape, "the result");
}

inline Status run(diopiContextHandle_t ctx, diopi::UnfoldArgs& args) {
  DIOPI_TRY(require_room_for_windows(args.input, args.dim, args.size, args.step));
  const TensorView windows = windows_of(args.input, args.dim, args.size, args.step);
  DIOPI_TRY(diopi::require_shape(args.out, windows.shape));
  DIOPI_TRY(diopi::require_writable(args.out));
  return args.out.numel == 0 ? Status() : copy(ctx, args.out, windows);
}

inline Status run(diopiContextHandle_t ctx, diopi::UnfoldBackwardArgs& args) {
  TensorView sums = args.grad_input, windows = args.grad_output;
  DIOPI_TRY(require_room_for_windows(sums, args.dim, args.size, args.step));
  DIOPI_TRY(diopi::require_shape(windows, windows_of(sums, args.dim, args.size, args.step).shape));
  DIOPI_TRY(diopi::require_writable(sums));
  if (sums.ndim() == 0) {
    sums = sums.unsqueeze(0);
    windows = windows.unsqueeze(0);
  }
  return sums.numel == 0 ? Status() : add_windows(ctx, sums, windows, static_cast<int>(args.dim), args.step);
}

// --- blocks of images ---

// Adds the dimension of the batch to the images and their columns, if they lack it.
template <typename Args>
Blocks read_blocks(const Args& args, const TensorView& image, const TensorView& columns) {
  const bool single = image.ndim() == 3;
  Blocks blocks{single ? image.unsqueeze(0) : image, single ? columns.unsqueeze(0) : columns, args.windows};
  for (diopi::Window& w : blocks.windows.dim) {
    if (w.out == 1) w.stride = 1;  // a stride that is never used may be large
  }
  return blocks;
}

// The numbers of elements of a block, and of blocks.
struct BlockCounts {
  int64_t elements = 1, blocks = 1;
};

inline Status count_blocks(const Windows& windows, const diopiSize_t& kernel_size, BlockCounts* counts) {
  for (int i = 0; i < windows.spatial; ++i) {
    const diopi::Window& w = windows.at(i);
    const bool fits = diopi::mul_sizes(counts->elements, w.kernel, &counts->elements) &&
                      diopi::mul_sizes(counts->blocks, w.out, &counts->blocks);
    DIOPI_REQUIRE(fits, diopiErrorOccurred, "kernel_size = %s makes too many elements of blocks",
                  diopi::Text(kernel_size).c_str());
  }
  return diopiSuccess;
}

inline Status run(diopiContextHandle_t ctx, diopi::Im2ColArgs& args) {
  BlockCounts counts;
  DIOPI_TRY(count_blocks(args.windows, args.kernel_size, &counts));
  diopi::Dims shape = args.input.shape;
  const int channels = --shape.n - 2;
  DIOPI_REQUIRE(diopi::mul_sizes(shape[channels], counts.elements, &shape[channels]), diopiErrorOccurred,
                "kernel_size = %s makes too many elements of blocks", diopi::Text(args.kernel_size).c_str());
  shape[channels + 1] = counts.blocks;
  DIOPI_TRY(diopi::require_shape(args.out, shape));
  DIOPI_TRY(diopi::require_writable(args.out));
  return args.out.numel == 0 ? Status() : run_im2col(ctx, read_blocks(args, args.input, args.out));
}

inline Status run(diopiContextHandle_t ctx, diopi::Col2ImArgs& args) {
  BlockCounts counts;
  DIOPI_TRY(count_blocks(args.windows, args.kernel_size, &counts));
  const diopi::Dims& given = args.input.shape;
  const int rows = given.n - 2;
  DIOPI_REQUIRE(given[rows] % counts.elements == 0 && given[rows + 1] == counts.blocks, diopiErrorOccurred,
                "input has shape %s, expected a multiple of %lld in dimension -2 and %lld in dimension -1, for "
                "kernel_size = %s, stride = %s, padding = %s, dilation = %s and output_size = %s",
                diopi::Text(given).c_str(), static_cast<long long>(counts.elements),
                static_cast<long long>(counts.blocks), diopi::Text(args.kernel_size).c_str(),
                diopi::Text(args.stride).c_str(), diopi::Text(args.padding).c_str(), diopi::Text(args.dilation).c_str(),
                diopi::Text(args.output_size).c_str());
  diopi::Dims shape = given;
  shape[rows] = given[rows] / counts.elements;
  ++shape.n;
  for (int i = 0; i < 2; ++i) shape[rows + 1 + i] = diopi::spatial_entry(args.output_size, i, 0);
  DIOPI_TRY(diopi::require_shape(args.out, shape));
  DIOPI_TRY(diopi::require_writable(args.out));
  return args.out.numel == 0 ? Status() : run_col2im(ctx, read_blocks(args, args.out, args.input));
}

}  // namespace impl::DIOPI_VENDOR

#include "functions/im2col.hpp"

#endif  // IMPL_COMMON_FAMILIES_IM2COL_HPP_
