// SPDX-License-Identifier: BSD-3-Clause
// The program behind scripts/bench.sh: runs resolved cases and writes one line of JSON for each. bench.py makes the
// cases, starts one such process for each number of threads, and shows the results.
#include <dlfcn.h>
#include <malloc.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "library.hpp"
#include "limits.hpp"
#include "process_info.hpp"
#include "run_case.hpp"

namespace {

using diopi_bench::NamedPeer;

struct Options {
  std::string cases, library, first_call;
  std::vector<std::pair<std::string, std::string>> peers;  // name, module
  int threads = 1;
  bool library_first = false, on_device = false;
  std::vector<size_t> bandwidth_bytes;
  diopi_bench::RotationRule rotation{size_t{1} << 20, size_t{1} << 30};
  diopi_bench::SamplePlan plan;
};

constexpr int kWrongUse = 2, kUnusable = 3;  // exit codes: a mistake; the library, a peer or the device cannot be used

[[noreturn]] void fail(const std::string& message, int code = kWrongUse) {
  std::cerr << "diopi_bench: " << message << "\n";
  exit(code);
}

Options read_options(int argc, char** argv) {
  Options options;
  const std::map<std::string, std::function<void(const std::string&)>> setters = {
      {"--cases", [&](const std::string& value) { options.cases = value; }},
      {"--library", [&](const std::string& value) { options.library = value; }},
      {"--first_call", [&](const std::string& value) { options.first_call = value; }},
      {"--threads", [&](const std::string& value) { options.threads = std::stoi(value); }},
      {"--samples", [&](const std::string& value) { options.plan.samples = std::stoi(value); }},
      {"--sample_seconds", [&](const std::string& value) { options.plan.sample_seconds = std::stod(value); }},
      {"--least_samples", [&](const std::string& value) { options.plan.least_samples = std::stoi(value); }},
      {"--most_seconds", [&](const std::string& value) { options.plan.most_seconds = std::stod(value); }},
      {"--in_cache_bytes", [&](const std::string& value) { options.rotation.in_cache_bytes = std::stoull(value); }},
      {"--rotated_bytes", [&](const std::string& value) { options.rotation.rotated_bytes = std::stoull(value); }},
      {"--bandwidth", [&](const std::string& value) { options.bandwidth_bytes.push_back(std::stoull(value)); }},
      {"--memory", [&](const std::string& value) { options.on_device = value == "device"; }},
      {"--load_order", [&](const std::string& value) { options.library_first = value == "library"; }},
      {"--peer", [&](const std::string& value) {
         const size_t equals = value.find('=');
         if (equals == std::string::npos) fail("--peer is NAME=MODULE");
         options.peers.emplace_back(value.substr(0, equals), value.substr(equals + 1));
       }}};
  for (int i = 1; i + 1 < argc; i += 2) {
    const auto setter = setters.find(argv[i]);
    if (setter == setters.end()) fail(std::string("unknown option ") + argv[i]);
    setter->second(argv[i + 1]);
  }
  if (argc % 2 == 0 || options.cases.empty() || options.library.empty()) {
    fail("give --cases FILE and --library FILE; every option has a value");
  }
  return options;
}

diopi_bench::Peer* load_peer(const std::string& path) {
  // RTLD_LOCAL: other libraries must not use the symbols of a peer's libraries.
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail(dlerror(), kUnusable);
  const auto get = reinterpret_cast<diopi_bench::Peer* (*)()>(dlsym(handle, "diopi_bench_peer"));
  if (get == nullptr) fail(path + " is no module of the bench");
  return get();
}

std::vector<NamedPeer> load_sides(const Options& options, std::unique_ptr<diopi_bench::Library>& library) {
  const auto load_library = [&] {
    try {
      library = std::make_unique<diopi_bench::Library>(options.library);
    } catch (const std::exception& error) {
      fail(error.what(), kUnusable);
    }
  };
  if (options.library_first) load_library();
  std::vector<NamedPeer> sides = {{"diopi", nullptr}};
  for (const auto& [name, path] : options.peers) sides.push_back({name, load_peer(path)});
  if (!options.library_first) load_library();
  sides[0].peer = library.get();
  for (const NamedPeer& side : sides) side.peer->set_threads(options.threads);
  for (const NamedPeer& side : sides) try {
      if (options.on_device) side.peer->use_device();
    } catch (const std::exception& error) {
      fail(side.name + ": " + error.what(), kUnusable);
    }
  return sides;
}

nlohmann::json describe(const Options& options, const std::vector<NamedPeer>& sides) {
  nlohmann::json result = {{"kind", "process"},
                           {"threads", options.threads},
                           {"versions", nlohmann::json::object()},
                           {"openmp", nlohmann::json::object()}};
  for (const NamedPeer& side : sides) result["versions"][side.name] = side.peer->version();
  result["openmp"]["diopi"] = diopi_bench::provider_of(options.library, "omp_get_max_threads");
  for (const auto& [name, path] : options.peers) {
    result["openmp"][name] = diopi_bench::provider_of(path, "omp_get_max_threads");
  }
  result["libraries"] =
      diopi_bench::mapped_libraries({"omp", "dnnl", "mkl", "blas", "libtorch", "libc10", "diopi", "hwy"});
  return result;
}

void print(const nlohmann::json& line) { std::cout << line.dump() << std::endl; }

void print_bandwidth(const Options& options) {
  for (size_t bytes : options.bandwidth_bytes) {
    const diopi_bench::Bandwidth rate = diopi_bench::measure_bandwidth(bytes, options.threads, 0.15);
    print({{"kind", "bandwidth"},
           {"bytes", rate.bytes},
           {"copy", rate.copy},
           {"triad", rate.triad},
           {"streaming_copy", rate.streaming_copy},
           {"streaming_triad", rate.streaming_triad}});
  }
}

std::unique_ptr<diopi_bench::Memory> make_memory(const Options& options, const diopi_bench::Library& library) {
  if (!options.on_device) return std::make_unique<diopi_bench::HostMemory>();
  return std::make_unique<diopi_bench::DeviceMemory>(library.context());
}

void run(const Options& options) {
  std::ifstream file(options.cases);
  if (!file) fail("cannot read " + options.cases);
  const nlohmann::json cases = nlohmann::json::parse(file);
  print_bandwidth(options);
  std::unique_ptr<diopi_bench::Library> library;
  const std::vector<NamedPeer> sides = load_sides(options, library);
  const std::unique_ptr<diopi_bench::Memory> memory = make_memory(options, *library);
  const std::unique_ptr<diopi_bench::Memory> triad_memory = make_memory(options, *library);
  if (!options.first_call.empty()) {
    for (const NamedPeer& side : sides) {
      if (side.name != options.first_call) continue;
      print(diopi_bench::run_first_call(diopi_bench::read_case(cases.at(0)), *library, side, *memory));
    }
    return;
  }
  print(describe(options, sides));
  for (const nlohmann::json& entry : cases) {
    print({{"kind", "begins"}, {"name", entry.at("name")}});  // names the case in case of a crash
    print(diopi_bench::run_case(diopi_bench::read_case(entry), *library, sides, options.rotation, options.plan, *memory,
                                {options.threads, triad_memory.get()}));
  }
}

}  // namespace

int main(int argc, char** argv) {
  // Freed memory is kept, so that a peer that allocates its results does not get new pages in every call.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  try {
    run(read_options(argc, argv));
  } catch (const std::exception& error) {
    fail(error.what());
  }
  std::cout.flush();
  _exit(0);  // skips exit handlers of the modules' libraries
}
