// SPDX-License-Identifier: Apache-2.0
// index_put: the lists have a fraction.
// first: (?=.*indices_are_not_integers)(?=.*fix_call_cast)
#include <situ/indexing.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x, const Tensor<float>& at, const Tensor<float>& v) {
  return index_put(x, {cast<int>(at)}, v);
}
#else
auto mistake(const Tensor<float>& x, const Tensor<float>& at, const Tensor<float>& v) {
  return index_put(x, {at}, v);
}
#endif
