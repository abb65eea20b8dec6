// SPDX-License-Identifier: Apache-2.0
// Sums over one GPU of each rank by NCCL, if all ranks have it and no two share a GPU, on which NCCL may hang. Ranks
// find this out, and each other, at the first sum of a group. NCCL's kernels wait for each other, too, so the caller
// waits for their end, with the deadline of every collective.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/cuda/api/api.hpp>
#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_guard.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/cuda/runtime/observed.hpp>
#include <situ/cuda/runtime/stream_state.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/nccl.hpp>
#include <situ/expression/uses.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>
#include <situ/world/call.hpp>
#include <situ/world/collective.hpp>
#include <situ/world/errors.hpp>
#include <situ/world/transport.hpp>

namespace situ::internal::world {

/// What a rank reports about its GPU.
struct GpuOfRank {
  std::uint64_t has_nccl = 0;
  std::uint64_t machine = 0;
  std::array<unsigned char, 16> id{};

  friend bool operator==(const GpuOfRank&, const GpuOfRank&) = default;
};

/// Whether NCCL can add over these GPUs, listed by rank; else the reason, which is empty if a rank has no NCCL.
struct NcclVerdict {
  bool possible = true;
  std::string reason;
};
[[nodiscard]] inline NcclVerdict nccl_can_add(std::span<const GpuOfRank> gpus) {
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    if (gpus[i].has_nccl == 0) return {false, {}};
    for (std::size_t k = 0; k < i; ++k) {
      if (gpus[i] == gpus[k])
        return {false, "ranks " + std::to_string(k) + " and " + std::to_string(i) + " of a group share a GPU"};
    }
  }
  return {};
}

#if defined(SITU_CUDA)

/// The communicator of a group, for its ranks' GPUs of one ordinal.
class NcclRanks {
 public:
  NcclRanks(const cuda::Nccl& library, void* communicator) noexcept : library_(library), communicator_(communicator) {}
  NcclRanks(const NcclRanks&) = delete;
  NcclRanks& operator=(const NcclRanks&) = delete;
  ~NcclRanks() = default;  // NCCL's communicator is not destroyed: that would wait for the other ranks

  /// Whether the calls so far have completed. Throws `CollectiveError`.
  [[nodiscard]] bool settled() const {
    int state = 0;
    check(library_.async_error(communicator_, &state), "ncclCommGetAsyncError");
    if (state == cuda::nccl_in_progress) return false;
    check(state, "a call of NCCL");
    return true;
  }
  void check(int error, const char* call) const {
    if (error == 0 || error == cuda::nccl_in_progress) return;
    const char* const more = library_.last_error();
    throw CollectiveError(std::string(call) + " failed: " + library_.error_text(error) +
                          (more != nullptr && *more != '\0' ? std::string("; ") + more : "") +
                          "; NCCL_DEBUG=INFO in the environment says more, SITU_NCCL=0 does without NCCL");
  }
  /// Ends its kernels, which wait for a rank that will not come.
  void abort() noexcept { static_cast<void>(library_.abort(communicator_)); }

  [[nodiscard]] const cuda::Nccl& library() const noexcept { return library_; }
  [[nodiscard]] void* communicator() const noexcept { return communicator_; }

 private:
  const cuda::Nccl& library_;
  void* communicator_;
};

/// Over when NCCL's calls have completed and then, if there is an event, the GPU's work.
class NcclTransfer final : public Transfer {
 public:
  NcclTransfer(const NcclRanks& ranks, int ordinal, cuda::api::Event event = {}) noexcept
      : ranks_(ranks), ordinal_(ordinal), event_(event) {}

  [[nodiscard]] bool over() override {
    if (!ranks_.settled()) return false;
    if (event_ == cuda::api::Event{}) return true;
    const cuda::api::Error error = cuda::api::event_query(event_);
    if (error == cuda::api::not_ready) return false;
    cuda::check(error, "cudaEventQuery", ordinal_);
    return true;
  }

 private:
  const NcclRanks& ranks_;
  int ordinal_;
  cuda::api::Event event_;
};

