// SPDX-License-Identifier: Apache-2.0
// There is no product of bool matrices.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*Matmul)(?=.*bool)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/linalg.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool, Cpu>& x) {
  return matmul(cast<int>(x), cast<int>(x));
}
#else
auto mistake(const Tensor<bool, Cpu>& x) {
  return matmul(x, x);
}
#endif
