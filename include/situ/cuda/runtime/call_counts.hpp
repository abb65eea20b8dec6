// SPDX-License-Identifier: Apache-2.0
// What a captured graph counts on its GPU (core/call_count.hpp): the kernel that counts, and the check that a number
// which a graph counts is used in that graph.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <situ/core/call_count.hpp>
#include <situ/core/error.hpp>
#include <situ/core/philox.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/runtime/recording.hpp>
#include <situ/cuda/runtime/stream_state.hpp>

#if defined(SITU_CUDA)

namespace situ::internal::cuda {

namespace detail {

/// Adds a number to each of a few counters.
struct AddToCounts {
  static constexpr int threads = 128;
  static constexpr const char* name = "counts of a graph";
  static constexpr int most = threads;

  std::uint64_t* counts;
  int number;
  std::uint64_t by[std::size_t{most}];

  SITU_DEVICE void operator()() const {
    const int at = kernel::thread();
    if (at < number) counts[at] += by[at];
  }
};

}  // namespace detail

/// Adds `by[i]` to `counts[i]`: the last work of each call of a graph. (A template, so that files which capture nothing
/// need not be compiled as CUDA.)
template <class = void>
void add_to_counts(const Backend& backend, std::uint64_t* counts, std::span<const std::uint64_t> by) {
  using Kernel = detail::AddToCounts;
  for (std::size_t first = 0; first < by.size(); first += std::size_t{Kernel::most}) {
    const std::size_t number = std::min(by.size() - first, std::size_t{Kernel::most});
    Kernel kernel{counts + first, static_cast<int>(number), {}};
    std::copy_n(by.begin() + static_cast<std::ptrdiff_t>(first), number, kernel.by);
    launch(backend, {1, 1}, kernel);
  }
}

/// Throws `CaptureError` if `what` counts in a captured function and no graph would count it, or if a graph counts it
/// and this is not that graph's work: then the function kept a copy of it.
inline void require_counted_here(const Backend& backend, AddedByCalls added, const char* what, const char* fix) {
  if (added == nullptr) return refuse_in_capture(what, fix);
  if (backend.stream->recording != nullptr && backend.stream->recording->counts_it(added)) return;
  throw CaptureError(std::string(what) + " of a captured function, which kept it: only calls of its graph count it; " +
                     "take the one in graph.carried()");
}

/// The same for a random tensor.
inline void require_drawn_here(const Backend& backend, const RandomStream& stream) {
  require_counted_here(backend, stream.added, "a random tensor",
                       "every call of the graph would give the same numbers; draw them from a Generator that the graph "
                       "carries, carry(generator) or one in a module, nn::Dropout(0.5, Generator(7)), or make them an "
                       "input of the function");
}

}  // namespace situ::internal::cuda

#endif
