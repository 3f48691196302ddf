// SPDX-License-Identifier: BSD-3-Clause
// The checks of the contract in front of each operator: generated from the registry.
#ifndef ADAPTOR_LAYER_CONTRACT_CHECKS_HPP_
#define ADAPTOR_LAYER_CONTRACT_CHECKS_HPP_

#include <cstdint>

#include "impl/common/error.hpp"

namespace diopi::layer {

// Checks the tensors of a list that may contain null. `dtypes` has a bit for each accepted dtype, which `expected`
// describes.
Status check_elements(const diopiConstTensorHandle_t* tensors, int64_t count, const char* name, uint32_t dtypes,
                      const char* expected);

// A check that the layer does not make.
struct LeftCheck {
  const char* identifier;
  bool depends_on_data;  // whether it looks at elements of tensors
};

struct ContractChecks {
  // Makes the checks of a call up to the first that is violated. `values` are the addresses of the arguments; `*check`
  // is the identifier of the last check that was made.
  Status (*make)(const void* const* values, const char** check);
  const LeftCheck* left;
  int num_left;
};

// In the order of kFunctions.
extern const ContractChecks kContractChecks[];

// What the checks of this thread allocate. It is freed at the end of the scope; nothing is allocated in a context.
class CheckMemory {
 public:
  CheckMemory();
  ~CheckMemory();
  CheckMemory(const CheckMemory&) = delete;
  CheckMemory& operator=(const CheckMemory&) = delete;

  // Whether memory was missing, so that the result of the checks says nothing.
  bool is_exhausted() const { return exhausted_; }
  // 64-byte aligned; null if there is none.
  static void* take(int64_t bytes);

 private:
  struct Piece {
    Piece* next;
  };

  CheckMemory* const outer_;
  Piece* pieces_ = nullptr;
  bool exhausted_ = false;
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_CONTRACT_CHECKS_HPP_
