// SPDX-License-Identifier: Apache-2.0
// all_reduce by NCCL: exact where it is really there; and, emulated, with a stand-in that does in streams what NCCL
// does, that it is called as it must be, in order with everything else, and that its errors arrive.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include <situ/distributed.hpp>

#include "support.hpp"
#include "timeline.hpp"

namespace {

using situ::Cpu;
using situ::Cuda;
using situ::Tensor;

constexpr std::int64_t count = 30000;

template <class T, class D>
std::vector<T> read(const Tensor<T, D>& x) {
  const Tensor<T> host = x.template to<Cpu>();
  return {host.data(), host.data() + host.size()};
}

/// The sum of the tensors on the device of each.
template <class... X>
auto summed(const X&... x) {
  return situ::local(situ::all_reduce(situ::as<situ::Partial<>>(x...)));
}

}  // namespace

TEST_CASE("the sum of integers is exact, whoever adds") {
  const Tensor<std::int64_t> x = situ::arange<std::int64_t>(count);
  const auto [a, b] = summed(x.to<Cuda<0>>(), Tensor(x * 3).to<Cuda<1>>());
  CHECK(read(a) == read(Tensor(x * 4)));
  CHECK(read(b) == read(Tensor(x * 4)));
}

#if defined(SITU_CUDA_EMULATED)

namespace {

namespace api = situ::internal::cuda::api;
using situ::Stream;
using situ::StreamScope;
using situ::internal::cuda::NcclOp;
using situ::internal::cuda::NcclType;

std::vector<float> repeated(float value) { return std::vector<float>(static_cast<std::size_t>(count), value); }

struct Call {
  const void* from;
  void* to;
  std::size_t count;
  NcclType type;
  NcclOp op;
  std::intptr_t communicator;
  api::Stream stream;
};

/// What the stand-in saw, and what it is to do.
struct Seen {
  int groups = 0;
  int open = 0;
  int fail_init = 0;
  int fail_reduce = 0;
  std::vector<std::vector<int>> inits;
  std::vector<Call> calls;
  std::vector<Call> group;
  std::vector<int> order[3];  // of the groups that began and ended on each GPU
};
Seen seen;

/// Floats of every term, read by each GPU where they lie, when all have arrived; no GPU goes on before all have read. As
/// NCCL does where GPUs reach each other: it takes for granted that the buffers may be reached.
int finish_group() {
  --seen.open;
  const std::vector<Call> group = std::move(seen.group);
  seen.group.clear();
  if (group.empty()) return 0;
  const int number = seen.groups++;
  std::vector<api::Event> arrived(group.size());
  std::vector<api::Event> over(group.size());
  for (std::size_t i = 0; i < group.size(); ++i) {
    std::vector<int>& order = seen.order[group[i].stream->device];
    const auto note = [number, &order] { order.push_back(number); };
    REQUIRE(situ::internal::cuda::emulated::enqueue(group[i].stream, "begin", note) == api::success);
    REQUIRE(api::set_device(group[i].stream->device) == api::success);  // and not back, as rude as a library may be
    REQUIRE(api::event_create(&arrived[i]) == api::success);
    REQUIRE(api::event_create(&over[i]) == api::success);
    REQUIRE(api::event_record(arrived[i], group[i].stream) == api::success);
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (const api::Event event : arrived) REQUIRE(api::stream_wait(group[i].stream, event) == api::success);
    const auto add = [group, i] {
      auto* const to = static_cast<float*>(group[i].to);
      for (std::size_t k = 0; k < group[i].count; ++k) {
        float sum = 0;
        for (const Call& term : group) sum += static_cast<const float*>(term.from)[k];
        to[k] = sum;
      }
    };
    REQUIRE(situ::internal::cuda::emulated::enqueue(group[i].stream, "add", add) == api::success);
    REQUIRE(api::event_record(over[i], group[i].stream) == api::success);
  }
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (const api::Event event : over) REQUIRE(api::stream_wait(group[i].stream, event) == api::success);
    std::vector<int>& order = seen.order[group[i].stream->device];
    const auto note = [number, &order] { order.push_back(number); };
    REQUIRE(situ::internal::cuda::emulated::enqueue(group[i].stream, "end", note) == api::success);
  }
  return 0;
}

