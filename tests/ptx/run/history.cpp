// SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <algorithm>

namespace ptx {

/// The stores of others to a byte of these. One in another block is for Ordering to judge.
Conflict History::stored_before(std::size_t at, int bytes, const Accessor& me, Time since) {
  const Thread* const writer = writer_.get() + at;
  const Time* const written = written_.get() + at;
  bool others = false;
  for (int k = 0; k < bytes; ++k) others |= writer[k] != nobody && writer[k] != me.thread;
  if (!others) return {};
  for (int k = 0; k < bytes; ++k) {
    if (writer[k] == nobody || writer[k] == me.thread || written[k] < since) continue;
    if (me.same_block(writer[k]) && me.after(writer[k], written[k])) continue;
    return {writer[k], written[k], true};
  }
  return {};
}

Conflict History::load(std::size_t at, int bytes, const Accessor& me, Time now, Time since) {
  const Conflict found = stored_before(at, bytes, me, since);
  Thread* const reader = reader_.get() + at;
  Time* const read = read_.get() + at;
  for (int k = 0; k < bytes; ++k) {
    const bool other_warp = reader[k] < me.warp_first || reader[k] >= me.warp_first + 32;
    const bool still_counts = reader[k] != nobody && read[k] >= me.barrier;
    // Of one warp the last reader is kept: a synchronization of the warp orders all of its readers alike.
    reader[k] = other_warp && still_counts ? several : me.thread;
    read[k] = now;
  }
  return found;
}

Conflict History::store(std::size_t at, int bytes, const Accessor& me, Time now, Time since) {
  Conflict found = stored_before(at, bytes, me, since);
  const Thread* const reader = reader_.get() + at;
  const Time* const read = read_.get() + at;
  bool others = false;
  for (int k = 0; k < bytes; ++k) others |= reader[k] != nobody && reader[k] != me.thread;
  for (int k = 0; k < bytes && others && found.thread == nobody; ++k) {
    if (reader[k] == nobody || reader[k] == me.thread || read[k] < since) continue;
    if (reader[k] == several ? read[k] < me.barrier : me.same_block(reader[k]) && me.after(reader[k], read[k]))
      continue;
    found = {reader[k], read[k], false};
  }
  std::fill_n(writer_.get() + at, bytes, me.thread);
  std::fill_n(written_.get() + at, bytes, now);
  return found;
}

void History::atomic(std::size_t at, int bytes) { std::fill_n(writer_.get() + at, bytes, nobody); }

}  // namespace ptx
