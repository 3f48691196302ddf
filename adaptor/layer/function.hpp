// SPDX-License-Identifier: BSD-3-Clause
// What the layer knows of each operator: generated from the registry.
#ifndef ADAPTOR_LAYER_FUNCTION_HPP_
#define ADAPTOR_LAYER_FUNCTION_HPP_

#include <diopi/diopirt.h>

#include <cstddef>
#include <cstdint>

namespace diopi::layer {

// What a parameter is in C. `kOptional...` kinds are pointers to one number, which may be null.
enum class Kind : uint8_t {
  kContext,
  kTensor,      // diopiTensorHandle_t or diopiConstTensorHandle_t
  kTensorList,  // a pointer to handles
  kCreated,     // diopiTensorHandle_t*: the operator creates the tensors
  kGenerator,
  kGeneratorList,
  kScalar,        // const diopiScalar_t*
  kSize,          // diopiSize_t
  kOptionalSize,  // diopiSize_t*
  kBool,
  kInt32,  // int32_t, and enums
  kInt64,
  kFloat32,
  kFloat64,
  kText,  // const char*
  kOptionalBool,
  kOptionalInt64,
  kOptionalFloat64,
  kPointer,  // void*
};

enum class Direction : uint8_t { kIn, kOut, kInOut, kAttribute };

struct Parameter {
  const char* name;
  const char* type;  // as in the headers
  Kind kind;
  Direction direction;
  int16_t count;           // index of the parameter that holds the length of this list, or -1
  int16_t length;          // the length of this list if it is fixed, else 0
  uint32_t dtypes;         // a bit for each allowed value of diopiDtype_t; 0 if the contract names none
  bool sometimes_written;  // some calls leave this output as it is

  bool points_to_number() const {
    return kind == Kind::kOptionalBool || kind == Kind::kOptionalInt64 || kind == Kind::kOptionalFloat64;
  }
  size_t bytes_of_number() const { return kind == Kind::kOptionalBool ? sizeof(bool) : sizeof(int64_t); }
  bool holds_tensors() const { return kind == Kind::kTensor || kind == Kind::kTensorList || kind == Kind::kCreated; }
};

// Any function of the C ABI. It is cast back to its type before it is called.
using Pointer = void (*)();

// Calls `function` with the arguments whose addresses are in `values`, in the order of the parameters.
using Apply = diopiError_t (*)(Pointer function, const void* const* values);

struct Function {
  const char* name;
  const Parameter* parameters;
  int num_parameters;
  Pointer observed;  // the entry that passes the call through the modes; its arguments are those of the operator
  Apply apply;
};

// All operators that return diopiError_t, in the order of their exported trampolines.
extern const Function kFunctions[];
extern const int kNumFunctions;

}  // namespace diopi::layer

// The table through which the exported functions jump: the functions of the library below, or `observed`.
extern "C" __attribute__((visibility("hidden"))) diopi::layer::Pointer diopi_layer_table[];

#endif  // ADAPTOR_LAYER_FUNCTION_HPP_
