// SPDX-License-Identifier: Apache-2.0
// An Eigen expression lives on the CPU. (It has no `.to`; what makes a tensor of it is named too. clang names both in a note.)
// kind: an Eigen expression beside a tensor of a GPU
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*Eigen)
// first[gcc]: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)(?=.*fix_call_from_eigen)
// within: (?=.*\bCpu\b)(?=.*fix_call_from_eigen)
#include <situ/interop/eigen.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& w, const Eigen::MatrixXf& m) {
  return w + from_eigen(m.transpose()).to<Cuda<1>>();
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w, const Eigen::MatrixXf& m) {
  return w + m.transpose();
}
#endif
