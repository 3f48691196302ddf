// SPDX-License-Identifier: BSD-3-Clause
#include "impl/common/families/attention_llm.hpp"

#include "impl/common/parallel.hpp"
#include "impl/common/rules/indices.hpp"
#include "impl/cpu/attention/token.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/sampling/lists.hpp"

namespace impl::cpu {

namespace {

// The lists of a CachedTokens, checked.
struct ReadTokens {
  const int64_t *location, *start, *length;
  int64_t width, longest, batch;

  const int64_t* rows(int64_t b) const { return location + b * width + (longest - length[b]); }
};

Status read_tokens(diopiContextHandle_t ctx, const CachedTokens& p, const TensorView& cache, const TensorView& scores,
                   ReadTokens* read) {
  DIOPI_TRY(read_list(ctx, p.location, &read->location));
  DIOPI_TRY(read_list(ctx, p.start, &read->start));
  DIOPI_TRY(read_list(ctx, p.length, &read->length));
  read->width = p.location.shape[1];
  read->longest = p.longest;
  read->batch = p.location.shape[0];
  for (int64_t b = 0; b < read->batch; ++b) {
    DIOPI_REQUIRE(read->length[b] <= p.longest, diopiErrorOccurred,
                  "%s holds %lld at position %lld, expected at most max_input_len = %lld", p.length.name,
                  static_cast<long long>(read->length[b]), static_cast<long long>(b),
                  static_cast<long long>(p.longest));
  }
  DIOPI_TRY(check_sequences(p.start, p.length, read->start, read->length, scores.shape[1]));
  for (int64_t b = 0; b < read->batch; ++b) {
    for (int64_t t = 0; t < read->length[b]; ++t) {
      const int64_t row = read->rows(b)[t];
      if (row < 0 || row >= cache.shape[0]) {
        return diopi::refuse_index(p.location, row, read->rows(b) + t - read->location, cache, 0, false);
      }
    }
  }
  return diopiSuccess;
}

// The rows of a cache, whose heads are packed, for the tokens of sequence b.
CacheRows sequence_rows(const ReadTokens& tokens, const TensorView& cache, int64_t b, int64_t group) {
  return {cache.data, tokens.rows(b), cache.stride[0], cache.stride[1], tokens.length[b], cache.shape[2], group};
}

// Calls f(b, first, end) for the parts of sequences in [begin, end), if each of them has `size` elements.
template <typename F>
void for_sequences(int64_t begin, int64_t end, int64_t size, const F& f) {
  while (begin < end) {
    const int64_t b = begin / size, first = begin % size, last = std::min(size, first + (end - begin));
    f(b, first, last);
    begin += last - first;
  }
}

int64_t longest_length(const ReadTokens& tokens) {
  return tokens.batch > 0 ? *std::max_element(tokens.length, tokens.length + tokens.batch) : 0;
}

// The cost of the products of a query with so many elements of the cache.
diopi::Picoseconds product_cost(int64_t elements) { return diopi::Picoseconds{40 * std::max<int64_t>(elements, 8)}; }

}  // namespace

Status score_tokens(diopiContextHandle_t ctx, const CachedTokens& p, const TensorView& scores, const TensorView& q,
                    const TensorView& k) {
  ReadTokens tokens{};
  TensorView queries, keys;
  DIOPI_TRY(read_tokens(ctx, p, k, scores, &tokens));
  DIOPI_TRY(pack_rows(ctx, q, diopi::compute_dtype(q.dtype), &queries));
  DIOPI_TRY(pack_rows(ctx, k, k.dtype, &keys));
  const int64_t heads = q.shape[1], group = heads / k.shape[1], size = q.itemsize(), longest = longest_length(tokens);
  const double scale = 1 / std::sqrt(static_cast<double>(q.shape[2]));
  if (heads == 0) return diopiSuccess;
  const ScoreRowsFn score = score_rows_kernel(q.dtype);
  diopi::parallel_for(tokens.batch * longest, product_cost(heads * q.shape[2]), [&](int64_t begin, int64_t end) {
    for_sequences(begin, end, longest, [&](int64_t b, int64_t first, int64_t last) {
      const TokenScores to{
          queries.data + b * queries.stride[0] * queries.itemsize(), queries.stride[1], heads,           scale,
          scores.data + tokens.start[b] * scores.stride[1] * size,   scores.stride[0],  scores.stride[1]};
      score(sequence_rows(tokens, keys, b, group), to, first, std::min(last, tokens.length[b]));
    });
  });
  return diopiSuccess;
}

namespace {

// The sums of a call. The tokens of a sequence are divided into chunks, whose limits depend on nothing else, so the
// bits do not depend on the number of threads. All arrays have the compute dtype.
struct ChunkedSums {
  static constexpr int64_t kChunk = 512;
  const ReadTokens& tokens;
  const TensorView &scores, &values, &out;
  int64_t heads, longest, wide;
  char *weights, *sums;  // [batch, heads, longest], [batch, chunks, heads, 2 * d]
  double* factors;       // [batch, heads]

