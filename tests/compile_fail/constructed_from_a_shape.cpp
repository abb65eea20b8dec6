// SPDX-License-Identifier: Apache-2.0
// A tensor of a shape.
// first: (?=.*a_tensor_of_a_shape_is_made_by_a_function)(?=.*fix_call_zeros_or_empty)
// first[clang]: deleted constructor
// within: a_tensor_of_a_shape_is_made_by_a_function::fix_call_zeros_or_empty
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake() { Tensor<float> x = zeros({3, 4}); }
#else
void mistake() { Tensor<float> x({3, 4}); }
#endif
