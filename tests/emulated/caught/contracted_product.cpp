// SPDX-License-Identifier: Apache-2.0
// A test expects of a GPU the bits of a product and a difference that are rounded one after the other. nvcc makes one
// operation of them, which rounds once.
// sanitizer: none
// needs: g++ fma
// flags: -O1 -mfma -ffp-contract=off -DSITU_EMULATED_CONTRACTION
// expect: wrong answer: 3.57628e-07 instead of 4.76837e-07
// off: -DSITU_EMULATED_CONTRACTION
#include "program.hpp"

#include <cmath>

constexpr float three_times_minus(float x, float y) { return 3 * x - y; }

struct ThreeTimesMinus {
  static constexpr int threads = 1;
  static constexpr const char* name = "three_times_minus";
  const float* from;
  float* to;
  void operator()() const { *to = three_times_minus(from[0], from[1]); }
};

int main(int arguments, char**) {
  const api::Stream stream = make_stream();
  auto* const from = allocate<float>(2, stream);
  auto* const to = allocate<float>(1, stream);
  auto* const host = allocate_pinned<float>(3);
  host[0] = 1 + 0x1p-23f;
  host[1] = 3;
  check(api::copy_to_device(from, host, 2 * sizeof(float), stream));
  check(emulated::launch_on(stream, Grid{}, ThreeTimesMinus{from, to}));
  check(api::copy_to_host(host + 2, to, sizeof(float), stream));
  check(api::stream_synchronize(stream));
  const volatile float x = host[0], y = host[1];
  const float expected = three_times_minus(x, y);
  if (asked_for_mistake(arguments)) return compare(host[2], expected);
  return std::abs(host[2] - expected) <= 3 * 0x1p-23f ? 0 : 1;
}
