// SPDX-License-Identifier: Apache-2.0
// Windows along one and along three axes, with gradients: stride, padding, dilation, groups, and windows over the edge.
#include <situ/autograd.hpp>
#include <situ/nn.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void along_one() {
  const Gpu<T> x = normal<T>({2, 4, 37}), w = normal<T>({6, 2, 3}), b = normal<T>({6});
  { Gpu<T> y = conv1d(x, w, b, {.stride = 2, .padding = 2, .dilation = 2, .groups = 2}); }
  { Gpu<T> y = max_pool1d(x(all, all, range(1, 36)), 3, {.stride = 2, .padding = 1, .ceil_mode = true}); }
  { Gpu<T> y = avg_pool1d(x, 4, {.padding = 2, .count_include_pad = false}); }
  const Variable<T, Cuda<0>> p(normal<T>({3, 2, 41})), q(normal<T>({4, 2, 5}));
  const auto g = backward(sum(max_pool1d(conv1d(p, q, {.stride = 3, .padding = 2}), 3)) + sum(avg_pool1d(p, 3)));
  Gpu<T> by_p = g[p], by_q = g[q];
}
template <class T>
void along_three() {
  const Gpu<T> x = normal<T>({2, 3, 5, 7, 9}), w = normal<T>({4, 3, 2, 3, 3}), b = normal<T>({4});
  { Gpu<T> y = conv3d(x, w, b, {.stride = {2, 1, 1}, .padding = {0, 1, 1}}); }
  { Gpu<T> y = max_pool3d(x, 2, {.ceil_mode = true}); }
  { Gpu<T> y = avg_pool3d(x(all, all, range(1, 5)), 3, {.stride = 2, .padding = 1}); }
  const Variable<T, Cuda<0>> p(normal<T>({1, 2, 5, 6, 7})), q(normal<T>({2, 2, 3, 3, 3}));
  const auto g = backward(sum(max_pool3d(conv3d(p, q, {.padding = 1}), 2)) + sum(avg_pool3d(p, 2)));
  Gpu<T> by_p = g[p], by_q = g[q];
}
}  // namespace

int main() {
  along_one<float>();
  along_three<float>();
  along_one<bfloat16>();
  return finish();
}
