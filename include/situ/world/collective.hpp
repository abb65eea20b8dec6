// SPDX-License-Identifier: Apache-2.0
// One collective of this rank: the check that all ranks called the same one, its transfers, and the wait for them.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/core/movement.hpp>
#include <situ/world/call.hpp>
#include <situ/world/errors.hpp>
#include <situ/world/meeting.hpp>
#include <situ/world/state.hpp>
#include <situ/world/transport.hpp>
#include <situ/world/wait.hpp>

namespace situ::internal::world {

/// Keeps memory of a transfer whose wait ended with an exception: it may still be written to. Never destroyed.
inline void abandon(std::shared_ptr<void> with_its_memory) {
  static std::mutex& mutex = *new std::mutex;
  static std::vector<std::shared_ptr<void>>& abandoned = *new std::vector<std::shared_ptr<void>>;
  const std::lock_guard lock(mutex);
  abandoned.push_back(std::move(with_its_memory));
}

/// A collective that this rank is in. Its transfers are those of `Communicator` and take handles of the memory that
/// they use. They wait for the end, and throw `CollectiveError` if it cannot come, `CollectiveTimeout` if it does not
/// come in time. The first one also compares the calls of the ranks, and throws `CollectiveMismatch` on all of them if
/// they differ: work that depends on this follows it.
class Collective {
 public:
  Collective(GroupState& group, std::int64_t number, const Call& call, Waiter waiter)
      : group_(group), number_(number), call_(call), waiter_(waiter) {}

  [[nodiscard]] GroupState& group() const noexcept { return group_; }
  [[nodiscard]] Communicator& communicator() const noexcept { return group_.communicator(); }
  [[nodiscard]] int rank() const noexcept { return group_.rank(); }
  [[nodiscard]] int size() const noexcept { return group_.size(); }

  /// Compares now, if nothing has been sent yet.
  void compare() {
    if (!compares_with_next()) return;
    const std::shared_ptr<Frames> frames = take_frames();
    frames->put_for_all(header(0, false), nullptr);
    static_cast<void>(meet(frames));
    group_.frames = frames;
  }

  template <class... Memory>
  void all_to_all(const std::byte* from, std::span<const Part> sent, std::byte* to, std::span<const Part> received,
                  const Memory&... memory) {
    if (!compares_with_next()) return finish(communicator().all_to_all(from, sent, to, received), memory...);
    const auto own = static_cast<std::size_t>(rank());
    bool later = false;
    for (std::size_t other = 0; other < sent.size(); ++other)
      later = later || (other != own && sent[other].bytes > Frames::carried);
    const std::shared_ptr<Frames> frames = take_frames();
    for (std::size_t other = 0; other < sent.size(); ++other)
      frames->put(other, header(carried(sent[other]), later), from + sent[other].begin);
    later = meet(frames) || later;  // on all ranks or on none
    for (std::size_t other = 0; other < received.size(); ++other) {
      const Part part = received[other];
      if (other == own) copy_own(from + sent[own].begin, to + part.begin, part.bytes);
      else frames->take(other, to + part.begin, carried(part));
    }
    group_.frames = frames;
    if (!later) return;
    std::vector<Part> rest_sent(sent.begin(), sent.end());
    std::vector<Part> rest_received(received.begin(), received.end());
    rest_sent[own].bytes = rest_received[own].bytes = 0;
    for (std::vector<Part>* const parts : {&rest_sent, &rest_received}) {
      for (Part& part : *parts) part.bytes -= carried(part);
    }
    finish(communicator().all_to_all(from, rest_sent, to, rest_received), memory...);
  }

