// SPDX-License-Identifier: Apache-2.0
// One operation of each kind through the public interface, for check.py to look at what nvcc makes of their kernels.
#include <situ/situ.hpp>

namespace ptx {

template <class T>
using Gpu = situ::Tensor<T, situ::Cuda<0>>;
using situ::bfloat16;

Gpu<float> multiply_add(const Gpu<float>& a, const Gpu<float>& b, const Gpu<float>& c) { return a * b + c; }
Gpu<float> rectified(const Gpu<float>& a) { return relu(a); }
Gpu<bfloat16> halves(const Gpu<bfloat16>& a, const Gpu<bfloat16>& b) { return a + b; }
// Subtraction, so that its kernels are not those of another function here; the row is broadcast.
Gpu<float> row_bias(const Gpu<float>& x, const Gpu<float>& row) { return x - row; }
Gpu<float> total(const Gpu<float>& x) { return situ::sum(x); }
Gpu<float> rows(const Gpu<float>& x) { return situ::softmax(x, 1); }
Gpu<bfloat16> normalized(const Gpu<bfloat16>& x, const Gpu<bfloat16>& weight, const Gpu<bfloat16>& bias) {
  return situ::layer_norm(x, weight, bias);
}

}  // namespace ptx
