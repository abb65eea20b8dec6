// SPDX-License-Identifier: Apache-2.0
// A loss for each row is none: the mean over rows that are cut is a sum of terms.
// kind: a spread value that is no loss
// first: (?=.*a_sharded_value_is_not_a_loss)(?=.*fix_call_sum_or_mean)
#include <situ/distributed/reduce.hpp>
#include <situ/parallel/gradients.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const SpreadVariable<float, Sharded<0>, Cuda<0>, Cuda<1>>& losses) { return backward(sum(losses)); }
#else
auto mistake(const SpreadVariable<float, Sharded<0>, Cuda<0>, Cuda<1>>& losses) { return backward(losses); }
#endif
