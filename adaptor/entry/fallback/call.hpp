// SPDX-License-Identifier: BSD-3-Clause
// One call that is computed on the host in place of the device. The generated entries use it.
#ifndef ADAPTOR_ENTRY_FALLBACK_CALL_HPP_
#define ADAPTOR_ENTRY_FALLBACK_CALL_HPP_

#include <diopi/diopirt.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "adaptor/entry/fallback/device.hpp"
#include "adaptor/entry/fallback/host_library.hpp"
#include "adaptor/entry/fallback/image.hpp"
#include "adaptor/entry/fallback/ledger.hpp"
#include "impl/common/error.hpp"
#include "impl/common/tensor_view.hpp"

namespace diopi::fallback {

// A call has four steps: open(); the announcement of each argument that is a tensor, a list, a result or a generator,
// in any order; copy_in(); the call of the operator with the arguments by number, whose status goes to finish(). If a
// step fails, the caller's tensors and generators stay unchanged.
class Call {
 public:
  Call(diopiContextHandle_t ctx, Row* row, Reason reason) : ctx_(ctx), row_(row), reason_(reason), device_(ctx) {}
  ~Call();
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  template <typename Function>
  Status open(Function* function) {
    return open_untyped(reinterpret_cast<void**>(function));
  }

  // Arguments are numbered from 0 in the order of the announcements. Null handles and lists stay null.
  Status read(const char* name, diopiConstTensorHandle_t tensor) { return announce(name, kRead, &tensor, 1, false); }
  Status update(const char* name, diopiTensorHandle_t tensor) { return announce_one(name, kUpdate, tensor); }
  Status write(const char* name, diopiTensorHandle_t tensor) { return announce_one(name, kWrite, tensor); }
  // For an output that some calls leave as it is: without `written`, nothing is copied to the caller's tensor.
  Status write_if(bool written, const char* name, diopiTensorHandle_t tensor) {
    return announce_one(name, written ? kWrite : kLeave, tensor);
  }
  Status read(const char* name, const diopiConstTensorHandle_t* list, int64_t count) {
    return announce(name, kRead, list, count, true);
  }
  Status update(const char* name, const diopiTensorHandle_t* list, int64_t count) {
    return announce(name, kUpdate, list, count, true);
  }
  Status write(const char* name, const diopiTensorHandle_t* list, int64_t count) {
    return announce(name, kWrite, list, count, true);
  }
  // Tensors that the operator creates; `results` may be null.
  Status create(const char* name, const diopiTensorHandle_t* results, int64_t count);
  Status generators(const char* name, const diopiGeneratorHandle_t* list, int64_t count);

  Status copy_in();

  diopiContextHandle_t context() const { return host_ctx_; }
  diopiTensorHandle_t tensor(int argument) { return tensors_[arguments_[argument].first].host; }
  diopiTensorHandle_t* list(int argument) {
    return arguments_[argument].given ? &handles_[arguments_[argument].first] : nullptr;
  }
  diopiConstTensorHandle_t* const_list(int argument) {
    return const_cast<diopiConstTensorHandle_t*>(static_cast<const diopiConstTensorHandle_t*>(list(argument)));
  }
  diopiTensorHandle_t* results(int argument);
  diopiGeneratorHandle_t generator(int argument) { return generator_handles_[arguments_[argument].first]; }
  diopiGeneratorHandle_t* generator_list(int argument);

  // Copies results back if the operator succeeded; else takes over its message. Call deliver() for each argument that
  // was announced with create() after it.
  Status finish(diopiError_t status);
  void deliver(int argument, diopiTensorHandle_t* results) const;

  // For a call whose results are not for the caller: call this before the announcements, and do not call finish().
  // Tensors on the host are then copied, too, so nothing of the caller changes.
  void keep_all() { keeps_all_ = true; }
  // What the operator has computed: the host's memory of an argument's tensor, of a tensor that it created, and the
  // state of a generator. False if there is none. `part`: 0 for a dense tensor; 1, 2 and 3 for the row pointers, the
  // column indices and the values of a sparse one, which is no element of a list.
  bool computed(int argument, int64_t index, int part, TensorView* view) const;
  bool created(int argument, int64_t index, TensorView* view) const;
  bool state(int argument, int64_t index, uint64_t* seed, uint64_t* offset) const;

 private:
  enum Access { kRead, kUpdate, kWrite, kLeave };
  static bool is_fetched(Access access) { return access == kRead || access == kUpdate; }
  static bool is_sent(Access access) { return access == kUpdate || access == kWrite; }
  struct Argument {
    size_t first;  // in tensors_, results_ or generators_
    int64_t count;
    bool given;
  };
  struct Tensor {
    TensorView view;
    Access access;
    bool given;
    bool on_host;  // and used where it is
    bool sparse;
    bool plain_copy;  // on the host, and copied
    size_t image;     // in images_
    diopiTensorHandle_t host;
    diopiDtype_t dtype;
    Dims sparse_shape;
  };
  struct Result {
    const char* name;
    diopiTensorHandle_t host;
    diopiTensorHandle_t made;
    TensorView from;  // on the host
    char* to;
  };
  struct Generator {
    diopiGeneratorHandle_t given;
    diopiGeneratorHandle_t host;
    uint64_t offset;
  };

  Status open_untyped(void** function);
  template <typename Handle>
  Status announce(const char* name, Access access, const Handle* list, int64_t count, bool nullable_list);
  Status announce_one(const char* name, Access access, diopiTensorHandle_t tensor) {
    return announce(name, access, &tensor, 1, false);
  }
  Status add_tensor(const char* name, Access access, diopiConstTensorHandle_t handle);
  Status add_sparse(const char* name, diopiConstTensorHandle_t handle);
  Status fetch(const Tensor& tensor);
  Status make_images();
  Status make_tensors();
  Status make_generators();
  Status wrap(Tensor* tensor);
  bool read_result(diopiTensorHandle_t result, TensorView* view) const;
  Status take_results();
  Status advance_generators();
  Status copy_out();
  Status host_failed(diopiError_t status) const;
  Status runtime_failed(const char* what) const;

  const diopiContextHandle_t ctx_;
  Row* const row_;
  const Reason reason_;
  Device device_;
  bool keeps_all_ = false;
  const HostLibrary* library_ = nullptr;
  diopiContextHandle_t host_ctx_ = nullptr;
  std::vector<Argument> arguments_;
  std::vector<Tensor> tensors_;
  std::vector<diopiTensorHandle_t> handles_, result_handles_;
  std::vector<Result> results_;
  std::vector<Generator> generators_;
  std::vector<diopiGeneratorHandle_t> generator_handles_;
  std::vector<Image> images_;
  int64_t moved_ = 0;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Whether one of the tensors has a dtype of the mask, which has a bit for each value of diopiDtype_t.
bool has_dtype(const diopiConstTensorHandle_t* list, int64_t count, uint32_t mask);
inline bool has_dtype(const diopiTensorHandle_t* list, int64_t count, uint32_t mask) {
  return has_dtype(const_cast<const diopiConstTensorHandle_t*>(list), count, mask);
}
inline bool has_dtype(diopiConstTensorHandle_t tensor, int64_t, uint32_t mask) { return has_dtype(&tensor, 1, mask); }

}  // namespace diopi::fallback

#endif  // ADAPTOR_ENTRY_FALLBACK_CALL_HPP_
