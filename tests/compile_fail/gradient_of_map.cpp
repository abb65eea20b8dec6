// SPDX-License-Identifier: Apache-2.0
// map: a functor without a derivative, over a variable.
// kind: a functor without a derivative
// first: (?=.*the_functor_of_map_has_no_derivative)(?=.*fix_add_a_member_derivative)(?=.*Cube)
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
struct Cube {
  float operator()(float v) const noexcept { return v * v * v; }
  float derivative(float g, float v) const noexcept { return g * 3 * v * v; }
};
#else
struct Cube {
  float operator()(float v) const noexcept { return v * v * v; }
};
#endif

auto mistake(const Variable<float>& v) { return map(Cube{}, v * 2); }
