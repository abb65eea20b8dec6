// SPDX-License-Identifier: Apache-2.0
// A map of an expression, which has no elements yet; of a temporary tensor likewise.
// kind: an Eigen map of a temporary
// first: (?=.*an_Eigen_map_of_a_temporary_dangles)(?=.*fix_give_the_tensor_a_name)
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
float mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  Tensor z = x + y;
  return eigen(z).sum();
}
#else
float mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cpu>& y) {
  return eigen(x + y).sum();
}
#endif
