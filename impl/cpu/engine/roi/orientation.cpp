// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/roi/orientation.hpp"

#include <cmath>

#include "impl/common/parallel.hpp"
#include "impl/cpu/roi/coordinate.hpp"

namespace impl::cpu {

namespace {

// Which orientation an orientation is made of: `first`, counted from its own, and the one behind that.
struct Turn {
  int64_t first;
  double part;  // of the second one
};

// Which number is below the turns is decided in float32, as in mmcv, also for float64.
Turn turn_of(const Coordinate& angle, int64_t orientations) {
  constexpr double kPi = 3.14159265358979323846;
  const Coordinate all = angle * static_cast<double>(orientations);
  const double turns = all.exact / (2 * kPi);
  if (!std::isfinite(turns)) return {0, turns};
  const double rounded = Coordinate(all.rounded / (2 * kPi), true).rounded;
  const double whole = std::floor(std::isfinite(rounded) ? rounded : turns);
  const double rest = std::fmod(whole, static_cast<double>(orientations));
  const auto back = static_cast<int64_t>(rest);
  return {back > 0 ? orientations - back : -back, turns - whole};
}

template <typename T, typename Row>
void for_rows(const RegionRows& rois, const ChannelRows& rows, int64_t orientations, const Row& row) {
  const int64_t bins = rows.rows();
  diopi::parallel_for(rois.count() * bins, {rows.channels() * 1000}, [&, bins](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Coordinate angle(rois.row(i / bins)[5], rows.dtype() != diopi_dtype_float64);
      const Turn turn = turn_of(angle, orientations);
      const T part = static_cast<T>(turn.part), rest = static_cast<T>(1 - turn.part);
      for (int64_t c = 0; c < rows.channels(); c += orientations) {
        for (int64_t o = 0; o < orientations; ++o) {
          const int64_t first = (o + turn.first) % orientations, second = (first + 1) % orientations;
          row(i / bins, i % bins, c, o, first, second, rest, part);
        }
      }
    }
  });
}

template <typename T>
T* element(const ChannelRows& rows, int64_t r, int64_t bin, int64_t c) {
  return reinterpret_cast<T*>(rows.at(r, bin, c));
}

template <typename T>
void turn_rows(const RegionRows& rois, const ChannelRows& to, const ChannelRows& from, int64_t orientations) {
  for_rows<T>(rois, to, orientations,
              [&](int64_t r, int64_t bin, int64_t c, int64_t o, int64_t first, int64_t second, T rest, T part) {
                const T* x = element<T>(from, r, bin, c);
                element<T>(to, r, bin, c)[o] = rest * x[first] + part * x[second];
              });
}

template <typename T>
void turn_rows_back(const RegionRows& rois, const ChannelRows& to, const ChannelRows& from, int64_t orientations) {
  for_rows<T>(rois, to, orientations,
              [&](int64_t r, int64_t bin, int64_t c, int64_t o, int64_t first, int64_t second, T rest, T part) {
                const T g = element<T>(from, r, bin, c)[o];
                T* x = element<T>(to, r, bin, c);
                x[first] += rest * g;
                x[second] += part * g;
              });
}

}  // namespace

Status TurnedRows::make(diopiContextHandle_t ctx, const RoiGrid& grid, const TensorView& tensor,
                        const ChannelRows& given) {
  given_ = &given;
  orientations_ = grid.orientations;
  return orientations_ > 1 ? plain_.make(ctx, tensor, given.dtype()) : Status();
}

void TurnedRows::turn(const RegionRows& rois) const {
  if (orientations_ <= 1) return;
  const bool wide = given_->dtype() == diopi_dtype_float64;
  (wide ? turn_rows<double> : turn_rows<float>)(rois, *given_, plain_, orientations_);
}

void TurnedRows::turn_back(const RegionRows& rois) const {
  if (orientations_ <= 1) return;
  plain_.clear();
  const bool wide = given_->dtype() == diopi_dtype_float64;
  (wide ? turn_rows_back<double> : turn_rows_back<float>)(rois, plain_, *given_, orientations_);
}

}  // namespace impl::cpu
