// SPDX-License-Identifier: BSD-3-Clause
// Our side: a vendor's library, opened through the reference runtime like a framework opens it.
#ifndef DIOPI_TEST_BENCHMARK_SRC_LIBRARY_HPP_
#define DIOPI_TEST_BENCHMARK_SRC_LIBRARY_HPP_

#include <diopirt_host.h>

#include <string>
#include <vector>

#include "peer.hpp"

namespace diopi_bench {

class Library : public Peer {
 public:
  explicit Library(const std::string& path);
  std::string version() override;
  void set_threads(int threads) override;  // of this thread's calls, if the library uses OpenMP
  void use_device() override { on_device_ = true; }
  void synchronize() override;
  Call prepare(const Operands& operands) override;
  void release() override;
  // Makes the inputs that only another operator can make, such as positions of maxima. Most operators have none.
  void set_up(const Operands& operands);

  template <class Function>
  Function find(const char* name) const {
    diopirtFunction_t function = nullptr;
    if (diopirtGetFunction(library_, name, &function) != diopiSuccess) return nullptr;
    return reinterpret_cast<Function>(function);
  }
  diopiTensorHandle_t tensor(const Operands& operands, const std::string& name);
  // The tensors of a list: name.0, name.1, ...
  template <class Handle>
  std::vector<Handle> tensors(const Operands& operands, const std::string& name) {
    std::vector<Handle> all;
    while (operands.find(name + "." + std::to_string(all.size())) != nullptr) {
      all.push_back(tensor(operands, name + "." + std::to_string(all.size())));
    }
    return all;
  }
  diopiContextHandle_t context() const { return context_; }
  diopiGeneratorHandle_t generator() const { return generator_; }

  // The loop that is timed. If the operator uses temporary memory, the time in which the framework frees it is
  // included.
  template <class Body>
  void repeat(int64_t times, const Body& body) {
    for (; times > 0; --times) {
      if (const diopiError_t status = body(); status != diopiSuccess) fail(status);
      if (clears_) diopirtClearTemporaries(context_);
    }
  }
  void find_out_whether_temporaries_are_used();
  // Copies an output that the operator has allocated to the memory that the benchmark reads.
  void store(diopiConstTensorHandle_t result, const Tensor& output);

 private:
  [[noreturn]] void fail(diopiError_t status) const;

  diopirtLibraryHandle_t library_ = nullptr;
  void (*set_openmp_threads_)(int) = nullptr;
  diopiContextHandle_t context_ = nullptr;
  diopiGeneratorHandle_t generator_ = nullptr;
  std::vector<diopiTensorHandle_t> handles_;
  bool clears_ = false, on_device_ = false;
};

// Thrown if the library does not compute a call on the device.
struct NotOnDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Throws if a function of the runtime has failed.
void check(diopiError_t status, const char* what);

diopiScalar_t make_scalar(double value, diopiDtype_t dtype);

// Generated from the operators' files. Returns null if the operator is not listed there.
using PrepareDiopi = Call (*)(Library&, const Operands&);
PrepareDiopi find_diopi_call(const std::string& op);
PrepareDiopi find_diopi_setup(const std::string& op);

}  // namespace diopi_bench

#endif  // DIOPI_TEST_BENCHMARK_SRC_LIBRARY_HPP_
