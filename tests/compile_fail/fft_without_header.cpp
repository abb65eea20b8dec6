// SPDX-License-Identifier: Apache-2.0
// Functions of situ/fft.hpp, which situ.hpp does not have.
// first: (?=.*this_function_is_in_another_header)(?=.*fix_include_situ_fft_hpp)
// within: (?s)(error[^\n]*this_function_is_in_another_header.*){4}
// lines: 50
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<float>& y, const Tensor<std::int64_t>& i) { return scatter(x, 0, i, y); }
#else
void mistake(const Tensor<float>& x, [[maybe_unused]] const Tensor<float>& y,
             [[maybe_unused]] const Tensor<std::int64_t>& i) {
  fft(x);
  stft(x, 256, y);
  irfft(x);
  fft2(x);
}
#endif
