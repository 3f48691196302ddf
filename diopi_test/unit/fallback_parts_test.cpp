// SPDX-License-Identifier: BSD-3-Clause
// The parts of fallback that need no vendor: runs of a tensor's memory, images of it, the ledger, answers, the setting.
#include <diopi_fallback.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "adaptor/entry/capabilities.hpp"
#include "adaptor/entry/fallback/image.hpp"
#include "adaptor/entry/fallback/ledger.hpp"
#include "adaptor/entry/fallback/runs.hpp"
#include "adaptor/entry/fallback/setting.hpp"
#include "impl/common/alignment.hpp"

namespace {

using diopi::Capability;
using diopi::TensorView;
using diopi::fallback::Image;
using diopi::fallback::Row;
using diopi::fallback::Runs;
using diopi::fallback::Setting;

TensorView tensor(std::initializer_list<int64_t> shape, std::initializer_list<int64_t> stride,
                  diopiDtype_t dtype = diopi_dtype_float32) {
  TensorView view;
  view.dtype = dtype;
  for (int64_t n : shape) view.shape.push_back(n);
  for (int64_t n : stride) view.stride.push_back(n);
  view.numel = view.shape.product();
  return view;
}

using Pieces = std::vector<std::pair<int64_t, int64_t>>;

// The pieces that a copy of the tensor visits: offset and length in bytes.
Pieces pieces(const TensorView& view, int64_t join) {
  Pieces found;
  const diopi::Status status = Runs(view).visit(join, [&](int64_t offset, int64_t bytes) -> diopi::Status {
    found.emplace_back(offset, bytes);
    return diopiSuccess;
  });
  EXPECT_TRUE(status.ok());
  return found;
}

TEST(FallbackRuns, a_tensor_without_gaps_is_one_piece) {
  EXPECT_EQ(pieces(tensor({}, {}), 0), (Pieces{{0, 4}}));
  EXPECT_EQ(pieces(tensor({2, 3}, {3, 1}), 0), (Pieces{{0, 24}}));
  EXPECT_EQ(pieces(tensor({2, 3}, {1, 2}), 0), (Pieces{{0, 24}})) << "in any order of the dimensions";
  EXPECT_EQ(pieces(tensor({2, 1, 3}, {3, 77, 1}), 0), (Pieces{{0, 24}})) << "the stride of one element does not matter";
}

TEST(FallbackRuns, rows_with_gaps_are_pieces_unless_the_gap_is_small) {
  const TensorView rows = tensor({3, 2}, {5, 1});
  EXPECT_EQ(pieces(rows, 0), (Pieces{{0, 8}, {20, 8}, {40, 8}}));
  EXPECT_EQ(pieces(rows, 11), (Pieces{{0, 8}, {20, 8}, {40, 8}}));
  EXPECT_EQ(pieces(rows, 12), (Pieces{{0, 48}}));
}

TEST(FallbackRuns, single_elements_in_two_dimensions) {
  EXPECT_EQ(pieces(tensor({2, 2}, {100, 10}, diopi_dtype_int8), 0), (Pieces{{0, 1}, {10, 1}, {100, 1}, {110, 1}}));
  EXPECT_EQ(pieces(tensor({2, 2}, {10, 100}, diopi_dtype_int8), 9), (Pieces{{0, 11}, {100, 11}}));
}

TEST(FallbackRuns, elements_that_share_memory_are_visited_once) {
  EXPECT_EQ(pieces(tensor({1000, 3}, {0, 1}), 0), (Pieces{{0, 12}}));
  EXPECT_EQ(pieces(tensor({4}, {0}), 0), (Pieces{{0, 4}}));
}

TEST(FallbackRuns, an_empty_tensor_has_no_piece) {
  EXPECT_EQ(pieces(tensor({3, 0}, {1, 1}), 0), Pieces());
  EXPECT_EQ(Runs(tensor({3, 0}, {1, 1})).span(), 0);
}

TEST(FallbackRuns, the_span_ends_behind_the_last_element) {
  EXPECT_EQ(Runs(tensor({3, 2}, {5, 1})).span(), (2 * 5 + 2) * 4);
  EXPECT_EQ(Runs(tensor({3, 2}, {0, 7})).span(), 8 * 4);
}

TEST(FallbackRuns, a_failure_ends_the_loop) {
  int visited = 0;
  const diopi::Status status = Runs(tensor({3, 2}, {5, 1})).visit(0, [&](int64_t, int64_t) -> diopi::Status {
    return diopi::Status(++visited == 2 ? diopiErrorOccurred : diopiSuccess);
  });
  EXPECT_EQ(status, diopiErrorOccurred);
  EXPECT_EQ(visited, 2);
}

TEST(FallbackImage, keeps_distances_and_alignment) {
  const uintptr_t begin = 0x7000000010;
  Image image(begin, begin + 100);
  image.extend(begin + 50);  // does not shrink
  image.extend(begin + 4000);
  ASSERT_EQ(image.allocate(), diopiSuccess);
  const auto device = [&](uintptr_t offset) { return reinterpret_cast<const void*>(begin + offset); };
  EXPECT_EQ(image.at(device(3999)) - image.at(device(0)), 3999);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(image.at(device(0))) % diopi::kAlignment, begin % diopi::kAlignment);
  EXPECT_TRUE(image.contains(device(3999)));
  EXPECT_FALSE(image.contains(device(4000)));
  EXPECT_FALSE(image.contains(reinterpret_cast<const void*>(begin - 1)));
  *image.at(device(0)) = 1;
  *image.at(device(3999)) = 2;
  EXPECT_EQ(*image.at(device(1)), 0) << "new pages are zero";
}

