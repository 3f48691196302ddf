// SPDX-License-Identifier: BSD-3-Clause
// The rules of the registry about shapes, and the terms that they compare. Generated code calls these functions.
#ifndef IMPL_COMMON_RULES_SHAPES_HPP_
#define IMPL_COMMON_RULES_SHAPES_HPP_

#include <climits>
#include <cstdio>
#include <initializer_list>

#include "impl/common/shape.hpp"
#include "impl/common/view_list.hpp"

namespace diopi {

// The extent of a dimension, counted from the end if negative; -1 if the tensor does not have that dimension.
inline int64_t extent(const TensorView& view, int dim) {
  const int i = dim < 0 ? dim + view.ndim() : dim;
  return i >= 0 && i < view.ndim() ? view.shape[i] : -1;
}
// The extent along a dimension that has been checked; 1 for a tensor without dimensions.
int64_t extent_along(const TensorView& view, int64_t dim);
// The second extent, or the only one of a vector.
inline int64_t channels_of(const TensorView& view) { return extent(view, view.ndim() == 1 ? 0 : 1); }
// An entry of a list, counted from the end if negative; -1 if the list does not have it.
int64_t entry(const diopiSize_t& list, int i);
// The extents from `start` to below `end`; a negative position counts from the end.
Dims part_of(const Dims& shape, int start, int end);

// Sums, differences and products of extents and attributes; INT64_MAX or INT64_MIN where the result does not fit.
int64_t sum_of(int64_t a, int64_t b);
int64_t difference_of(int64_t a, int64_t b);
int64_t product_of(int64_t a, int64_t b);

// The numbers that a rule allows: between two bounds, or one of a few.
struct Between {
  int64_t least, most;
  static constexpr Between exactly(int64_t n) { return {n, n}; }
  bool holds(int64_t value) const { return value >= least && value <= most; }
};
struct OneOf {
  template <typename... T>
  explicit constexpr OneOf(T... numbers) : values{static_cast<int64_t>(numbers)...}, n(sizeof...(T)) {}
  bool holds(int64_t value) const;
  int64_t values[4];
  int n;
};
// `what` is a unit, such as `dimensions`.
Status refuse_count(const char* name, const char* what, int64_t count, const Between& allowed);
Status refuse_count(const char* name, const char* what, int64_t count, const OneOf& allowed);
// The same for a tensor; the message has its shape.
template <typename Allowed>
Status refuse_count(const TensorView& view, const char* what, int64_t count, const Allowed& allowed) {
  char text[320];
  std::snprintf(text, sizeof(text), "%s of shape %s", view.name, Text(view.shape).c_str());
  return refuse_count(text, what, count, allowed);
}

template <typename Allowed>
Status require_ndim(const TensorView& view, const Allowed& allowed) {
  if (__builtin_expect(allowed.holds(view.ndim()), 1)) return diopiSuccess;
  return refuse_count(view, "dimensions", view.ndim(), allowed);
}
template <typename Allowed>
Status require_ndim(const ViewList& views, const Allowed& allowed) {
  for (const TensorView& view : views) DIOPI_TRY(require_ndim(view, allowed));
  return diopiSuccess;
}
template <typename Allowed>
Status require_numel(const TensorView& view, const Allowed& allowed) {
  return allowed.holds(view.numel) ? Status(diopiSuccess) : refuse_count(view, "elements", view.numel, allowed);
}
template <typename Allowed>
Status require_numel(const ViewList& views, const Allowed& allowed) {
  for (const TensorView& view : views) DIOPI_TRY(require_numel(view, allowed));
  return diopiSuccess;
}
template <typename Allowed>
Status require_length(const char* name, int64_t length, const Allowed& allowed) {
  return allowed.holds(length) ? Status(diopiSuccess) : refuse_count(name, "entries", length, allowed);
}
// `term` is the text of the number: `input[dim]`.
Status require_extent(const char* term, int64_t value, const Between& allowed);

// An extent of a pattern: a number, which may be a negative argument of the caller that no tensor has, or any extent.
class PatternExtent {
 public:
  struct Any {};
  constexpr PatternExtent() : PatternExtent(Any{}) {}
  constexpr PatternExtent(Any /*any*/) : number_(kFree) {}  // NOLINT(google-explicit-constructor)
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr PatternExtent(int64_t number) : number_(number == kFree ? kFree + 1 : number) {}
  constexpr bool is_any() const { return number_ == kFree; }
  constexpr bool fits(int64_t extent) const { return is_any() || number_ == extent; }
  constexpr int64_t number() const { return number_; }

