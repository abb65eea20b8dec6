// SPDX-License-Identifier: Apache-2.0
// The flag of training in the place of the probability.
// first: (?=.*dropout_takes_a_probability)(?=.*fix_write_it_before_training)
// first[clang]: deleted
// within: (?=.*dropout_takes_a_probability)(?=.*fix_write_it_before_training)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float> mistake(const Tensor<float>& x, bool training) {
  return dropout(x, 0.5, training);
}
#else
Tensor<float> mistake(const Tensor<float>& x, bool training) {
  return dropout(x, training);
}
#endif
