// SPDX-License-Identifier: Apache-2.0
// Elements of a GPU tensor do not promote either.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*float)(?=.*\bint)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& x, const Tensor<int, Cuda<1>>& w) {
  return x * cast<float>(w);
}
#else
auto mistake(const Tensor<float, Cuda<1>>& x, const Tensor<int, Cuda<1>>& w) {
  return x * w;
}
#endif
