// SPDX-License-Identifier: Apache-2.0
// Passes by compiling without a warning at -O2, where g++ inlines what it warns of at no lower level: see
// situ/cpu/intrinsics.hpp.
#include <situ/linalg.hpp>
#include <situ/situ.hpp>

situ::Tensor<double> solution(const situ::Tensor<double>& a, const situ::Tensor<double>& b) {
  return situ::solve(a, b);
}
