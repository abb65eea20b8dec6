// SPDX-License-Identifier: Apache-2.0
// norm: the number is an axis of other reductions, and the order in NumPy.
// first: the_second_argument_of_norm_could_be_an_axis_or_an_order::fix_write_axes_in_braces_or_NormOrder
// first[clang]: attempt to use a deleted function
// within[clang]: fix_write_axes_in_braces_or_NormOrder
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/norm.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x) {
  static_cast<void>(norm(x, ReduceAxes(1)));
  static_cast<void>(norm(x, keepdims));
  static_cast<void>(norm(x, NormOrder{1}));
  return var(x, {1}) + stddev(x, {1}) + norm(x, {1}) + norm(x, {0, 1}, keepdims) + norm(x, {1}, NormOrder{1});
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return norm(x, 1);
}
#endif
