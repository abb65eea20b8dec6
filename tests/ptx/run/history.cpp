// SPDX-License-Identifier: Apache-2.0
#include "history.hpp"

#include <algorithm>

namespace ptx {

History::History(const char* start, std::size_t bytes)
    : first_(reinterpret_cast<std::uintptr_t>(start) % page_bytes), pages_((first_ + bytes) / page_bytes + 1) {}

/// An access that is aligned lies in one page, as pages begin at multiples of their size. Of one that is not, which was
/// a complaint, only the bytes in the first page count.
History::Part History::part_of(std::size_t at, int bytes) {
  at += first_;
  std::unique_ptr<Page>& page = pages_[at / page_bytes];
  if (page == nullptr) page = std::make_unique<Page>();
  const std::size_t in_page = at % page_bytes;
  return {*page, in_page, std::min(static_cast<std::size_t>(bytes), page_bytes - in_page)};
}

/// The stores of others to a byte of these. One in another block is for Ordering to judge.
Conflict History::stored_before(const Part& part, const Accessor& me, Time since) {
  const Thread* const writer = &part.page.writer[part.at];
  const Time* const written = &part.page.written[part.at];
  bool others = false;
  for (std::size_t k = 0; k < part.bytes; ++k) others |= writer[k] != nobody && writer[k] != me.thread;
  if (!others) return {};
  for (std::size_t k = 0; k < part.bytes; ++k) {
    if (writer[k] == nobody || writer[k] == me.thread || written[k] < since) continue;
    if (me.same_block(writer[k]) && me.after(writer[k], written[k])) continue;
    return {writer[k], written[k], true, false};
  }
  return {};
}

Conflict History::load(std::size_t at, int bytes, const Accessor& me, Time now, Time since) {
  const Part part = part_of(at, bytes);
  const Conflict found = stored_before(part, me, since);
  Thread* const reader = &part.page.reader[part.at];
  Time* const read = &part.page.read[part.at];
  for (std::size_t k = 0; k < part.bytes; ++k) {
    const bool other_warp = reader[k] < me.warp_first || reader[k] >= me.warp_first + 32;  // or several
    const bool still_counts = reader[k] != nobody && read[k] >= me.barrier;
    // Of one warp the last reader is kept: a synchronization of the warp orders all of its readers alike.
    reader[k] = me.thread | (other_warp && still_counts ? several : 0);
    read[k] = now;
  }
  return found;
}

Conflict History::store(std::size_t at, int bytes, const Accessor& me, Time now, Time since) {
  const Part part = part_of(at, bytes);
  Conflict found = stored_before(part, me, since);
  const Thread* const reader = &part.page.reader[part.at];
  const Time* const read = &part.page.read[part.at];
  bool others = false;
  for (std::size_t k = 0; k < part.bytes; ++k) others |= reader[k] != nobody && reader[k] != me.thread;
  for (std::size_t k = 0; k < part.bytes && others && found.thread == nobody; ++k) {
    if (reader[k] == nobody || reader[k] == me.thread || read[k] < since) continue;
    const Thread last = reader[k] & ~several;
    const bool more = (reader[k] & several) != 0;
    const bool before = me.same_block(last) && (more ? read[k] < me.barrier : me.after(last, read[k]));
    if (!before) found = {last, read[k], false, more};
  }
  std::fill_n(&part.page.writer[part.at], part.bytes, me.thread);
  std::fill_n(&part.page.written[part.at], part.bytes, now);
  return found;
}

void History::atomic(std::size_t at, int bytes) {
  const Part part = part_of(at, bytes);
  std::fill_n(&part.page.writer[part.at], part.bytes, nobody);
}

}  // namespace ptx
