// SPDX-License-Identifier: BSD-3-Clause
#include "run_case.hpp"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "limits.hpp"

namespace diopi_bench {
namespace {

constexpr size_t kLargeCase = size_t{1} << 28;

using Results = std::vector<std::vector<double>>;  // one for each verified output

Results compute(const Case& a_case, Library& library, Buffers& buffers, Peer& peer, const Call& call) {
  buffers.refill(0);
  library.set_up(buffers.sets()[0]);
  library.synchronize();
  buffers.poison_outputs();
  call(1, true);
  peer.synchronize();
  Results results;
  for (const std::string& name : a_case.verified) results.push_back(buffers.read(name));
  return results;
}

std::string describe(const char* what, double ours, double theirs) {
  char text[160];
  snprintf(text, sizeof(text), "%s: ours %.9g, theirs %.9g", what, ours, theirs);
  return text;
}

// Compares random results by mean and deviation. Returns an empty text if they agree.
std::string compare_moments(const std::vector<double>& ours, const std::vector<double>& theirs, double tolerance) {
  constexpr size_t kFewest = 16;  // fewer numbers say nothing about a distribution
  if (theirs.size() < kFewest) return "";
  const auto moments = [](const std::vector<double>& values) {
    double sum = 0, squares = 0;
    for (double value : values) sum += value;
    const double mean = sum / values.size();
    for (double value : values) squares += (value - mean) * (value - mean);
    return std::pair(mean, std::sqrt(squares / values.size()));
  };
  const auto [mean, deviation] = moments(ours);
  const auto [their_mean, their_deviation] = moments(theirs);
  // Of few numbers, means and deviations differ by about 1 / sqrt(count).
  tolerance = std::max(tolerance, 6 / std::sqrt(static_cast<double>(ours.size())));
  if (!(std::abs(deviation - their_deviation) <= tolerance * their_deviation)) {
    return describe("deviations differ", deviation, their_deviation);
  }
  if (!(std::abs(mean - their_mean) <= tolerance * their_deviation)) return describe("means differ", mean, their_mean);
  return "";
}

// Returns an empty text if the results agree: the difference of each element is small compared to the largest result.
std::string compare(const Case& a_case, const Results& ours, const Results& theirs) {
  for (size_t output = 0; output < ours.size(); ++output) {
    if (a_case.verifies_moments) {
      const std::string difference = compare_moments(ours[output], theirs[output], a_case.tolerance);
      if (!difference.empty()) return a_case.verified[output] + ": " + difference;
      continue;
    }
    double largest = 0;
    for (double value : theirs[output]) {
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    for (size_t i = 0; i < ours[output].size(); ++i) {
      const double a = ours[output][i], b = theirs[output][i];
      const bool same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= a_case.tolerance * largest;
      if (!same) return a_case.verified[output] + ": " + describe(("element " + std::to_string(i)).c_str(), a, b);
    }
  }
  return "";
}

// A side that only reads and writes memory. It shows the limit of the machine at the time of the case.
Side triad_side(const Buffers& buffers, const TriadPlan& plan) {
  Side side{"triad", {}, [] {}};
  const size_t bytes = buffers.set_bytes() / 4096 * 4096;
  char* memory = plan.memory->get(bytes * buffers.sets().size());
  std::memset(memory, 0, bytes * buffers.sets().size());
  double seconds[2] = {};
  for (const bool streaming : {false, true}) {
    run_triad(memory, bytes, plan.threads, streaming);
    const double begin = seconds_now();
    for (int i = 0; i < 3; ++i) run_triad(memory, bytes, plan.threads, streaming);
    seconds[streaming] = seconds_now() - begin;
  }
  const bool streaming = seconds[1] < seconds[0];
  for (size_t set = 0; set < buffers.sets().size(); ++set) {
    char* part = memory + set * bytes;
    side.calls.push_back([=](int64_t times, bool) {
      for (; times > 0; --times) run_triad(part, bytes, plan.threads, streaming);
    });
  }
  return side;
}

// A side that copies on the device. It reads and writes as many bytes together as the case's tensors have.
Side copy_side(const Buffers& buffers, Memory& memory) {
  Side side{"copy", {}, [&memory] { memory.copied(); }};
  const size_t half = buffers.set_bytes() / 512 * 256;
  char* place = memory.get(2 * half * buffers.sets().size());
  for (size_t set = 0; set < buffers.sets().size(); ++set, place += 2 * half) {
    side.calls.push_back([copy = memory.prepare_copy(place + half, place, half)](int64_t times, bool) {
      for (; times > 0; --times) copy();
    });
  }
  return side;
}

// Our calls with one thread.
Side one_thread_side(const Side& ours, Library& library, int threads) {
  Side side{"one_thread", {}, ours.synchronize};
  for (const Call& call : ours.calls) {
    side.calls.push_back([&library, call, threads](int64_t times, bool stores) {
      library.set_threads(1);
      call(times, stores);
      library.set_threads(threads);
    });
  }
  return side;
}

// Measures the sides that compute, and with them what shows the limit of the machine.
void measure(const Case& a_case, Library& library, Buffers& buffers, const Memory& memory, SamplePlan plan,
             const TriadPlan& triad, std::vector<Side>& sides) {
  buffers.refill(0);
  for (const Operands& operands : buffers.sets()) library.set_up(operands);
  library.synchronize();
  if (a_case.with_triad) {
    sides.push_back(memory.is_device() ? copy_side(buffers, *triad.memory) : triad_side(buffers, triad));
  }
  plan.launched = a_case.launched;
  std::function<void(int)> restore;
  if (a_case.restored) restore = [&](int set) { buffers.restore(set); };
  sample(sides, plan, restore);
}

}  // namespace

nlohmann::json run_case(const Case& a_case, Library& library, const std::vector<NamedPeer>& peers,
                        const RotationRule& rule, const SamplePlan& plan, Memory& memory, const TriadPlan& triad) {
  Buffers buffers(a_case, rule, memory);
  nlohmann::json result = {{"kind", "case"},
                           {"name", a_case.name},
                           {"set_bytes", buffers.set_bytes()},
                           {"sets", buffers.sets().size()},
                           {"sides", nlohmann::json::object()}};
  std::vector<Side> sides;
  Results ours;
  bool has_ours = false;
  for (const NamedPeer& named : peers) {
    nlohmann::json& entry = result["sides"][named.name];
    try {
      Side side{named.name, {}, [&named] { named.peer->synchronize(); }};
      for (const Operands& operands : buffers.sets()) side.calls.push_back(named.peer->prepare(operands));
      if (!side.calls[0]) {
        entry["status"] = "absent";
        continue;
      }
      const Results results = compute(a_case, library, buffers, *named.peer, side.calls[0]);
      const bool is_ours = named.name == peers[0].name;
      const std::string difference = is_ours || !has_ours ? "" : compare(a_case, ours, results);
      if (is_ours) {
        ours = results;
        has_ours = true;
      }
      entry["status"] = difference.empty() ? "ok" : "differs";
      if (!difference.empty()) entry["message"] = difference;
      sides.push_back(std::move(side));
    } catch (const NotOnDevice& error) {  // then the times of the peers say nothing, either
      entry["status"] = "absent";
      entry["message"] = error.what();
      break;
    } catch (const std::exception& error) {
      entry["status"] = "failed";
      entry["message"] = error.what();
    }
  }
  if (has_ours && a_case.with_one_thread && triad.threads > 1) {
    sides.push_back(one_thread_side(sides[0], library, triad.threads));
  }
  if (!sides.empty()) measure(a_case, library, buffers, memory, plan, triad, sides);
  for (const Side& side : sides) {
    result["sides"][side.name].emplace("status", "ok");
    result["sides"][side.name]["seconds"] = side.seconds;
    result["sides"][side.name]["calls_per_sample"] = side.calls_per_sample;
  }
  sides.clear();
  for (const NamedPeer& named : peers) named.peer->release();
  if (buffers.set_bytes() > kLargeCase) malloc_trim(0);  // gives back results that peers have allocated
  return result;
}

nlohmann::json run_first_call(const Case& a_case, Library& library, const NamedPeer& named, Memory& memory) {
  Buffers buffers(a_case, RotationRule{~size_t{0}, 0}, memory);
  nlohmann::json result = {{"kind", "first_call"}, {"name", a_case.name}, {"side", named.name}};
  std::vector<double> seconds;
  double begin = seconds_now();
  const Call call = named.peer->prepare(buffers.sets()[0]);
  if (!call) return result;
  for (int i = 0; i < 32; ++i) {
    call(1, false);
    named.peer->synchronize();
    const double end = seconds_now();
    seconds.push_back(end - begin);
    begin = end;
  }
  result["first"] = seconds[0];
  result["second"] = seconds[1];
  result["warm"] = median({seconds.begin() + 2, seconds.end()});
  return result;
}

}  // namespace diopi_bench
