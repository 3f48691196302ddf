// SPDX-License-Identifier: BSD-3-Clause
// Bad words, stop words and the length criterion.
#include <limits>

#include "impl/common/engine/sampling.hpp"
#include "impl/common/parallel.hpp"
#include "impl/cpu/engine/sampling/lists.hpp"

namespace impl::cpu {

namespace {

// The words of one sequence: the ids of all words, and the end of each.
struct Words {
  const int64_t *ids, *ends;
  int64_t count;

  // Calls f(ids, length) for each word that has ids.
  template <typename F>
  void for_each(const F& f) const {
    int64_t start = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (ends[i] < 0) continue;
      if (ends[i] > start) f(ids + start, ends[i] - start);
      start = ends[i];
    }
  }
};

// The ids of the words and of the sequences, packed.
struct Read {
  const int64_t *words, *produced;
  int64_t count, per_sequence;

  Words of(int64_t b) const { return {words + b * per_sequence, words + b * per_sequence + count, count}; }
};

Status read(diopiContextHandle_t ctx, const WordsProblem& p, Read* read) {
  DIOPI_TRY(read_list(ctx, p.words, &read->words));
  DIOPI_TRY(read_list(ctx, p.output_ids, &read->produced));
  read->count = p.words.shape[p.words.ndim() - 1];
  read->per_sequence = p.words.ndim() == 3 ? 2 * read->count : 0;
  const int64_t lists = p.words.ndim() == 3 ? p.words.shape[0] : 1;
  for (int64_t b = 0; b < lists; ++b) {
    for (int64_t i = 0; i < read->count; ++i) {
      const int64_t end = read->of(b).ends[i];
      DIOPI_REQUIRE(end <= read->count, diopiErrorOccurred, "%s has the end %lld of a word, expected at most %lld",
                    p.words.name, static_cast<long long>(end), static_cast<long long>(read->count));
    }
  }
  return diopiSuccess;
}

// Whether the ids that sequence b produced from step `first` on begin with these ids.
bool has_produced(const WordsProblem& p, const Read& read, int64_t b, int64_t first, const int64_t* ids,
                  int64_t count) {
  const int64_t* produced = read.produced + first * p.batch + p.id_offset + b;
  for (int64_t i = 0; i < count; ++i) {
    if (produced[i * p.batch] != ids[i]) return false;
  }
  return true;
}

diopi::Picoseconds cost_of(const Read& read) { return diopi::Picoseconds{5000 * (1 + read.count)}; }

}  // namespace

Status ban_words(diopiContextHandle_t ctx, const WordsProblem& p, const TensorView& logits) {
  if (p.batch == 0) return diopiSuccess;
  Read lists{};
  DIOPI_TRY(read(ctx, p, &lists));
  diopi::parallel_for(p.batch, cost_of(lists), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      lists.of(b).for_each([&](const int64_t* ids, int64_t length) {
        const int64_t before = length - 1, last = ids[before];
        if (last <= 0 || last >= logits.shape[1] || p.step < before) return;
        if (!has_produced(p, lists, b, p.step - before, ids, before)) return;
        set_number(logits, b * logits.stride[0] + last * logits.stride[1], -std::numeric_limits<double>::infinity());
      });
    }
  });
  return diopiSuccess;
}

Status stop_at_words(diopiContextHandle_t ctx, const WordsProblem& p, const TensorView& finished) {
  if (p.batch == 0) return diopiSuccess;
  Read lists{};
  DIOPI_TRY(read(ctx, p, &lists));
  diopi::parallel_for(p.batch, cost_of(lists), [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      bool ends = false;
      lists.of(b).for_each([&](const int64_t* ids, int64_t length) {
        const int64_t first = p.step + 1 - length;
        ends = ends || (first >= 0 && has_produced(p, lists, b, first, ids, length));
      });
      if (ends) finished.ptr<bool>()[b * finished.stride[0]] = true;
    }
  });
  return diopiSuccess;
}

Status stop_at_length(diopiContextHandle_t ctx, const TensorView& finished, const TensorView& all,
                      const TensorView& count, const TensorView& limits, int64_t step) {
  const int64_t* limit = nullptr;
  DIOPI_TRY(read_list(ctx, limits, &limit));
  DIOPI_TRY(require_elements(limits.name, limit, limits.numel, 0));
  int64_t ended = 0;
  for (int64_t b = 0; b < finished.numel; ++b) {
    bool& flag = finished.ptr<bool>()[b * finished.stride[0]];
    flag = flag || step >= limit[b];
    ended += flag;
  }
  *all.ptr<bool>() = ended == finished.numel;
  set_integer(count, 0, ended);
  return diopiSuccess;
}

}  // namespace impl::cpu
