// SPDX-License-Identifier: Apache-2.0
// Kernels of the program's own: `launch_on` orders them, captures them and shows them as the library's, and refuses
// pointers that it was not told of.
// labels: threads
#include <doctest/doctest.h>

#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/graph.hpp>
#include <situ/launch.hpp>
#include <situ/situ.hpp>

#include "timeline.hpp"

namespace {

using namespace situ;
using Gpu = Cuda<0>;
using Gpu1 = Cuda<1>;

__global__ void own_saxpy(std::int64_t n, float a, const float* x, float* y) {
  const std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

/// The sum of each block's elements.
__global__ void own_block_sums(std::int64_t n, const float* x, float* sums) {
  __shared__ float part[64];
  const std::int64_t i = std::int64_t{blockIdx.x} * 64 + threadIdx.x;
  part[threadIdx.x] = i < n ? x[i] : 0.f;
  for (unsigned half = 32; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}

/// Its position along two axes of blocks: `out[block_y][block][thread]`.
__global__ void own_positions(int* out) {
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  out[block * blockDim.x + threadIdx.x] = static_cast<int>(10000 * blockIdx.y + 100 * blockIdx.x + threadIdx.x);
}

__global__ void own_short_count(int n, float* y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(i) < n) y[i] = 1.f;
}

__global__ void own_copy(int n, const void* from, void* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (static_cast<int>(i) < n) static_cast<float*>(to)[i] = static_cast<const float*>(from)[i];
}

/// `y = a x + y` by a kernel of this file.
template <Device D>
void add_scaled(float a, const Tensor<float, D>& x, Tensor<float, D>& y) {
  launch_on(
      D(), "own_saxpy",
      [&](auto& stream, auto px, auto py) {
        stream.launch(LaunchSize::covering(x.size()), own_saxpy, x.size(), a, px, py);
      },
      x, y.write());
}

/// The message of the exception, which must be an `E`.
template <class E, class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

template <Device D>
std::vector<float> numbers(const Tensor<float, D>& x) {
  const Tensor<float> host = x.to(cpu);
  return {host.begin(), host.end()};
}

}  // namespace

TEST_CASE("launch_on: a kernel of the program's own computes, for any number of elements") {
  for (const std::int64_t n : {0, 1, 255, 256, 257, 1000}) {
    CAPTURE(n);
    const Tensor x = reshape(arange<float>(n, gpu<0>), {n});
    Tensor y = ones<float>({n}, gpu<0>);
    add_scaled(2.f, x, y);
    std::vector<float> expected(static_cast<std::size_t>(n));
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 2.f * static_cast<float>(i) + 1.f;
    CHECK(numbers(y) == expected);
  }
}

TEST_CASE("launch_on: a kernel may take void*") {
  const Tensor x = arange<float>(300, gpu<0>);
  Tensor y = zeros<float>({300}, gpu<0>);
  launch_on(
      gpu<0>, "own_copy",
      [&](auto& stream, auto px, auto py) { stream.launch(LaunchSize::covering(300), own_copy, 300, px, py); }, x,
      y.write());
  CHECK(numbers(y) == numbers(x));
}

TEST_CASE("launch_on: a lease writes its own elements, not those of a copy") {
  const Tensor x = ones<float>({300}, gpu<0>);
  Tensor y = full<float>({300}, 5.f, gpu<0>);
  const Tensor before = y;
  add_scaled(3.f, x, y);
  CHECK(numbers(y) == std::vector<float>(300, 8.f));
  CHECK(numbers(before) == std::vector<float>(300, 5.f));
}

TEST_CASE("launch_on: work in other streams is ordered before and after it") {
  const Stream<Gpu> first, second;
  for (int i = 0; i < 5; ++i) {
    Tensor<float, Gpu> x;
    {
      const StreamScope scope(first);
      x = full<float>({2000}, static_cast<float>(i), gpu<0>) * 2.f;
    }
    Tensor y = ones<float>({2000}, gpu<0>);
    {
      const auto lease = y.write();  // for this stream, and launched in two others
      {
        const StreamScope scope(second);
        launch_on(
            gpu<0>, "own_saxpy",
            [&](auto& stream, auto px, auto py) {
              CHECK(stream.native() == second.native());
              CHECK(stream.native() != first.native());
              stream.launch(LaunchSize::covering(2000, 128), own_saxpy, 2000, 10.f, px, py);
            },
            x, lease);
      }
      x = full<float>({2000}, -1.f, gpu<0>);  // the memory of the old one is free once the kernel has read it
      const StreamScope scope(first);
      launch_on(
          gpu<0>, "own_saxpy",
          [&](auto& stream, auto px, auto py) {
            stream.launch(LaunchSize::covering(2000), own_saxpy, 2000, 1.f, px, py);
          },
          x, lease);
    }
    CHECK(numbers(y) == std::vector<float>(2000, 20.f * static_cast<float>(i)));
  }
}

TEST_CASE("launch_on: pointers of device_data are ordered in this thread's stream") {
  const Stream<Gpu> side;
  Tensor y = ones<float>({500}, gpu<0>);
  const Tensor x = full<float>({500}, 3.f, gpu<0>);
  {
    auto lease = y.write();
    const StreamScope scope(side);
    const DevicePointer<const float, Gpu> from = x.device_data();
    const DevicePointer<float, Gpu> to = lease.device_data();
    CHECK(DevicePointer<const float, Gpu>(to) == DevicePointer<const float, Gpu>(static_cast<float*>(to)));
    CHECK(from + 1 != from);
    internal::cuda::api::copy_on_device(static_cast<float*>(to), static_cast<const float*>(from), 500 * sizeof(float),
                                        side.native());
  }
  CHECK(numbers(y) == std::vector<float>(500, 3.f));
}

TEST_CASE("launch_on: two devices; the current device is that of the launch, and then the program's again") {
  const Tensor x = ones<float>({70}, gpu<1>);
  Tensor y = ones<float>({70}, gpu<1>);
  add_scaled(4.f, x, y);
  CHECK(numbers(y) == std::vector<float>(70, 5.f));
  static_cast<void>(internal::cuda::api::set_device(physical_device(gpu<0>)));
  int within = -1;
  launch_on(gpu<1>, "nothing", [&](auto&) { static_cast<void>(internal::cuda::api::get_device(&within)); });
  int after = -1;
  static_cast<void>(internal::cuda::api::get_device(&after));
  CHECK(within == physical_device(gpu<1>));
  CHECK(after == physical_device(gpu<0>));
  CHECK_THROWS_AS(static_cast<void>(physical_device(gpu<50>)), DeviceUnavailable);
}

TEST_CASE("launch_on: scratch memory and shared memory, in two passes") {
  for (const std::int64_t n : {1, 64, 65, 1000}) {
    CAPTURE(n);
    const Tensor x = full<float>({n}, 2.f, gpu<0>);
    Tensor total = empty<float>({}, gpu<0>);
    launch_on(
        gpu<0>, "own_sum",
        [&](auto& stream, auto px, auto result) {
          const LaunchSize size = LaunchSize::covering(n, 64);
          const auto sums = stream.template scratch<float>(size.blocks);
          auto allocator = stream.allocator();
          char* const bytes = allocator.allocate(100);
          CHECK((bytes != nullptr && static_cast<void*>(bytes) != static_cast<float*>(sums)));
          allocator.deallocate(bytes, 100);
          CHECK(stream.scratch(100) != bytes);
          stream.launch(size, own_block_sums, n, px, sums);
          REQUIRE(size.blocks <= 64);
          stream.launch({.blocks = 1, .threads = 64}, own_block_sums, size.blocks, sums, result);
          CHECK(contains(refusal<ValueError>([&] { static_cast<void>(stream.template scratch<float>(-1)); }), "scratch"));
        },
        x, total.write());
    CHECK(total.to(cpu).item() == 2.f * static_cast<float>(n));
  }
}

TEST_CASE("launch_on: a grid of two axes, and bytes of dynamic shared memory") {
  Tensor out = empty<int>({3, 4, 32}, gpu<0>);
  launch_on(
      gpu<0>, "own_positions",
      [](auto& stream, auto p) {
        stream.launch({.blocks = 4, .blocks_y = 3, .threads = 32, .shared_bytes = 512}, own_positions, p);
      },
      out.write());
  const Tensor<int> host = out.to(cpu);
  for (int y = 0; y < 3; ++y) {
    for (int b = 0; b < 4; ++b) {
      for (int t = 0; t < 32; ++t) REQUIRE(host(y, b, t) == 10000 * y + 100 * b + t);
    }
  }
}

TEST_CASE("launch_on: a graph has it, and repeats it with what the library computes around it") {
  const auto step = [](const auto& x, const auto& y) {
    Tensor twice = eval(y * 2.f);
    add_scaled(3.f, x, twice);
    Tensor total = empty<float>({}, gpu<0>);
    launch_on(
        gpu<0>, "own_sum",
        [&](auto& stream, auto px, auto result) {
          const auto sums = stream.template scratch<float>(2);
          stream.launch({.blocks = 2, .threads = 64}, own_block_sums, 100, px, sums);
          stream.launch({.blocks = 1, .threads = 64}, own_block_sums, 2, sums, result);
        },
        twice, total.write());
    return eval(twice + total);
  };
  Tensor x = reshape(arange<float>(100, gpu<0>), {100});
  Tensor y = ones<float>({100}, gpu<0>);
  auto graph = capture<Gpu>(step, x, y);
  CHECK(graph.nodes() == 5);  // y * 2, three of this file, twice + total
  for (int i = 0; i < 4; ++i) {
    const Tensor expected = step(x, y);
    y = graph(x, y) * 0.001f;
    CHECK(numbers(y) == numbers(eval(expected * 0.001f)));
    x = x + 1.f;
  }
  // A tensor from outside is a constant, and cannot be written.
  const Tensor constant = full<float>({100}, 7.f, gpu<0>);
  auto with_constant = capture<Gpu>(
      [&](const auto& v) {
        Tensor result = eval(v + 0.f);
        add_scaled(1.f, constant, result);
        return result;
      },
      y);
  CHECK(numbers(with_constant(ones<float>({100}, gpu<0>))) == std::vector<float>(100, 8.f));
  Tensor outside = ones<float>({100}, gpu<0>);
  auto lease = outside.write();
  const std::string text = refusal<CaptureError>([&] {
    static_cast<void>(capture<Gpu>(
        [&](const auto& v) {
          launch_on(
              gpu<0>, "own_saxpy",
              [&](auto& stream, auto px, auto py) {
                stream.launch(LaunchSize::covering(100), own_saxpy, 100, 1.f, px, py);
              },
              v, lease);
          return eval(v + 1.f);
        },
        y));
  });
  INFO(text);
  CHECK(contains(text, "the float32 tensor of shape (100,)"));
}

TEST_CASE("launch_on: a ledger shows it once, by its name") {
  const Tensor x = ones<float>({50}, gpu<0>);
  Tensor y = ones<float>({50}, gpu<0>);
  const MovementLedger ledger;
  launch_on(
      gpu<0>, "two saxpies",
      [&](auto& stream, auto px, auto py) {
        for (int i = 0; i < 2; ++i) stream.launch(LaunchSize::covering(50), own_saxpy, 50, 1.f, px, py);
      },
      x, y.write());
  CHECK(numbers(y) == std::vector<float>(50, 3.f));
  CHECK(cuda_test::names_in_streams(ledger).at("two saxpies") == 1);
}

TEST_CASE("launch_on: pointers that it was not told of are refused, and say what to pass") {
  const Tensor x = ones<float>({50}, gpu<0>);
  const Tensor stranger = ones<float>({50}, gpu<0>);
  Tensor y = ones<float>({50}, gpu<0>);
  DevicePointer<float, Gpu> old(nullptr);
  {
    auto lease = y.write();
    old = lease.device_data();
  }
  const auto launch_with = [&](const auto& from, const auto& to) {
    launch_on(
        gpu<0>, "own_saxpy",
        [&](auto& stream, auto, auto) { stream.launch(LaunchSize::covering(50), own_saxpy, 50, 1.f, from, to); }, x,
        Tensor(y));
  };
  CHECK(contains(refusal<LeaseError>([&] { launch_with(x.device_data(), old); }),
                 "argument 4 of kernel own_saxpy points into no lease of this launch, or its lease has ended: pass the "
                 "lease, x.write(), to launch_on"));
  CHECK(contains(refusal<ValueError>([&] { launch_with(stranger.device_data(), old); }),
                 "argument 3 of kernel own_saxpy points to no operand: pass the tensor to launch_on"));
  // a part of an operand is one
  launch_on(
      gpu<0>, "own_saxpy",
      [&](auto& stream, auto px, auto py) {
        stream.launch(LaunchSize::covering(10), own_saxpy, 10, 1.f, px + 40, py + 40);
      },
      x, y.write());
  CHECK(sum(y).to(cpu).item() == 60.f);

  auto lease = y.write();
  CHECK(contains(refusal<LeaseError>([&] { launch_on(gpu<0>, "nothing", [](auto&, auto) {}, y); }),
                 "is leased: use the object that write() returned"));
}

TEST_CASE("launch_on: a view with gaps, and a number that a parameter cannot hold, are refused") {
  const Tensor x = ones<float>({6, 8}, gpu<0>);
  bool called = false;
  const std::string text = refusal<ShapeError>([&] {
    launch_on(gpu<0>, "nothing", [&](auto&, auto) { called = true; }, transpose(x));
  });
  CHECK(contains(text, "operand 1, float32 of shape (8, 6), is a view whose elements are not adjacent: pass contiguous(x)"));
  CHECK(!called);
  Tensor y = zeros<float>({8}, gpu<0>);
  CHECK(contains(refusal<ValueError>([&] {
                   launch_on(
                       gpu<0>, "own_short_count",
                       [&](auto& stream, auto p) {
                         stream.launch(LaunchSize::covering(8), own_short_count, std::int64_t{1} << 32, p);
                       },
                       y.write());
                 }),
                 "argument 1 of kernel own_short_count, 4294967296, does not fit the parameter's 32 bits"));
  CHECK(numbers(y) == std::vector<float>(8, 0.f));
}

TEST_CASE("launch_on: what CUDA refuses is an error with the name, and so is what an earlier call has left") {
  Tensor y = zeros<float>({8}, gpu<0>);
  const auto launch = [&](const LaunchSize& size) {
    launch_on(gpu<0>, "own_short_count", [&](auto& stream, auto p) { stream.launch(size, own_short_count, 8, p); },
              y.write());
  };
  for (const LaunchSize size : {LaunchSize{.threads = 5000}, LaunchSize{.threads = 0}, LaunchSize{.blocks = -1},
                                LaunchSize{.blocks = std::int64_t{1} << 32}, LaunchSize{.blocks_y = 65536}}) {
    CHECK(contains(refusal<CudaError>([&] { launch(size); }), "kernel own_short_count"));
  }
  // an error that a call in f has left, as <<<>>> does
  CHECK(contains(refusal<CudaError>([&] {
                   launch_on(gpu<0>, "lost error",
                             [](auto&) { static_cast<void>(internal::cuda::api::set_device(-1)); });
                 }),
                 "of lost error"));
  static_cast<void>(internal::cuda::api::set_device(-1));
  CHECK(contains(refusal<CudaError>([&] { launch({}); }), "before launch_on"));
  // a query's answer is not an error
  const Stream<Gpu> busy;
  {
    const StreamScope scope(busy);
    Tensor x = ones<float>({1000}, gpu<0>);
    for (int i = 0; i < 50; ++i) x += 1.f;
  }
  const bool ready = internal::cuda::api::stream_query(busy.native()) == internal::cuda::api::success;
  launch({});
  INFO(ready);
  launch_on(gpu<0>, "query", [&](auto&) { static_cast<void>(internal::cuda::api::stream_query(busy.native())); });
  CHECK_THROWS_AS(launch_on(gpu<0>, "throws", [](auto&) { throw std::runtime_error("mine"); }), std::runtime_error);
  launch({});
  CHECK(numbers(y) == std::vector<float>(8, 1.f));
}

TEST_CASE("launch_on: several threads launch on one device") {
  const Tensor x = ones<float>({400}, gpu<0>);
  std::vector<Tensor<float, Gpu>> y(4);
  std::vector<std::thread> threads;
  for (auto& mine : y) {
    threads.emplace_back([&] {
      const Stream<Gpu> own;
      const StreamScope scope(own);
      mine = zeros<float>({400}, gpu<0>);
      for (int i = 0; i < 10; ++i) add_scaled(1.f, x, mine);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : y) CHECK(numbers(mine) == std::vector<float>(400, 10.f));
}
