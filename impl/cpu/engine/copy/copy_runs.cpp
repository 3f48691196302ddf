// SPDX-License-Identifier: BSD-3-Clause
#include "impl/cpu/engine/copy/copy_runs.hpp"

#include "impl/common/kernel_table.hpp"
#include "impl/cpu/engine/copy/copy_simd.hpp"
#include "impl/cpu/engine/copy/run_rows.hpp"
#include "impl/cpu/prefetch.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "impl/cpu/engine/copy/copy_runs.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "impl/common/parallel.hpp"
#include "impl/common/step_memory.hpp"
#include "impl/cpu/engine/copy/copy.hpp"
#include "impl/cpu/engine/copy/copy_bytes-inl.h"
#include "impl/cpu/engine/copy/short_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace impl::cpu {
namespace HWY_NAMESPACE {

// A row of items of type T.
template <typename T>
HWY_INLINE void copy_items(const RunRows& r, const DimRuns& runs, char* out, const char* in) {
  T number;
  std::memcpy(&number, r.number, sizeof(T));
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  const int64_t to_step = r.packed ? 1 : r.last().out_step / kSize, from_step = r.last().in_step / kSize;
  for (int k = 0; k < runs.count; ++k) {
    const Run& run = runs.run[k];
    T* to = reinterpret_cast<T*>(out) + run.out * to_step;
    if (run.in == Run::kOutside) {
      for (int64_t i = 0; i < run.length; ++i) to[i * to_step] = number;
      continue;
    }
    const T* from = reinterpret_cast<const T*>(in) + run.in * from_step;
    const int64_t step = run.step * from_step;
    if (run.length == 1) {
      *to = *from;
    } else if (r.packed && run.step == 1) {
      copy_bytes(reinterpret_cast<char*>(to), reinterpret_cast<const char*>(from), run.length * kSize);
    } else {
      for (int64_t i = 0; i < run.length; ++i) to[i * to_step] = from[i * step];
    }
  }
}

// Fetches what rows a page ahead will read, and rows half a page ahead will write. Of two lines that are asked for, the
// processor fetches the next one, too.
HWY_INLINE void prefetch_ahead(const char* in, const char* out, int64_t bytes) {
  constexpr int64_t kAhead = 4096, kLine = 64;
  if (!fetches_ahead()) return;
  for (int64_t i = 0; i < bytes; i += 2 * kLine) {
    __builtin_prefetch(in + kAhead + i);
    __builtin_prefetch(out + kAhead / 2 + i, 1);
  }
}

// A row with edges.
template <typename T>
HWY_INLINE void copy_edges(const Edges& edges, char* out, const char* in) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(T));
  T* to = reinterpret_cast<T*>(out);
  const T* from = reinterpret_cast<const T*>(in);
  const Run& run = edges.middle;
  prefetch_ahead(in + run.in * kSize, out, run.length * kSize);
  copy_bytes(out + run.out * kSize, in + run.in * kSize, run.length * kSize);
  for (int k = 0; k < edges.count; ++k) to[edges.to[k]] = from[edges.from[k]];
}

HWY_INLINE int longest_run(const DimRuns& runs) {
  int longest = 0;
  for (int k = 1; k < runs.count; ++k) {
    if (runs.run[k].length > runs.run[longest].length) longest = k;
  }
  return longest;
}

// Run k of the runs in the order in which they are copied: the longest is the first.
HWY_INLINE const Run& longest_first(const DimRuns& runs, int longest, int k) {
  return runs.run[k == 0 ? longest : k <= longest ? k - 1 : k];
}

// Sets `bytes` bytes of each row to the number.
HWY_INLINE void fill_rows(const RunRows& r, char* out, int64_t out_step, int64_t bytes, int64_t rows) {
  for (int64_t at = 0; at < bytes; at += kShortRowBytes) {
    copy_spaced_rows(out + at, out_step, r.number, 0, std::min(kShortRowBytes, bytes - at), rows);
  }
}

