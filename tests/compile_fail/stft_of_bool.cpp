// SPDX-License-Identifier: Apache-2.0
// stft: truth values are no signal.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfRealFourier)
#include <situ/fft.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<bool>& x) {
  return stft(cast<float>(x), 8, {.hop_length = 2});
}
#else
auto mistake(const Tensor<bool>& x) {
  return stft(x, 8, {.hop_length = 2});
}
#endif
