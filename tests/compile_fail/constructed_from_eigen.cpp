// SPDX-License-Identifier: Apache-2.0
// An Eigen matrix where a tensor is to be. (clang has the fix in its note.)
// first[gcc]: (?=.*Tensor)(?=.*Eigen)(?=.*fix_call_from_eigen)
// first[clang]: (?=.*Eigen)(?=.*Tensor<.*>)(?=.*deleted)
// first[nvcc]: (?=.*Tensor)(?=.*Eigen)(?=.*fix_call_from_eigen)
// within: fix_call_from_eigen
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) {
  Tensor x = from_eigen(a * b);
}
#else
void mistake(const Eigen::MatrixXf& a, const Eigen::MatrixXf& b) {
  Tensor x = a * b;
}
#endif
