// SPDX-License-Identifier: Apache-2.0
// An Eigen vector of `double` is assigned to a part of a tensor of `float`.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*Eigen)
// first[gcc]: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*double)
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x, const Eigen::VectorXd& v) {
  x.at(all, 0) = v.cast<float>();
}
#else
void mistake(Tensor<float, Cpu>& x, const Eigen::VectorXd& v) {
  x.at(all, 0) = v;
}
#endif
