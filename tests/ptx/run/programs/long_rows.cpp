// SPDX-License-Identifier: Apache-2.0
// Rows of 16-bit floats and of double, so long that their kernels hold no row, and unaligned: softmax and layer_norm.
#include "program.hpp"

namespace {
using namespace ptx_programs;

template <class T>
void rows(std::int64_t length) {
  const Gpu<T> x = normal<T>({3, length}), w = normal<T>({length}), b = normal<T>({length});
  const Gpu<T> part = x(all, range(1, length));
  { Gpu<T> y = softmax(x, 1); }
  { Gpu<T> y = log_softmax(x, 1); }
  { Gpu<T> y = layer_norm(x, w, b, 1e-5); }
  { Gpu<T> y = softmax(part, 1); }
  { Gpu<T> y = layer_norm(part, w(range(1, length)), b(range(0, length - 1)), 1e-5); }
}
}  // namespace

int main() {
  for (const std::int64_t length : {201, 20001, 200000}) rows<float16>(length);
  for (const std::int64_t length : {20001, 200000}) rows<bfloat16>(length);
  for (const std::int64_t length : {101, 9001, 30002}) rows<double>(length);
  rows<float>(200000);
  return finish();
}
