// SPDX-License-Identifier: BSD-3-Clause
// The points inside boxes, found through a grid, are those that a test of all points in order finds.
#include <limits>
#include <random>

#include "diopi_test/unit/engine_fixture.hpp"
#include "impl/cpu/engine/roi/box_points.hpp"

namespace {

using namespace engine_test;  // NOLINT: the fixture
using impl::cpu::BoxPoints;
using impl::cpu::PointBox;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class BoxPointsTest : public EngineTest {
 protected:
  // Compares all boxes, of seven numbers each, with at most `most` points of each box.
  void expect_same(const Tensor& points, const Values& boxes, int64_t most) {
    const int64_t batches = points.view().shape[0], count = points.view().shape[1];
    const auto boxes_count = static_cast<int64_t>(boxes.size()) / 7;
    const double* rows = points.view().ptr<double>();
    BoxPoints search;
    ASSERT_TRUE(search.prepare(ctx_, points.view(), batches * boxes_count).ok());
    for (int64_t i = 0; i < batches * boxes_count; ++i) {
      const int64_t b = i % batches;
      const PointBox box(boxes.data() + i / batches * 7);
      std::vector<int64_t> want, got;
      for (int64_t k = 0; k < count && static_cast<int64_t>(want.size()) < most; ++k) {
        if (box.holds(rows + 3 * (b * count + k))) want.push_back(k);
      }
      search.each(box, b, [&](int64_t point, double, double) {
        got.push_back(point);
        return static_cast<int64_t>(got.size()) < most;
      });
      ASSERT_EQ(want, got) << "box " << i / batches << " of batch " << b;
    }
  }
};

Values random_boxes(int64_t count, double largest, std::mt19937& random) {
  Values boxes;
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  for (int64_t i = 0; i < count; ++i) {
    for (int d = 0; d < 3; ++d) boxes.push_back(number(-60, 60));
    for (int d = 0; d < 3; ++d) boxes.push_back(number(0, largest));
    boxes.push_back(number(-7, 7));
  }
  return boxes;
}

TEST_F(BoxPointsTest, a_grid_gives_what_all_points_give) {
  std::mt19937 random(1);
  Tensor points(diopi_dtype_float64, {2, 5000, 3});
  points.set([&](int64_t) { return std::uniform_real_distribution<double>(-60, 60)(random); });
  for (const double largest : {0.5, 10.0, 80.0, 500.0}) {
    const Values boxes = random_boxes(100, largest, random);
    for (const int64_t most : {1, 7, 1 << 20}) expect_same(points, boxes, most);
  }
}

TEST_F(BoxPointsTest, points_on_a_lattice_lie_on_sides) {
  Tensor points(diopi_dtype_float64, {1, 4096, 3});
  points.set(
      [](int64_t i) { return static_cast<double>(i % 3 == 2 ? i / 3 % 4 : i / 3 / (i % 3 == 0 ? 64 : 1) % 64); });
  Values boxes;
  for (int64_t i = 0; i < 200; ++i) {
    const Values box{static_cast<double>(i % 64), static_cast<double>(i / 3), 0, 4, 2, 3, (i % 5) * 1.5707963267948966};
    boxes.insert(boxes.end(), box.begin(), box.end());
  }
  expect_same(points, boxes, 1 << 20);
}

TEST_F(BoxPointsTest, numbers_that_are_not_finite_count_as_before) {
  std::mt19937 random(2);
  Tensor points(diopi_dtype_float64, {1, 3000, 3});
  points.set([&](int64_t i) {
    if (i % 17 == 0) return i % 2 == 0 ? kInfinity : -kInfinity;
    if (i % 19 == 0) return std::numeric_limits<double>::quiet_NaN();
    return std::uniform_real_distribution<double>(-60, 60)(random);
  });
  Values boxes = random_boxes(70, 30, random);
  for (int k = 0; k < 7; ++k) {
    boxes[7 * k + k] = kInfinity;
    boxes[7 * (k + 10) + k] = std::numeric_limits<double>::quiet_NaN();
    boxes[7 * (k + 20) + k] = -5;
    boxes[7 * (k + 30) + k] = 1e300;
  }
  expect_same(points, boxes, 1 << 20);
}

}  // namespace
