// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/engine/roi_points.hpp"

#include <limits>

#include "impl/common/kernel_table.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/temporary.hpp"
#include "impl/cpu/engine/roi/box_points.hpp"

namespace impl::cpu {

namespace {

// A tensor in row-major order and a dtype: itself, or a copy.
struct Packed {
  TensorView given, used;

  Status make(diopiContextHandle_t ctx, const TensorView& view, diopiDtype_t dtype) {
    given = used = view;
    if (view.dtype == dtype && view.is_contiguous()) return diopiSuccess;
    return make_temporary(ctx, view.shape, dtype, &used);
  }
  void load() const {
    if (used.data != given.data) copy_view(used, given);
  }
  void store() const {
    if (used.data != given.data) copy_view(given, used);
  }
};

template <typename F>
void with_type(diopiDtype_t dtype, const F& f) {
  dtype == diopi_dtype_float64 ? f(diopi::TypeTag<double>{}) : f(diopi::TypeTag<float>{});
}

struct VoxelPool {
  Packed argmax, stored, pooled, rois, points, features;
  BoxPoints inside;
  bool maximum;

  Status make(diopiContextHandle_t ctx, const VoxelPoolProblem& p) {
    maximum = p.maximum;
    DIOPI_TRY(argmax.make(ctx, p.argmax, diopi_dtype_int32));
    DIOPI_TRY(stored.make(ctx, p.stored, diopi_dtype_int32));
    DIOPI_TRY(pooled.make(ctx, p.pooled, diopi::compute_dtype(p.pooled.dtype)));
    DIOPI_TRY(rois.make(ctx, p.rois, diopi_dtype_float64));
    DIOPI_TRY(points.make(ctx, p.points, diopi_dtype_float64));
    DIOPI_TRY(features.make(ctx, p.features, pooled.used.dtype));
    rois.load();
    points.load();
    features.load();
    return inside.prepare(ctx, points.used.unsqueeze(0), p.rois.shape[0]);
  }
  int64_t room() const { return stored.used.shape[4]; }
  int64_t voxels() const { return stored.used.shape[1] * stored.used.shape[2] * stored.used.shape[3]; }
  int64_t channels() const { return features.used.shape[1]; }

  // Stores the points of a region in its voxels.
  void store_points(int64_t r) const {
    int32_t* lists = stored.used.ptr<int32_t>() + r * voxels() * room();
    std::fill_n(lists, voxels() * room(), 0);
    const PointBox box(rois.used.ptr<double>() + r * 7);
    const int64_t* grid = stored.used.shape.v + 1;
    inside.each(box, 0, [&](int64_t i, double u, double v) {
      int32_t* list = lists + box.voxel(points.used.ptr<double>() + i * 3, u, v, grid) * room();
      if (list[0] < room() - 1) list[++list[0]] = static_cast<int32_t>(i);
      return true;
    });
  }

  template <typename T>
  void take_maximum(const int32_t* list, T* out, int32_t* at) const {
    const int64_t n = channels();
    std::fill_n(out, n, -std::numeric_limits<T>::infinity());
    std::fill_n(at, n, -1);
    for (int32_t k = 1; k <= list[0]; ++k) {
      const T* x = features.used.ptr<T>() + list[k] * n;
      for (int64_t c = 0; c < n; ++c) {
        const bool better = x[c] > out[c];
        out[c] = better ? x[c] : out[c];
        at[c] = better ? list[k] : at[c];
      }
    }
    for (int64_t c = 0; c < n; ++c) out[c] = at[c] < 0 ? T{} : out[c];
  }

  template <typename T>
  void take_mean(const int32_t* list, T* out, int32_t* at) const {
    const int64_t n = channels();
    std::fill_n(out, n, T{});
    std::fill_n(at, n, 0);
    if (list[0] == 0) return;
    for (int32_t k = 1; k <= list[0]; ++k) {
      const T* x = features.used.ptr<T>() + list[k] * n;
      for (int64_t c = 0; c < n; ++c) out[c] += x[c];
    }
    for (int64_t c = 0; c < n; ++c) out[c] /= static_cast<T>(list[0]);
  }

