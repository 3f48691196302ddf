// SPDX-License-Identifier: BSD-3-Clause
// The parts of a framework's core that the program needs: the vendor's operators, one context, tensors.
#ifndef EXAMPLES_TRAIN_DIGITS_SESSION_HPP_
#define EXAMPLES_TRAIN_DIGITS_SESSION_HPP_

#include <diopi/functions.h>
#include <diopirt_host.h>

#include <stdexcept>
#include <string>
#include <vector>

using Shape = std::vector<int64_t>;

// The operators that the training uses. Session finds them in the vendor's library.
// clang-format off
#define TRAIN_DIGITS_OPERATORS(X)                                                                          \
  X(Adam) X(AddInp) X(Argmax) X(BatchNorm) X(BatchNormBackward) X(Convolution2d) X(Convolution2dBackward)  \
  X(CrossEntropyLoss) X(CrossEntropyLossBackward) X(DivInpScalar) X(Dropout) X(Eq) X(Fill) X(IndexSelect)  \
  X(Linear) X(LinearBackward) X(MaxPool2dBackward) X(MaxPool2dWithIndices) X(Mul) X(MulInpScalar)          \
  X(Randperm) X(Relu) X(Sum) X(ThresholdBackward) X(UniformInp) X(GetImplVersion) X(GetLastErrorString)    \
  X(GetVendorName)
// clang-format on

struct Operators {
#define TRAIN_DIGITS_MEMBER(name) decltype(&::diopi##name) name = nullptr;
  TRAIN_DIGITS_OPERATORS(TRAIN_DIGITS_MEMBER)
#undef TRAIN_DIGITS_MEMBER
};

// A failed call. what() names the call and the reason.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Owns a reference to a tensor that outlives a step, such as data and parameters.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(diopiTensorHandle_t handle) : handle_(handle) {}
  Tensor(Tensor&& other) noexcept : handle_(other.handle_) { other.handle_ = nullptr; }
  Tensor& operator=(Tensor&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Tensor() { diopirtReleaseTensor(handle_); }
  operator diopiTensorHandle_t() const { return handle_; }  // NOLINT: passed to operators directly

 private:
  diopiTensorHandle_t handle_ = nullptr;
};

inline diopiSize_t sizes(const Shape& shape) { return {shape.data(), static_cast<int64_t>(shape.size())}; }
Shape shape_of(diopiConstTensorHandle_t tensor);
diopiScalar_t scalar(double value);
diopiScalar_t scalar(int64_t value);

class Session {
 public:
  Session(const std::string& library, uint64_t seed);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Calls an operator on the session's context. Throws Failure with the vendor's message if it fails.
  template <typename... Parameters, typename... Arguments>
  void call(diopiError_t (*function)(diopiContextHandle_t, Parameters...), Arguments&&... arguments) {
    check(function(context_, static_cast<Arguments&&>(arguments)...));
  }

  // Makes a tensor that the caller owns.
  Tensor tensor(const Shape& shape, diopiDtype_t dtype = diopi_dtype_float32);
  // Makes a tensor that lives until end_step(); its memory is used again in the next step.
  diopiTensorHandle_t temporary(const Shape& shape, diopiDtype_t dtype = diopi_dtype_float32);
  // Makes a view of the elements of `base` with these strides. The view keeps the memory alive.
  Tensor strided(diopiTensorHandle_t base, const Shape& shape, const Shape& stride);

  // Makes a view of the elements of `base` from `offset` on, in another shape; it lives until end_step().
  diopiTensorHandle_t view(diopiTensorHandle_t base, const Shape& shape, int64_t offset = 0);
  void end_step();

  void upload(diopiTensorHandle_t tensor, const void* data, size_t bytes);
  template <typename T>
  T download_one(diopiTensorHandle_t tensor) {
    T value{};
    download(tensor, &value, sizeof(value));
    return value;
  }

  diopiGeneratorHandle_t generator() const { return generator_; }
  std::string vendor() const;

  Operators op;

 private:
  void load_operators();
  void close();
  void check(diopiError_t code) const;
  void download(diopiTensorHandle_t tensor, void* data, size_t bytes);

  diopirtLibraryHandle_t library_ = nullptr;
  diopiContextHandle_t context_ = nullptr;
  diopiGeneratorHandle_t generator_ = nullptr;
  std::vector<Tensor> views_;
};

#endif  // EXAMPLES_TRAIN_DIGITS_SESSION_HPP_
