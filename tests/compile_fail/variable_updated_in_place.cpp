// SPDX-License-Identifier: Apache-2.0
// In-place arithmetic on a variable, whose value the graph may need.
// first: (?=.*a_const_tensor_or_an_expression_cannot_change)(?=.*fix_assign_to_a_tensor)
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Variable<float>& v) { v = v + 1; }
#else
void mistake(Variable<float>& v) { v += 1; }
#endif
