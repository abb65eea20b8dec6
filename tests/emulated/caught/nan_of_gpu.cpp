// SPDX-License-Identifier: Apache-2.0
// A test compares bytes where a kernel makes a NaN: those of a GPU have other bits than those of the host.
// sanitizer: none
// expect: wrong answer: 2.14748e+09 instead of
// off: argument
#include "program.hpp"

#include <bit>
#include <cmath>
#include <limits>

struct Difference {
  static constexpr int threads = 1;
  static constexpr const char* name = "difference";
  float* x;
  void operator()() const { x[0] = kernel::computed(x[0] - x[1]); }
};

int main(int arguments, char**) {
  emulated::has_nan_of_gpu = arguments < 3;
  const api::Stream stream = make_stream();
  auto* const x = allocate<float>(2, stream);
  auto* const host = allocate_pinned<float>(2);
  host[0] = host[1] = std::numeric_limits<float>::infinity();
  const volatile float expected = host[0] - host[1];
  check(api::copy_to_device(x, host, 2 * sizeof(float), stream));
  check(emulated::launch_on(stream, Grid{}, Difference{x}));
  check(api::copy_to_host(host, x, sizeof(float), stream));
  check(api::stream_synchronize(stream));
  const auto bits = [](float x) { return std::bit_cast<unsigned>(x); };
  if (asked_for_mistake(arguments)) return compare(bits(host[0]), bits(expected));
  return std::isnan(host[0]) ? 0 : 1;
}