// Short rows: one run after the other, in blocks of rows. The blocks are small, so that the stores to a line that two
// runs share follow each other closely: blocks of 4 KiB took a third longer where results do not fit the second-level
// cache.
HWY_INLINE void copy_short_run_rows(const RunRows& r, const DimRuns& runs, char* out, int64_t out_step, const char* in,
                                    int64_t in_step, int64_t rows) {
  constexpr int64_t kBlockBytes = 1024;
  const int64_t row_bytes = r.last().extent * r.item, most = std::max<int64_t>(1, kBlockBytes / row_bytes);
  const int longest = longest_run(runs);  // its stores fetch the lines that the other runs share with it
  for (; rows > 0; rows -= most, out += most * out_step, in += most * in_step) {
    const int64_t count = std::min(rows, most);
    prefetch_ahead(in, out, count * row_bytes);
    for (int k = 0; k < runs.count; ++k) {
      const Run& run = longest_first(runs, longest, k);
      char* const to = out + run.out * r.item;
      const char* const from = in + run.in * r.item;
      if (run.in == Run::kOutside) {
        fill_rows(r, to, out_step, run.length * r.item, count);
      } else if (run.step == 1) {
        copy_spaced_rows(to, out_step, from, in_step, run.length * r.item, count);
      } else {
        for (int64_t i = 0; i < run.length; ++i) {
          copy_spaced_rows(to + i * r.item, out_step, from + i * run.step * r.item, in_step, r.item, count);
        }
      }
    }
  }
}

// A row of items of any size.
HWY_INLINE void copy_blocks(const RunRows& r, const DimRuns& runs, char* out, const char* in) {
  const Line& row = r.last();
  for (int k = 0; k < runs.count; ++k) {
    const Run& run = runs.run[k];
    char* to = out + run.out * row.out_step;
    const bool outside = run.in == Run::kOutside, at_once = r.packed && (run.step == 1 || outside);
    const int64_t count = at_once ? 1 : run.length, bytes = at_once ? run.length * r.item : r.item;
    for (int64_t i = 0; i < count; ++i, to += row.out_step) {
      const char* from = in + (run.in + i * run.step) * row.in_step;
      if (outside) {
        broadcast_element(to, r.number, r.itemsize, bytes / r.itemsize);
      } else if (r.streams && bytes >= kStreamRun) {
        stream_rows(to, 0, from, 0, bytes, 1);
      } else {
        copy_bytes(to, from, bytes);
      }
    }
  }
}

// Copies rows [begin, end) of one place in the lines outside of the last two. The longest run is the first, so that
// planes are read in the order of memory; shorter runs mostly repeat rows that are in cache by then.
template <class CopyRows>
HWY_INLINE void copy_plane(const RunRows& r, bool inside, char* out, const char* in, int64_t begin, int64_t end,
                           const CopyRows& copy_rows) {
  const Line& line = r.line[r.n - 2];
  const DimRuns& runs = line.runs != nullptr ? *line.runs : r.whole;
  const int longest = longest_run(runs);
  for (int k = 0; k < runs.count; ++k) {
    const Run& run = longest_first(runs, longest, k);
    const int64_t first = std::max(begin, run.out),
                  last = line.runs != nullptr ? std::min(end, run.out + run.length) : end;
    if (first >= last) continue;
    const bool has_rows = inside && run.in != Run::kOutside;
    const char* from = has_rows ? in + (run.in + (first - run.out) * run.step) * line.in_step : in;
    copy_rows(has_rows ? r.row : r.outside, out + first * line.out_step, line.out_step, from,
              has_rows ? run.step * line.in_step : 0, last - first);
  }
}

// The offset of a position of a line; false if it lies outside the input.
HWY_INLINE bool locate(const Line& line, int64_t index, int64_t* offset) {
  if (line.runs == nullptr) {
    *offset = index * line.in_step;
    return true;
  }
  int k = 0;
  while (index >= line.runs->run[k].out + line.runs->run[k].length) ++k;
  const Run& run = line.runs->run[k];
  *offset = run.in == Run::kOutside ? 0 : (run.in + (index - run.out) * run.step) * line.in_step;
  return run.in != Run::kOutside;
}

