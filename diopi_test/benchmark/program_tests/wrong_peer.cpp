// SPDX-License-Identifier: BSD-3-Clause
// A peer that is fast because it computes nothing: the benchmark must not report its speed.
#include "peer.hpp"

namespace diopi_bench {
namespace {

class WrongPeer : public Peer {
 public:
  std::string version() override { return "wrong results"; }
  void set_threads(int threads) override {}
  Call prepare(const Operands& operands) override {
    if (operands.op == "Mul") throw std::runtime_error("this peer cannot multiply");
    if (operands.op == "Sub") return {};
    return [](int64_t times, bool store) {};
  }
};

}  // namespace
}  // namespace diopi_bench

DIOPI_BENCH_PEER(diopi_bench::WrongPeer)
