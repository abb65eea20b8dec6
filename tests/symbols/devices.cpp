// SPDX-License-Identifier: Apache-2.0
// Operations on tensors of one GPU or, with SITU_TEST_SECOND, of two; see check.py.
#include <situ/situ.hpp>

namespace {

using namespace situ;

template <Device D>
void operations() {
  Generator generator(1);
  const Tensor<float, D> x = randn<float>({6, 7}, D{}, generator);
  const Tensor<float, D> row = ones<float>({7}, D{});
  Tensor<float, D> y = tanh(x) * 0.5f + row;
  y -= x * where(x > 0, x, 1);
  y.at(all, 1) = x(all, 2);
  const Tensor<float, D> total = sum(exp(y), 1);
  const Tensor<float, D> columns = max(y * y, 0);
  const Tensor<std::int64_t, D> best = argmax(y, 1);
  const Tensor<float, D> rows = softmax(y);
  const Tensor<float, D> taken = take(y, best, 1);
  const Tensor<float, D> sorted = sort(y, 1);
  const Tensor<float, D> scanned = cumsum(y, 0);
  const Tensor<float, D> product = matmul(y, transpose(y));
  const Tensor<float, Cpu> host = product.template to<Cpu>();
  static_cast<void>(host);
}

}  // namespace

void call_operations() {
  operations<situ::Cuda<0>>();
#ifdef SITU_TEST_SECOND
  operations<situ::Cuda<1>>();
#endif
}
