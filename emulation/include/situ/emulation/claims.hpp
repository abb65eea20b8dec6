// SPDX-License-Identifier: Apache-2.0
// The owner of a block of memory according to the order of streams, not to the order in which operations happen to run.
// A pool that hands out a block, or takes it back, claims its bytes at a point in a stream. Work in another stream that
// accesses them must be ordered before or after that point; if it is not, the block is poisoned while the work runs, so
// that AddressSanitizer reports the access. (Without AddressSanitizer all this is omitted.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <situ/emulation/sanitizers.hpp>

namespace situ::internal::cuda::emulated {

/// A point in a numbered stream: after this many of its operations.
struct Turn {
  int stream = 0;
  std::uint64_t operations = 0;
};

/// For each stream, how many of its operations are over at some time. Operations keep the version from the time of
/// their call, so it is never modified but replaced.
class Knowledge {
 public:
  [[nodiscard]] bool has(Turn turn) const noexcept {
    const auto stream = static_cast<std::size_t>(turn.stream);
    return over_ != nullptr && stream < over_->size() && (*over_)[stream] >= turn.operations;
  }
  void learn(Turn turn) {
    if (has(turn)) return;
    std::vector<std::uint64_t> more(static_cast<std::size_t>(turn.stream) + 1);
    more.back() = turn.operations;
    learn(more);
  }
  void learn(const Knowledge& other) {
    if (other.over_ == nullptr || other.over_ == over_ || other.over_ == learned_) return;
    learned_ = other.over_;
    learn(*other.over_);
  }

 private:
  void learn(const std::vector<std::uint64_t>& more) {
    auto over = over_ == nullptr ? std::make_shared<std::vector<std::uint64_t>>()
                                 : std::make_shared<std::vector<std::uint64_t>>(*over_);
    over->resize(std::max(over->size(), more.size()));
    for (std::size_t s = 0; s < more.size(); ++s) (*over)[s] = std::max((*over)[s], more[s]);
    over_ = std::move(over);
  }

  std::shared_ptr<const std::vector<std::uint64_t>> over_{};
  std::shared_ptr<const std::vector<std::uint64_t>> learned_{};  // last
};

/// A point in a stream, and the operations that are over before it.
struct Ordered {
  Turn turn{};
  Knowledge knows{};

  /// Whether it is ordered after a point in a stream, no matter when operations happen to run.
  [[nodiscard]] bool after(Turn other) const noexcept {
    return other.stream == turn.stream ? other.operations <= turn.operations : knows.has(other);
  }
};

/// Bytes that have another owner, or none, from here on.
struct Claim {
  const char* start = nullptr;
  std::size_t bytes = 0;
  const char* by = "";  // the call
  Ordered order{};
};

class Claims {
 public:
  /// The claim was called and has yet to run.
  void call(const Claim& claim) { called_.push_back(claim); }
  /// The claim has run.
  void run(const Claim& claim) {
    const auto same = [&](const Claim& other) {
      return other.order.turn.stream == claim.order.turn.stream &&
             other.order.turn.operations == claim.order.turn.operations;
    };
    std::erase_if(called_, same);
    auto next = held_.lower_bound(claim.start);
    while (next != held_.end() && next->first < claim.start + claim.bytes) next = held_.erase(next);
    if (next != held_.begin()) {
      Claim& before = std::prev(next)->second;
      before.bytes = std::min(before.bytes, static_cast<std::size_t>(claim.start - before.start));
    }
    if (usable_bytes(claim.start, claim.bytes) > 0) held_.emplace(claim.start, claim);
  }

  /// Poisons bytes whose claims are not ordered with the running operation.
  void close(const Ordered& running) {
    for (const auto& [start, claim] : held_) {
      if (!running.after(claim.order.turn)) close(claim);
    }
    for (const Claim& claim : called_) {
      if (!claim.order.after(running.turn)) close(claim);
    }
  }
  /// Undoes that.
  void open() noexcept {
    for (; !closed_.empty(); closed_.pop_back()) unpoison(closed_.back().start, closed_.back().bytes);
  }
  /// The claim for which a byte is poisoned now, or null.
  [[nodiscard]] const Claim* closing(const void* touched) const noexcept {
    const auto* const place = static_cast<const char*>(touched);
    for (const Claim& claim : closed_) {
      if (place >= claim.start && place < claim.start + claim.bytes) return &claim;
    }
    return nullptr;
  }

 private:
  void close(Claim claim) {
    claim.bytes = usable_bytes(claim.start, claim.bytes);
    if (claim.bytes == 0) return;
    poison(claim.start, claim.bytes);
    closed_.push_back(std::move(claim));
  }

  std::map<const char*, Claim> held_;  // by block that is handed out
  std::vector<Claim> called_;          // but not run
  std::vector<Claim> closed_;
};

}  // namespace situ::internal::cuda::emulated