/// The communicator of the group over `Cuda<ordinal>` of its ranks, or null if NCCL cannot add. The first call finds
/// out; all ranks make it in the same collective.
[[nodiscard]] inline std::shared_ptr<NcclRanks> nccl_of(Collective& collective, int ordinal) {
  GroupState& group = collective.group();
  if (const auto found = group.nccl.find(ordinal); found != group.nccl.end())
    return std::static_pointer_cast<NcclRanks>(found->second);
  const cuda::Nccl* const library = cuda::nccl();
  const int physical = cuda::device_state(ordinal).physical;
  GpuOfRank own;
  own.has_nccl = library != nullptr && library->init_rank != nullptr ? 1 : 0;
  own.machine = hash_of(group.job->job->host());
  std::memcpy(own.id.data(), cuda::device_state(ordinal).properties.id, own.id.size());
  const auto ranks = static_cast<std::size_t>(collective.size());
  const auto gpus = std::make_shared<std::vector<GpuOfRank>>(ranks + 1, own);
  std::vector<Part> parts;
  for (std::size_t rank = 0; rank < ranks; ++rank) parts.push_back({rank * sizeof(own), sizeof(own)});
  collective.all_gather(std::as_bytes(std::span(&gpus->back(), 1)), reinterpret_cast<std::byte*>(gpus->data()), parts,
                        gpus);
  const NcclVerdict verdict = nccl_can_add(std::span(*gpus).first(ranks));
  if (!verdict.possible) {
    if (!verdict.reason.empty() && collective.rank() == 0)
      std::fprintf(stderr, "situ: sums over GPUs use the host, not NCCL, for %s\n", verdict.reason.c_str());
    group.nccl[ordinal] = nullptr;
    return nullptr;
  }
  // With the error, so that a failure is reported on all ranks.
  struct Message {
    cuda::NcclId id{};
    int error = 0;
  };
  const auto message = std::make_shared<Message>();
  if (collective.rank() == 0) message->error = library->unique_id(message->id);
  collective.broadcast(std::as_writable_bytes(std::span(message.get(), 1)), 0, message);
  const cuda::DeviceGuard of_communicator(physical, ordinal);
  void* communicator = nullptr;
  NcclRanks(*library, nullptr).check(message->error, "ncclGetUniqueId");
  const int error = library->init_rank(&communicator, collective.size(), message->id, collective.rank());
  const auto made = std::make_shared<NcclRanks>(*library, communicator);
  made->check(error, "ncclCommInitRankConfig");
  collective.finish(std::make_unique<NcclTransfer>(*made, ordinal), made);
  group.nccl[ordinal] = made;
  return made;
}

/// The sum over the ranks by NCCL; empty if NCCL cannot be used.
template <Element T, Device D>
[[nodiscard]] std::optional<Tensor<T, D>> summed_by_nccl(Collective& collective, const Tensor<T, D>& x) {
  const std::shared_ptr<NcclRanks> ranks = nccl_of(collective, D::ordinal);
  if (ranks == nullptr) return std::nullopt;
  // Compare between the hosts before NCCL is called: its kernels would wait for a rank that does not come, or accept
  // data that does not fit. The device is not waited for and keeps working.
  collective.compare();
  const Tensor<T, D> from = x.layout().is_row_major() ? x : row_major_copy<D>(x);
  const Tensor<T, D> sum = empty<T>(x.shape(), D{});
  const auto backend = D::queue();
  before_write(backend, sum.storage());
  before_read(backend, from.storage());
  cuda::StreamState& stream = *backend.stream;
  const cuda::DeviceGuard current(stream.device->physical, stream.ordinal);
  cuda::api::Event over{};
  cuda::check(cuda::api::event_create(&over), "cudaEventCreateWithFlags", stream.ordinal);
  try {
    {
      const cuda::ObservedWork work(stream, "all_reduce by NCCL");
      ranks->check(
          ranks->library().all_reduce(from.element_pointer(), sum.storage().data(), static_cast<std::size_t>(x.size()),
                                      cuda::nccl_type<T>(), cuda::NcclOp::sum, ranks->communicator(), stream.stream),
          "ncclAllReduce");
      // Only now is the sum in the stream.
      collective.finish(std::make_unique<NcclTransfer>(*ranks, stream.ordinal), from, sum, ranks);
    }
    cuda::check(cuda::api::event_record(over, stream.stream), "cudaEventRecord", stream.ordinal);
    collective.finish(std::make_unique<NcclTransfer>(*ranks, stream.ordinal, over), from, sum, ranks);
  } catch (...) {
    ranks->abort();
    throw;
  }
  cuda::ignore(cuda::api::event_destroy(over));
  return sum;
}

#endif

}  // namespace situ::internal::world
