// SPDX-License-Identifier: BSD-3-Clause
// k and p of each sequence.
#include <algorithm>
#include <cmath>

#include "impl/common/engine/sampling.hpp"
#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/common/temporary.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/sampling/lists.hpp"

namespace impl::cpu {

namespace {

constexpr int64_t kMostK = 1024;

Status check_lists(const int64_t* ks, const double* ps, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<long long>(i);
    DIOPI_REQUIRE(ks == nullptr || ks[i] >= 0, diopiErrorOccurred,
                  "top_ks holds %lld at position %lld, expected at least 0", static_cast<long long>(ks[i]), at);
    DIOPI_REQUIRE(ps == nullptr || std::isfinite(ps[i]), diopiErrorOccurred,
                  "top_ps holds %g at position %lld, expected a finite number", ps[i], at);
  }
  return diopiSuccess;
}

template <typename T>
Status make_list(diopiContextHandle_t ctx, const TensorView& like, TensorView* list) {
  return diopi::make_temporary(ctx, like.shape, diopi::dtype_of<T>, like.name, list);
}

}  // namespace

Status run_sampling_arguments(diopiContextHandle_t ctx, const SamplingArguments& p) {
  const int64_t count = p.top_ks.numel;
  const int64_t* ks = nullptr;
  const double* ps = nullptr;
  if (p.reads_ks) DIOPI_TRY(read_list(ctx, p.top_ks, &ks));
  if (p.reads_ps) DIOPI_TRY(read_list(ctx, p.top_ps, &ps));
  DIOPI_TRY(check_lists(ks, ps, count));
  TensorView new_ks, new_ps, skips;
  DIOPI_TRY(make_list<int64_t>(ctx, p.top_ks, &new_ks));
  DIOPI_TRY(make_list<double>(ctx, p.top_ps, &new_ps));
  DIOPI_TRY(make_list<bool>(ctx, p.skip_decode, &skips));
  if (count == 0 || diopi::in_dry_run()) return diopiSuccess;
  diopi::parallel_for(count, diopi::Picoseconds{1500}, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      int64_t k = ks != nullptr ? ks[i] : p.top_k;
      double share = ps != nullptr ? ps[i] : static_cast<double>(p.top_p);
      if (k == 0 && share == 0) k = 1;
      if (!p.for_top_p && k > 0 && share == 0) share = 1;
      new_ks.ptr<int64_t>()[i] = p.for_top_p ? k : std::min(k, kMostK);
      new_ps.ptr<double>()[i] = std::clamp(share, 0.0, 1.0);
      skips.ptr<bool>()[i] = p.for_top_p ? k > 0 : k == 0;
    }
  });
  copy_view(p.top_ks, new_ks);
  copy_view(p.top_ps, new_ps);
  copy_view(p.skip_decode, skips);
  return diopiSuccess;
}

}  // namespace impl::cpu