const situ::internal::cuda::Nccl stand_in{
    [](void** communicators, int gpus, const int* physical) {
      if (seen.fail_init > 0) return seen.fail_init;
      seen.inits.emplace_back(physical, physical + gpus);
      for (int i = 0; i < gpus; ++i) {
        const auto number = static_cast<std::intptr_t>(100 * seen.inits.size()) + physical[i] + 1;
        communicators[i] = reinterpret_cast<void*>(number);
      }
      return 0;
    },
    [] {
      ++seen.open;
      return 0;
    },
    &finish_group,
    [](const void* from, void* to, std::size_t n, NcclType type, NcclOp op, void* communicator, api::Stream stream) {
      if (seen.fail_reduce > 0) return seen.fail_reduce;
      CHECK(seen.open == 1);
      seen.calls.push_back({from, to, n, type, op, reinterpret_cast<std::intptr_t>(communicator), stream});
      seen.group.push_back(seen.calls.back());
      return 0;
    },
    [](int error) { return error == 5 ? "invalid usage" : "system error"; },
    [] { return "more about it"; },
};

/// While it lives, there is NCCL. Nobody has opened a GPU's memory to the other yet.
struct WithStandIn {
  WithStandIn() {
    seen = {};
    for (const int gpu : {0, 1}) {
      for (const bool possible : {false, true})
        situ::internal::cuda::emulated::set_peer_access(gpu, 1 - gpu, possible);
      situ::internal::cuda::device_state(gpu).peers = {};
    }
    situ::internal::cuda::detail::NcclState::instance().communicators.clear();
    situ::internal::cuda::detail::emulated_nccl = &stand_in;
  }
  ~WithStandIn() {
    situ::synchronize<Cuda<0>>();
    situ::synchronize<Cuda<1>>();
    situ::internal::cuda::detail::emulated_nccl = nullptr;
  }
};

template <int N>
Tensor<float, Cuda<N>> full(float value) {
  return situ::full({count}, value, Cuda<N>{});
}

}  // namespace

TEST_CASE("NCCL adds among GPUs of the machine; communicators are made once for each list of them") {
  const WithStandIn nccl;
  int device = -1;
  REQUIRE(api::set_device(0) == api::success);
  const situ::MovementLedger ledger;
  const auto [a, b] = summed(full<0>(1.f), full<1>(2.f));
  CHECK(cuda_test::names_in_streams(ledger).at("all_reduce by NCCL") == 2);
  CHECK(read(a) == repeated(3.f));
  CHECK(read(b) == repeated(3.f));
  REQUIRE(api::get_device(&device) == api::success);
  CHECK(device == 0);
  const auto [c, d] = summed(a, b + 2.f);
  CHECK(read(c) == repeated(8.f));
  CHECK(read(d) == repeated(8.f));
  CHECK(seen.inits == std::vector<std::vector<int>>{{0, 1}});
  const auto [e, f] = summed(full<1>(1.f), full<0>(2.f));
  CHECK(read(e) == read(f.to<Cuda<1>>()));
  CHECK(seen.inits == std::vector<std::vector<int>>{{0, 1}, {1, 0}});
  REQUIRE(seen.calls.size() == 6);
  CHECK(seen.open == 0);
  CHECK(seen.calls[0].communicator == 101);
  CHECK(seen.calls[3].communicator == 102);
  CHECK(seen.calls[4].communicator == 202);
  CHECK(seen.calls[0].op == NcclOp::sum);
  CHECK(seen.calls[2].op == NcclOp::sum);
  CHECK(seen.calls[0].type == NcclType::float32);
  CHECK(seen.calls[0].count == static_cast<std::size_t>(count));
  static_assert(!situ::internal::cuda::has_nccl_type<std::uint16_t>);
  CHECK(situ::internal::cuda::nccl_type<std::int8_t>() == NcclType::int8);
  CHECK(situ::internal::cuda::nccl_type<std::uint64_t>() == NcclType::uint64);
  CHECK(situ::internal::cuda::nccl_type<std::uint8_t>() == NcclType::uint8);
  CHECK(situ::internal::cuda::nccl_type<std::int32_t>() == NcclType::int32);
  CHECK(situ::internal::cuda::nccl_type<std::int64_t>() == NcclType::int64);
  CHECK(situ::internal::cuda::nccl_type<situ::float16>() == NcclType::float16);
  CHECK(situ::internal::cuda::nccl_type<situ::bfloat16>() == NcclType::bfloat16);
  CHECK(situ::internal::cuda::nccl_type<double>() == NcclType::float64);
}

