// SPDX-License-Identifier: Apache-2.0
// The pointer of a lease without a name, which is over at the end of the statement.
// kind: a pointer of a temporary lease
// first[gcc]: pointer_into_a_temporary_lease::fix_give_the_lease_a_name
// first[clang]: deleted.*data
// first[nvcc]: (?=.*LeaseAccess)(?=.*data)(?=.*deleted)
// within[clang]: deleted
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x) {
  auto w = x.write();
  w.data()[0] = 9;
}
#else
void mistake(Tensor<float, Cpu>& x) {
  float* p = x.write().data();
  p[0] = 9;
}
#endif
