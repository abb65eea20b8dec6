// SPDX-License-Identifier: Apache-2.0
// concat: a tensor and an expression in braces, where only tensors of one type can stand.
// first: operands_in_braces_have_different_types::fix_write_them_without_braces
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/join.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& a, const Tensor<float, Cpu>& b) {
  return concat(a, concat({a, b, a}), b + 1, stack({a, b}));
}
#else
auto mistake(const Tensor<float, Cpu>& a, const Tensor<float, Cpu>& b) {
  return concat({a, b + 1});
}
#endif