// Calls copy_rows(runs, out, out_step, in, in_step, rows) for groups of rows that have the same runs.
template <class CopyRows>
HWY_INLINE void copy_groups_with(const RunRows& r, int64_t begin, int64_t end, const CopyRows& copy_rows) {
  if (r.n == 1) return copy_rows(r.row, r.out, 0, r.in, 0, 1);
  const int64_t height = r.line[r.n - 2].extent;
  for (int64_t plane = begin / height; plane * height < end; ++plane) {
    int64_t rest = plane, out = 0, in = 0;
    bool inside = true;
    for (int i = r.n - 3; i >= 0; --i) {
      const Line& line = r.line[i];
      const int64_t index = rest % line.extent;
      rest /= line.extent;
      int64_t offset = 0;
      inside = locate(line, index, &offset) && inside;
      out += index * line.out_step;
      in += offset;
    }
    const int64_t first = std::max<int64_t>(0, begin - plane * height), last = std::min(height, end - plane * height);
    copy_plane(r, inside, r.out + out, r.in + in, first, last, copy_rows);
  }
}

// Calls copy_row(runs, out, in) for each row.
template <class CopyRow>
HWY_INLINE void copy_rows_with(const RunRows& r, int64_t begin, int64_t end, const CopyRow& copy_row) {
  copy_groups_with(r, begin, end,
                   [&](const DimRuns& runs, char* out, int64_t out_step, const char* in, int64_t in_step, int64_t rows)
                       HWY_ATTR {
                         for (; rows > 0; --rows, out += out_step, in += in_step) copy_row(runs, out, in);
                       });
}

template <typename T>
void copy_edge_rows(const RunRows& r, int64_t begin, int64_t end) {
  copy_rows_with(r, begin, end, [&](const DimRuns& runs, char* out, const char* in) HWY_ATTR {
    if (&runs == &r.row) {
      copy_edges<T>(r.edges, out, in);
    } else {
      copy_items<T>(r, runs, out, in);
    }
  });
}

template <typename T>
void copy_item_rows(const RunRows& r, int64_t begin, int64_t end) {
  copy_rows_with(r, begin, end,
                 [&](const DimRuns& runs, char* out, const char* in) HWY_ATTR { copy_items<T>(r, runs, out, in); });
}

void copy_block_rows(const RunRows& r, int64_t begin, int64_t end) {
  copy_rows_with(r, begin, end,
                 [&](const DimRuns& runs, char* out, const char* in) HWY_ATTR { copy_blocks(r, runs, out, in); });
}

void copy_short_rows_of_runs(const RunRows& r, int64_t begin, int64_t end) {
  copy_groups_with(r, begin, end,
                   [&](const DimRuns& runs, char* out, int64_t out_step, const char* in, int64_t in_step, int64_t rows)
                       HWY_ATTR { copy_short_run_rows(r, runs, out, out_step, in, in_step, rows); });
}

