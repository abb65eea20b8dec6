// SPDX-License-Identifier: Apache-2.0
// A sum that is not added up is no parameter: what its terms are would be anybody's business.
// first[gcc]: (?=.*a_partial_sum_is_not_a_parameter)(?=.*fix_call_all_reduce)
// first[clang]: (call to deleted constructor of|uses deleted function)
// first[nvcc]: (?=.*a_partial_sum_is_not_a_parameter)(?=.*fix_call_all_reduce)
// within: (?=.*a_partial_sum_is_not_a_parameter)(?=.*fix_call_all_reduce)
#include <situ/distributed/collectives.hpp>
#include <situ/parallel/variable.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Spread<float, Partial<>, Cuda<0>, Cuda<1>>& x) { return SpreadVariable(all_reduce(x)); }
#else
auto mistake(const Spread<float, Partial<>, Cuda<0>, Cuda<1>>& x) {
  return SpreadVariable<float, Partial<>, Cuda<0>, Cuda<1>>(x);
}
#endif