  template <class... Memory>
  void all_gather(std::span<const std::byte> from, std::byte* to, std::span<const Part> received,
                  const Memory&... memory) {
    if (!compares_with_next()) return finish(communicator().all_gather(from, to, received), memory...);
    bool later = false;  // on all ranks or on none, since all know the parts
    for (const Part& part : received) later = later || part.bytes > Frames::carried;
    const std::shared_ptr<Frames> frames = take_frames();
    frames->put_for_all(header(later ? 0 : from.size(), later), from.data());
    static_cast<void>(meet(frames));
    if (!later) {
      for (std::size_t other = 0; other < received.size(); ++other) {
        const Part part = received[other];
        if (other == static_cast<std::size_t>(rank())) copy_own(from.data(), to + part.begin, part.bytes);
        else frames->take(other, to + part.begin, part.bytes);
      }
    }
    group_.frames = frames;
    if (later) finish(communicator().all_gather(from, to, received), memory...);
  }

  template <class... Memory>
  void broadcast(std::span<std::byte> bytes, int root, const Memory&... memory) {
    if (!compares_with_next()) return finish(communicator().broadcast(bytes, root), memory...);
    const bool later = bytes.size() > Frames::carried;
    const std::shared_ptr<Frames> frames = take_frames();
    frames->put_for_all(header(rank() == root && !later ? bytes.size() : 0, later), bytes.data());
    static_cast<void>(meet(frames));
    if (!later && rank() != root) frames->take(static_cast<std::size_t>(root), bytes.data(), bytes.size());
    group_.frames = frames;
    if (later) finish(communicator().broadcast(bytes, root), memory...);
  }

  /// Waits for a transfer that needs no comparison.
  template <class... Memory>
  void finish(std::unique_ptr<Transfer> transfer, const Memory&... memory) {
    try {
      wait(*transfer);
    } catch (...) {
      using Kept = std::tuple<std::unique_ptr<Transfer>, Memory...>;
      abandon(std::make_shared<Kept>(std::move(transfer), memory...));
      throw;
    }
  }

 private:
  /// Whether the next transfer, the first, must compare the ranks' calls. Among many ranks, they are compared here.
  [[nodiscard]] bool compares_with_next() {
    if (std::exchange(compared_, true) || size() == 1 || !group_.compares) return false;
    hash_ = call_.hash(number_);
    if (size() <= group_.job->meet_at_once) return true;
    compare_in_steps();
    return false;
  }

  /// Takes the group's frames until they are returned: after an exception in between they may still be written to.
  [[nodiscard]] std::shared_ptr<Frames> take_frames() {
    if (group_.frames == nullptr) return std::make_shared<Frames>(size(), rank());
    return std::exchange(group_.frames, nullptr);
  }
  [[nodiscard]] Header header(std::size_t bytes, bool later) const {
    return {hash_, static_cast<std::uint32_t>(bytes), later ? 1u : 0u};
  }
  [[nodiscard]] static std::size_t carried(const Part& part) noexcept {
    return part.bytes > Frames::carried ? 0 : part.bytes;
  }
  static void copy_own(const std::byte* from, std::byte* to, std::size_t bytes) {
    if (bytes > 0 && from != to) std::memcpy(to, from, bytes);
  }

  /// Exchanges first messages; returns whether any other rank has more to send. All see the same headers, so that all
  /// throw.
  [[nodiscard]] bool meet(const std::shared_ptr<Frames>& frames) {
    finish(frames->exchange(communicator()), frames);
    bool later = false;
    bool alike = true;
    for (std::size_t other = 0; other < static_cast<std::size_t>(size()); ++other) {
      if (other == static_cast<std::size_t>(rank())) continue;
      const Header header = frames->header(other);
      alike = alike && header.call == hash_;
      later = later || header.later != 0;
    }
    if (alike) return later;
    group_.frames = frames;
    tell_mismatch();
  }

  /// Computes the largest and, by complements, the smallest of the hashes: the same two numbers on all ranks, so that
  /// all throw. One more transfer, with as many steps as a tree is high.
  void compare_in_steps() {
    const auto both = std::make_shared<std::array<std::uint64_t, 2>>(std::array{hash_, ~hash_});
    finish(communicator().largest(*both), both);
    if ((*both)[0] != ~(*both)[1]) tell_mismatch();
  }

