// SPDX-License-Identifier: Apache-2.0
// A cast of complex elements to real ones would drop a part.
// first: (?=.*the_cast_would_drop_imaginary_parts)(?=.*fix_call_real_or_abs)
#include <situ/complex.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::complex<float>>& z) {
  return Tensor(real(z));
}
#else
auto mistake(const Tensor<std::complex<float>>& z) {
  return Tensor(cast<float>(z));
}
#endif
