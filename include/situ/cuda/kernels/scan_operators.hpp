// SPDX-License-Identifier: Apache-2.0
// Prefix sums and products (scans) within a warp and within a block, and the types of their running values.
#pragma once

#include <situ/core/lane.hpp>
#include <situ/cuda/api/kernel.hpp>
#include <situ/cuda/kernels/reduce/group.hpp>
#include <situ/formula/fold.hpp>
#include <situ/plan/reduction.hpp>

#if defined(SITU_CUDA)

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace situ::internal::cuda {

// A scan over elements `T` defines: the type `Total` of a running value, `identity()`, `lift` from an element,
// `merge(a, b)` for a value `a` and a `b` that follows it, and `value(total)`, a number.
namespace scans {

template <class T>
struct Sum {
  using Total = fold::total_t<T>;
  SITU_DEVICE static Total identity() { return 0; }
  SITU_DEVICE static Total lift(T x) { return static_cast<Total>(x); }
  SITU_DEVICE static void merge(Total& a, const Total& b) { a = lane::add(a, b); }
  SITU_DEVICE static Total value(const Total& total) { return total; }
};

/// The product of a few factors may leave the range of `double` although the product with those before them does not:
/// computed one by one, in order, it would have stayed in range. So products of floats carry an exponent: `number *
/// 2^(512 exponent)`.
template <class T>
struct Product {
  struct Total {
    double number;
    std::int32_t exponent;
    std::int32_t none = 0;  // fills the hole, so that a total is stored with every byte defined
    template <class F>
    SITU_DEVICE Total map(F f) const {
      return {f(number), f(exponent)};
    }
  };
  SITU_DEVICE static Total identity() { return {1.0, 0}; }
  SITU_DEVICE static Total lift(T x) { return scaled(static_cast<double>(x), 0); }
  SITU_DEVICE static void merge(Total& a, const Total& b) { a = scaled(a.number * b.number, a.exponent + b.exponent); }
  SITU_DEVICE static double value(Total total) {
    // A few steps suffice: beyond them it is infinite or 0, or no longer changes.
    for (int i = 0; i < 5 && total.exponent > 0; ++i, --total.exponent) total.number *= 0x1p512;
    for (int i = 0; i < 5 && total.exponent < 0; ++i, ++total.exponent) total.number *= 0x1p-512;
    return total.number;
  }

 private:
  /// Scales the number to a magnitude of 0, infinity, or within 2^-512 to 2^512, so that a product of two keeps all its
  /// bits.
  SITU_DEVICE static Total scaled(double number, std::int32_t exponent) {
    const double magnitude = lane::abs(number);
    if (magnitude >= 0x1p512) {
      if (magnitude <= 0x1.fffffffffffffp1023) return {number * 0x1p-512, exponent + 1};
    } else if (magnitude < 0x1p-512 && magnitude > 0) {
      return {number * 0x1p512, exponent - 1};
    }
    return {number, exponent};
  }
};
template <std::integral T>
struct Product<T> : Sum<T> {
  SITU_DEVICE static std::int64_t identity() { return 1; }
  SITU_DEVICE static void merge(std::int64_t& a, std::int64_t b) { a = lane::multiply(a, b); }
};

}  // namespace scans

namespace detail {

template <class Operation, class T>
struct ScanOf : std::type_identity<scans::Product<T>> {};
template <class T>
struct ScanOf<reduction::Sum, T> : std::type_identity<scans::Sum<T>> {};

struct ShuffleUp {
  int delta;
  template <class T>
  SITU_DEVICE T operator()(T value) const {
    return kernel::shuffle_up(value, delta);
  }
};
struct ShuffleFrom {
  int lane;
  template <class T>
  SITU_DEVICE T operator()(T value) const {
    return kernel::shuffle(value, lane);
  }
};

/// For one of several threads: the total before its own value, and the total of all.
template <class Total>
struct Prefix {
  Total before;
  Total all;
};

/// For each `width` adjacent threads of a warp, a power of two. All threads of the warp must call.
template <class Scan, class Total = typename Scan::Total>
SITU_DEVICE Prefix<Total> scan_lanes(const Total& value, int width) {
  const int lane = kernel::thread() & (width - 1);
  Total up_to = value;
  for (int delta = 1; delta < width; delta *= 2) {
    Total before = map_state(up_to, ShuffleUp{delta});
    if (lane >= delta) {
      Scan::merge(before, up_to);
      up_to = before;
    }
  }
  const Total shifted = map_state(up_to, ShuffleUp{1});
  const int last = (kernel::thread() & (kernel::warp_size - 1)) | (width - 1);
  return {lane > 0 ? shifted : Scan::identity(), map_state(up_to, ShuffleFrom{last})};
}

/// For all threads of the block, which must all call.
template <class Scan, int Threads, class Total = typename Scan::Total>
SITU_DEVICE Prefix<Total> scan_block(const Total& value) {
  constexpr int warps = Threads / kernel::warp_size;
  auto& shared = kernel::block_shared<WarpStates<Total, Threads>>();
  const int warp = kernel::thread() / kernel::warp_size;
  const Prefix<Total> own = scan_lanes<Scan>(value, kernel::warp_size);
  kernel::barrier();  // a call before may still be reading
  if (kernel::thread() % kernel::warp_size == 0) shared.state[warp] = own.all;
  kernel::barrier();
  Prefix<Total> prefix{Scan::identity(), Scan::identity()};
  for (int i = 0; i < warps; ++i) {
    if (i == warp) prefix.before = prefix.all;
    Scan::merge(prefix.all, shared.state[i]);
  }
  Scan::merge(prefix.before, own.before);
  return prefix;
}

}  // namespace detail

}  // namespace situ::internal::cuda

#endif