 private:
  static constexpr int64_t kFree = INT64_MIN;
  int64_t number_;
};
inline constexpr PatternExtent::Any kAnyExtent{};

// A shape in which some extents are free.
class ShapePattern {
 public:
  ShapePattern& extent(PatternExtent n) {
    if (count_ < kMaxDims) extents_[count_++] = n;
    return *this;
  }
  ShapePattern& any() { return extent(kAnyExtent); }
  ShapePattern& part(const Dims& shape, int start, int end);
  int count() const { return count_; }
  bool fits(const Dims& shape) const;
  // The extents in brackets, with the word any for free ones.
  void write(char* text, size_t size) const;

 private:
  int count_ = 0;
  PatternExtent extents_[kMaxDims];
};
// Requires a shape like the pattern. A vector of one element becomes a 0-d view if the pattern is that of a number.
Status require_shape_like(TensorView* view, const ShapePattern& pattern);
// require_shape_like() where the extents differ: the view may be a vector of one element.
Status refuse_extents(TensorView* view, std::initializer_list<PatternExtent> extents);
inline Status require_shape_like(TensorView* view, std::initializer_list<PatternExtent> extents) {
  bool same = static_cast<size_t>(view->ndim()) == extents.size();
  const int64_t* given = view->shape.v;
  if (same) {
    for (const PatternExtent& n : extents) {
      same &= n.fits(*given);
      ++given;
    }
  }
  return __builtin_expect(same, 1) ? Status(diopiSuccess) : refuse_extents(view, extents);
}

// The shape to which operands broadcast. Null operands are skipped.
Status broadcast_operands(std::initializer_list<const TensorView*> operands, Dims* shape);
// The texts name the two shapes in the message.
Status require_broadcastable(const Dims& a, const char* a_text, const Dims& b, const char* b_text);
// Null operands are skipped.
Status require_broadcastable(std::initializer_list<const TensorView*> operands);
Status require_broadcasts_to(const TensorView& view, const Dims& target);
// The same for an output: a vector of one element becomes a 0-d view if the target has no dimensions.
Status require_broadcasts_to(TensorView* view, const Dims& target);

// Requires one shape of all tensors that are not null.
Status require_same_shapes(std::initializer_list<const TensorView*> views);
// Requires that the tensors of a list have the same shape.
Status require_same_shapes(const ViewList& views);
// Requires that each tensor of a list has the shape of the tensor of the same number in another list.
Status require_same_shapes(const ViewList& views, const ViewList& like);
// The same for results: a vector of one element becomes a 0-d view if the other tensor has no dimensions.
Status require_result_shapes(ViewList* views, const ViewList& like);
// Requires that a number is a dimension of a tensor.
Status require_dim(int64_t dim, const TensorView& view, const char* name);
// Requires that the entries of a list are dimensions of a tensor, each at most once.
Status require_dims(const char* name, const diopiSize_t& dims, const TensorView& view);
// Requires that the entries of a list add up to `sum`; `text` names that number.
Status require_sum(const char* name, const diopiSize_t& list, const char* text, int64_t sum);

struct NamedExtent {
  const char* text;
  int64_t value;
};
Status require_equal_extents(std::initializer_list<NamedExtent> extents);

struct Positive {};
inline constexpr Positive kPositive{};
Status require_divisible(const char* text, int64_t value, const char* by_text, int64_t by);
Status require_divisible(const char* text, int64_t value, const char* by_text, int64_t by, Positive);

struct AnyShapeIfEmpty {};
inline constexpr AnyShapeIfEmpty kAnyShapeIfEmpty{};
// `ignored`: the dimension whose extent is free, or -1.
Status require_extents_within(const TensorView& view, const TensorView& limits, int ignored);
Status require_extents_within(const TensorView& view, const TensorView& limits, int ignored, AnyShapeIfEmpty);

// Requires that none of the last `last` extents is 0.
Status require_no_empty_dims(const TensorView& view, int64_t last);
// Requires that the dtype of `indices` holds every index below `count`.
Status require_fits_index(const TensorView& indices, int64_t count);

}  // namespace diopi

#endif  // IMPL_COMMON_RULES_SHAPES_HPP_
