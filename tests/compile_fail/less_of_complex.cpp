// SPDX-License-Identifier: Apache-2.0
// Comparisons of complex numbers, and the larger of two.
// first: (?=.*complex_numbers_have_no_order)(?=.*fix_call_real_or_abs)
// within: (?s)(error[^\n]*complex_numbers_have_no_order.*){5}
// lines: 60
#include <situ/complex.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Tensor<std::complex<float>>& z) {
  static_cast<void>(abs(z) < abs(z));
  static_cast<void>(real(z) < 1.f);
  static_cast<void>(1.f >= real(z));
  static_cast<void>(maximum(abs(z), 0.f));
  static_cast<void>(clamp(real(z), 0.f, 1.f));
}
#else
void mistake(const Tensor<std::complex<float>>& z) {
  static_cast<void>(z < z);
  static_cast<void>(z < 1.f);
  static_cast<void>(1.f >= z);
  static_cast<void>(maximum(z, z));
  static_cast<void>(clamp(z, 0.f, 1.f));
}
#endif
