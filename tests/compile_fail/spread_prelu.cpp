// SPDX-License-Identifier: Apache-2.0
// The learned activation, which has no form for spread values.
// first: (?=.*there_is_no_form_for_spread_values)(?=.*fix_call_where)
#include <situ/distributed/select.hpp>
#include <situ/distributed/elementwise.hpp>
#include <situ/distributed/without_form.hpp>
#include <situ/ops/composed_activation.hpp>

using namespace situ;
template <class L>
using On = Spread<float, L, Cuda<0>, Cuda<1>>;

#ifdef SITU_CONTROL
auto mistake(const On<Sharded<0>>& s, const On<Replicated>& w) { return where(s > 0.f, s, w * s); }
#else
auto mistake(const On<Sharded<0>>& s, const On<Replicated>& w) { return prelu(s, w); }
#endif
