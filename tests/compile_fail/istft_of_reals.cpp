// SPDX-License-Identifier: Apache-2.0
// istft takes spectra, of complex elements.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfSpectrum)
#include <situ/fft.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) {
  return istft(stft(x, 4), 4);
}
#else
auto mistake(const Tensor<float>& x) {
  return istft(x, 4);
}
#endif
