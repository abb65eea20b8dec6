// SPDX-License-Identifier: Apache-2.0
// MPI behind the seam of world/transport.hpp; the only file that includes its header, and it calls MPI's C functions
// alone. MPI answers with error codes, which become exceptions; all calls stand behind one lock, so that
// MPI_THREAD_SERIALIZED is enough.
//
// Rejected: MPI_Alltoallv for all_to_all, whose counts and places are `int`: messages of pairs are what it is made of.
#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>

#include <situ/world/errors.hpp>
#include <situ/world/transport.hpp>

namespace situ::internal::world {

namespace {

using Lock = std::lock_guard<std::mutex>;

/// Never destroyed: a thread may still ask for it while the program ends.
std::mutex& calls() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

void check(int error, const char* call) {
  if (error == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING + 1> text{};
  int length = 0;
  MPI_Error_string(error, text.data(), &length);
  throw CollectiveError(std::string(call) + " failed: " + std::string(text.data(), static_cast<std::size_t>(length)));
}

/// The most bytes of one message: MPI 3 counts in `int`. Tests set fewer.
std::size_t largest_message() {
  static const std::size_t bytes = [] {
    const char* const wanted = std::getenv("SITU_MPI_LARGEST_MESSAGE");
    const long long number = wanted != nullptr ? std::atoll(wanted) : 0;
    return number > 0 ? static_cast<std::size_t>(std::min<long long>(number, INT_MAX)) : std::size_t{1} << 30;
  }();
  return bytes;
}

class Requests final : public Transfer {
 public:
  [[nodiscard]] bool over() override {
    const Lock lock(calls());
    int done = 0;
    statuses_.resize(requests_.size());
    const int error = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, statuses_.data());
    if (error == MPI_SUCCESS) return done != 0;
    // "An error is in the status": of some request, which says more.
    for (const MPI_Status& status : statuses_) {
      if (class_of(error) == MPI_ERR_IN_STATUS && class_of(status.MPI_ERROR) != MPI_ERR_PENDING)
        check(status.MPI_ERROR, "a transfer of MPI");
    }
    check(error, "MPI_Testall");
    return false;
  }
  void expect(int requests) { requests_.reserve(static_cast<std::size_t>(requests)); }
  /// Room for one more.
  [[nodiscard]] MPI_Request* add() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  /// Where MPI is given several in one go, each in pieces that it can count.
  template <class Start>
  void in_pieces(std::size_t bytes, const Start& start) {
    for (std::size_t begin = 0; begin < bytes; begin += largest_message())
      start(begin, static_cast<int>(std::min(largest_message(), bytes - begin)), add());
  }

  std::vector<int> counts;  // what MPI reads until the transfer is over
  std::vector<int> begins;

 private:
  [[nodiscard]] static int class_of(int error) {
    int found = error;
    MPI_Error_class(error, &found);
    return found;
  }

  std::vector<MPI_Request> requests_;
  std::vector<MPI_Status> statuses_;
};

constexpr int data_tag = 1;
constexpr int notice_tag = 2;
constexpr int meeting_tag = 3;

/// What `Communicator` has, over an MPI communicator that is its own.
template <class Base>
class Ranks : public Base {
 public:
  explicit Ranks(MPI_Comm own) : own_(own) {
    check(MPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
    check(MPI_Comm_rank(own_, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(own_, &size_), "MPI_Comm_size");
  }
  ~Ranks() override {
    const Lock lock(calls());
    int finalized = 0;
    if (own_ != MPI_COMM_NULL && MPI_Finalized(&finalized) == MPI_SUCCESS && finalized == 0) MPI_Comm_free(&own_);
  }

  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }

  [[nodiscard]] std::unique_ptr<Communicator> split(int color) override {
    const Lock lock(calls());
    MPI_Comm made = MPI_COMM_NULL;
    check(MPI_Comm_split(own_, color, rank_, &made), "MPI_Comm_split");
    return std::make_unique<Ranks<Communicator>>(made);
  }

  [[nodiscard]] std::unique_ptr<Transfer> all_to_all(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                                     std::span<const Part> received) override {
    const Lock lock(calls());
    auto requests = std::make_unique<Requests>();
    exchange(*requests, [&](int rank) { return std::pair(from, sent[static_cast<std::size_t>(rank)]); }, to, received);
    return requests;
  }

  /// By messages of pairs alone: MPI's own collectives must fit each other, and do what they like where they do not.
  [[nodiscard]] std::unique_ptr<Transfer> meet(const std::byte* from, std::span<const Part> sent, std::byte* to,
                                               std::span<const Part> received) override {
    const Lock lock(calls());
    auto requests = std::make_unique<Requests>();
    requests->expect(2 * size_);
    for (int step = 1; step < size_; ++step) {
      const int source = (rank_ - step + size_) % size_;
      const Part into = received[static_cast<std::size_t>(source)];
      check(MPI_Irecv(to + into.begin, static_cast<int>(into.bytes), MPI_BYTE, source, meeting_tag, own_,
                      requests->add()),
            "MPI_Irecv");
    }
    for (int step = 1; step < size_; ++step) {
      const int target = (rank_ + step) % size_;
      const Part part = sent[static_cast<std::size_t>(target)];
      check(MPI_Isend(from + part.begin, static_cast<int>(part.bytes), MPI_BYTE, target, meeting_tag, own_,
                      requests->add()),
            "MPI_Isend");
    }
    return requests;
  }

  [[nodiscard]] std::unique_ptr<Transfer> all_gather(std::span<const std::byte> from, std::byte* to,
                                                     std::span<const Part> received) override {
    const Lock lock(calls());
    auto requests = std::make_unique<Requests>();
    std::size_t end = 0;
    for (const Part& part : received) end = std::max(end, part.begin + part.bytes);
    const bool in_place = from.data() == to + received[static_cast<std::size_t>(rank_)].begin;
    if (end > largest_message()) {
      const auto sent = [&](int target) {
        return std::pair(from.data(), Part{0, in_place && target == rank_ ? 0 : from.size()});
      };
      std::vector<Part> parts(received.begin(), received.end());
      if (in_place) parts[static_cast<std::size_t>(rank_)].bytes = 0;
      exchange(*requests, sent, to, parts);
      return requests;
    }
    for (const Part& part : received) {
      requests->counts.push_back(static_cast<int>(part.bytes));
      requests->begins.push_back(static_cast<int>(part.begin));
    }
    check(MPI_Iallgatherv(in_place ? MPI_IN_PLACE : from.data(), static_cast<int>(from.size()), MPI_BYTE, to,
                          requests->counts.data(), requests->begins.data(), MPI_BYTE, own_, requests->add()),
          "MPI_Iallgatherv");
    return requests;
  }

  [[nodiscard]] std::unique_ptr<Transfer> broadcast(std::span<std::byte> bytes, int root) override {
    const Lock lock(calls());
    auto requests = std::make_unique<Requests>();
    requests->in_pieces(bytes.size(), [&](std::size_t begin, int count, MPI_Request* request) {
      check(MPI_Ibcast(bytes.data() + begin, count, MPI_BYTE, root, own_, request), "MPI_Ibcast");
    });
    return requests;
  }

  [[nodiscard]] std::unique_ptr<Transfer> largest(std::span<std::uint64_t> numbers) override {
    const Lock lock(calls());
    auto requests = std::make_unique<Requests>();
    check(MPI_Iallreduce(MPI_IN_PLACE, numbers.data(), static_cast<int>(numbers.size()), MPI_UINT64_T, MPI_MAX, own_,
                         requests->add()),
          "MPI_Iallreduce");
    return requests;
  }

  /// Without the lock: whoever has it may be the one that hangs.
  void abort(int code) noexcept override { MPI_Abort(MPI_COMM_WORLD, code); }

 protected:
  MPI_Comm own_;

 private:
  /// A message to each rank that `sent` has bytes for, and one from each that `received` has room for.
  template <class Sent>
  void exchange(Requests& requests, const Sent& sent, std::byte* to, std::span<const Part> received) {
    // Every rank begins with another one, and none waits for the same as all.
    for (int step = 0; step < size_; ++step) {
      const int source = (rank_ - step + size_) % size_;
      const Part into = received[static_cast<std::size_t>(source)];
      requests.in_pieces(into.bytes, [&](std::size_t begin, int count, MPI_Request* request) {
        check(MPI_Irecv(to + into.begin + begin, count, MPI_BYTE, source, data_tag, own_, request), "MPI_Irecv");
      });
    }
    for (int step = 0; step < size_; ++step) {
      const int target = (rank_ + step) % size_;
      const std::pair<const std::byte*, Part> part = sent(target);
      const std::byte* const from = part.first + part.second.begin;
      requests.in_pieces(part.second.bytes, [&](std::size_t begin, int count, MPI_Request* request) {
        check(MPI_Isend(from + begin, count, MPI_BYTE, target, data_tag, own_, request), "MPI_Isend");
      });
    }
  }

  int rank_ = 0;
  int size_ = 1;
};

/// A copy of MPI_COMM_WORLD, so that a program may use MPI besides.
MPI_Comm copy_of_world() {
  MPI_Comm made = MPI_COMM_NULL;
  check(MPI_Comm_dup(MPI_COMM_WORLD, &made), "MPI_Comm_dup");
  return made;
}

class MpiJob final : public Ranks<Job> {
 public:
  explicit MpiJob(bool started_here)
      : Ranks<Job>(copy_of_world()), notices_(copy_of_world()), started_here_(started_here) {
    check(MPI_Comm_set_errhandler(notices_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }

  void send_notice(int to, std::span<const std::byte> bytes) override {
    const Lock lock(calls());
    drop_sent();
    sent_.push_back({{bytes.begin(), bytes.end()}, MPI_REQUEST_NULL});
    Sent& sent = sent_.back();
    check(MPI_Isend(sent.bytes.data(), static_cast<int>(sent.bytes.size()), MPI_BYTE, to, notice_tag, notices_,
                    &sent.request),
          "MPI_Isend");
  }

  [[nodiscard]] bool receive_notice(Notice& notice) override {
    const Lock lock(calls());
    drop_sent();
    int there = 0;
    MPI_Status status;
    check(MPI_Iprobe(MPI_ANY_SOURCE, notice_tag, notices_, &there, &status), "MPI_Iprobe");
    if (there == 0) return false;
    int count = 0;
    check(MPI_Get_count(&status, MPI_BYTE, &count), "MPI_Get_count");
    notice.from = status.MPI_SOURCE;
    notice.bytes.resize(static_cast<std::size_t>(count));
    check(MPI_Recv(notice.bytes.data(), count, MPI_BYTE, notice.from, notice_tag, notices_, MPI_STATUS_IGNORE),
          "MPI_Recv");
    return true;
  }

  void finish() override {
    const Lock lock(calls());
    for (Sent& sent : sent_) check(MPI_Wait(&sent.request, MPI_STATUS_IGNORE), "MPI_Wait");
    sent_.clear();
    check(MPI_Comm_free(&notices_), "MPI_Comm_free");
    check(MPI_Comm_free(&own_), "MPI_Comm_free");
    if (started_here_) check(MPI_Finalize(), "MPI_Finalize");
  }

  [[nodiscard]] std::string host() const override {
    const Lock lock(calls());
    std::array<char, MPI_MAX_PROCESSOR_NAME + 1> name{};
    int length = 0;
    check(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
    return {name.data(), static_cast<std::size_t>(length)};
  }

 private:
  struct Sent {
    std::vector<std::byte> bytes;
    MPI_Request request;
  };

  void drop_sent() {
    while (!sent_.empty()) {
      int done = 0;
      check(MPI_Test(&sent_.front().request, &done, MPI_STATUS_IGNORE), "MPI_Test");
      if (done == 0) return;
      sent_.pop_front();
    }
  }

  std::deque<Sent> sent_;
  MPI_Comm notices_;
  bool started_here_;
};

}  // namespace

std::unique_ptr<Job> join_mpi(int* count, char*** arguments) {
  int initialized = 0;
  check(MPI_Initialized(&initialized), "MPI_Initialized");
  int threads = MPI_THREAD_SINGLE;
  if (initialized == 0) {
    check(MPI_Init_thread(count, arguments, MPI_THREAD_MULTIPLE, &threads), "MPI_Init_thread");
    // Open MPI asks the handler of this communicator for errors of requests of collectives, whatever theirs is. Of a
    // program that has started MPI itself it is the program's.
    check(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  } else check(MPI_Query_thread(&threads), "MPI_Query_thread");
  if (threads < MPI_THREAD_SERIALIZED) {
    throw CollectiveError(
        "World: this MPI may be called by one thread only (MPI_THREAD_SERIALIZED is needed); call "
        "MPI_Init_thread with MPI_THREAD_MULTIPLE, or leave the start to World");
  }
  return std::make_unique<MpiJob>(initialized == 0);
}

}  // namespace situ::internal::world
