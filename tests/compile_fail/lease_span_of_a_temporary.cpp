// SPDX-License-Identifier: Apache-2.0
// A span of a lease without a name.
// first[gcc]: pointer_into_a_temporary_lease::fix_give_the_lease_a_name
// first[clang]: deleted.*span
// first[nvcc]: (?=.*LeaseAccess)(?=.*span)(?=.*deleted)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x) {
  auto w = x.write();
  for (float& v : w.span()) v = 9;
}
#else
void mistake(Tensor<float, Cpu>& x) {
  for (float& v : x.write().span()) v = 9;
}
#endif
