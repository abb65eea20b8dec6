// SPDX-License-Identifier: Apache-2.0
// What check.py counts: a function for each row, which is called once to warm up and once counted.
#include <cstdint>
#include <iostream>
#include <string_view>
#include <vector>

#include <valgrind/callgrind.h>

#include <situ/autograd.hpp>
#include <situ/indexing.hpp>
#include <situ/linalg.hpp>
#include <situ/nn.hpp>
#include <situ/optim.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

/// Numbers from -1 to 1 in no order.
Tensor<float> numbers(const Shape& shape) { return sin(reshape(arange<float>(shape.count()), shape) * 12.9898f); }

/// Counts what `f` does after a first call, which fills pools and caches. `repeats` for what is short.
template <class F>
void row(const char* name, int repeats, F f) {
  f();
  CALLGRIND_ZERO_STATS;
  CALLGRIND_START_INSTRUMENTATION;
  for (int i = 0; i < repeats; ++i) f();
  CALLGRIND_STOP_INSTRUMENTATION;
  CALLGRIND_DUMP_STATS_AT(name);
}

void small_arrays() {
  const Tensor<float> a = numbers({64}), b = numbers({64}), m = numbers({4, 4}), n = numbers({4, 4});
  Tensor<float> out = zeros<float>({64});
  row("a + b, 64", 200, [&] { const Tensor<float> c = a + b; });
  row("out = a * b + 1, 64", 200, [&] { out = a * b + 1; });
  row("sum, 64", 200, [&] { const Tensor<float> s = sum(a); });
  row("matmul, 4 x 4", 200, [&] { const Tensor<float> p = matmul(m, n); });
  row("x(range) = number, 64", 200, [&] { out.at(range(3, 60)) = 2; });
  row("solve, 4 x 4", 50, [&] { const Tensor<float> x = solve(m + 4 * eye<float>(4), n); });
}

void arrays() {
  const Tensor<float> a = numbers({100, 400}), b = numbers({100, 400}), r = numbers({400}), w = numbers({400, 64});
  Generator generator(1);
  const Tensor<std::int64_t> rows = eval(cast<std::int64_t>((numbers({100}) + 1) * 49));
  row("tanh(a * b) + 1", 2, [&] { const Tensor<float> c = tanh(a * b) + 1; });
  row("a + row", 2, [&] { const Tensor<float> c = a + r; });
  row("sum of rows", 5, [&] { const Tensor<float> c = sum(a, 1); });
  row("sum of columns", 5, [&] { const Tensor<float> c = sum(a, 0); });
  row("softmax", 2, [&] { const Tensor<float> c = softmax(a, 1); });
  row("matmul, 100 x 400 x 64", 1, [&] { const Tensor<float> c = matmul(a, w); });
  row("contiguous(transpose)", 2, [&] { const Tensor<float> c = contiguous(transpose(a)); });
  row("sort of rows", 1, [&] { const Tensor<float> c = sort(a, 1); });
  row("cumsum", 2, [&] { const Tensor<float> c = cumsum(a, 1); });
  row("take", 5, [&] { const Tensor<float> c = take(a, rows, 0); });
  row("x(mask)", 2, [&] { const Tensor<float> c = a(b > 0); });
  row("index_add", 2, [&] { const Tensor<float> c = index_add(a, 0, rows, b); });
  row("randn", 2, [&] { const Tensor<float> c = randn<float>({100, 400}, generator); });
}

void networks() {
  const Tensor<float> image = numbers({1, 8, 20, 20}), filters = numbers({8, 8, 3, 3});
  row("conv2d, 8 x 20 x 20", 1, [&] { const Tensor<float> c = conv2d(image, filters); });
  const Tensor<float> x = numbers({16, 32});
  const Tensor<std::int64_t> labels = zeros<std::int64_t>({16});
  Generator generator(1);
  nn::Sequential net{nn::Linear(32, 64, generator), nn::ReLU(), nn::LayerNorm(64), nn::Linear(64, 10, generator)};
  optim::Adam optimizer(net, {.learning_rate = 0.001});
  row("a step of a small network", 5, [&] { optimizer.step(net, backward(cross_entropy(net(x), labels))); });
}

}  // namespace

int main() {
  set_num_threads(1);
  small_arrays();
  arrays();
  networks();
}
