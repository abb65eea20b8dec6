// SPDX-License-Identifier: Apache-2.0
// Complex numbers have no order.
// first: complex_numbers_have_no_order::fix_call_real_or_abs
#include <situ/complex.hpp>
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::complex<float>>& x) {
  return sort(real(x));
}
#else
auto mistake(const Tensor<std::complex<float>>& x) {
  return sort(x);
}
#endif
