// SPDX-License-Identifier: Apache-2.0
// Histograms of more bins than fit into shared memory, of weights and of given edges, and counts.
#include <situ/order.hpp>

#include "program.hpp"

int main() {
  using namespace ptx_programs;
  const Gpu<float> w = normal<float>({9000});
  const Gpu<std::int32_t> k = whole<std::int32_t>(0, 9000, {20000});
  { auto h = histogram(w, 10); }
  { auto h = histogram(w, 5000); }
  { auto h = histogram(w, 6000, {-1, 1}); }
  { auto h = histogram(w(range(1, 4001)), 333, {-1, 1}, w(range(0, 4000))); }
  { auto h = histogram(k, 4100); }
  { auto h = histogram(w, linspace<float>(-2, 2, 5001, gpu<0>)); }
  { auto h = bincount(k); }
  { auto h = bincount(k(range(1, 5000, 3)), w(range(1, 5000, 3)), 9001); }
  { auto h = bincount(k, {.size = 50}); }
  return finish();
}
