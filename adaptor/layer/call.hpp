// SPDX-License-Identifier: BSD-3-Clause
// One observed call, and what a mode is.
#ifndef ADAPTOR_LAYER_CALL_HPP_
#define ADAPTOR_LAYER_CALL_HPP_

#include <diopi/diopirt.h>

#include <cstdint>
#include <memory>

#include "adaptor/layer/function.hpp"

namespace diopi::layer {

// What a mode keeps of a call between before() and after().
struct Kept {
  virtual ~Kept() = default;
};

class TimeTable;

// What the layer keeps for each thread. It is in one place, because finding it takes time.
struct Thread {
  int depth = 0;             // of the observed calls
  bool own_failure = false;  // whether the last failure is the layer's own
  TimeTable* time_table = nullptr;
};

struct Call {
  const Function& function;
  const void* const* values;   // addresses of the arguments
  int64_t number;              // of all observed calls of the process, from 1
  int64_t number_of_operator;  // of the calls of this operator, from 1; 0 if the settings select all calls
  int depth;                   // 0, or 1 for a call that was made from inside a call
  Thread& thread;
  int64_t begin = 0, end = 0;  // ticks (clock.hpp) around the call of the library below
  diopiError_t status = diopiSuccess;

  template <typename T>
  const T& value(int parameter) const {
    return *static_cast<const T*>(values[parameter]);
  }
  // The number of tensors or generators that a parameter stands for.
  int64_t count(int parameter) const;
  // The handle at `index` of a parameter that stands for tensors; may be null. Before the call, the tensors that the
  // operator creates are null.
  diopiConstTensorHandle_t tensor(int parameter, int64_t index) const;
  diopiGeneratorHandle_t generator(int parameter, int64_t index) const;
  diopiContextHandle_t context() const;  // null if the operator has none
};

// The most modes that a process can have.
inline constexpr size_t kMostModes = 8;

// A mode of the layer. before() and after() run in the thread of the call and may run in several threads at once. A
// mode does not change the arguments, does not allocate in the caller's context, and keeps no handle after the call.
class Mode {
 public:
  virtual ~Mode() = default;
  // Whether the mode looks at calls of this operator.
  virtual bool wants(const char* /*name*/) const { return true; }
  virtual std::unique_ptr<Kept> before(const Call&) { return nullptr; }
  // Computes or refuses the call in place of the library below and sets the status; false if the mode does not do so.
  virtual bool replace(Call*, Kept*) { return false; }
  virtual void after(const Call&, Kept*) {}
  // At the end of the process: writes what the mode found, in the folder of the run.
  virtual void finish() {}
};

}  // namespace diopi::layer

#endif  // ADAPTOR_LAYER_CALL_HPP_
