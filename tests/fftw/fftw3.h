// SPDX-License-Identifier: Apache-2.0
// As much of FFTW's header as Eigen's FFT module needs to compile.
#pragma once

#define FFTW_FORWARD (-1)
#define FFTW_BACKWARD (+1)
#define FFTW_PRESERVE_INPUT (1U << 4)
#define FFTW_ESTIMATE (1U << 6)
#define SITU_TEST_FFTW(X, R)                                                     \
  typedef R X##_complex[2];                                                      \
  typedef struct X##_plan_s* X##_plan;                                           \
  extern "C" {                                                                   \
  X##_plan X##_plan_dft_1d(int, X##_complex*, X##_complex*, int, unsigned);      \
  X##_plan X##_plan_dft_2d(int, int, X##_complex*, X##_complex*, int, unsigned); \
  X##_plan X##_plan_dft_r2c_1d(int, R*, X##_complex*, unsigned);                 \
  X##_plan X##_plan_dft_c2r_1d(int, X##_complex*, R*, unsigned);                 \
  void X##_execute_dft(X##_plan, X##_complex*, X##_complex*);                    \
  void X##_execute_dft_r2c(X##_plan, R*, X##_complex*);                          \
  void X##_execute_dft_c2r(X##_plan, X##_complex*, R*);                          \
  void X##_destroy_plan(X##_plan);                                               \
  }
SITU_TEST_FFTW(fftwf, float)
SITU_TEST_FFTW(fftw, double)
SITU_TEST_FFTW(fftwl, long double)
#undef SITU_TEST_FFTW
