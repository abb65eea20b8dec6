// SPDX-License-Identifier: Apache-2.0
// `World`: the processes that a launcher started as one job, and the job's beginning and end.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <concepts>
#include <cstdlib>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/cuda/runtime/device_map.hpp>
#include <situ/device/device.hpp>
#include <situ/world/call.hpp>
#include <situ/world/group.hpp>
#include <situ/world/one_rank.hpp>
#include <situ/world/perform.hpp>
#include <situ/world/rank.hpp>
#include <situ/world/start.hpp>
#include <situ/world/state.hpp>

namespace situ {

namespace internal::world {

/// The job of this process, if it has several ranks: for the terminate handler, which has no arguments.
inline std::atomic<JobState*>& current_job() {
  static std::atomic<JobState*> job{nullptr};
  return job;
}

/// The text of the exception in flight.
[[nodiscard]] inline std::string text_of_exception() {
  const std::exception_ptr exception = std::current_exception();
  if (exception == nullptr) return "std::terminate was called";
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return std::string("nothing catches the exception: ") + error.what();
  } catch (...) {
    return "nothing catches an exception that is not a std::exception";
  }
}

/// An exception that nothing catches need not unwind, so that no destructor runs.
[[noreturn]] inline void end_job_on_terminate() noexcept {
  if (JobState* const job = current_job().load()) job->abort(text_of_exception());
  std::abort();
}

/// With several ranks on a machine, each one's `Cuda<0>` is another GPU of it, unless SITU_CUDA_DEVICES is set.
inline void share_gpus([[maybe_unused]] const OnThisMachine& ranks) {
#if defined(SITU_CUDA)
  const int gpus = cuda::device_count();
  if (ranks.all == 1 || gpus < 2 || std::getenv("SITU_CUDA_DEVICES") != nullptr) return;
  std::vector<int> physical;
  for (int i = 0; i < gpus; ++i) physical.push_back((ranks.before + i) % gpus);
  cuda::set_devices(std::move(physical));
#endif
}

}  // namespace internal::world

/// The processes of a job, each a `Rank` that runs the same program: those that `mpirun -n 4 program` started, or one.
/// Create it first in `main`, once a process, and let it end last:
///
///     int main(int argc, char** argv) {
///       World world(argc, argv);
///       Group group = world.on(cpu);                        // Group<Cpu>
///       Spread x = group.shard<0>(batch);                   // this rank's rows
///       Spread loss = all_reduce(sum<0>(x * x));            // the same bits on all ranks
///       world.only(Rank{0}, [&] { print(loss); });
///     }
///
/// A job ends as a whole. An exception that leaves the scope of the World, or that nothing catches, ends the processes
/// of all ranks, with a line on standard error that names the rank. The line has the exception's text only if nothing
/// catches it, so report it within the scope. The end of the scope waits for the other ranks. A child of `fork` is not
/// a rank. Without the target situ::mpi there is one rank, and a launcher that started more is an error.
class World {
 public:
  /// Joins the job; with `main`'s arguments, from which MPI may take its own. Throws `CollectiveError`; `ValueError` if
  /// the process has or had a World, and for an invalid SITU_COLLECTIVE_TIMEOUT.
  World(int& count, char**& arguments) : World(&count, &arguments) {}
  World() : World(nullptr, nullptr) {}

  World(World&&) noexcept = default;
  World& operator=(World&&) = delete;
  ~World() {
    if (all_ == nullptr) return;
    internal::world::JobState& job = *all_->job;
    if (getpid() != job.process) {  // a child of fork leaves the parent's job, and all that belongs to it, alone
      static_cast<void>(new std::shared_ptr(std::move(all_)));
      return;
    }
    if (job.job->size() > 1) {
      if (std::uncaught_exceptions() > exceptions_) job.abort("an exception leaves the scope of its World");
      try {
        job.queue.run([] {});
        if (const std::string failure = job.queue.take_failure(); !failure.empty()) job.abort(failure);
        job.leave();
      } catch (const std::exception& error) {
        job.abort(error.what());
      }
      internal::world::current_job() = nullptr;
      std::set_terminate(previous_);
    } else {
      job.queue.run([] {});
      job.over = true;
      job.job->finish();
    }
  }

  /// The number of this process, and the number of processes.
  [[nodiscard]] Rank rank() const noexcept { return Rank(all_->rank()); }
  [[nodiscard]] int size() const noexcept { return all_->size(); }
  /// The number of this process among those on its machine.
  [[nodiscard]] int local_rank() const noexcept { return here_.before; }

  /// All ranks, each with a device of this type. Each rank's `gpu<0>` is a different GPU of its machine, as long as
  /// there are enough.
  template <Device D>
  [[nodiscard]] Group<D> on(D) const {
    return Group<D>(all_);
  }

  /// Calls `f` on one rank and returns its result as a `std::optional`, which is empty on the other ranks. `f` must not
  /// call collectives: they throw `CollectiveError`.
  ///
  ///     world.only(Rank{0}, [&] { save("net.safetensors", net); });
  template <std::invocable F>
  auto only(Rank rank, F&& f) const {
    using Result = std::invoke_result_t<F>;
    if (rank.number < 0 || rank.number >= size()) {
      throw IndexError("World::only: rank " + std::to_string(rank.number) + " of " + std::to_string(size()) + " ranks");
    }
    const Alone alone;
    if constexpr (std::is_void_v<Result>) {
      if (rank == this->rank()) std::invoke(std::forward<F>(f));
    } else {
      return rank == this->rank() ? std::optional<Result>(std::invoke(std::forward<F>(f))) : std::optional<Result>();
    }
  }
  template <class F>
  void only(a_rank_is_not_an_integer::fix_write_Rank_in_front, F&&) const;

  /// Waits until all ranks have called it.
  void barrier(CallSite site = CallSite::here()) const { internal::world::barrier(*all_, site); }

  /// How long a collective waits for the other ranks before it throws `CollectiveTimeout`: 10 minutes, or
  /// SITU_COLLECTIVE_TIMEOUT in the environment of rank 0. Time that one rank spends alone counts.
  [[nodiscard]] std::chrono::duration<double> deadline() const noexcept { return all_->job->deadline; }
  void set_deadline(std::chrono::duration<double> deadline) {
    if (!(deadline.count() > 0)) throw ValueError("World::set_deadline: it must be above 0 s");
    all_->job->queue.run([&] { all_->job->deadline = deadline; });
  }

 private:
  class Alone {
   public:
    Alone() : before_(std::exchange(internal::world::works_alone(), true)) {}
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
    ~Alone() { internal::world::works_alone() = before_; }

   private:
    bool before_;
  };

  World(int* count, char*** arguments) {
    static std::atomic<bool> made{false};
    if (made.exchange(true)) throw ValueError("World: a process can create only one, once; pass on that of main");
    all_ = internal::world::start(internal::world::join(count, arguments));
    if (size() == 1) return;
    internal::world::current_job() = all_->job.get();
    previous_ = std::set_terminate(&internal::world::end_job_on_terminate);
    here_ = internal::world::on_this_machine(*all_);
    internal::world::count_from_here(*all_);
    internal::world::share_gpus(here_);
  }

  std::shared_ptr<internal::world::GroupState> all_;  // null if moved from
  internal::world::OnThisMachine here_;
  std::terminate_handler previous_ = nullptr;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace situ
