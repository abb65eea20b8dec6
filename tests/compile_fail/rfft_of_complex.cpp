// SPDX-License-Identifier: Apache-2.0
// The transform of real elements takes no complex ones.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfRealFourier)
#include <situ/fft.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::complex<double>>& x) {
  return rfft(real(x));
}
#else
auto mistake(const Tensor<std::complex<double>>& x) {
  return rfft(x);
}
#endif