  int64_t d() const { return values.shape[2]; }
  int64_t chunks() const { return (longest + kChunk - 1) / kChunk; }
  char* weights_of(int64_t b, int64_t h) const { return weights + (b * heads + h) * longest * wide; }
  char* sums_of(int64_t b, int64_t chunk, int64_t h) const {
    return sums + ((b * chunks() + chunk) * heads + h) * 2 * d() * wide;
  }

  void make_weights(int64_t b, int64_t h, diopiDtype_t compute, MakeWeightsFn make) const {
    if (tokens.length[b] == 0) return;
    const CopyDim dim{tokens.length[b], 1, scores.stride[1]};
    copy_strided(weights_of(b, h), compute,
                 scores.data + (h * scores.stride[0] + tokens.start[b] * scores.stride[1]) * scores.itemsize(),
                 scores.dtype, &dim, 1);
    factors[b * heads + h] = make(weights_of(b, h), tokens.length[b]);
  }

  void add_chunk(int64_t b, int64_t chunk, int64_t first, int64_t last, SumRowsFn sum) const {
    const int64_t begin = chunk * kChunk, end = std::min(begin + kChunk, tokens.length[b]);
    if (begin >= end) return;
    const TokenSums to{first, last - first, weights_of(b, first), longest, sums_of(b, chunk, first)};
    sum(sequence_rows(tokens, values, b, heads / values.shape[1]), to, begin, end);
  }

  void write(int64_t b, int64_t h, AddSumsFn add) const {
    char* const y = out.data + (b * out.stride[0] + h * out.stride[1]) * out.itemsize();
    const int64_t count = (tokens.length[b] + kChunk - 1) / kChunk;
    if (count == 0) {
      std::fill_n(y, d() * out.itemsize(), char{0});
    } else {
      add(sums_of(b, 0, h), count, heads * 2 * d(), d(), factors[b * heads + h], y);
    }
  }
};

}  // namespace

Status sum_tokens(diopiContextHandle_t ctx, const CachedTokens& p, const TensorView& out, const TensorView& scores,
                  const TensorView& v) {
  ReadTokens tokens{};
  TensorView values, packed;
  DIOPI_TRY(read_tokens(ctx, p, v, scores, &tokens));
  DIOPI_TRY(pack_rows(ctx, v, v.dtype, &values));
  DIOPI_TRY(pack_output_rows(ctx, out, false, &packed));
  const diopiDtype_t compute = diopi::compute_dtype(v.dtype);
  const int64_t heads = scores.shape[0], rows = tokens.batch * heads, longest = longest_length(tokens);
  ChunkedSums call{tokens,  scores,  values, packed, heads, longest, diopi::dtype_size(compute),
                   nullptr, nullptr, nullptr};
  diopi::Workspace workspace(ctx);
  DIOPI_TRY(workspace.take(rows * longest * call.wide, &call.weights));
  DIOPI_TRY(workspace.take(rows * call.chunks() * 2 * call.d() * call.wide, &call.sums));
  DIOPI_TRY(workspace.take(rows, &call.factors));
  const ChunkedSums& all = call;
  const auto make = make_weights_kernel(v.dtype);
  diopi::parallel_for(rows, diopi::Picoseconds{1000 * longest + 1000}, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) all.make_weights(i / heads, i % heads, compute, make);
  });
  const auto sum = sum_rows_kernel(v.dtype);
  const int64_t chunks = call.chunks();
  const auto add_chunk = [&](int64_t part, int64_t first, int64_t last) {
    all.add_chunk(part / chunks, part % chunks, first, last, sum);
  };
  diopi::parallel_for(rows * chunks, product_cost(std::min(longest, ChunkedSums::kChunk) * call.d()),
                      [&](int64_t begin, int64_t end) { for_sequences(begin, end, heads, add_chunk); });
  const auto add = add_sums_kernel(v.dtype);
  diopi::parallel_for(rows, diopi::Picoseconds{(chunks + 1) * call.d() * 100 + 5000}, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) all.write(i / heads, i % heads, add);
  });
  unpack(out, packed);
  return diopiSuccess;
}

