// SPDX-License-Identifier: Apache-2.0
// NCCL, loaded when a program first asks for it; the only file that includes its header. Rejected: to link it, for then
// every program of a build that found it needs it to start, also those that have one GPU.
#include <situ/distributed/nccl.hpp>

#if !defined(SITU_NCCL_LIBRARY) && !defined(SITU_WITHOUT_NCCL) && __has_include(<nccl.h>)
#define SITU_NCCL_LIBRARY "libnccl.so.2"  // for those who compile this file without CMake
#endif

#if defined(SITU_NCCL_LIBRARY)

#include <nccl.h>

#include <cstddef>
#include <cstring>

#include "on_demand.hpp"

namespace situ::internal::cuda {

namespace {

static_assert(same(NcclType::uint8, ncclUint8) && same(NcclType::int32, ncclInt32) && same(NcclType::int64, ncclInt64));
static_assert(same(NcclType::float16, ncclFloat16) && same(NcclType::bfloat16, ncclBfloat16));
static_assert(same(NcclType::float32, ncclFloat32) && same(NcclType::float64, ncclFloat64));
static_assert(same(NcclOp::sum, ncclSum));
static_assert(ncclSuccess == 0 && same(nccl_in_progress, ncclInProgress));
static_assert(sizeof(NcclId) == sizeof(ncclUniqueId));

/// The functions as NCCL declares them.
struct Library {
  decltype(&ncclCommInitAll) init_all;
  decltype(&ncclGroupStart) group_start;
  decltype(&ncclGroupEnd) group_end;
  decltype(&ncclAllReduce) all_reduce;
  decltype(&ncclGetErrorString) error_text;
  decltype(&ncclGetLastError) last_error;
  decltype(&ncclGetUniqueId) unique_id;
  decltype(&ncclCommInitRankConfig) init_rank;
  decltype(&ncclCommGetAsyncError) async_error;
  decltype(&ncclCommAbort) abort;
};
Library library{};

[[nodiscard]] bool load() {
  const OnDemand file("SITU_NCCL", {"libnccl.so.2", SITU_NCCL_LIBRARY});  // the second is where the build found it
  decltype(&ncclGetVersion) version_of = nullptr;
  int version = 0;
  if (!file.find("ncclGetVersion", version_of) || version_of(&version) != ncclSuccess || version < 21400)
    return false;  // ncclGetLastError came with 2.13, ncclCommInitRankConfig with 2.14
  return file.find("ncclCommInitAll", library.init_all, "ncclGroupStart", library.group_start, "ncclGroupEnd",
                   library.group_end, "ncclAllReduce", library.all_reduce, "ncclGetErrorString", library.error_text,
                   "ncclGetLastError", library.last_error, "ncclGetUniqueId", library.unique_id,
                   "ncclCommInitRankConfig", library.init_rank, "ncclCommGetAsyncError", library.async_error,
                   "ncclCommAbort", library.abort);
}

// What NCCL has for enumerations and handles is not what the table has, so each function is called by one of ours.
constexpr Nccl table{
    [](void** communicators, int count, const int* physical) {
      static_assert(sizeof(ncclComm_t) == sizeof(void*));
      return static_cast<int>(library.init_all(reinterpret_cast<ncclComm_t*>(communicators), count, physical));
    },
    [] { return static_cast<int>(library.group_start()); },
    [] { return static_cast<int>(library.group_end()); },
    [](const void* from, void* to, std::size_t count, NcclType type, NcclOp op, void* communicator,
       api::Stream stream) {
      return static_cast<int>(library.all_reduce(from, to, count, static_cast<ncclDataType_t>(type),
                                                 static_cast<ncclRedOp_t>(op), static_cast<ncclComm_t>(communicator),
                                                 stream));
    },
    [](int error) { return library.error_text(static_cast<ncclResult_t>(error)); },
    [] { return library.last_error(nullptr); },
    [](NcclId& id) {
      ncclUniqueId made;
      const ncclResult_t result = library.unique_id(&made);
      if (result == ncclSuccess) std::memcpy(id.data(), made.internal, id.size());
      return static_cast<int>(result);
    },
    [](void** communicator, int ranks, const NcclId& id, int rank) {
      ncclUniqueId of;
      std::memcpy(of.internal, id.data(), id.size());
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      return static_cast<int>(library.init_rank(reinterpret_cast<ncclComm_t*>(communicator), ranks, of, rank, &config));
    },
    [](void* communicator, int* error) {
      ncclResult_t found = ncclSuccess;
      const ncclResult_t result = library.async_error(static_cast<ncclComm_t>(communicator), &found);
      *error = static_cast<int>(found);
      return static_cast<int>(result);
    },
    [](void* communicator) { return static_cast<int>(library.abort(static_cast<ncclComm_t>(communicator))); },
};

}  // namespace

const Nccl* nccl() {
  static const bool loaded = load();
  return loaded ? &table : nullptr;
}

}  // namespace situ::internal::cuda

#else

namespace situ::internal::cuda {

const Nccl* nccl() { return nullptr; }

}  // namespace situ::internal::cuda

#endif
