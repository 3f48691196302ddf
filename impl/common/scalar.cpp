#include "scalar.hpp"

namespace diopi {

namespace {

void merge(diopiDtype_t* group, diopiDtype_t dtype) {
  *group = *group == diopi_dtype_unsupported ? dtype : promote_types(*group, dtype);
}

int category(diopiDtype_t d) {
  if (d == diopi_dtype_unsupported) return -1;
  if (d == diopi_dtype_bool) return 0;
  if (is_integral(d)) return 1;
  return is_floating(d) ? 2 : 3;
}

// `low` changes `high` only where its category is higher.
diopiDtype_t combine(diopiDtype_t high, diopiDtype_t low) {
  if (category(high) >= category(low)) return high;
  return category(high) < 0 ? low : promote_types(high, low);
}

}  // namespace

ResultType& ResultType::tensor(diopiDtype_t dtype, int ndim) {
  merge(ndim > 0 ? &dims_ : &zero_, dtype);
  return *this;
}

ResultType& ResultType::scalar(const diopiScalar_t& s) {
  merge(&scalar_, scalar_dtype(s));
  return *this;
}

diopiDtype_t ResultType::get() const { return combine(combine(dims_, zero_), scalar_); }

}  // namespace diopi
