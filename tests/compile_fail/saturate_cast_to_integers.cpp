// SPDX-License-Identifier: Apache-2.0
// A saturating cast to integers.
// first: (?=.*saturate_cast_is_for_8_bit_floats)(?=.*fix_call_clamp_and_cast)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& x) { return eval(cast<std::int8_t>(clamp(x, -128.f, 127.f))); }
#else
auto mistake(const Tensor<float>& x) { return eval(saturate_cast<std::int8_t>(x)); }
#endif