  [[noreturn]] void tell_mismatch() {
    constexpr std::size_t room = 512;
    const std::string text = call_.text();
    const auto ranks = static_cast<std::size_t>(size());
    const auto texts = std::make_shared<std::vector<char>>((ranks + 1) * room);
    char* const mine = texts->data() + ranks * room;
    std::copy_n(text.data(), std::min(text.size(), room - 1), mine);
    std::vector<Part> parts;
    for (std::size_t rank = 0; rank < ranks; ++rank) parts.push_back({rank * room, room});
    finish(communicator().all_gather(std::as_bytes(std::span(mine, room)), reinterpret_cast<std::byte*>(texts->data()),
                                     parts),
           texts);
    std::string message =
        "the ranks of a group called different collectives, number " + std::to_string(number_) + " of each:";
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      message += "\n  rank " + std::to_string(group_.ranks[rank]) + ": " + (texts->data() + rank * room);
    }
    throw CollectiveMismatch(message);
  }

  void wait(Transfer& transfer) {
    const movement::HostWait waits;
    JobState& job = *group_.job;
    BackOff back_off(waiter_);
    auto tell = [&, told = false]() mutable {
      if (!std::exchange(told, true)) job.tell(Word::waiting, {{group_.id, number_}}, group_.ranks);
    };
    while (!transfer.over()) {
      back_off.pause();
      if (!back_off.slow()) continue;
      const std::chrono::duration<double> waited = back_off.waited();
      if (waited > job.deadline / 2) tell();
      job.read_notices();  // after this rank's own notice: of two that give up at once, one knows of the other
      if (somebody_asks()) tell();
      const std::vector<int> gone = others([&](std::size_t rank) {
        if (!job.left[rank]) return false;
        const auto called = job.left[rank]->find(group_.id);
        return called == job.left[rank]->end() || called->second < number_;
      });
      if (!gone.empty()) {
        throw CollectiveError("cannot end, for " + list_ranks(gone) +
                              " left before it; all ranks of a group must call the same collectives");
      }
      if (waited > job.deadline) throw CollectiveTimeout(timeout_text());
    }
  }

  /// The other ranks of the group for which `holds`, by their numbers in the job.
  template <class Holds>
  [[nodiscard]] std::vector<int> others(const Holds& holds) const {
    const std::lock_guard lock(group_.job->mutex);
    std::vector<int> found;
    for (const int rank : group_.ranks) {
      if (rank != group_.job->job->rank() && holds(static_cast<std::size_t>(rank))) found.push_back(rank);
    }
    return found;
  }
  /// Whether a rank is known to wait in this collective or a later one.
  [[nodiscard]] bool waits(std::size_t rank) const {
    const auto& waiting = group_.job->waiting[rank];
    return waiting && waiting->first == group_.id && waiting->second >= number_;
  }

  /// Whether another rank has waited here for long: it will give up first, and must know by then that this rank was
  /// here.
  [[nodiscard]] bool somebody_asks() const {
    return !others([&](std::size_t rank) { return waits(rank); }).empty();
  }

  [[nodiscard]] std::string timeout_text() const {
    const std::vector<int> silent = others([&](std::size_t rank) { return !waits(rank); });
    std::array<char, 32> seconds{};
    std::snprintf(seconds.data(), seconds.size(), "%g", group_.job->deadline.count());
    return std::string("not over after ") + seconds.data() + " s; " +
           (silent.empty() ? "all ranks of the group wait in it" : "not known to wait in it: " + list_ranks(silent)) +
           "; World::set_deadline, or SITU_COLLECTIVE_TIMEOUT in seconds, gives it more time";
  }

  GroupState& group_;
  std::int64_t number_;
  const Call& call_;
  Waiter waiter_;
  bool compared_ = false;
  std::uint64_t hash_ = 0;  // of the call, when it is compared
};

}  // namespace situ::internal::world
