// SPDX-License-Identifier: BSD-3-Clause
// Calls from four threads at once pass through all modes of the layer. The test starts this program again, because the
// layer reads its variables before main(); the program is linked with the layer, which opens the skeleton vendor.
#include <diopi/diopi_register.h>
#include <diopi/functions.h>
#include <diopirt_host.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 25;
constexpr int kElements = 64;
using Values = std::array<float, kElements>;

std::atomic<int> failures{0};

void check(bool right, const char* what) {
  if (right) return;
  ++failures;
  std::fprintf(stderr, "%s: %s %s\n", what, diopiGetLastErrorString(), diopirtGetLastErrorString());
}

diopiTensorHandle_t tensor(diopiContextHandle_t ctx, const Values& values) {
  const int64_t sizes[] = {8, kElements / 8};
  diopiTensorHandle_t made = nullptr;
  check(diopirtCreateTensor(ctx, {sizes, 2}, nullptr, diopi_dtype_float32, diopi_device, &made) == diopiSuccess,
        "diopirtCreateTensor");
  check(diopirtCopyFromHost(ctx, made, values.data(), sizeof(values)) == diopiSuccess, "diopirtCopyFromHost");
  return made;
}

// out = 2 (x + x), in four operators, one of which creates its result; the fallback computes diopiRelu.
void compute(float first) {
  diopiContextHandle_t ctx = nullptr;
  check(diopirtCreateContext(nullptr, &ctx) == diopiSuccess, "diopirtCreateContext");
  Values values{}, found{};
  for (size_t i = 0; i < kElements; ++i) values[i] = first + static_cast<float>(i);
  const diopiTensorHandle_t x = tensor(ctx, values), out = tensor(ctx, found);
  const diopiScalar_t one = {diopi_dtype_float64, {1.0}};
  for (int round = 0; round < kRounds; ++round) {
    diopiTensorHandle_t places = nullptr;
    check(diopiAdd(ctx, out, x, x, &one) == diopiSuccess, "diopiAdd");
    check(diopiRelu(ctx, out, out) == diopiSuccess, "diopiRelu");
    check(diopiAdd(ctx, out, out, out, &one) == diopiSuccess, "diopiAdd");
    check(diopiNonzero(ctx, &places, out) == diopiSuccess, "diopiNonzero");
    check(diopirtCopyToHost(ctx, out, found.data(), sizeof(found)) == diopiSuccess, "diopirtCopyToHost");
    for (size_t i = 0; i < kElements; ++i) check(found[i] == 4 * values[i], "a wrong element");
    check(diopirtClearTemporaries(ctx) == diopiSuccess, "diopirtClearTemporaries");
  }
  for (const diopiTensorHandle_t made : {x, out}) diopirtReleaseTensor(made);
  check(diopirtDestroyContext(ctx) == diopiSuccess, "diopirtDestroyContext");
}

// Two threads write the same tensor.
void write_one_tensor() {
  diopiContextHandle_t ctx = nullptr;
  check(diopirtCreateContext(nullptr, &ctx) == diopiSuccess, "diopirtCreateContext");
  const diopiTensorHandle_t x = tensor(ctx, {}), out = tensor(ctx, {});
  const auto write = [&] {
    for (int round = 0; round < kRounds; ++round) diopiRelu(ctx, out, x);
  };
  std::thread other(write);
  write();
  other.join();
  for (const diopiTensorHandle_t made : {x, out}) diopirtReleaseTensor(made);
  check(diopirtDestroyContext(ctx) == diopiSuccess, "diopirtDestroyContext");
}

int run(const char* command) {
  check(initLibrary() == 0, "initLibrary");
  if (std::strcmp(command, "race") == 0) {
    write_one_tensor();
  } else {
    std::vector<std::thread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(compute, static_cast<float>(1 + 100 * i));
    for (std::thread& thread : threads) thread.join();
  }
  check(finalizeLibrary() == 0, "finalizeLibrary");
  return failures == 0 ? 0 : 1;
}

// Starts this program again and returns its wait status.
int start(const char* command, const std::string& folder, const char* modes) {
  const pid_t child = fork();
  if (child == 0) {
    setenv("DIOPI_LAYER", modes, 1);
    setenv("DIOPI_LAYER_OUT", folder.c_str(), 1);
    setenv("DIOPI_LAYER_VENDOR", SKELETON_LIBRARY, 1);
    setenv("DIOPI_LAYER_FALLBACK_OPS", "diopiRelu", 1);
    setenv("DIOPI_LAYER_TRACE_LEVEL", "3", 1);
    execl("/proc/self/exe", "unit_layer", command, nullptr);
    _exit(127);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class Layer : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string text(const char* name) const {
    for (const auto& process : std::filesystem::directory_iterator(folder_)) {
      std::ifstream file(process.path() / name);
      return {std::istreambuf_iterator<char>(file), {}};
    }
    return "";
  }

  std::string folder_ = (std::filesystem::temp_directory_path() / "unit_layer.XXXXXX").string();
};

TEST_F(Layer, four_threads_under_all_modes) {
  ASSERT_EQ(start("threads", folder_, "trace,contract,fallback,capture,compare,time,memory,values"), 0);
  const auto lines = [&](const char* name) {
    const std::string found = text(name);
    return std::count(found.begin(), found.end(), '\n');
  };
  constexpr int kCalls = kThreads * kRounds * 4;
  EXPECT_EQ(lines("trace.jsonl"), kCalls);
  EXPECT_EQ(lines("capture/index.jsonl"), kCalls + 1);
  EXPECT_EQ(lines("trace.json"), kCalls + 2);
  EXPECT_EQ(lines("compare.jsonl"), 0);
  const std::string adds = R"("operator": "diopiAdd", "calls": )" + std::to_string(kCalls / 2);
  for (const char* name : {"compare.json", "time.json", "memory.json"}) {
    EXPECT_NE(text(name).find(adds), std::string::npos) << name << ": " << text(name);
  }
  const std::string relus = R"("operator": "diopiRelu", "calls": )" + std::to_string(kCalls / 4);
  EXPECT_NE(text("fallback.json").find(relus), std::string::npos) << text("fallback.json");
  EXPECT_NE(text("values.json").find(R"("tensors": )"), std::string::npos);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::getenv("DIOPI_LAYER") != nullptr) return run(argv[1]);
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
