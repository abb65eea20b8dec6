// SPDX-License-Identifier: Apache-2.0
// A layer by its number in brackets.
// first: (?=.*layers_are_found_by_a_template_argument)(?=.*fix_call_layer)
#include <situ/nn/linear.hpp>
#include <situ/nn/sequential.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto& mistake(nn::Sequential<nn::Linear<float>, nn::Linear<float>>& net) { return layer<0>(net); }
#else
void mistake(nn::Sequential<nn::Linear<float>, nn::Linear<float>>& net) { net[0]; }
#endif
