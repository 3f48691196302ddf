// SPDX-License-Identifier: BSD-3-Clause
// Searches in a grid give what comparing with all points gives: indices, their order, and the bits of distances.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "diopi_test/unit/every_target.hpp"
#include "impl/cpu/points/grid.hpp"

namespace {

using namespace impl::cpu;  // NOLINT: the tested namespace

// Points as planes, and centres as rows.
template <typename T>
struct Cloud {
  std::vector<T> planes, centres;
  int64_t count = 0;

  PointPlanes points() const { return {planes.data(), count, count}; }
  int64_t centre_count() const { return static_cast<int64_t>(centres.size()) / 3; }
};

// coordinate(dim, random) makes a coordinate. Some centres are points, and some lie around them.
template <typename T, typename F>
Cloud<T> make_cloud(int64_t count, int64_t centres, F coordinate) {
  std::mt19937 random(static_cast<unsigned>(count));
  Cloud<T> cloud;
  cloud.count = count;
  cloud.planes.resize(3 * count);
  for (int64_t i = 0; i < 3 * count; ++i) cloud.planes[i] = static_cast<T>(coordinate(i / count, random));
  for (int64_t i = 0; i < centres; ++i) {
    for (int d = 0; d < 3; ++d) {
      const T x = i % 3 == 0 && count > 0 ? cloud.planes[d * count + i % count] : static_cast<T>(coordinate(d, random));
      cloud.centres.push_back(i % 7 == 1 ? x * T(1.5) + T(0.25) : x);
    }
  }
  return cloud;
}

double uniform(std::mt19937& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

// A grid and the memory that it uses.
template <typename T>
struct OwnedGrid {
  std::vector<T> planes;
  std::vector<int32_t> index, start, cell;
  PointGrid grid;

  OwnedGrid(const PointPlanes& p, int dims, double least_edge, int64_t most_cells)
      : planes(3 * p.count + kGridPadding), index(p.count), start(p.count + 2), cell(p.count) {
    const GridMemory memory{planes.data(), index.data(), start.data(), cell.data()};
    grid = make_grid(test::kDtype<T>, p, dims, least_edge, most_cells, memory);
  }
};

template <typename T>
void expect_same_nearest(const Cloud<T>& cloud, int64_t k, double limit) {
  const OwnedGrid<T> owned(cloud.points(), 3, 0, cloud.count / 4);
  std::vector<T> want(k), got(k);
  std::vector<int32_t> want_index(k), got_index(k);
  for (int64_t i = 0; i < cloud.centre_count(); ++i) {
    const T* centre = cloud.centres.data() + 3 * i;
    nearest_kernel(test::kDtype<T>)(cloud.points(), centre, k, limit, want.data(), want_index.data());
    grid_nearest_kernel(test::kDtype<T>)(owned.grid, centre, k, limit, got.data(), got_index.data());
    ASSERT_EQ(want_index, got_index) << "centre " << i << ", k = " << k;
    ASSERT_EQ(std::memcmp(want.data(), got.data(), k * sizeof(T)), 0) << "centre " << i << ", k = " << k;
  }
}

template <typename T>
void expect_same_in_plane(const Cloud<T>& cloud) {
  const OwnedGrid<T> owned(cloud.points(), 2, 0, cloud.count / 2);
  for (int64_t i = 0; i < cloud.centre_count(); ++i) {
    const T* centre = cloud.centres.data() + 3 * i;
    T want = 0, got = 0;
    int32_t want_index = 0, got_index = 0;
    nearest_in_plane_kernel(test::kDtype<T>)(cloud.points(), centre, &want, &want_index);
    grid_nearest_kernel(test::kDtype<T>)(owned.grid, centre, 1, INFINITY, &got, &got_index);
    ASSERT_EQ(want_index, got_index) << "centre " << i;
    ASSERT_EQ(want, got) << "centre " << i;
  }
}

// Returns how many centres were searched in the grid.
template <typename T>
int64_t expect_same_ball(const Cloud<T>& cloud, float low, float high, int64_t samples, bool with_centre) {
  const OwnedGrid<T> owned(cloud.points(), 3, grid_reach(high * high), cloud.count);
  const BallQuery query{cloud.points(), low * low, high * high, with_centre, samples, -1};
  std::vector<int32_t> want(samples), got(samples);
  int64_t in_grid = 0;
  for (int64_t i = 0; i < cloud.centre_count(); ++i) {
    const T* centre = cloud.centres.data() + 3 * i;
    if (!grid_ball_kernel(test::kDtype<T>)(query, owned.grid, centre, got.data())) continue;
    ++in_grid;
    ball_kernel(test::kDtype<T>)(query, centre, want.data());
    EXPECT_EQ(want, got) << "centre " << i;
  }
  return in_grid;
}

template <typename T>
std::vector<Cloud<T>> clouds() {
  return {
      make_cloud<T>(3000, 100, [](int64_t, auto& r) { return uniform(r, -1, 1); }),
      make_cloud<T>(2000, 100, [](int64_t, auto& r) { return std::floor(uniform(r, 0, 12)); }),  // ties
      make_cloud<T>(2000, 100, [](int64_t d, auto& r) { return d == 2 ? 3.0 : uniform(r, -1, 1); }),
      make_cloud<T>(1500, 60, [](int64_t d, auto& r) { return uniform(r, -1, 1) * (d == 0 ? 1000 : 1); }),
      make_cloud<T>(1500, 60, [](int64_t, auto& r) { return 1e6 + uniform(r, -1, 1); }),
      make_cloud<T>(1500, 60, [](int64_t, auto& r) { return uniform(r, -1e-20, 1e-20); }),
      make_cloud<T>(700, 40, [](int64_t, auto&) { return 2.5; }),
      make_cloud<T>(5, 20, [](int64_t, auto& r) { return uniform(r, -1, 1); }),
  };
}

template <typename T>
void expect_same_on_all_clouds() {
  for (const Cloud<T>& cloud : clouds<T>()) {
    SCOPED_TRACE(cloud.count);
    for (const int64_t k : {1, 3, 16, 70}) expect_same_nearest(cloud, k, 1e40);
    expect_same_nearest(cloud, 5, 1e10);
    expect_same_nearest(cloud, 5, 0.01);
    expect_same_in_plane(cloud);
    for (const float radius : {0.0F, 0.05F, 0.2F, 1.0F, 2.0F}) {
      expect_same_ball(cloud, 0, radius, 8, true);
      expect_same_ball(cloud, radius / 2, radius, 3, false);
    }
  }
}

TEST(CpuPointGrid, finds_what_a_search_among_all_points_finds) {
  test::on_every_target([] {
    expect_same_on_all_clouds<float>();
    expect_same_on_all_clouds<double>();
  });
}

TEST(CpuPointGrid, small_balls_are_searched_in_the_grid) {
  const auto cloud = make_cloud<float>(3000, 100, [](int64_t, auto& r) { return uniform(r, -1, 1); });
  EXPECT_EQ(expect_same_ball(cloud, 0, 0.1F, 8, true), 100);
  EXPECT_EQ(expect_same_ball(cloud, 0, 4, 8, true), 0);  // the first points are in the ball
}

TEST(CpuPointGrid, leaves_out_points_that_are_not_finite) {
  auto cloud = make_cloud<float>(500, 50, [](int64_t, auto& r) { return uniform(r, -1, 1); });
  for (int64_t i = 0; i < cloud.count; i += 5) {
    const float values[] = {NAN, INFINITY, -INFINITY};
    cloud.planes[i % 3 * cloud.count + i] = values[i / 5 % 3];
  }
  for (float& x : cloud.centres) x = std::isfinite(x) ? x : 0;
  expect_same_nearest(cloud, 9, 1e40);
  expect_same_nearest(cloud, 450, 1e40);
  expect_same_ball(cloud, 0, 0.3F, 8, true);
  cloud.planes.assign(cloud.planes.size(), NAN);
  expect_same_nearest(cloud, 3, 1e40);
}

TEST(CpuPointGrid, extents_that_are_not_finite_give_one_cell) {
  const auto cloud = make_cloud<double>(200, 20, [](int64_t, auto& r) { return uniform(r, -1, 1) * 1.7e308; });
  expect_same_nearest(cloud, 4, 1e40);
}

}  // namespace
