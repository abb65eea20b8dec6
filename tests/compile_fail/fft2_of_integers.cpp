// SPDX-License-Identifier: Apache-2.0
// fft2: integers are transformed as floats.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfFourier)
#include <situ/fft.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) {
  return fft2(cast<float>(x));
}
#else
auto mistake(const Tensor<int>& x) {
  return fft2(x);
}
#endif
