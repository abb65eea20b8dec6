// SPDX-License-Identifier: Apache-2.0
// Windows of grouped channels with their gradients, in the element types that the tests leave out.
#include <situ/autograd.hpp>
#include <situ/nn.hpp>

#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void depthwise() {
  for (const std::int64_t k : {3, 5}) {
    const Variable<T, Cuda<0>> x(normal<T>({2, 6, 13, 18})), w(normal<T>({6, 1, k, 3})), b(normal<T>({6}));
    const auto g =
        backward(sum(conv2d(x, w, b, {.stride = {1, 2}, .padding = {1, 2}, .dilation = {2, 1}, .groups = 6})));
    Gpu<T> p = g[x], q = g[w], r = g[b];
  }
  const Variable<T, Cuda<0>> x(normal<T>({3, 4, 10, 8})), w(normal<T>({8, 2, 3, 3})), b(normal<T>({8}));
  const auto g =
      backward(sum(conv2d(x, w, b, {.padding = 1, .groups = 2})) + sum(max_pool2d(x, 3, {.stride = 2, .padding = 1})) +
               sum(avg_pool2d(x, 3, {.stride = 2, .padding = 1, .count_include_pad = false})));
  Gpu<T> p = g[x], q = g[w], r = g[b];
}
}  // namespace

int main() {
  depthwise<float16>();
  depthwise<double>();
  return finish();
}
