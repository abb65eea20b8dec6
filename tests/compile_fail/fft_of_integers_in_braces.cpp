// SPDX-License-Identifier: Apache-2.0
// fft of integers with options in braces, which deduce nothing.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfFourier)
#include <situ/fft.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) {
  return fft(cast<float>(x), {.n = 4});
}
#else
auto mistake(const Tensor<int>& x) {
  return fft(x, {.n = 4});
}
#endif
