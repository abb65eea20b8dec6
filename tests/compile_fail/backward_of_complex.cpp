// SPDX-License-Identifier: Apache-2.0
// A loss is real.
// first: (?=.*the_loss_is_complex)(?=.*fix_call_real_or_abs)
#include <situ/autograd.hpp>
#include <situ/complex.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Variable<std::complex<double>>& z) {
  return backward(abs(sum(z)));
}
#else
auto mistake(const Variable<std::complex<double>>& z) {
  return backward(sum(z));
}
#endif
