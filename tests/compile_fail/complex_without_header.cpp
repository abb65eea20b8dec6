// SPDX-License-Identifier: Apache-2.0
// Complex elements are in a header of their own.
// first: complex elements are std::complex<float> and std::complex<double>; fix: #include <situ/complex.hpp>
#include <complex>

#ifdef SITU_CONTROL
#include <situ/complex.hpp>
#else
#include <situ/tensor.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::complex<float>>& x) {
  return x.shape();
}
#else
auto mistake(const Tensor<std::complex<float>>& x) {
  return x.shape();
}
#endif
