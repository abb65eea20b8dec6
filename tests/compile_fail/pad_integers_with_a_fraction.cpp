// SPDX-License-Identifier: Apache-2.0
// Integers padded with a fraction.
// first: (?=.*scalar_does_not_fit_elements)(?=.*fix_cast_the_scalar_or_the_tensor)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<int>& x) { return pad(cast<float>(x), {{1, 1}}, 0.5f); }
#else
auto mistake(const Tensor<int>& x) { return pad(x, {{1, 1}}, 0.5f); }
#endif
