// SPDX-License-Identifier: Apache-2.0
// What the fuzzers of files share: what a reader may throw and how much memory it may take, and the check that what was
// read is the same when it is written and read again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>

#include <situ/io/any_tensor.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/names.hpp>
#include <situ/memory/storage.hpp>

namespace fuzz {

/// Ends the program, which libFuzzer takes for a crash, and keeps the bytes that led here.
inline void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: %s\n", what);
  std::abort();
}

/// Calls `read`, which must give a value or throw `FileError` with a text that fits on a screen; tensors may take no more
/// memory than the file has bytes, `times` what it is compressed to, rounded up to blocks. Whether it gave a value.
template <class Read>
bool read_within(std::size_t size, const Read& read, std::size_t times = 1) {
  // What is kept of the run before would hide both an allocation and the use of memory that was freed.
  situ::empty_cache<situ::Cpu>();
  situ::reset_peak_memory<situ::Cpu>();
  const std::size_t before = situ::memory_stats<situ::Cpu>().peak;
  bool read_all = true;
  try {
    read();
  } catch (const situ::FileError& error) {
    const std::size_t length = std::strlen(error.what());
    require(length > 0 && length < 1000, "the text of the error");
    require(std::none_of(error.what(), error.what() + length, situ::internal::io::is_control), "a control character in the error");
    read_all = false;
  }
  // A tensor's block is rounded up: by a quarter at most, and a few hundred bytes each, and a tensor needs at least as many.
  require(situ::memory_stats<situ::Cpu>().peak - before <= 4 * times * size + 256, "more memory than the file is long");
  return read_all;
}

/// Whether two tensors have the same shape and the same bytes, NaNs included.
template <situ::Element T>
bool same(const situ::Tensor<T, situ::Cpu>& a, const situ::Tensor<T, situ::Cpu>& b) {
  return a.shape() == b.shape() &&
         (a.size() == 0 || std::memcmp(a.span().data(), b.span().data(), a.span().size_bytes()) == 0);
}

inline bool same(const situ::NamedTensors<>& a, const situ::NamedTensors<>& b) {
  if (a.size() != b.size()) return false;
  for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y) {
    if (x->first != y->first || x->second.type() != y->second.type()) return false;
    const bool equal = x->second.visit([&]<class T>(const situ::Tensor<T, situ::Cpu>& left) {
      return same(left, y->second.get<T>());
    });
    if (!equal) return false;
  }
  return true;
}

}  // namespace fuzz
