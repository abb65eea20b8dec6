// SPDX-License-Identifier: Apache-2.0
// One operation of each kind through the public interface, for check.py and sass.py to look at what nvcc makes of their
// kernels, and the files of kernels that are compiled once.
#include <situ/situ.hpp>
#include <situ/autograd.hpp>
#include <situ/indexing.hpp>
#include <situ/optim/adam.hpp>
#include <situ/order.hpp>

#include "../../src/cuda/copy.cu"
#include "../../src/cuda/product_kernels.cu"

// Of the kernels of sort.cu those around CUB's, which the file itself would compile for a minute and a half: of floats,
// which are told by 4 bytes, and of integers, by 8.
template void situ::internal::cuda::detail::sort_lines(const Backend&, const SortedLines<float>&);
template void situ::internal::cuda::detail::sort_lines(const Backend&, const SortedLines<std::int64_t>&);

namespace ptx {

template <class T>
using Gpu = situ::Tensor<T, situ::Cuda<0>>;
using situ::bfloat16;
using situ::float16;
using Indices = Gpu<std::int64_t>;

Gpu<float> multiply_add(const Gpu<float>& a, const Gpu<float>& b, const Gpu<float>& c) { return a * b + c; }
Gpu<float> rectified(const Gpu<float>& a) { return relu(a); }
Gpu<bfloat16> halves(const Gpu<bfloat16>& a, const Gpu<bfloat16>& b) { return a + b; }
Gpu<float16> halves(const Gpu<float16>& a, const Gpu<float16>& b) { return a + b; }
// Subtraction, so that its kernels are not those of another function here; the row is broadcast.
Gpu<float> row_bias(const Gpu<float>& x, const Gpu<float>& row) { return x - row; }
Gpu<float> exponential(const Gpu<float>& x) { return exp(x); }
Gpu<float> sine(const Gpu<float>& x) { return sin(x); }
Gpu<float> gelu_of(const Gpu<float>& x) { return gelu(x); }
Gpu<bfloat16> gelu_of(const Gpu<bfloat16>& x) { return gelu(x); }
void adam(situ::optim::Adam<float, situ::Cuda<0>>& optimizer, situ::Variable<float, situ::Cuda<0>>& parameter,
          const situ::Gradients& gradients) {
  optimizer.step(parameter, gradients);
}
Gpu<float> uniform(const situ::Shape& shape) { return situ::rand<float>(shape, situ::Cuda<0>{}); }
Gpu<float> normal(const situ::Shape& shape) { return situ::randn<float>(shape, situ::Cuda<0>{}); }
Gpu<float> total(const Gpu<float>& x) { return situ::sum(x); }
Gpu<bfloat16> total(const Gpu<bfloat16>& x) { return situ::sum(x); }
Gpu<float> rows(const Gpu<float>& x) { return situ::softmax(x, 1); }
Gpu<bfloat16> rows(const Gpu<bfloat16>& x) { return situ::softmax(x, 1); }
Gpu<float> normalized(const Gpu<float>& x, const Gpu<float>& weight, const Gpu<float>& bias) {
  return situ::layer_norm(x, weight, bias);
}
Gpu<bfloat16> normalized(const Gpu<bfloat16>& x, const Gpu<bfloat16>& weight, const Gpu<bfloat16>& bias) {
  return situ::layer_norm(x, weight, bias);
}
Gpu<float> convolved(const Gpu<float>& x, const Gpu<float>& weight, const Gpu<float>& bias) {
  return situ::conv2d(x, weight, bias, {.padding = 1});
}
Gpu<bfloat16> convolved(const Gpu<bfloat16>& x, const Gpu<bfloat16>& weight, const Gpu<bfloat16>& bias) {
  return situ::conv2d(x, weight, bias, {.padding = 1});
}
Gpu<float> largest(const Gpu<float>& x) { return situ::max_pool2d(x, 2); }
Gpu<float> average(const Gpu<float>& x) { return situ::avg_pool2d(x, 2); }
Gpu<float> taken(const Gpu<float>& x, const Indices& at) { return situ::take(x, at, 0); }
Gpu<float> gathered(const Gpu<float>& x, const Indices& at) { return situ::gather(x, 1, at); }

// Writing at indices: elements are moved, or added up, or compared.
Gpu<float> scattered(const Gpu<float>& x, const Indices& at, const Gpu<float>& source) {
  return situ::scatter(x, 1, at, source);
}
Gpu<float> added(const Gpu<float>& x, const Indices& at, const Gpu<float>& source) {
  return situ::scatter_add(x, 1, at, source);
}
Gpu<bfloat16> added(const Gpu<bfloat16>& x, const Indices& at, const Gpu<bfloat16>& source) {
  return situ::scatter_add(x, 1, at, source);
}
Gpu<float> largest_at(const Gpu<float>& x, const Indices& at, const Gpu<float>& source) {
  return situ::scatter_reduce<situ::ScatterReduction::max>(x, 1, at, source);
}
Gpu<float> running(const Gpu<float>& x) { return situ::cumsum(x, 1); }
Gpu<float> running_product(const Gpu<float>& x) { return situ::cumprod(x, 1); }
auto running_largest(const Gpu<float>& x) { return situ::cummax(x, 1); }
Indices counted(const Gpu<float>& x) { return situ::histogram(x, 100, {0, 1}).hist; }
Indices counted(const Gpu<std::int32_t>& x) { return situ::bincount(x); }
Indices listed(const Gpu<bool>& mask) { return situ::nonzero(mask); }
Gpu<float> chosen(const Gpu<float>& x, const Gpu<bool>& mask) { return x(mask); }
Gpu<float> chosen(const Gpu<float>& x, const Indices& row, const Indices& column) { return x(row, column); }
Gpu<float> one_of(const Indices& labels) { return situ::one_hot<float>(labels, 10); }

// Gradients are kernels of their own: of an expression with constants, in which two operators hold others; of softmax and
// layer_norm, which are sums and expressions.
using Variable = situ::Variable<float, situ::Cuda<0>>;
auto gradients(const Variable& a, const Variable& b) { return situ::backward(situ::sum((2 * a + 3) * (4 * b + 5))); }
auto gradients_of_rows(const Variable& x, const Gpu<float>& by) {
  return situ::backward(situ::sum(situ::softmax(x, 1) * by));
}
auto gradients_of_norm(const Variable& x, const Variable& weight, const Variable& bias, const Gpu<float>& by) {
  return situ::backward(situ::sum(situ::layer_norm(x, weight, bias) * by));
}

}  // namespace ptx
