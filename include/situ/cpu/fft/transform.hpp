// SPDX-License-Identifier: Apache-2.0
// Fourier transforms on host devices: rows on all threads.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/core/error.hpp>
#include <situ/cpu/fft/fourier_plan.hpp>
#include <situ/device/cpu.hpp>
#include <situ/plan/fft.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

/// See `TransformsFourier`. Throws `ValueError` for a length beyond the range of `int`, which the library counts in.
template <class T>
void transform_rows(const program::Fourier& transform, const T* in, T* out, std::int64_t begin, std::int64_t end) {
  const auto plan = detail::fourier_plans<T>().plan(transform);
  const T scale = static_cast<T>(transform.scale);
  for (std::int64_t row = begin; row < end; ++row) {
    T* const to = out + row * transform.row_out();
    plan->run(in + row * transform.row_in(), to);
    if (transform.scale != 1) {
      for (std::int64_t i = 0; i < transform.row_out(); ++i) to[i] *= scale;
    }
  }
}

template <class T>
void fourier_transform(Backend, const program::Fourier& transform, const T* in, T* out) {
  if (transform.length > std::numeric_limits<int>::max() / 4) {
    throw ValueError("fft: a length of " + std::to_string(transform.length) + "; on the CPU it must be at most " +
                     std::to_string(std::numeric_limits<int>::max() / 4));
  }
  constexpr std::int64_t elements_worth_a_thread = 8192;
  parallel_for(
      0, transform.count, std::max<std::int64_t>(1, elements_worth_a_thread / transform.length),
      [&](std::int64_t begin, std::int64_t end) { transform_rows(transform, in, out, begin, end); }, 1);
}

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