TEST_CASE("without NCCL: the host among the devices, one GPU twice, one device, nothing to add") {
  const WithStandIn nccl;
  CHECK(read(std::get<1>(summed(full<0>(1.f), situ::full({count}, 2.f)))) == repeated(3.f));
  CHECK(read(std::get<1>(summed(full<0>(1.f), full<0>(2.f)))) == repeated(3.f));
  CHECK(read(std::get<0>(summed(full<0>(1.f)))) == repeated(1.f));
  const auto nothing = summed(situ::zeros<float>({0}, situ::gpu<0>), situ::zeros<float>({0}, situ::gpu<1>));
  CHECK(std::get<0>(nothing).size() == 0);
  CHECK(seen.calls.empty());
}

TEST_CASE("sums by NCCL are in order with the work around them") {
  const WithStandIn nccl;
  const Stream<Cuda<0>> side0;
  const Stream<Cuda<1>> side1;
  Tensor<float, Cuda<0>> a = full<0>(1.f);
  Tensor<float, Cuda<1>> b = full<1>(2.f);
  {
    const StreamScope scope(side0);
    a *= 2.f;
  }
  auto [c, d] = summed(a, b);
  auto [e, f] = [&] {
    const StreamScope scope0(side0);
    const StreamScope scope1(side1);
    return summed(a, b);
  }();
  a *= 0.f;
  b = full<1>(-1.f);
  {
    const StreamScope scope(side1);
    d *= 10.f;
  }
  CHECK(read(d) == repeated(40.f));
  CHECK(read(c) == repeated(4.f));
  CHECK(read(Tensor(e + 1.f)) == repeated(5.f));
  CHECK(read(f) == repeated(4.f));
  CHECK(seen.groups == 2);
}

TEST_CASE("sums that have nothing to do with each other run on every GPU in the same order, one at a time") {
  const WithStandIn nccl;
  const Stream<Cuda<0>> side0;
  const Stream<Cuda<1>> side1;
  // nothing is freed meanwhile, whose memory would bring the order of its streams along
  situ::empty_cache<Cuda<0>>();
  situ::empty_cache<Cuda<1>>();
  const auto a = full<0>(1.f);
  const auto b = full<1>(1.f);
  const auto first = summed(a, b);
  {
    const StreamScope scope0(side0);
    const StreamScope scope1(side1);
    const auto c = full<0>(2.f);
    const auto d = full<1>(2.f);
    const auto second = summed(c, d);
    CHECK(read(std::get<1>(second)) == repeated(4.f));
  }
  CHECK(read(std::get<0>(first)) == repeated(2.f));
  situ::synchronize<Cuda<0>>();
  situ::synchronize<Cuda<1>>();
  CHECK(seen.order[0] == std::vector<int>{0, 0, 1, 1});
  CHECK(seen.order[1] == std::vector<int>{0, 0, 1, 1});
}

TEST_CASE("sums by NCCL leave a GPU alone that takes no part") {
  if (!cuda_test::is_child()) {
    CHECK(cuda_test::passes_alone("sums by NCCL leave a GPU alone that takes no part", "SITU_EMULATED_DEVICES=3"));
    return;
  }
  situ::internal::cuda::detail::emulated_nccl = &stand_in;
  const auto [a, b] = summed(full<1>(1.f), full<2>(2.f));
  CHECK(read(a) == repeated(3.f));
  CHECK(read(b) == repeated(3.f));
  CHECK(seen.groups == 1);
  CHECK_FALSE(api::has_context(0));
  situ::internal::cuda::detail::emulated_nccl = nullptr;
}

TEST_CASE("errors of NCCL name the call, the GPUs and what to do; the next sum begins anew") {
  const WithStandIn nccl;
  const auto a = full<0>(1.f);
  const auto b = full<1>(2.f);
  seen.fail_init = 2;
  CHECK_THROWS_WITH_AS(static_cast<void>(summed(a, b)),
                       "all_reduce: ncclCommInitAll failed on cuda:0 (emulated), cuda:1 (emulated): system error; more "
                       "about it; NCCL_DEBUG=INFO in the environment says more, SITU_NCCL=0 does without NCCL",
                       situ::CudaError);
  seen.fail_init = 0;
  seen.fail_reduce = 5;
  CHECK_THROWS_WITH_AS(static_cast<void>(summed(a, b)), doctest::Contains("ncclAllReduce failed on cuda:0"),
                       situ::CudaError);
  CHECK(seen.open == 0);
  seen.fail_reduce = 0;
  CHECK(read(std::get<1>(summed(a, b))) == repeated(3.f));
}

#endif
