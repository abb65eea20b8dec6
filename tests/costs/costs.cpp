// SPDX-License-Identifier: Apache-2.0
// What an expression costs: the figures of docs/guide/costs.md, counted. On the CPU: expressions computed, blocks of
// memory taken, and the most bytes that were in use at once; on a GPU: launches of kernels.
#include <doctest/doctest.h>

#include <cstdint>
#include <ostream>

#include <situ/autograd.hpp>
#include <situ/emulation/control.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

constexpr std::int64_t rows = 256, columns = 256;
constexpr std::int64_t matrix = rows * columns * 4;  // bytes

struct Cost {
  std::int64_t passes = 0, blocks = 0, bytes = 0, launches = 0;
  friend bool operator==(const Cost&, const Cost&) = default;
  friend std::ostream& operator<<(std::ostream& stream, const Cost& cost) {
    return stream << "{.passes = " << cost.passes << ", .blocks = " << cost.blocks << ", .bytes = " << cost.bytes
                  << ", .launches = " << cost.launches << '}';
  }
};

/// The kernels that `f` launches: each launch takes one from the number of those that shall still succeed.
template <class F>
std::int64_t launches_of(const F& f) {
  namespace emulated = internal::cuda::emulated;
  constexpr std::int64_t many = std::int64_t{1} << 40;
  synchronize(gpu<0>);
  emulated::fail_after(emulated::Call::launch, many);
  f();
  const std::int64_t left = emulated::detail::failures[static_cast<int>(emulated::Call::launch)].after;
  emulated::fail_after(emulated::Call::launch, -1);
  return many - left;
}

/// What f(x, y) costs, for two matrices that nobody shares.
template <class F>
Cost cost(const F& f) {
  const auto run = [&](auto device, const auto& count) {
    Tensor x = ones<float>({rows, columns}, device) * 2, y = ones<float>({rows, columns}, device) * 3;
    count([&] { f(x, y); });
  };
  Cost found;
  run(cpu, [&](const auto& work) {
    work();  // what is kept for reuse is there from now on
    const auto before = memory_stats<Cpu>();
    const MemoryScope<Cpu> scope;
    work();
    const auto after = memory_stats<Cpu>();
    found = {after.evaluations - before.evaluations, after.allocations - before.allocations,
             static_cast<std::int64_t>(scope.peak_above_start()), 0};
  });
  run(gpu<0>, [&](const auto& work) {
    work();
    found.launches = launches_of(work);
  });
  return found;
}

}  // namespace

TEST_CASE("costs: expressions") {
  // [fused]
  CHECK(cost([](auto& x, auto& y) { auto e = exp(x) * y + 1; }) == Cost{});  // nothing is computed yet
  CHECK(cost([](auto& x, auto& y) { Tensor r = exp(x) * y + 1; }) ==
        Cost{.passes = 1, .blocks = 1, .bytes = matrix, .launches = 1});
  CHECK(cost([](auto& x, auto& y) { x += 0.5f * y; }) == Cost{.passes = 1, .launches = 1});  // in place
  // [fused-end]
  // [twice]
  CHECK(cost([](auto& x, auto& y) {
          auto e = exp(x);  // an expression: each reading computes it
          Tensor r = e + y;
          Tensor s = e * y;
        }) == Cost{.passes = 2, .blocks = 2, .bytes = 2 * matrix, .launches = 2});
  CHECK(cost([](auto& x, auto& y) {
          Tensor e = exp(x);  // a tensor: computed once
          Tensor r = e + y;
          Tensor s = e * y;
        }) == Cost{.passes = 3, .blocks = 3, .bytes = 3 * matrix, .launches = 3});
  // [twice-end]
}

TEST_CASE("costs: views and copies") {
  // [copies]
  CHECK(cost([](auto& x, auto&) { Tensor r = x; }) == Cost{});             // shares
  CHECK(cost([](auto& x, auto&) { Tensor r = x(0, all); }) == Cost{});     // so do views
  CHECK(cost([](auto& x, auto&) { Tensor r = transpose(x); }) == Cost{});
  CHECK(cost([](auto& x, auto&) {
          Tensor r = x;
          r += 1;  // the first write to what is shared: r gets elements of its own
        }) == Cost{.passes = 1, .blocks = 1, .bytes = matrix, .launches = 1});
  // [copies-end]
  // [recurrence]
  CHECK(cost([](auto& x, auto& y) {
          const NoDetaching scope;  // x is written in place at each step, or the step throws
          for (int t = 1; t < rows; ++t) x.at(t, all) = 0.9f * x(t - 1, all) + y(t, all);
        }).bytes == 0);
  CHECK(cost([](auto& x, auto& y) {
          Tensor first = x(0, all);  // a view that is kept: the first step copies all of x
          for (int t = 1; t < rows; ++t) x.at(t, all) = 0.9f * x(t - 1, all) + y(t, all);
        }).bytes == matrix);
  // [recurrence-end]
}

TEST_CASE("costs: reductions and rows") {
  // [reductions]
  CHECK(cost([](auto& x, auto& y) { Tensor r = sum(x * y); }).passes == 1);  // reads the product as it is computed
  CHECK(cost([](auto& x, auto& y) { Tensor r = sum(x * y, 1); }) == Cost{.passes = 1, .blocks = 1, .launches = 1});
  CHECK(cost([](auto& x, auto&) { Tensor r = (x - mean(x, 0)) / stddev(x, 0); }) ==
        Cost{.passes = 1, .blocks = 3, .bytes = matrix, .launches = 3});  // mean and stddev read a tensor as it stands
  CHECK(cost([](auto& x, auto&) { Tensor r = softmax(x); }) == Cost{.blocks = 1, .bytes = matrix, .launches = 1});
  // [reductions-end]
}

TEST_CASE("costs: gradients") {
  // [gradients]
  CHECK(cost([](auto& x, auto& y) {
          Variable w(x);
          Variable loss = mean(square(tanh(w) - y));  // nothing is kept but the operands
          Tensor g = backward(loss)[w];
        }) == Cost{.passes = 3, .blocks = 5, .bytes = matrix, .launches = 4});
  // [gradients-end]
}
