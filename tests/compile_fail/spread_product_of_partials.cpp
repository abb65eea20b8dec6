// SPDX-License-Identifier: Apache-2.0
// The product of two sums is not the sum of the products of their terms.
// first: (?=.*the_operands_do_not_fit)(?=.*Partial)(?=.*the_product_of_sums_is_not_the_sum_of_products)(?=.*fix_call_all_reduce_first)
// first[clang]: (?=.*the_operands_do_not_fit)(?=.*Partial)
// within[clang]: (?=.*the_product_of_sums_is_not_the_sum_of_products)(?=.*fix_call_all_reduce_first)
#include <situ/device/runtime.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/collectives.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Partial<>>& p) { return all_reduce(p) * p; }
#else
auto mistake(const On<Partial<>>& p) { return p * p; }
#endif
