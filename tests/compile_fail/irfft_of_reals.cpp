// SPDX-License-Identifier: Apache-2.0
// irfft takes a spectrum, of complex elements.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfSpectrum)
#include <situ/fft.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) {
  return irfft(rfft(x), {.n = 8});
}
#else
auto mistake(const Tensor<float>& x) {
  return irfft(x, {.n = 8});
}
#endif
