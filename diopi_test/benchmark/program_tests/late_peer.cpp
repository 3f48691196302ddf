// SPDX-License-Identifier: BSD-3-Clause
// A peer that only queues calls, as a device does, and computes them when it is waited for. A call takes 0.5 ms then.
// It fails if more calls are queued than the bench says.
#include <chrono>
#include <thread>

#include "peer.hpp"

namespace diopi_bench {
namespace {

constexpr size_t kMostQueued = 32;

class LatePeer : public Peer {
 public:
  std::string version() override { return "computes when waited for"; }
  void set_threads(int threads) override {}
  void synchronize() override {
    for (const Operands* call : queue_) {
      const Tensor &out = call->tensor("out"), &input = call->tensor("input"), &other = call->tensor("other");
      for (int64_t i = 0; i < out.numel(); ++i) at(out, i) = at(input, i) + at(other, i);
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
    queue_.clear();
  }
  Call prepare(const Operands& operands) override {
    if (operands.op != "Add") return {};
    return [this, &operands](int64_t times, bool store) {
      for (; times > 0; --times) {
        if (queue_.size() == kMostQueued) throw std::runtime_error("too many calls are queued");
        queue_.push_back(&operands);
      }
    };
  }

 private:
  static float& at(const Tensor& tensor, int64_t i) { return reinterpret_cast<float*>(tensor.data)[i]; }

  std::vector<const Operands*> queue_;
};

}  // namespace
}  // namespace diopi_bench

DIOPI_BENCH_PEER(diopi_bench::LatePeer)
