// SPDX-License-Identifier: Apache-2.0
// Passes by compiling: Fourier transforms in a program that tells Eigen's FFT module to call FFTW, beside that module.
#define EIGEN_FFTW_DEFAULT
#include <situ/fft.hpp>

#include <unsupported/Eigen/FFT>

situ::Tensor<float, situ::Cpu> there_and_back(const situ::Tensor<float, situ::Cpu>& x);
situ::Tensor<float, situ::Cpu> there_and_back(const situ::Tensor<float, situ::Cpu>& x) {
  const Eigen::FFT<float> other;
  static_cast<void>(other);
  return irfft(rfft(x), {.n = x.extent(-1)});
}
