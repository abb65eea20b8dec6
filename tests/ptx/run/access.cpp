// SPDX-License-Identifier: Apache-2.0
#include "access.hpp"

#include <algorithm>
#include <bit>

#include "text.hpp"

namespace ptx {

Access::Access(Warp& warp, const Instruction& at, int lane, Word base, int bytes, Purpose purpose)
    : warp_(warp), launch_(warp.launch()), at_(at), lane_(lane), bytes_(bytes), purpose_(purpose), space_(at.space) {
  Word address = base + static_cast<Word>(at.offset);
  if (at.base_is_32_bits) address = static_cast<std::uint32_t>(address);
  if (address % static_cast<Word>(bytes) != 0) [[unlikely]] {
    launch_.complain("misaligned", &warp_, lane_, &at_, [&] {
      return formatted("address %llx, %d bytes", static_cast<unsigned long long>(address), bytes_);
    });
  }
  find(address);
}

void Access::find(Word address) {
  switch (space_) {
    case Space::shared:
      find_in(launch_.shared, launch_.shared_bytes, address);
      break;
    case Space::local:
      find_in(warp_.local.lane(lane_), warp_.local.bytes(), address);
      break;
    case Space::frame:
      find_in(warp_.frame.lane(lane_), warp_.frame.bytes(), address);
      break;
    case Space::parameter:
      find_in(launch_.parameter, launch_.parameter_holes.size(), address - reinterpret_cast<Word>(launch_.parameter));
      break;
    case Space::global:
    case Space::constant:
    case Space::generic: {
      char* const place = reinterpret_cast<char*>(address);
      allocation_ = launch_.allocation_at(place, static_cast<std::size_t>(bytes_), at_.region);
      if (allocation_ != nullptr) {
        memory_ = place;
        offset_ = static_cast<std::size_t>(place - allocation_->start);
        if (space_ != Space::constant) space_ = Space::global;
        if ((allocation_->constant && purpose_ != Purpose::load) ||
            (at_.space == Space::constant && !allocation_->constant)) {
          launch_.complain("constant memory", &warp_, lane_, &at_,
                           [&] { return std::string(allocation_->constant ? "is stored to" : "is none of this"); });
        }
      } else if (space_ == Space::generic && find_generic(place)) {
        return;
      }
      break;
    }
  }
  if (memory_ == nullptr) [[unlikely]]
    complain_outside(address);
}

void Access::find_in(char* start, std::size_t size, Word offset) {
  const auto wanted = static_cast<std::size_t>(bytes_);
  if (offset > size || wanted > size - offset) return;
  memory_ = start + offset;
  offset_ = offset;
}

bool Access::find_generic(char* place) {
  const auto within = [&](Space space, char* start, std::size_t size) {
    find_in(start, size, reinterpret_cast<Word>(place) - reinterpret_cast<Word>(start));
    if (memory_ != nullptr) space_ = space;
    return memory_ != nullptr;
  };
  return within(Space::shared, launch_.shared, launch_.shared_bytes) ||
         within(Space::local, warp_.local.lane(lane_), warp_.local.bytes()) ||
         (purpose_ == Purpose::load && within(Space::parameter, launch_.parameter, launch_.parameter_holes.size()));
}

void Access::complain_outside(Word address) {
  launch_.complain("out of bounds", &warp_, lane_, &at_, [&] {
    const char* const what = purpose_ == Purpose::load    ? "a load"
                             : purpose_ == Purpose::store ? "a store"
                                                          : "an atomic";
    std::string text = formatted("%s of %d bytes at %llx", what, bytes_, static_cast<unsigned long long>(address));
    if (space_ == Space::shared) text += formatted("; shared memory has %zu", launch_.shared_bytes);
    constexpr std::size_t near = 4096;
    for (const Allocation& each : launch_.memory) {
      const Word start = reinterpret_cast<Word>(each.start);
      const auto size = static_cast<std::size_t>(each.end - each.start);
      if (address + near < start || address > start + size + near) continue;
      text +=
          formatted("; near an allocation of %zu bytes, at offset %lld", size, static_cast<long long>(address - start));
    }
    return text;
  });
}

/// Which bytes nobody wrote. All of them: a complaint, but where bytes are copied one by one, which may be holes.
AccessBytes Access::unwritten(const ByteState* state, bool may_be_undefined, const char* kind) {
  AccessBytes undefined = 0;
  bool gap = false;
  for (int k = 0; k < bytes_; ++k) {
    gap = gap || state[k] == ByteState::gap;
    if (state[k] != ByteState::written) undefined |= AccessBytes{1} << k;
  }
  if (undefined == 0) [[likely]]
    return 0;
  if (gap) {
    launch_.complain("out of bounds", &warp_, lane_, &at_,
                     [&] { return formatted("offset %zu, %d bytes, lies in no variable", offset_, bytes_); });
    return 0;
  }
  if (undefined != first_bytes(bytes_) || may_be_undefined) return undefined;
  launch_.complain(kind, &warp_, lane_, &at_, [&] { return formatted("offset %zu, %d bytes", offset_, bytes_); });
  return 0;
}

void Access::write(ByteState* state, AccessBytes undefined) {
  bool gap = false;
  for (int k = 0; k < bytes_; ++k) {
    gap = gap || state[k] == ByteState::gap;
    if (state[k] != ByteState::gap) state[k] = (undefined >> k & 1) != 0 ? ByteState::unwritten : ByteState::written;
  }
  if (!gap) [[likely]]
    return;
  launch_.complain("out of bounds", &warp_, lane_, &at_,
                   [&] { return formatted("offset %zu, %d bytes, lies in no variable", offset_, bytes_); });
}

AccessBytes Access::load(bool may_be_undefined) {
  switch (space_) {
    case Space::shared: {
      const AccessBytes undefined =
          unwritten(&launch_.shared_state[offset_], may_be_undefined, "shared memory never written");
      if (launch_.races && !at_.ordered) {
        report(launch_.shared_history.load(offset_, bytes_, launch_.accessor(warp_, lane_), launch_.now,
                                           launch_.block_start),
               false);
      }
      return undefined;
    }
    case Space::local: {
      return unwritten(warp_.local.state(lane_) + offset_, may_be_undefined, "local memory never written");
    }
    case Space::frame:
      return unwritten(warp_.frame.state(lane_) + offset_, true, "");
    case Space::parameter: {
      AccessBytes undefined = 0;
      for (int k = 0; k < bytes_; ++k) {
        if (launch_.parameter_holes[offset_ + static_cast<std::size_t>(k)] != 0) undefined |= AccessBytes{1} << k;
      }
      return undefined;
    }
    default:
      break;
  }
  load_global();
  if (!allocation_->some_undefined) [[likely]]
    return 0;
  AccessBytes undefined = 0;
  for (int k = 0; k < bytes_; ++k) {
    if (allocation_->stored[offset_ + static_cast<std::size_t>(k)] == Stored::undefined)
      undefined |= AccessBytes{1} << k;
  }
  return undefined;
}

void Access::load_global() {
  if (at_.not_coherent) check_not_coherent();
  if (!allocation_->history || at_.ordered) return;
  report(allocation_->history.load(offset_, bytes_, launch_.accessor(warp_, lane_), launch_.now, 0), false);
}

/// ld.global.nc may read what was in a cache before the kernel began.
void Access::check_not_coherent() {
  if (allocation_->region == nothing) return;
  std::vector<bool>& read = allocation_->read_not_coherently;
  read.resize(static_cast<std::size_t>(allocation_->end - allocation_->start));
  std::fill_n(read.begin() + static_cast<std::ptrdiff_t>(offset_), bytes_, true);
  const auto stored = allocation_->stored.begin() + static_cast<std::ptrdiff_t>(offset_);
  if (std::all_of(stored, stored + bytes_, [](Stored kind) { return kind == Stored::by_nobody; })) return;
  launch_.complain("ld.global.nc of what the kernel stores", &warp_, lane_, &at_,
                   [&] { return formatted("offset %zu", offset_); });
}

void Access::store(AccessBytes undefined, Stored kind) {
  switch (space_) {
    case Space::shared:
      write(&launch_.shared_state[offset_], undefined);
      if (launch_.races) {
        const Conflict conflict = launch_.shared_history.store(offset_, bytes_, launch_.accessor(warp_, lane_),
                                                               launch_.now, launch_.block_start);
        if (!at_.ordered) report(conflict, true);
      }
      return;
    case Space::local:
      write(warp_.local.state(lane_) + offset_, undefined);
      return;
    case Space::frame:
      write(warp_.frame.state(lane_) + offset_, undefined);
      return;
    default:
      break;
  }
  if (!allocation_->stored.empty()) {
    Stored* const stored = &allocation_->stored[offset_];
    std::fill_n(stored, bytes_, kind);
    for (; undefined != 0; undefined &= undefined - 1) {
      stored[std::countr_zero(undefined)] = Stored::undefined;
      allocation_->some_undefined = true;
    }
  }
  if (!allocation_->read_not_coherently.empty()) {
    const auto read = allocation_->read_not_coherently.begin() + static_cast<std::ptrdiff_t>(offset_);
    if (std::find(read, read + bytes_, true) != read + bytes_) {
      launch_.complain("ld.global.nc of what the kernel stores", &warp_, lane_, &at_,
                       [&] { return formatted("offset %zu, stored after it was read", offset_); });
    }
  }
  if (!allocation_->history) return;
  const Conflict conflict = allocation_->history.store(offset_, bytes_, launch_.accessor(warp_, lane_), launch_.now, 0);
  if (!at_.ordered) report(conflict, true);
}

void Access::atomic(Stored kind) {
  if (space_ == Space::shared) {
    (void)unwritten(&launch_.shared_state[offset_], false, "shared memory never written");
    write(&launch_.shared_state[offset_], 0);
    if (launch_.races) launch_.shared_history.atomic(offset_, bytes_);
    return;
  }
  if (space_ != Space::global) {
    launch_.complain("atomic operation in memory of one thread", &warp_, lane_, &at_, [] { return std::string(); });
    return;
  }
  if (!allocation_->stored.empty()) std::fill_n(&allocation_->stored[offset_], bytes_, kind);
  if (!allocation_->history) return;
  allocation_->history.atomic(offset_, bytes_);
  launch_.ordering.atomic(memory_, launch_.accessor(warp_, lane_).thread, launch_.now, launch_.barrier);
}

void Access::report(const Conflict& conflict, bool i_store) {
  if (conflict.thread == nobody) [[likely]]
    return;
  if (space_ == Space::global) {
    report_in_grid(conflict, i_store);
    return;
  }
  launch_.complain("race in shared memory", &warp_, lane_, &at_, [&] {
    const Thread thread = (conflict.thread - 1) % static_cast<Thread>(launch_.grid.threads);
    const std::string who = formatted(conflict.one_of_several ? "thread %u and others" : "thread %u", thread);
    return formatted("offset %zu, which %s %s since the last barrier", offset_, who.c_str(),
                     conflict.other_stored ? "stored" : "read");
  });
}

void Access::report_in_grid(const Conflict& conflict, bool i_store) {
  const Accessor me = launch_.accessor(warp_, lane_);
  const auto threads = static_cast<Thread>(launch_.grid.threads);
  const bool same_block = me.same_block(conflict.thread);
  const Thread block = (conflict.thread - 1) / threads;
  if (!same_block && launch_.ordering.before(block, conflict.thread, conflict.time, me)) return;
  const char* kind = "a load of what another block stored";
  if (same_block) {
    kind = "race in global memory";
  } else if (i_store) {
    kind = conflict.other_stored ? "two blocks store to one place" : "a store to what another block read";
  }
  launch_.complain(kind, &warp_, lane_, &at_, [&] {
    std::string who = formatted(conflict.one_of_several ? "block %u, thread %u and others," : "block %u, thread %u,",
                                block, (conflict.thread - 1) % threads);
    who += conflict.other_stored ? " stored to" : " read";
    return formatted("offset %zu of %zu bytes, which ", offset_,
                     static_cast<std::size_t>(allocation_->end - allocation_->start)) +
           who;
  });
}

}  // namespace ptx
