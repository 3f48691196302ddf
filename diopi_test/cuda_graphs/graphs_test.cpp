// SPDX-License-Identifier: BSD-3-Clause
// Calls that are captured into CUDA graphs: a replay computes what the call computes, errors of data are reported, and
// calls that cannot be captured say so.
#include <ostream>
#include <string>
#include <vector>

#include "diopi_test/cuda_graphs/captured.hpp"

namespace {

constexpr int64_t kRows = 33, kColumns = 1027;

// The tensors of a call. It reads `inputs`, which are filled with other numbers before each replay.
struct Tensors {
  diopiTensorHandle_t x, y, z, scale, row, picks, along, flat, out, mean, deviation, indices, total, flat_out,
      flat_indices;
  std::vector<diopiTensorHandle_t> inputs, outputs;
};

struct Operation {
  const char* name;
  diopiError_t (*call)(diopiContextHandle_t ctx, const Tensors& t);
};

constexpr int64_t kLast[] = {1}, kFirst[] = {0}, kNormalized[] = {kColumns};

const Operation kOperations[] = {
    {"Exp", [](auto ctx, const auto& t) { return diopiExp(ctx, t.out, t.x); }},
    {"AddBroadcast",
     [](auto ctx, const auto& t) {
       diopiScalar_t alpha;
       alpha.stype = diopi_dtype_float64, alpha.fval = 0.5;
       return diopiAdd(ctx, t.out, t.x, t.scale, &alpha);
     }},
    {"SumOfAll",
     [](auto ctx, const auto& t) {
       return diopiSum(ctx, t.total, t.flat, diopiSize_t{nullptr, 0});
     }},
    {"SumOfRows",
     [](auto ctx, const auto& t) {
       return diopiSum(ctx, t.row, t.x, diopiSize_t{kLast, 1});
     }},
    {"SumOfColumns",
     [](auto ctx, const auto& t) {
       return diopiSum(ctx, t.scale, t.x, diopiSize_t{kFirst, 1});
     }},
    {"Softmax", [](auto ctx, const auto& t) { return diopiSoftmax(ctx, t.out, t.x, 1); }},
    {"LayerNorm",
     [](auto ctx, const auto& t) {
       return diopiLayerNorm(ctx, t.out, t.mean, t.deviation, t.x, t.scale, t.scale, diopiSize_t{kNormalized, 1}, 1e-5);
     }},
    {"Cumsum", [](auto ctx, const auto& t) { return diopiCumsum(ctx, t.out, t.x, 0); }},
    {"CumsumOfAll", [](auto ctx, const auto& t) { return diopiCumsum(ctx, t.flat_out, t.flat, 0); }},
    {"Sort",
     [](auto ctx, const auto& t) { return diopiSort(ctx, t.flat_out, t.flat_indices, t.flat, 0, true, nullptr); }},
    {"Topk", [](auto ctx, const auto& t) { return diopiTopk(ctx, t.out, t.indices, t.x, kColumns, 1, true, true); }},
    {"Gather", [](auto ctx, const auto& t) { return diopiGather(ctx, t.out, t.x, 0, t.along); }},
    {"IndexSelect", [](auto ctx, const auto& t) { return diopiIndexSelect(ctx, t.out, t.x, 0, t.picks); }},
    {"EmbeddingBackward",
     [](auto ctx, const auto& t) { return diopiEmbeddingBackward(ctx, t.out, t.x, t.picks, kRows, -1, false, false); }},
    {"Adam",
     [](auto ctx, const auto& t) {
       return diopiAdam(ctx, t.out, t.x, t.y, t.z, nullptr, 0.1f, 0.5f, 0.5f, 1e-3f, 0, 1, false);
     }},
};

void PrintTo(const Operation& operation, std::ostream* stream) { *stream << operation.name; }

class Graphs : public CapturedTest, public testing::WithParamInterface<Operation> {
 protected:
  Tensors make_tensors() {
    const auto matrix = std::vector<int64_t>{kRows, kColumns};
    Tensors t;
    t.x = make(matrix), t.y = make(matrix), t.z = make(matrix), t.scale = make({kColumns}),
    t.flat = make({kRows * kColumns});
    t.picks = make({kRows}, diopi_dtype_int64), t.along = make(matrix, diopi_dtype_int64);
    t.row = make({kRows}), t.out = make(matrix), t.mean = make({kRows, 1}), t.deviation = make({kRows, 1});
    t.indices = make(matrix, diopi_dtype_int64), t.total = make({});
    t.flat_out = make({kRows * kColumns}), t.flat_indices = make({kRows * kColumns}, diopi_dtype_int64);
    t.inputs = {t.x, t.y, t.z, t.scale, t.flat, t.picks, t.along, t.out, t.flat_out};
    t.outputs = {t.scale, t.y, t.z, t.row, t.out, t.mean, t.deviation, t.indices, t.total, t.flat_out, t.flat_indices};
    return t;
  }
  void refill(const Tensors& t, uint32_t seed) {
    for (const diopiTensorHandle_t output : t.outputs) fill(output, 1);
    for (const diopiTensorHandle_t input : t.inputs) fill(input, seed++);
  }
  std::vector<std::vector<char>> results(const Tensors& t) {
    std::vector<std::vector<char>> all;
    for (const diopiTensorHandle_t output : t.outputs) all.push_back(bytes_of(output));
    return all;
  }
};

TEST_P(Graphs, ReplaysComputeWhatTheCallComputes) {
  const Tensors t = make_tensors();
  const Call call = [&] { return GetParam().call(ctx_, t); };
  refill(t, 1);
  for (int k = 0; k < 2; ++k) {  // the stream and the runtime keep the memory that these calls need
    ASSERT_EQ(call(), diopiSuccess) << said();
    ASSERT_EQ(wait(), diopiSuccess) << said();
    ASSERT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  }
  const cudaGraphExec_t graph = capture(call);
  ASSERT_NE(graph, nullptr);
  ASSERT_EQ(diopirtClearTemporaries(ctx_), diopiSuccess);
  for (uint32_t seed : {11u, 22u, 33u}) {
    refill(t, seed);
    ASSERT_EQ(call(), diopiSuccess) << said();
    ASSERT_EQ(wait(), diopiSuccess) << said();
    const auto expected = results(t);
    refill(t, seed);
    launch(graph);
    ASSERT_EQ(wait(), diopiSuccess) << said();
    EXPECT_EQ(results(t), expected) << "numbers of the seed " << seed;
  }
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
}

INSTANTIATE_TEST_SUITE_P(All, Graphs, testing::ValuesIn(kOperations),
                         [](const testing::TestParamInfo<Operation>& info) { return info.param.name; });

// Selects rows of a matrix of three rows.
class DataOfGraphs : public CapturedTest {
 protected:
  void SetUp() override {
    CapturedTest::SetUp();
    out_ = make({2, 4}), input_ = make({3, 4}), index_ = make({2}, diopi_dtype_int64);
    fill(input_, 5);
    choose(0, 2);
  }
  void choose(int64_t first, int64_t second) { set<int64_t>(index_, {first, second}); }
  diopiError_t select() { return diopiIndexSelect(ctx_, out_, input_, 0, index_); }

