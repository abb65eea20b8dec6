// SPDX-License-Identifier: Apache-2.0
// The division of a text among threads. A line end within quotes ends no record, and whether a place is within quotes
// depends on all quotes before it. Their parity says so, unless there are quotes in comments or within unquoted fields:
// so each thread also checks that it ends where the next one began, and if one does not, a single thread reads all.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include <situ/io/csv_dialect.hpp>
#include <situ/io/file_error.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::io::csv {

/// Bytes that a thread reads at once. Tests change it.
inline constinit thread_local std::int64_t chunk_bytes = std::int64_t{1} << 20;

/// Complete records: `rows` of them, from `begin` on; `first` is the number of the first.
struct Chunk {
  const char* begin;
  const char* end;  // the beginning of the next chunk
  std::int64_t first = 0;
  std::int64_t rows = 0;
};

/// Where chunks may begin, by the parity of the quotes before.
[[nodiscard]] inline std::vector<const char*> likely_starts(const Dialect& dialect, const char* begin) {
  const std::int64_t size = dialect.end - begin, step = std::max<std::int64_t>(chunk_bytes, 1);
  const std::int64_t parts = std::max<std::int64_t>(1, size / step);
  const auto place = [&](std::int64_t part) { return part == parts ? dialect.end : begin + part * step; };
  std::vector<std::int64_t> quotes(static_cast<std::size_t>(parts));
  if (dialect.has_quotes()) {
    threads::parallel_for(
        0, parts, 1,
        [&](std::int64_t from, std::int64_t to) {
          for (std::int64_t i = from; i != to; ++i) {
            quotes[static_cast<std::size_t>(i)] = std::count(place(i), place(i + 1), dialect.quote());
          }
        },
        1);
  }
  std::vector<const char*> starts{begin};
  bool quoted = false;
  for (std::int64_t i = 1; i != parts; ++i) {
    quoted = quoted != (quotes[static_cast<std::size_t>(i - 1)] % 2 == 1);
    bool within = quoted;
    const char* p = place(i);
    const char* const stop = place(i + 1);  // else far quotes would make each part read all parts
    for (; p != stop && (within || *p != '\n'); ++p) within = within != (dialect.has_quotes() && *p == dialect.quote());
    if (p == stop) continue;
    p = dialect.skip_blank(p + 1);
    if (p > starts.back() && p != dialect.end) starts.push_back(p);
  }
  return starts;
}

/// Counts the rows of a chunk; whether the next chunk begins where its last record ends.
[[nodiscard]] inline bool count_rows(const Dialect& dialect, Chunk& chunk) noexcept {
  const char* p = dialect.skip_blank(chunk.begin);
  for (chunk.rows = 0; p < chunk.end; ++chunk.rows) p = dialect.skip_blank(dialect.after_record(p));
  return p == chunk.end;
}

/// The chunks of a text from `begin` on, with `most` rows together.
[[nodiscard]] inline std::vector<Chunk> chunks_of(const Dialect& dialect, const char* begin,
                                                  std::optional<std::int64_t> most) {
  const std::vector<const char*> starts = likely_starts(dialect, begin);
  std::vector<Chunk> chunks;
  for (std::size_t i = 0; i != starts.size(); ++i) {
    chunks.push_back({.begin = starts[i], .end = i + 1 == starts.size() ? dialect.end : starts[i + 1]});
  }
  std::vector<char> meets(chunks.size());
  threads::parallel_for(
      0, static_cast<std::int64_t>(chunks.size()), 1,
      [&](std::int64_t from, std::int64_t to) {
        for (auto i = static_cast<std::size_t>(from); i != static_cast<std::size_t>(to); ++i) {
          meets[i] = count_rows(dialect, chunks[i]);
        }
      },
      1);
  if (std::find(meets.begin(), meets.end(), false) != meets.end()) {
    chunks = {{.begin = begin, .end = dialect.end}};
    static_cast<void>(count_rows(dialect, chunks[0]));
  }
  std::int64_t row = 0;
  for (Chunk& chunk : chunks) {
    chunk.first = row;
    if (most) chunk.rows = std::min(chunk.rows, *most - row);
    row += chunk.rows;
  }
  return chunks;
}

[[nodiscard]] inline std::int64_t count_of_rows(const std::vector<Chunk>& chunks) noexcept {
  return chunks.back().first + chunks.back().rows;
}

/// Calls `read(from, to)` for ranges of `[begin, end)` on several threads. If one throws, all are read again one after
/// the other, so that the error is that of the first.
template <class Read>
void read_in_parallel(std::int64_t begin, std::int64_t end, std::int64_t grain, const Read& read) {
  try {
    threads::parallel_for(begin, end, grain, read, 1);
  } catch (const FileError&) {
    read(begin, end);
    throw;
  }
}

/// Calls `read(chunk)` for all chunks, and `progress(bytes, all)` in between.
template <class Read>
void read_chunks(const std::vector<Chunk>& chunks, const std::function<void(std::int64_t, std::int64_t)>& progress,
                 const Read& read) {
  const auto count = static_cast<std::int64_t>(chunks.size());
  const std::int64_t at_once = progress ? std::int64_t{4} * num_threads() : count;
  for (std::int64_t begin = 0; begin < count; begin += at_once) {
    const std::int64_t end = std::min(count, begin + at_once);
    read_in_parallel(begin, end, 1, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t i = from; i != to; ++i) read(chunks[static_cast<std::size_t>(i)]);
    });
    if (progress) {
      progress(chunks[static_cast<std::size_t>(end - 1)].end - chunks[0].begin, chunks.back().end - chunks[0].begin);
    }
  }
}

}  // namespace situ::internal::io::csv
