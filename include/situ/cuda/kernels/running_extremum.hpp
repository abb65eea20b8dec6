// SPDX-License-Identifier: Apache-2.0
// Running maxima and minima on GPUs: how `scan` accumulates and merges them.
#pragma once

#include <situ/cuda/kernels/scan.hpp>
#include <situ/plan/running_extremum.hpp>

#if defined(SITU_CUDA)

#include <type_traits>

namespace situ::internal::cuda {

namespace scans {

template <class T, bool Upwards>
struct RunningExtremum {
  using Fold = fold::RunningExtremum<T, Upwards>;
  using Total = typename Fold::Total;
  SITU_DEVICE static Total identity() { return Fold::identity; }
  SITU_DEVICE static Total lift(T x) { return static_cast<Total>(x); }
  SITU_DEVICE static void merge(Total& a, const Total& b) { a = Fold::combine(a, b); }
  SITU_DEVICE static Total value(const Total& total) { return total; }
};

}  // namespace scans

namespace detail {

template <bool Upwards, class T>
struct ScanOf<reduction::RunningExtremum<Upwards>, T> : std::type_identity<scans::RunningExtremum<T, Upwards>> {};

}  // namespace detail

}  // namespace situ::internal::cuda

#endif
