// SPDX-License-Identifier: Apache-2.0
// Threads of this process as the ranks of a job: what is above the seam of world/transport.hpp is tested where there is no MPI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/world.hpp>

namespace threads_as_ranks {

namespace world = situ::internal::world;
using world::Part;

/// What one rank brought to a collective.
struct Brought {
  const std::byte* from = nullptr;
  std::vector<Part> sent;
  std::byte* to = nullptr;
  std::vector<Part> received;
  std::vector<std::uint64_t> numbers;
  bool up_to = false;  // what it awaits is the most that may come
};

/// One collective of one communicator.
struct Meeting {
  std::vector<Brought> ranks;
  int come = 0;
  int done = 0;
};

/// What the ranks of a communicator share.
struct Room {
  explicit Room(int ranks) : size(ranks) {}
  int size;
  std::map<int, std::shared_ptr<Meeting>> meetings;       // by their number
  std::map<std::pair<int, int>, std::shared_ptr<Room>> parts;  // by the number of the split and the color
  std::map<std::pair<int, int>, std::vector<int>> members;
};

struct Everything {
  explicit Everything(int ranks) : room(std::make_shared<Room>(ranks)), notices(static_cast<std::size_t>(ranks)) {}
  std::mutex mutex;
  std::shared_ptr<Room> room;
  std::vector<std::deque<world::Notice>> notices;  // by the rank that they go to
};

class ThreadTransfer final : public world::Transfer {
 public:
  ThreadTransfer(Everything& all, std::shared_ptr<Meeting> meeting, std::size_t rank, std::span<std::uint64_t> numbers)
      : all_(all), meeting_(std::move(meeting)), rank_(rank), numbers_(numbers) {}

  [[nodiscard]] bool over() override {
    const std::lock_guard lock(all_.mutex);
    if (meeting_->come < static_cast<int>(meeting_->ranks.size())) return false;
    if (!std::exchange(copied_, true)) {
      ++meeting_->done;
      const Brought& own = meeting_->ranks[rank_];
      for (std::size_t rank = 0; rank < meeting_->ranks.size(); ++rank) {
        const Brought& other = meeting_->ranks[rank];
        if (rank < own.received.size() && rank_ < other.sent.size()) {
          const std::size_t bytes = other.sent[rank_].bytes;
          const std::size_t awaited = own.received[rank].bytes;
          if (own.up_to ? bytes > awaited : bytes != awaited) throw situ::CollectiveError("messages of other lengths than awaited");
          const std::byte* const from = other.from + other.sent[rank_].begin;
          std::byte* const to = own.to + own.received[rank].begin;
          if (bytes > 0 && from != to) std::memcpy(to, from, bytes);
        }
        for (std::size_t i = 0; i < numbers_.size(); ++i) numbers_[i] = std::max(numbers_[i], other.numbers.at(i));
      }
    }
    // What this rank sent is its own again when all have read it.
    return meeting_->done == static_cast<int>(meeting_->ranks.size());
  }

 private:
  Everything& all_;
  std::shared_ptr<Meeting> meeting_;
  std::size_t rank_;
  std::span<std::uint64_t> numbers_;
  bool copied_ = false;
};

template <class Base>
class ThreadRanks : public Base {
 public:
  ThreadRanks(std::shared_ptr<Everything> all, std::shared_ptr<Room> room, int rank)
      : all_(std::move(all)), room_(std::move(room)), rank_(rank) {}

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return room_->size; }

  [[nodiscard]] std::unique_ptr<world::Communicator> split(int color) override {
    const std::pair key(number_++, color);
    const auto everyone_was_here = [&] {
      const std::lock_guard lock(all_->mutex);
      std::size_t here = 0;
      for (const auto& [which, members] : room_->members) here += which.first == key.first ? members.size() : 0;
      return here == static_cast<std::size_t>(room_->size);
    };
    {
      const std::lock_guard lock(all_->mutex);
      room_->members[key].push_back(rank_);
    }
    while (!everyone_was_here()) std::this_thread::yield();
    const std::lock_guard lock(all_->mutex);
    std::vector<int>& members = room_->members[key];
    std::ranges::sort(members);
    std::shared_ptr<Room>& part = room_->parts[key];
    if (part == nullptr) part = std::make_shared<Room>(static_cast<int>(members.size()));
    const auto place = static_cast<int>(std::ranges::find(members, rank_) - members.begin());
    return std::make_unique<ThreadRanks<world::Communicator>>(all_, part, place);
  }

