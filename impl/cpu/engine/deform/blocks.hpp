// SPDX-License-Identifier: BSD-3-Clause
// Deformable convolution is computed one block of output positions at a time: the samples of a block are the rows of a
// matrix. Threads compute different blocks, or share the work of each block.
#ifndef IMPL_CPU_ENGINE_DEFORM_BLOCKS_HPP_
#define IMPL_CPU_ENGINE_DEFORM_BLOCKS_HPP_

#include <initializer_list>

#include "impl/common/engine/deform.hpp"
#include "impl/cpu/sampling/deform.hpp"

namespace impl::cpu {

diopi::Dims dims_of(std::initializer_list<int64_t> extents);

// A packed view of the memory of another one.
TensorView reshaped(const TensorView& packed, std::initializer_list<int64_t> extents);

inline constexpr int64_t kBands = 8;  // of the rows of a block

// The operands in the dtype of the computation, and the memory of a thread's block.
struct DeformOperands {
  TensorView image;  // channels last
  TensorView offset, mask;
  TensorView columns;             // [P, C * kernel]
  TensorView results;             // [O, P]: of the product, or gradients of the outputs
  TensorView sum;                 // of the gradients of a weight; for the thread's own use
  int64_t* neighbours = nullptr;  // kBands + 1 numbers for each row of the image
  DeformTile tile;
  int64_t images = 0, outputs = 0, tiles_down = 0, tiles_across = 0;
  diopiDtype_t dtype = diopi_dtype_unsupported;

  int64_t blocks_of_image() const { return tiles_down * tiles_across; }
  int64_t positions() const { return tile.rows * tile.cols; }
  int64_t depth() const { return tile.channels / tile.groups * tile.kernel_area(); }  // of the products of a group
  TensorView columns_by_group() const {                                               // [groups, P, depth]
    return reshaped(columns, {positions(), tile.groups, depth()}).transposed(0, 1);
  }
  TensorView results_by_group() const {  // [groups, O / groups, P]
    return reshaped(results, {tile.groups, outputs / tile.groups, positions()});
  }

  // Points the block at image and position of its number; returns the number of the image.
  int64_t move_to(int64_t index);
};

// Arranges the operands. run_blocks() takes the memory of the blocks.
Status prepare_deform(diopiContextHandle_t ctx, const DeformSamples& samples, int64_t outputs, DeformOperands* o);

// The steps of a computation by blocks. Each image has `parts` parts, whose blocks are computed in order by one thread.
class BlockSteps {
 public:
  explicit BlockSteps(int64_t parts) : parts(parts) {}
  const int64_t parts;

  // Takes the memory that each thread needs besides that of a block.
  virtual Status take_memory(DeformOperands* o) const { return diopiSuccess; }
  // Called when all memory is there, and before the first block.
  virtual void start() const {}
  // Computes a block. `is_first`: of its part.
  virtual Status block(DeformOperands* o, int64_t index, bool is_first) const = 0;
  // If has_parts_to_add(), called with the operands of the thread that has computed a part, for one part after another.
  virtual bool has_parts_to_add() const { return false; }
  virtual Status add_part(const DeformOperands& o) const { return diopiSuccess; }

 protected:
  ~BlockSteps() = default;
};

// Calls the steps. If there are too few parts for the threads, they share the work of each block.
Status run_blocks(diopiContextHandle_t ctx, const DeformOperands& o, const BlockSteps& steps);

}  // namespace impl::cpu

#endif  // IMPL_CPU_ENGINE_DEFORM_BLOCKS_HPP_