TEST(FallbackImage, a_range_that_the_host_cannot_have_is_an_error) {
  Image image(4096, UINTPTR_MAX / 2);
  EXPECT_EQ(image.allocate(), diopiErrorOccurred);
  EXPECT_NE(std::string(diopi::last_error()).find("the host has no memory for a copy of"), std::string::npos);
}

TEST(FallbackLedger, adds_calls_by_reason_and_lists_each_operator_once) {
  static Row first("diopiFirst"), second("diopiSecond");  // the ledger keeps the rows for ever
  using diopi::fallback::get_fallbacks;
  const int64_t before = get_fallbacks(nullptr, 0);
  EXPECT_TRUE(first.add(diopi::fallback::kAbsent, 10, 100));
  EXPECT_FALSE(first.add(diopi::fallback::kAsked, 20, 200));
  EXPECT_TRUE(second.add(diopi::fallback::kUnsupported, 1, 1));
  EXPECT_FALSE(second.add(diopi::fallback::kConfigured, 1, 1));
  ASSERT_EQ(get_fallbacks(nullptr, 0), before + 2);
  diopiFallbackRow_t rows[3] = {{"untouched", 0, 0, 0, 0, 0, 0}, {"untouched", 0, 0, 0, 0, 0, 0}};
  EXPECT_EQ(get_fallbacks(rows, 1), before + 2) << "counts the rows that it did not store";
  EXPECT_STREQ(rows[0].name, "diopiSecond") << "the latest comes first";
  EXPECT_STREQ(rows[1].name, "untouched");
  get_fallbacks(rows, 2);
  EXPECT_STREQ(rows[1].name, "diopiFirst");
  EXPECT_EQ(rows[1].absent, 1);
  EXPECT_EQ(rows[1].asked, 1);
  EXPECT_EQ(rows[1].unsupported + rows[1].configured, 0);
  EXPECT_EQ(rows[1].bytes, 30);
  EXPECT_EQ(rows[1].nanoseconds, 300);
  EXPECT_EQ(rows[0].unsupported, 1);
  EXPECT_EQ(rows[0].configured, 1);
}

TEST(FallbackCapabilities, answers_by_function_parameter_and_dtype) {
  const auto bit = [](diopiDtype_t dtype) { return 1u << dtype; };
  const Capability table[] = {
      {"diopiA", "out", false, bit(diopi_dtype_float32), 0, 0},
      {"diopiA", "input", true, bit(diopi_dtype_float32), bit(diopi_dtype_int64), bit(diopi_dtype_float64)},
  };
  const auto ask = [&](const char* function, const char* parameter, diopiDtype_t dtype) {
    return diopi::find_support(table, table + 2, function, parameter, dtype);
  };
  EXPECT_EQ(ask("diopiA", nullptr, diopi_dtype_float32), diopiSupportNative);
  EXPECT_EQ(ask("diopiA", "input", diopi_dtype_int64), diopiSupportConverted);
  EXPECT_EQ(ask("diopiA", nullptr, diopi_dtype_float64), diopiSupportFallback);
  EXPECT_EQ(ask("diopiA", "out", diopi_dtype_float64), diopiSupportNone);
  EXPECT_EQ(ask("diopiA", "other", diopi_dtype_float32), diopiSupportNone);
  EXPECT_EQ(ask("diopiB", nullptr, diopi_dtype_float32), diopiSupportNone);
  EXPECT_EQ(ask(nullptr, nullptr, diopi_dtype_float32), diopiSupportNone);
  EXPECT_EQ(ask("diopiA", nullptr, diopi_dtype_unsupported), diopiSupportNone);
}

TEST(FallbackSetting, knows_three_words_and_nothing_else) {
  using diopi::fallback::parse_setting;
  EXPECT_EQ(parse_setting(nullptr), Setting::kOn);
  EXPECT_EQ(parse_setting(""), Setting::kOn);
  EXPECT_EQ(parse_setting("on"), Setting::kOn);
  EXPECT_EQ(parse_setting("off"), Setting::kOff);
  EXPECT_EQ(parse_setting("warn"), Setting::kWarn);
  for (const char* text : {"OFF", "0", "warn ", "none"}) EXPECT_EQ(parse_setting(text), Setting::kUnknown) << text;
}

}  // namespace
