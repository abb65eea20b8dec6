// SPDX-License-Identifier: Apache-2.0
// An Eigen matrix takes Eigen's expressions.
// first: (?=.*an_Eigen_matrix_takes_no_tensor)(?=.*fix_call_eigen)
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Eigen::MatrixXf& m, const Tensor<float, Cpu>& x) {
  m += eigen(x);
}
#else
void mistake(Eigen::MatrixXf& m, const Tensor<float, Cpu>& x) {
  m += x;
}
#endif