namespace {

// The lists of a TokenPenalties.
struct Penalties {
  const int64_t *ids, *starts;
  const double *counts, *presence, *frequency, *repetition;
};

Status read_penalties(diopiContextHandle_t ctx, const TokenPenalties& p, Penalties* read) {
  DIOPI_TRY(read_list(ctx, p.ids, &read->ids));
  DIOPI_TRY(read_list(ctx, p.starts, &read->starts));
  DIOPI_TRY(read_list(ctx, p.counts, &read->counts));
  DIOPI_TRY(read_list(ctx, p.presence, &read->presence));
  DIOPI_TRY(read_list(ctx, p.frequency, &read->frequency));
  DIOPI_TRY(read_list(ctx, p.repetition, &read->repetition));
  for (int64_t b = 0; p.starts != nullptr && b < p.starts->numel; ++b) {
    const int64_t before = b > 0 ? read->starts[b - 1] : 0;
    DIOPI_REQUIRE(read->starts[b] >= before && read->starts[b] <= p.ids.numel, diopiErrorOccurred,
                  "%s holds %lld at position %lld, expected a number from %lld to %lld", p.starts->name,
                  static_cast<long long>(read->starts[b]), static_cast<long long>(b), static_cast<long long>(before),
                  static_cast<long long>(p.ids.numel));
  }
  const int64_t below = p.starts != nullptr ? p.logits.shape[1] : p.logits.numel;
  const int64_t first = p.starts != nullptr ? read->starts[0] : 0;
  const int64_t end = p.starts != nullptr ? read->starts[p.starts->numel - 1] : p.ids.numel;
  for (int64_t i = first; i < end; ++i) {
    DIOPI_REQUIRE(read->ids[i] >= 0 && read->ids[i] < below, diopiErrorOccurred,
                  "%s holds %lld at position %lld, which is out of range [0, %lld] for logits of shape %s", p.ids.name,
                  static_cast<long long>(read->ids[i]), static_cast<long long>(i), static_cast<long long>(below - 1),
                  diopi::Text(p.logits.shape).c_str());
  }
  return diopiSuccess;
}

// The logit at `at` after the penalties of token i, which belong to entry `entry` of the lists.
template <typename S, typename T>
T penalised(const S* at, const Penalties& p, int64_t i, int64_t entry) {
  T logit = static_cast<T>(*at);
  if (p.repetition != nullptr) {
    const T by = static_cast<T>(p.repetition[entry]);
    logit = logit > 0 ? logit / by : logit * by;
  }
  return logit - (static_cast<T>(p.counts[i]) * static_cast<T>(p.frequency[entry]) + static_cast<T>(p.presence[entry]));
}

// Computes all results from the original logits before it writes them in the order of the tokens.
template <typename S>
void penalise(const TokenPenalties& p, const Penalties& lists, int64_t* offsets, double* results) {
  using T = std::conditional_t<std::is_same_v<S, double>, double, float>;
  S* const logits = p.logits.ptr<S>();
  const int64_t columns = p.logits.shape[1], rows = p.starts != nullptr ? p.logits.shape[0] : 1;
  const int64_t first = p.starts != nullptr ? lists.starts[0] : 0;
  for (int64_t b = 0; b < rows; ++b) {
    const int64_t begin = p.starts != nullptr ? lists.starts[b] : 0;
    const int64_t end = p.starts != nullptr ? lists.starts[b + 1] : p.ids.numel;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t row = p.starts != nullptr ? b : lists.ids[i] / columns;
      const int64_t column = p.starts != nullptr ? lists.ids[i] : lists.ids[i] % columns;
      offsets[i] = row * p.logits.stride[0] + column * p.logits.stride[1];
      results[i] = static_cast<double>(penalised<S, T>(logits + offsets[i], lists, i, p.starts != nullptr ? b : i));
    }
  }
  const int64_t end = p.starts != nullptr ? lists.starts[rows] : p.ids.numel;
  for (int64_t i = first; i < end; ++i) logits[offsets[i]] = static_cast<S>(static_cast<T>(results[i]));
}

}  // namespace

Status subtract_penalties(diopiContextHandle_t ctx, const TokenPenalties& p) {
  Penalties lists{};
  int64_t* offsets = nullptr;
  double* results = nullptr;
  DIOPI_TRY(read_penalties(ctx, p, &lists));
  DIOPI_TRY(diopi::Workspace(ctx).take(p.ids.numel, &offsets));
  DIOPI_TRY(diopi::Workspace(ctx).take(p.ids.numel, &results));
  return diopi::visit_dtype<diopi::FloatingTypes>(p.logits.dtype, [&](auto tag) -> Status {
    penalise<diopi::tagged<decltype(tag)>>(p, lists, offsets, results);
    return diopiSuccess;
  });
}

}  // namespace impl::cpu