  diopiTensorHandle_t out_ = nullptr, input_ = nullptr, index_ = nullptr;
};

constexpr char kBad[] = "diopiIndexSelect: index holds 7 at position 1, which is out of range [0, 2]";

TEST_F(DataOfGraphs, EachReplayWithABadIndexIsReportedOnce) {
  ASSERT_EQ(select(), diopiSuccess);
  ASSERT_EQ(wait(), diopiSuccess);
  const cudaGraphExec_t graph = capture([&] { return select(); });
  ASSERT_NE(graph, nullptr);
  for (int k = 0; k < 2; ++k) {
    choose(0, 7);
    launch(graph);
    EXPECT_NE(wait(), diopiSuccess);
    EXPECT_NE(said().find(kBad), std::string::npos) << said();
    EXPECT_EQ(wait(), diopiSuccess) << said();
    choose(0, 1);
    launch(graph);
    EXPECT_EQ(wait(), diopiSuccess) << said();
  }
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
}

// A later call has a check of its own, which must not be taken for that of the replay.
TEST_F(DataOfGraphs, ALaterCallReportsTheReplayAndNotItself) {
  ASSERT_EQ(select(), diopiSuccess);
  ASSERT_EQ(wait(), diopiSuccess);
  const cudaGraphExec_t graph = capture([&] { return select(); });
  ASSERT_NE(graph, nullptr);
  const diopiTensorHandle_t indices = make({1}, diopi_dtype_int64), rows = make({1, 4});
  set<int64_t>(indices, {1});
  choose(0, 7);
  launch(graph);
  ASSERT_EQ(cudaStreamSynchronize(stream_), cudaSuccess);
  EXPECT_NE(diopiEmbedding(ctx_, rows, input_, indices, -1, false, false), diopiSuccess);
  EXPECT_NE(said().find(std::string("an earlier call failed: ") + kBad), std::string::npos) << said();
  EXPECT_EQ(diopiEmbedding(ctx_, rows, input_, indices, -1, false, false), diopiSuccess) << said();
  EXPECT_EQ(wait(), diopiSuccess) << said();
  EXPECT_EQ(cudaGraphExecDestroy(graph), cudaSuccess);
}

// The call fails, and the capture stays valid.
class RefusedCaptures : public DataOfGraphs {
 protected:
  void expect_refused(const Call& call, const std::string& why) {
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
    EXPECT_NE(call(), diopiSuccess);
    EXPECT_NE(said().find("the call cannot be captured into a graph: " + why), std::string::npos) << said();
    EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    EXPECT_EQ(wait(), diopiSuccess) << said();
  }
};

TEST_F(RefusedCaptures, TheFirstCallWithACheckOfItsData) {
  expect_refused([&] { return select(); }, "the first such call of a stream takes memory");
}

TEST_F(RefusedCaptures, TheFirstFoldOfAStream) {
  const diopiTensorHandle_t total = make({}), flat = make({kRows * kColumns});
  fill(flat, 1);
  expect_refused(
      [&] {
        return diopiSum(ctx_, total, flat, diopiSize_t{nullptr, 0});
      },
      "the first such call of a stream takes memory");
}

TEST_F(RefusedCaptures, CallsWhoseResultTheHostNeeds) {
  bool same = false;
  expect_refused([&] { return diopiEqual(ctx_, &same, input_, input_); }, "the host waits for a number");
}

// What waits through the runtime cannot know that the stream is captured: the capture fails, too.
TEST_F(RefusedCaptures, CallsThatTheHostComputes) {
  const diopiTensorHandle_t square = make({3, 3}), other = make({4, 3});
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_NE(diopiMm(ctx_, square, input_, other), diopiSuccess);
  EXPECT_NE(said().find("capturing"), std::string::npos) << said();
  EXPECT_NE(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(wait(), diopiSuccess) << said();
}

TEST_F(DataOfGraphs, AStreamHasRoomForAThousandChecks) {
  ASSERT_EQ(select(), diopiSuccess);
  ASSERT_EQ(wait(), diopiSuccess);
  cudaGraph_t graph = nullptr;
  ASSERT_EQ(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  for (int k = 0; k < 1024; ++k) ASSERT_EQ(select(), diopiSuccess) << k << ": " << said();
  EXPECT_NE(select(), diopiSuccess);
  EXPECT_NE(said().find("already check the data of 1024 calls"), std::string::npos) << said();
  EXPECT_EQ(cudaStreamEndCapture(stream_, &graph), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
}

}  // namespace
