// SPDX-License-Identifier: Apache-2.0
// one_hot of floating labels.
// first: (?=.*labels_are_not_integers)(?=.*fix_call_cast)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float>& labels) { return one_hot(cast<int>(labels), 5); }
#else
auto mistake(const Tensor<float>& labels) { return one_hot(labels, 5); }
#endif
