// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/rules/shapes.hpp"

#include <algorithm>
#include <cstdio>

#include "impl/common/checked.hpp"

namespace diopi {

namespace {

long long wide(int64_t n) { return static_cast<long long>(n); }

// A position counted from the start; negative positions count from the end of `n` entries.
int from_start(int position, int n) { return std::clamp(position < 0 ? position + n : position, 0, n); }

}  // namespace

int64_t extent_along(const TensorView& view, int64_t dim) {
  if (view.ndim() == 0) return 1;
  return extent(view, static_cast<int>(std::clamp<int64_t>(dim, -kMaxDims - 1, kMaxDims)));
}

int64_t entry(const diopiSize_t& list, int i) {
  const int64_t at = i < 0 ? i + list.len : i;
  return at >= 0 && at < list.len ? list.data[at] : -1;
}

Dims part_of(const Dims& shape, int start, int end) {
  Dims part;
  for (int i = from_start(start, shape.n); i < from_start(end, shape.n); ++i) part.push_back(shape[i]);
  return part;
}

int64_t sum_of(int64_t a, int64_t b) {
  int64_t sum = 0;
  return add_sizes(a, b, &sum) ? sum : a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t difference_of(int64_t a, int64_t b) {
  int64_t difference = 0;
  return sub_sizes(a, b, &difference) ? difference : a < 0 ? INT64_MIN : INT64_MAX;
}

int64_t product_of(int64_t a, int64_t b) {
  int64_t product = 0;
  return mul_sizes(a, b, &product) ? product : (a < 0) != (b < 0) ? INT64_MIN : INT64_MAX;
}

bool OneOf::holds(int64_t value) const {
  for (int i = 0; i < n; ++i) {
    if (values[i] == value) return true;
  }
  return false;
}

Status refuse_count(const char* name, const char* what, int64_t count, const Between& allowed) {
  if (allowed.least == allowed.most) {
    return fail(diopiErrorOccurred, "%s has %lld %s, expected %lld", name, wide(count), what, wide(allowed.least));
  }
  const bool few = count < allowed.least;
  return fail(diopiErrorOccurred, "%s has %lld %s, expected at %s %lld", name, wide(count), what,
              few ? "least" : "most", wide(few ? allowed.least : allowed.most));
}

Status refuse_count(const char* name, const char* what, int64_t count, const OneOf& allowed) {
  char list[64] = "";
  size_t length = 0;
  for (int i = 0; i < allowed.n && length < sizeof(list); ++i) {
    const char* between = i == 0 ? "" : i + 1 == allowed.n ? " or " : ", ";
    length += std::snprintf(list + length, sizeof(list) - length, "%s%lld", between, wide(allowed.values[i]));
  }
  return fail(diopiErrorOccurred, "%s has %lld %s, expected %s", name, wide(count), what, list);
}

Status require_extent(const char* term, int64_t value, const Between& allowed) {
  DIOPI_REQUIRE(value >= allowed.least, diopiErrorOccurred, "%s is %lld, expected at least %lld", term, wide(value),
                wide(allowed.least));
  DIOPI_REQUIRE(value <= allowed.most, diopiErrorOccurred, "%s is %lld, expected at most %lld", term, wide(value),
                wide(allowed.most));
  return diopiSuccess;
}

ShapePattern& ShapePattern::part(const Dims& shape, int start, int end) {
  const int last = from_start(end, shape.n);
  for (int i = from_start(start, shape.n); i < last; ++i) extent(shape[i]);
  return *this;
}

bool ShapePattern::fits(const Dims& shape) const {
  if (shape.n != count_) return false;
  for (int i = 0; i < count_; ++i) {
    if (!extents_[i].fits(shape[i])) return false;
  }
  return true;
}

void ShapePattern::write(char* text, size_t size) const {
  size_t used = std::snprintf(text, size, "[");
  for (int i = 0; i < count_ && used < size; ++i) {
    const char* const between = i == 0 ? "" : ", ";
    used += extents_[i].is_any()
                ? std::snprintf(text + used, size - used, "%sany", between)
                : std::snprintf(text + used, size - used, "%s%lld", between, wide(extents_[i].number()));
  }
  if (used < size) std::snprintf(text + used, size - used, "]");
}

Status require_shape_like(TensorView* view, const ShapePattern& pattern) {
  if (pattern.fits(view->shape)) return diopiSuccess;
  if (pattern.count() == 0) drop_dim_of_number(view, Dims());
  if (pattern.fits(view->shape)) return diopiSuccess;
  char expected[256];
  pattern.write(expected, sizeof(expected));
  return fail(diopiErrorOccurred, "%s has shape %s, expected %s", view->name, Text(view->shape).c_str(), expected);
}

Status refuse_extents(TensorView* view, std::initializer_list<PatternExtent> extents) {
  ShapePattern pattern;
  for (const PatternExtent& n : extents) pattern.extent(n);
  return require_shape_like(view, pattern);
}

Status broadcast_operands(std::initializer_list<const TensorView*> operands, Dims* shape) {
  const TensorView* first = nullptr;
  bool single = true;  // all operands so far have the shape of the first
  for (const TensorView* view : operands) {
    if (view == nullptr) continue;
    if (first == nullptr) {
      first = view;
      *shape = view->shape;
    } else if (!(view->shape == *shape)) {
      Dims joint;
      if (single) {
        DIOPI_TRY(broadcast_shapes(*first, *view, &joint));
      } else {
        DIOPI_TRY(broadcast_shapes(*shape, "the broadcast shape of the other operands,", *view, &joint));
      }
      single = false;
      *shape = joint;
    }
  }
  return diopiSuccess;
}

Status require_broadcastable(std::initializer_list<const TensorView*> operands) {
  Dims shape;
  return broadcast_operands(operands, &shape);
}

Status require_broadcastable(const Dims& a, const char* a_text, const Dims& b, const char* b_text) {
  if (a == b) return diopiSuccess;
  TensorView view;
  view.name = b_text;
  view.shape = b;
  Dims joint;
  return broadcast_shapes(a, a_text, view, &joint);
}

Status require_broadcasts_to(const TensorView& view, const Dims& target) {
  bool fits = view.ndim() <= target.n;
  for (int i = 0; fits && i < view.ndim(); ++i) {
    const int64_t n = view.shape[i];
    fits = n == 1 || n == target[i + target.n - view.ndim()];
  }
  DIOPI_REQUIRE(fits, diopiErrorOccurred, "%s of shape %s does not broadcast to %s", view.name,
                Text(view.shape).c_str(), Text(target).c_str());
  return diopiSuccess;
}

Status require_same_shapes(std::initializer_list<const TensorView*> views) {
  const TensorView* first = nullptr;
  for (const TensorView* view : views) {
    if (view == nullptr) continue;
    if (first == nullptr) first = view;
    DIOPI_TRY(require_same_shape(*view, *first));
  }
  return diopiSuccess;
}

Status require_same_shapes(const ViewList& views, const ViewList& like) {
  for (int64_t i = 0; i < views.size(); ++i) {
    DIOPI_REQUIRE(views[i].shape == like[i].shape, diopiErrorOccurred,
                  "%s[%lld] has shape %s, expected %s, the shape of %s[%lld]", views[i].name, wide(i),
                  Text(views[i].shape).c_str(), Text(like[i].shape).c_str(), like[i].name, wide(i));
  }
  return diopiSuccess;
}

Status require_result_shapes(ViewList* views, const ViewList& like) {
  for (int64_t i = 0; i < views->size(); ++i) drop_dim_of_number(&(*views)[i], like[i].shape);
  return require_same_shapes(*views, like);
}

Status require_same_shapes(const ViewList& views) {
  for (int64_t i = 0; i < views.size(); ++i) {
    DIOPI_REQUIRE(views[i].shape == views[0].shape, diopiErrorOccurred,
                  "%s[%lld] has shape %s, expected %s, the shape of %s[0]", views[i].name, wide(i),
                  Text(views[i].shape).c_str(), Text(views[0].shape).c_str(), views[0].name);
  }
  return diopiSuccess;
}

Status require_dim(int64_t dim, const TensorView& view, const char* name) {
  int wrapped = 0;
  return wrap_dim(dim, view, name, &wrapped);
}

Status require_dims(const char* name, const diopiSize_t& dims, const TensorView& view) {
  uint32_t mask = 0;
  return dims.len > 0 ? read_axes(dims, view, name, &mask) : Status(diopiSuccess);
}

Status require_sum(const char* name, const diopiSize_t& list, const char* text, int64_t sum) {
  int64_t total = 0;
  for (int64_t i = 0; i < list.len; ++i) total = sum_of(total, list.data[i]);
  DIOPI_REQUIRE(total == sum, diopiErrorOccurred, "the entries of %s = %s add up to %lld, expected %s = %lld", name,
                Text(list).c_str(), wide(total), text, wide(sum));
  return diopiSuccess;
}

Status require_broadcasts_to(TensorView* view, const Dims& target) {
  drop_dim_of_number(view, target);
  return require_broadcasts_to(*view, target);
}

Status require_equal_extents(std::initializer_list<NamedExtent> extents) {
  const NamedExtent& first = *extents.begin();
  for (const NamedExtent& other : extents) {
    DIOPI_REQUIRE(other.value == first.value, diopiErrorOccurred, "%s is %lld and %s is %lld, expected equal numbers",
                  first.text, wide(first.value), other.text, wide(other.value));
  }
  return diopiSuccess;
}

namespace {

// `by_text` is the name of a number, or the number itself.
Status refuse_divisor(const char* text, int64_t value, const char* kind, const char* by_text, int64_t by) {
  if (by_text[0] >= '0' && by_text[0] <= '9') {
    return fail(diopiErrorOccurred, "%s is %lld, expected a %smultiple of %s", text, wide(value), kind, by_text);
  }
  return fail(diopiErrorOccurred, "%s is %lld, expected a %smultiple of %s = %lld", text, wide(value), kind, by_text,
              wide(by));
}

}  // namespace

Status require_divisible(const char* text, int64_t value, const char* by_text, int64_t by) {
  if (by != 0 && value % by == 0) return diopiSuccess;
  return refuse_divisor(text, value, "", by_text, by);
}

Status require_divisible(const char* text, int64_t value, const char* by_text, int64_t by, Positive) {
  if (value > 0 && by != 0 && value % by == 0) return diopiSuccess;
  return refuse_divisor(text, value, "positive ", by_text, by);
}

Status require_extents_within(const TensorView& view, const TensorView& limits, int ignored) {
  DIOPI_REQUIRE(std::max(view.ndim(), 1) == std::max(limits.ndim(), 1), diopiErrorOccurred,
                "%s of shape %s has %d dimensions, expected %d, as many as %s has", view.name, Text(view.shape).c_str(),
                view.ndim(), limits.ndim(), limits.name);
  for (int i = 0; i < std::max(view.ndim(), 1); ++i) {
    DIOPI_REQUIRE(i == ignored || extent_along(view, i) <= extent_along(limits, i), diopiErrorOccurred,
                  "%s of shape %s is larger than %s of shape %s in dimension %d", view.name, Text(view.shape).c_str(),
                  limits.name, Text(limits.shape).c_str(), i);
  }
  return diopiSuccess;
}

Status require_extents_within(const TensorView& view, const TensorView& limits, int ignored, AnyShapeIfEmpty) {
  return view.numel == 0 ? Status(diopiSuccess) : require_extents_within(view, limits, ignored);
}

Status require_no_empty_dims(const TensorView& view, int64_t last) {
  for (int i = std::max<int>(0, view.ndim() - static_cast<int>(std::min<int64_t>(last, kMaxDims))); i < view.ndim();
       ++i) {
    DIOPI_REQUIRE(view.shape[i] != 0, diopiErrorOccurred, "%s of shape %s has no elements in dimension %d", view.name,
                  Text(view.shape).c_str(), i);
  }
  return diopiSuccess;
}

Status require_fits_index(const TensorView& indices, int64_t count) {
  DIOPI_REQUIRE(indices.dtype != diopi_dtype_int32 || count - 1 <= INT32_MAX, diopiErrorOccurred,
                "%s has dtype int32, which does not hold positions among %lld elements, expected int64", indices.name,
                wide(count));
  return diopiSuccess;
}

}  // namespace diopi