  [[nodiscard]] std::unique_ptr<world::Transfer> all_to_all(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                                            std::span<const Part> received) override {
    return come({from, {sent.begin(), sent.end()}, to, {received.begin(), received.end()}, {}, false}, {});
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> meet(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                                      std::span<const Part> received) override {
    return come({from, {sent.begin(), sent.end()}, to, {received.begin(), received.end()}, {}, true}, {});
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> all_gather(std::span<const std::byte> from, std::byte* to,
                                                            std::span<const Part> received) override {
    const std::vector<Part> sent(static_cast<std::size_t>(room_->size), Part{0, from.size()});
    return come({from.data(), sent, to, {received.begin(), received.end()}, {}, false}, {});
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> broadcast(std::span<std::byte> bytes, int root) override {
    const auto ranks = static_cast<std::size_t>(room_->size);
    std::vector<Part> received(ranks);
    std::vector<Part> sent;
    if (rank_ == root) sent.assign(ranks, Part{0, bytes.size()});
    else received[static_cast<std::size_t>(root)] = {0, bytes.size()};
    if (rank_ == root) sent[static_cast<std::size_t>(rank_)] = {};
    return come({bytes.data(), std::move(sent), bytes.data(), std::move(received), {}, false}, {});
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> largest(std::span<std::uint64_t> numbers) override {
    return come({nullptr, {}, nullptr, {}, {numbers.begin(), numbers.end()}, false}, numbers);
  }
  void abort(int code) noexcept override { std::_Exit(code); }

 protected:
  std::shared_ptr<Everything> all_;

 private:
  [[nodiscard]] std::unique_ptr<world::Transfer> come(Brought brought, std::span<std::uint64_t> numbers) {
    const std::lock_guard lock(all_->mutex);
    std::shared_ptr<Meeting>& meeting = room_->meetings[number_++];
    if (meeting == nullptr) {
      meeting = std::make_shared<Meeting>();
      meeting->ranks.resize(static_cast<std::size_t>(room_->size));
    }
    const auto rank = static_cast<std::size_t>(rank_);
    meeting->ranks[rank] = std::move(brought);
    ++meeting->come;
    return std::make_unique<ThreadTransfer>(*all_, meeting, rank, numbers);
  }

  std::shared_ptr<Room> room_;
  int rank_;
  int number_ = 0;
};

class ThreadJob final : public ThreadRanks<world::Job> {
 public:
  ThreadJob(const std::shared_ptr<Everything>& all, int rank) : ThreadRanks<world::Job>(all, all->room, rank) {}

  void send_notice(int to, std::span<const std::byte> bytes) override {
    const std::lock_guard lock(all_->mutex);
    all_->notices[static_cast<std::size_t>(to)].push_back({rank(), {bytes.begin(), bytes.end()}});
  }
  [[nodiscard]] bool receive_notice(world::Notice& notice) override {
    const std::lock_guard lock(all_->mutex);
    std::deque<world::Notice>& come = all_->notices[static_cast<std::size_t>(rank())];
    if (come.empty()) return false;
    notice = std::move(come.front());
    come.pop_front();
    return true;
  }
  void finish() override {}
  [[nodiscard]] std::string host() const override { return "host " + std::to_string(rank() / 2); }
};

/// Calls `f(state of the group of all)` in `ranks` threads, each a rank that leaves its job when `f` has returned, or has
/// thrown. Gives what the exceptions said, by rank.
template <class F>
std::vector<std::string> run(int ranks, const F& f) {
  const auto all = std::make_shared<Everything>(ranks);
  std::vector<std::string> said(static_cast<std::size_t>(ranks));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      const auto group = world::start(std::make_unique<ThreadJob>(all, rank));
      world::count_from_here(*group);
      try {
        f(group);
        group->job->queue.run([] {});
      } catch (const std::exception& error) {
        said[static_cast<std::size_t>(rank)] = error.what();
      }
      group->job->leave();
    });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

}  // namespace threads_as_ranks
