// SPDX-License-Identifier: Apache-2.0
// Gradients that are added up already.
// first: (?=.*these_gradients_are_added_up_already)(?=.*fix_leave_out_all_reduce)
#include <situ/parallel/gradients.hpp>

using namespace situ;

#ifdef SITU_CONTROL
ReducedGradients mistake(PendingGradients pending) { return all_reduce(std::move(pending)); }
#else
ReducedGradients mistake(PendingGradients pending) { return all_reduce(all_reduce(std::move(pending))); }
#endif
