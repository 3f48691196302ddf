// SPDX-License-Identifier: BSD-3-Clause
// Kernels that read and write through indices.
//
// A call has positions, those of the index, and slices, the elements of the dimensions that are not indexed. A place is
// the number of an indexed element: find_places() computes one for each position, and the other kernels use them.
// Strides count elements. Addresses are those of the device.
#ifndef IMPL_CUDA_KERNELS_INDEX_INDEX_HPP_
#define IMPL_CUDA_KERNELS_INDEX_INDEX_HPP_

#include <cuda_runtime_api.h>

#include <cstdint>

#include "impl/common/error.hpp"
#include "impl/common/plan/loop_nest.hpp"
#include "impl/cuda/kernels/first_bad.hpp"

namespace impl::cuda {

using Loops1 = diopi::LoopNest<1>;
using Loops2 = diopi::LoopNest<2>;

// The contribution of one index tensor to the places.
struct PlacesCall {
  int64_t count;        // of positions
  Loops2 positions;     // strides in the index, and those of dimensions that are not indexed in the places
  const void* index;    // int64, or int32
  bool is_int64, wrap;  // wrap: negative indices count from the end
  bool first;           // the places are set; otherwise they are added to
  int64_t size;         // an index is less than this number
  Loops1 dims;          // the dimensions that an index numbers, with their strides in the places
  int64_t* places;
  int64_t none;  // the place of positions whose index is out of range
  FirstBad bad;  // gets the first of them
};
cudaError_t find_places(cudaStream_t stream, const PlacesCall& call);

// What both sides of a call have in common. Element e of position p is at places[p] + slices.stride[0] in the indexed
// tensor and at positions.stride[0] + slices.stride[1] in the packed one.
struct IndexedLoops {
  int64_t count, slice;  // the numbers of positions, and of elements of a slice
  Loops1 positions;
  Loops2 slices;
};

// An index tensor, or a list of places, whose elements are int64 or int32.
struct IndexSource {
  const void* index;
  int32_t is_int64, wrap;  // truth values, without unused bytes; wrap: negative indices count from the end
  int64_t least, size;     // positions whose element is not in [least, size) are left out
  FirstBad bad;            // gets the first of them, if it has memory
};

// out = in[index]: each element of the output is that of the input at its own offset plus the index times `step`.
struct PickCall {
  diopi::LoopNest<4> loops;  // strides in the output, the input and the index, and of the numbers of positions
  IndexSource source;
  int64_t step;
  int width;  // bytes of an element: 1, 2, 4, 8 or 16
  void* out;
  const void* in;
};
diopi::Status pick_elements(cudaStream_t stream, const PickCall& call);

// last[t] = the greatest position whose place is t, plus one; 0 for places that do not occur.
struct LastCall {
  int64_t count, limit;
  const int64_t* places;  // null if there is no list
  void* last;
  bool wide;  // the elements of `last` are uint64, otherwise uint32
};

// Writes `last`, which is zero before. The place of a position is its own offset plus the index times `step`.
struct MarkCall {
  diopi::LoopNest<3> loops;  // strides in the index, the places, and of the numbers of positions
  IndexSource source;
  int64_t step;
  LastCall last;
};
diopi::Status mark_last(cudaStream_t stream, const MarkCall& call);

// out[index] = src. Of several positions with one place, the last is written.
struct ReplaceCall {
  diopi::LoopNest<5> loops;  // strides in the source, the output, the index, the places, and of the positions' numbers
  IndexSource source;
  int64_t offset_step, place_step;
  int width;
  void* out;
  const void* src;
  LastCall last;
};
diopi::Status replace_elements(cudaStream_t stream, const ReplaceCall& call);

// out[index] = one element. All positions write the same, so their order does not matter.
struct PutCall {
  diopi::LoopNest<3> loops;  // strides in the output and the index, and of the numbers of positions
  IndexSource source;
  int64_t step;
  int width;
  void* out;
  const void* element;  // on the device; null if it is `number`
  char number[16];      // the element, as often as it fits
};
diopi::Status put_element(cudaStream_t stream, const PutCall& call);

// The same in one launch without `last`, for few positions: each block reads all of them, and writes its own places.
// The place of a position is its element of the index.
struct OwnedCall {
  diopi::LoopNest<2> slices;  // strides in the output and the source
  IndexSource source;
  int64_t count, places;                   // of positions, and of places
  int64_t index_step, src_step, out_step;  // of a position in the index and in the source, and of a place in the output
  int width;
  void* out;
  const void* src;
};
bool fits_owners(const OwnedCall& call);
diopi::Status replace_by_owners(cudaStream_t stream, const OwnedCall& call);

// A write along the last dimension of the output: each line of it has its own line of the source and of the index.
struct LinesCall {
  diopi::LoopNest<5> lines;  // strides in the output, the base, the source, the index, and of the numbers of positions
  int64_t places, count;     // of a line: elements of the output, and of the index
  int64_t base_step, src_step, index_step;  // along a line
  IndexSource source;
  diopiDtype_t dtype;
  int bits;          // see SumsCall
  int is_kept;       // 1: the output has the elements before
  void* out;         // its lines are contiguous
  const void* base;  // the elements before; null if they are zero, or if `is_kept`
  const void* src;
};
// Whether a block has memory for a line.
bool fits_line(const LinesCall& call, bool adds);
// Of several positions with one place, the last is written.
diopi::Status replace_in_lines(cudaStream_t stream, const LinesCall& call);
// The dtype is float16, bfloat16 or float32.
diopi::Status add_in_lines(cudaStream_t stream, const LinesCall& call);

// sums[t] += src, for the places t of the positions, which need not be sorted: the sums do not depend on the order.
// Integers are added as they are. Floating numbers are added as integers: fixed_point.cuh.
struct SumsCall {
  diopi::LoopNest<4> loops;  // strides in the source, the sums, the index, and of the numbers of positions
  IndexSource source;
  int64_t step;
  diopiDtype_t dtype;
  int bits;  // the magnitude of a term is less than 2^bits
  const void* src;
  unsigned long long* sums;  // NOLINT(google-runtime-int): the type of CUDA's atomics
  unsigned* tops;            // of the exponents of the terms
  int64_t bin_step;          // if it is not 0, floating numbers have bins and no tops
};
// The sums of a place that has bins.
int bins_of_place();
// Whether there are such sums of a dtype.
bool has_sums(diopiDtype_t dtype);
diopi::Status add_to_sums(cudaStream_t stream, const SumsCall& call);
// out += sums.
struct TotalsCall {
  diopi::LoopNest<2> loops;  // strides in the output and the sums
  diopiDtype_t dtype;
  int bits;
  void* out;
  const unsigned long long* sums;  // NOLINT(google-runtime-int)
  const unsigned* tops;
  int64_t bin_step;
};
diopi::Status add_totals(cudaStream_t stream, const TotalsCall& call);

// The same with a list of places whose offsets are those of `targets`.
struct WriteCall {
  IndexedLoops loops;
  Loops1 targets;  // the offsets of the places in `out`
  int width;
  void* out;
  const void* src;
  LastCall last;
};
cudaError_t write_places(cudaStream_t stream, const WriteCall& call);

enum class PlaceOp { kAdd, kMultiply, kMean };  // kMean: each term is divided by the number of terms

// out[places] op= src, for positions in the order of their places. `kind` is the dtype of the elements.
struct CombineCall {
  IndexedLoops loops;
  Loops1 targets;
  PlaceOp op;
  int64_t limit;  // positions of places from `limit` on are left out
  void* out;
  const void* src;
  const int64_t* places;
  const uint32_t* order;
};
cudaError_t combine_places(cudaStream_t stream, diopiDtype_t dtype, const CombineCall& call);

}  // namespace impl::cuda

#endif  // IMPL_CUDA_KERNELS_INDEX_INDEX_HPP_