  template <typename T>
  void pool_region(int64_t r) const {
    store_points(r);
    const int64_t first = r * voxels(), n = channels();
    for (int64_t i = first; i < first + voxels(); ++i) {
      const int32_t* list = stored.used.ptr<int32_t>() + i * room();
      T* out = pooled.used.ptr<T>() + i * n;
      int32_t* at = argmax.used.ptr<int32_t>() + i * n;
      maximum ? take_maximum(list, out, at) : take_mean(list, out, at);
    }
  }
};

}  // namespace

Status run_voxel_pool(diopiContextHandle_t ctx, const VoxelPoolProblem& p) {
  if (p.stored.numel == 0) return diopiSuccess;
  VoxelPool pool;
  DIOPI_TRY(pool.make(ctx, p));
  const int64_t cost = pool.inside.picoseconds() + pool.voxels() * (pool.room() + pool.channels()) * 500;
  with_type(pool.pooled.used.dtype, [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    diopi::parallel_for(p.rois.shape[0], diopi::Picoseconds{cost}, [&](int64_t begin, int64_t end) {
      for (int64_t r = begin; r < end; ++r) pool.template pool_region<T>(r);
    });
  });
  pool.argmax.store();
  pool.stored.store();
  pool.pooled.store();
  return diopiSuccess;
}

Status run_voxel_pool_backward(diopiContextHandle_t ctx, const TensorView& grad_input, const TensorView& grad_output,
                               const TensorView& used, bool maximum) {
  if (grad_input.numel == 0) return diopiSuccess;
  Packed to, from, numbers;
  DIOPI_TRY(to.make(ctx, grad_input, diopi::compute_dtype(grad_input.dtype)));
  DIOPI_TRY(from.make(ctx, grad_output, to.used.dtype));
  DIOPI_TRY(numbers.make(ctx, used, diopi_dtype_int32));
  from.load();
  numbers.load();
  fill_zero(to.used);
  const int64_t n = grad_input.shape[1], voxels = grad_output.numel / n, room = used.shape[4];
  with_type(to.used.dtype, [&](auto tag) {
    using T = diopi::tagged<decltype(tag)>;
    // Channels are divided among threads, so each element gets its terms in the order of the voxels.
    diopi::parallel_for(n, diopi::Picoseconds{voxels * 2000 + 1}, [&](int64_t begin, int64_t end) {
      for (int64_t i = 0; i < voxels; ++i) {
        const T* g = from.used.ptr<T>() + i * n;
        const int32_t* list = numbers.used.ptr<int32_t>() + i * room;
        if (maximum) {
          for (int64_t c = begin; c < end; ++c) {
            if (list[c] >= 0) to.used.ptr<T>()[list[c] * n + c] += g[c];
          }
          continue;
        }
        for (int32_t k = 1; k <= list[0]; ++k) {
          T* x = to.used.ptr<T>() + list[k] * n;
          for (int64_t c = begin; c < end; ++c) x[c] += g[c] / static_cast<T>(list[0]);
        }
      }
    });
  });
  to.store();
  return diopiSuccess;
}

Status find_bad_voxel(diopiContextHandle_t ctx, const TensorView& stored, int64_t points, int64_t* voxel,
                      int64_t* value) {
  *voxel = -1;
  if (stored.numel == 0) return diopiSuccess;
  Packed numbers;
  DIOPI_TRY(numbers.make(ctx, stored, diopi_dtype_int32));
  numbers.load();
  const int64_t room = stored.shape[4];
  for (int64_t i = 0; i < stored.numel / room; ++i) {
    const int32_t* list = numbers.used.ptr<int32_t>() + i * room;
    const bool fits = list[0] >= 0 && list[0] < room;
    const int32_t* bad = list;
    const int32_t* end = list + (fits ? list[0] + 1 : 0);
    if (fits) bad = std::find_if(list + 1, end, [&](int32_t p) { return p < 0 || p >= points; });
    if (fits && bad == end) continue;
    *voxel = i;
    *value = *bad;
    return diopiSuccess;
  }
  return diopiSuccess;
}

namespace {

struct PointSamples {
  Packed points, boxes, features, pooled, empty;

  Status make(diopiContextHandle_t ctx, const PointSampleProblem& p) {
    const diopiDtype_t dtype = p.features.dtype;  // features are copied
    DIOPI_TRY(boxes.make(ctx, p.boxes, diopi_dtype_float64));
    DIOPI_TRY(places.make(ctx, p.points, diopi_dtype_float64));
    DIOPI_TRY(points.make(ctx, p.points, dtype));
    DIOPI_TRY(features.make(ctx, p.features, dtype));
    DIOPI_TRY(pooled.make(ctx, p.pooled, dtype));
    DIOPI_TRY(empty.make(ctx, p.empty, diopi_dtype_int32));
    for (const Packed* read : {&boxes, &places, &points, &features}) read->load();
    return inside.prepare(ctx, places.used, p.empty.numel);
  }
  Packed places;  // the points in float64
  BoxPoints inside;

  // Copies a point and its features to a sample.
  void put(int64_t point, char* sample) const {
    const int64_t size = features.used.itemsize(), n = features.used.shape[2];
    std::memcpy(sample, points.used.data + point * 3 * size, static_cast<size_t>(3 * size));
    if (n > 0) std::memcpy(sample + 3 * size, features.used.data + point * n * size, static_cast<size_t>(n * size));
  }

  void sample_box(int64_t b, int64_t m) const {
    const int64_t count = points.used.shape[1], box_number = b * boxes.used.shape[1] + m;
    const int64_t samples = pooled.used.shape[2], bytes = pooled.used.shape[3] * pooled.used.itemsize();
    const PointBox box(boxes.used.ptr<double>() + box_number * 7);
    char* out = pooled.used.data + box_number * samples * bytes;
    int64_t found = 0;
    bool none = true;
    inside.each(box, b, [&](int64_t i, double, double) {
      none = false;
      if (found < samples) put(b * count + i, out + found++ * bytes);
      return found < samples;
    });
    empty.used.ptr<int32_t>()[box_number] = none ? 1 : 0;
    if (found == 0) {
      std::memset(out, 0, static_cast<size_t>(samples * bytes));
      return;
    }
    for (int64_t k = found; k < samples; ++k) {
      std::memcpy(out + k * bytes, out + (k - found) * bytes, static_cast<size_t>(bytes));
    }
  }
};

}  // namespace

Status run_point_samples(diopiContextHandle_t ctx, const PointSampleProblem& p) {
  if (p.empty.numel == 0) return diopiSuccess;
  PointSamples samples;
  DIOPI_TRY(samples.make(ctx, p));
  const int64_t boxes = p.boxes.shape[1];
  const int64_t cost = samples.inside.picoseconds() + p.pooled.shape[2] * p.pooled.shape[3] * 200 + 1;
  diopi::parallel_for(p.empty.numel, diopi::Picoseconds{cost}, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) samples.sample_box(i / boxes, i % boxes);
  });
  samples.pooled.store();
  samples.empty.store();
  return diopiSuccess;
}

}  // namespace impl::cpu
