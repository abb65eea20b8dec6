// SPDX-License-Identifier: Apache-2.0
// What it gains that gradients are summed beside the walk backwards. Where ranks share the processors of one machine, sums
// are work of the same processors, and nothing can be gained; a link of other machines waits. Its share is shown by a job
// whose transfers are over no sooner than a link of a given latency and rate would have them.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/parallel.hpp>
#include <situ/world.hpp>

#include "cases.hpp"
#include "timing.hpp"

using namespace situ;

namespace {

namespace world = situ::internal::world;

/// When the link of this rank has sent all that it was given: one transfer after the other.
class Link {
 public:
  Link(double latency_us, double gigabytes_per_s) : latency_us_(latency_us), bytes_per_us_(gigabytes_per_s * 1000) {}

  /// When `bytes` that are given now have arrived.
  [[nodiscard]] timing::Clock::time_point arrival(std::size_t bytes) {
    const double us = bytes_per_us_ > 0 ? static_cast<double>(bytes) / bytes_per_us_ : 0;
    free_ = std::max(free_, timing::Clock::now()) + of(us);
    return free_ + of(latency_us_);
  }

 private:
  [[nodiscard]] static timing::Clock::duration of(double us) {
    return std::chrono::duration_cast<timing::Clock::duration>(std::chrono::duration<double, std::micro>(us));
  }
  double latency_us_;
  double bytes_per_us_;
  timing::Clock::time_point free_{};
};

class SlowTransfer final : public world::Transfer {
 public:
  SlowTransfer(std::unique_ptr<world::Transfer> of, timing::Clock::time_point arrival)
      : of_(std::move(of)), arrival_(arrival) {}
  [[nodiscard]] bool over() override { return of_->over() && timing::Clock::now() >= arrival_; }

 private:
  std::unique_ptr<world::Transfer> of_;
  timing::Clock::time_point arrival_;
};

/// MPI's job, its ranks as if each had a link to the others.
class SlowJob final : public world::Job {
 public:
  using Part = world::Part;
  SlowJob(std::unique_ptr<world::Job> of, Link link) : of_(std::move(of)), link_(link) {}

  [[nodiscard]] int rank() const noexcept override { return of_->rank(); }
  [[nodiscard]] int size() const noexcept override { return of_->size(); }
  [[nodiscard]] std::unique_ptr<world::Communicator> split(int color) override { return of_->split(color); }
  [[nodiscard]] std::unique_ptr<world::Transfer> all_to_all(const std::byte* from, std::span<const Part> sent,
                                                            std::byte* to, std::span<const Part> received) override {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) bytes += static_cast<int>(i) == rank() ? 0 : sent[i].bytes;
    return slowed(of_->all_to_all(from, sent, to, received), bytes);
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> meet(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                                      std::span<const Part> received) override {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < sent.size(); ++i) bytes += static_cast<int>(i) == rank() ? 0 : sent[i].bytes;
    return slowed(of_->meet(from, sent, to, received), bytes);
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> all_gather(std::span<const std::byte> from, std::byte* to,
                                                            std::span<const Part> received) override {
    return slowed(of_->all_gather(from, to, received), from.size() * static_cast<std::size_t>(size() - 1));
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> broadcast(std::span<std::byte> bytes, int root) override {
    return slowed(of_->broadcast(bytes, root), bytes.size());
  }
  [[nodiscard]] std::unique_ptr<world::Transfer> largest(std::span<std::uint64_t> numbers) override {
    return slowed(of_->largest(numbers), numbers.size_bytes());
  }
  void abort(int code) noexcept override { of_->abort(code); }
  void send_notice(int to, std::span<const std::byte> bytes) override { of_->send_notice(to, bytes); }
  [[nodiscard]] bool receive_notice(world::Notice& notice) override { return of_->receive_notice(notice); }
  void finish() override { of_->finish(); }
  [[nodiscard]] std::string host() const override { return of_->host(); }

 private:
  [[nodiscard]] std::unique_ptr<world::Transfer> slowed(std::unique_ptr<world::Transfer> transfer, std::size_t bytes) {
    return std::make_unique<SlowTransfer>(std::move(transfer), link_.arrival(bytes));
  }
  std::unique_ptr<world::Job> of_;
  Link link_;
};

constexpr std::int64_t width = 512;
constexpr std::int64_t rows = 64;

using Weight = SpreadVariable<float, Replicated, Ranks<Cpu>>;

void measure(const Group<Cpu>& group) {
  std::vector<Weight> weights;
  for (int layer = 0; layer < 8; ++layer) weights.emplace_back(group.replicate(randn<float>({width, width}) * 0.05f));
  const SpreadVariable x(group.as<Sharded<0>>(rand<float>({rows, width})));
  const auto loss = [&] {
    SpreadVariable<float, Sharded<0>, Ranks<Cpu>> y = x;
    for (const Weight& weight : weights) y = relu(matmul(y, weight));
    return mean(y);
  };
  const auto megabytes = [](std::size_t count) { return Buckets{count << 20}; };
  const std::vector<double> took = timing::medians_by_turns(
      25, [&] { static_cast<void>(backward(loss())); },
      [&] { static_cast<void>(all_reduce(backward(loss()), megabytes(25))); },
      [&] { static_cast<void>(all_reduce(backward(loss()), megabytes(1))); },
      [&] { static_cast<void>(backward_and_all_reduce(loss(), megabytes(25))); },
      [&] { static_cast<void>(backward_and_all_reduce(loss(), megabytes(2))); },
      [&] { static_cast<void>(backward_and_all_reduce(loss(), megabytes(1))); });
  if (group.rank() != Rank{0}) return;
  std::printf(
      "%d ranks of one thread each, 8 layers of %lld, %lld rows each, 8 MiB of gradients; ms forward and backward\n",
      group.size(), static_cast<long long>(width), static_cast<long long>(rows));
  const char* const names[] = {"no sums",
                               "after the walk, one bucket",
                               "after the walk, buckets of 1 MiB",
                               "beside the walk, one bucket",
                               "beside the walk, buckets of 2 MiB",
                               "beside the walk, buckets of 1 MiB"};
  for (std::size_t i = 0; i < took.size(); ++i) std::printf("%-34s %8.2f\n", names[i], took[i] / 1000);
}

}  // namespace

int overlap(int argc, char** argv, double latency_us, double gigabytes_per_s) {
  set_num_threads(1);
  const auto state =
      world::start(std::make_unique<SlowJob>(world::join_mpi(&argc, &argv), Link(latency_us, gigabytes_per_s)));
  measure(Group<Cpu>(state));
  state->job->leave();
  return 0;
}
