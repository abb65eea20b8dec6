// SPDX-License-Identifier: Apache-2.0
// An iterator of a lease without a name.
// first[gcc]: pointer_into_a_temporary_lease::fix_give_the_lease_a_name
// first[clang]: deleted.*begin
// first[nvcc]: (?=.*LeaseAccess)(?=.*begin)(?=.*deleted)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x) {
  auto w = x.write();
  *w.begin() = 9;
}
#else
void mistake(Tensor<float, Cpu>& x) {
  auto p = x.write().begin();
  *p = 9;
}
#endif
