// SPDX-License-Identifier: Apache-2.0
// A value over ranks is printed by each rank for itself, or gathered to one.
// first: (?=.*a_value_over_ranks_is_on_no_one_of_them)(?=.*fix_call_local_or_gather)
// within: (?s)(error[^\n]*a_value_over_ranks_is_on_no_one_of_them.*){3}error[^\n]*a_replicated_value_is_summed_already
// lines: 50
#include <situ/device/runtime.hpp>
#include <situ/distributed/print.hpp>
#include <situ/world.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(const Group<Cpu>& group, const Spread<float, Replicated, Ranks<Cpu>>& r) {
  print(local(r));
  print(local(r), local(r));
  print("loss", local(r));
  static_cast<void>(group.all_reduce_async(partial(r)));
}
#else
void mistake(const Group<Cpu>& group, const Spread<float, Replicated, Ranks<Cpu>>& r) {
  print(r);
  print(local(r), r);
  print("loss", r);
  static_cast<void>(group.all_reduce_async(r));
}
#endif
