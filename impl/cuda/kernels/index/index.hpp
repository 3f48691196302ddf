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

// out = in[places]. Elements have `width` bytes: 1, 2, 4, 8 or 16. The places are offsets of parts of an element, of
// which it has 2^shift.
struct GatherCall {
  IndexedLoops loops;
  int width, shift;
  void* out;
  const void* in;
  const int64_t* places;
  int64_t none;  // positions with this place are left out
};
cudaError_t gather_places(cudaStream_t stream, const GatherCall& call);

// last[t] = the greatest position whose place is t, for places that occur. Positions of places from `limit` on are left
// out.
struct LastCall {
  int64_t count, limit;
  const int64_t* places;
  void* last;
  bool wide;  // the elements of `last` are uint64, otherwise uint32
};
cudaError_t find_last(cudaStream_t stream, const LastCall& call);

// out[places] = src. Of several positions with one place, the last is written.
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
