// SPDX-License-Identifier: Apache-2.0
// cov: integers have no covariances, their mean is a fraction.
// first: (?=.*operation_undefined_for_elements)(?=.*fix_call_cast)(?=.*OfCovariance)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return cov(cast<double>(x));
}
#else
auto mistake(const Tensor<std::int64_t, Cpu>& x) {
  return cov(x);
}
#endif