CopyRowsFn GetCopyRows(const RunRows& r) {
  if (r.is_short) return copy_short_rows_of_runs;
  if (r.item != r.itemsize || r.streams) return copy_block_rows;
  return diopi::for_itemsize(r.item, [&](auto tag) -> CopyRowsFn {
    using T = diopi::tagged<decltype(tag)>;
    return r.edges.count >= 0 ? copy_edge_rows<T> : copy_item_rows<T>;
  });
}

}  // namespace HWY_NAMESPACE
}  // namespace impl::cpu
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace impl::cpu {
HWY_EXPORT(GetCopyRows);

namespace {

bool is_whole(const DimRuns& runs) { return runs.count == 1 && runs.run[0].in == 0 && runs.run[0].step == 1; }

// Merges lines that are copied as a whole.
void merge(RunRows* r) {
  int& n = r->n;
  Line* line = r->line;
  const auto whole = [&](int i) { return line[i].runs == nullptr; };
  while (n > 0 && whole(n - 1) && line[n - 1].out_step == r->item && line[n - 1].in_step == r->item) {
    r->item *= line[--n].extent;
  }
  for (int i = n - 1; i > 0; --i) {
    const Line& outer = line[i - 1];
    if (!whole(i - 1) || !whole(i) || outer.out_step != line[i].out_step * line[i].extent ||
        outer.in_step != line[i].in_step * line[i].extent) {
      continue;
    }
    line[i].extent *= outer.extent;
    std::copy(line + i, line + n, line + i - 1);
    --n;
  }
}

// Finds the edges of a packed row. A second run of the input, or elements outside of it, make it another row.
void find_edges(const DimRuns& runs, Edges* edges) {
  int count = 0;
  for (int k = 0; k < runs.count; ++k) {
    const Run& run = runs.run[k];
    if (run.step == 1 && run.length > 1 && edges->middle.length == 0) {
      edges->middle = run;
      continue;
    }
    if (run.in == Run::kOutside || count + run.length > Edges::kMost) return;
    for (int64_t i = 0; i < run.length; ++i) {
      edges->to[count] = run.out + i;
      edges->from[count++] = run.in + i * run.step;
    }
  }
  edges->count = count;
}

bool has_short_runs(const RunRows& r) {
  const Run* const end = r.row.run + r.row.count;
  return std::all_of(r.row.run, end, [&](const Run& run) { return run.length * r.item <= kShortRowBytes; });
}

void make_rows(const diopi::RunCopy& call, RunRows* r) {
  r->out = call.out.data;
  r->in = call.in.data;
  r->itemsize = r->item = call.out.itemsize();
  for (int d = 0; d < call.out.ndim(); ++d) {
    const bool whole = is_whole(call.dims[d]);
    const int64_t extent = call.out.shape[d], out_step = call.out.stride[d] * r->item;
    if (whole && extent == 1) continue;
    int at = r->n++;
    for (; at > 0 && r->line[at - 1].out_step < out_step; --at) r->line[at] = r->line[at - 1];
    r->line[at] = {extent, out_step, call.in.stride[d] * r->item, whole ? nullptr : &call.dims[d]};
  }
  merge(r);
  if (r->n == 0) return;
  const Line& row = r->last();
  r->whole.add({0, row.extent, 0, 1});
  r->outside.add({0, row.extent, Run::kOutside, 0});
  r->row = row.runs != nullptr ? *row.runs : r->whole;
  r->packed = row.out_step == r->item && row.in_step == r->item;
  if (r->packed) find_edges(r->row, &r->edges);
  constexpr int64_t kLongRun = 4 * kStreamRun;  // rows do not begin at a cache line, so both ends cost more
  r->is_short = r->packed && has_short_runs(*r);
  r->streams = r->packed && call.out.numel * r->itemsize >= stream_bytes() && row.extent * r->item >= kLongRun;
}

}  // namespace

bool copy_rows_of_runs(const diopi::RunCopy& call) {
  if (call.out.dtype != call.in.dtype) return false;
  if (diopi::in_dry_run()) return true;
  RunRows r;
  make_rows(call, &r);
  if (r.n == 0) {  // the first elements of every dimension, without gaps
    diopi::TensorView in = call.in;
    for (int d = 0; d < in.ndim(); ++d) in = in.narrow(d, 0, call.out.shape[d]);
    copy_view(call.out, in);
    return true;
  }
  constexpr int64_t kFewRows = 8, kLongRow = 1 << 16;
  const int64_t rows = r.rows(), bytes = r.last().extent * r.item;
  if (rows < kFewRows && bytes >= kLongRow) return false;
  if (call.number.data != nullptr) {
    diopi::TensorView number = call.number;
    number.data = r.number;
    number.dtype = call.out.dtype;
    copy_view(number, call.number);
    broadcast_element(r.number, r.number, r.itemsize, kShortRowBytes / r.itemsize);
  }
  const CopyRowsFn copy = HWY_DYNAMIC_DISPATCH(GetCopyRows)(r);
  diopi::parallel_for(rows, diopi::Picoseconds{bytes * 60 + 5000}, [&](int64_t begin, int64_t end) {
    copy(r, begin, end);
    if (r.streams) finish_stores();
  });
  return true;
}

}  // namespace impl::cpu
#endif  // HWY_ONCE
