// SPDX-License-Identifier: Apache-2.0
// Eigen's map of a lease without a name.
// first: (?=.*pointer_into_a_temporary_lease)(?=.*fix_give_the_lease_a_name)
#include <situ/interop/eigen.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x) {
  auto w = x.write();
  eigen(w).setZero();
}
#else
void mistake(Tensor<float, Cpu>& x) {
  eigen(x.write()).setZero();
}
#endif
