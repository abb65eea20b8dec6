// SPDX-License-Identifier: Apache-2.0
// Gradients from several threads: of one graph, of graphs that share parameters, freed by whoever comes last.
// labels: threads
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>
#include <vector>

#include <situ/autograd.hpp>

namespace {

using namespace situ;

constexpr int threads = 4;

template <class F>
void on_threads(F f) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(f, i);
  for (std::thread& thread : running) thread.join();
}

TEST_CASE("several threads walk over one graph") {
  const Variable<double> w(tensor({1., 2., 3.}));
  Variable<double> y = w;
  for (int i = 0; i < 20; ++i) y = tanh(y * w) + w;
  const Variable<double> loss = sum(y);
  const Tensor<double> expected = backward(loss)[w];
  std::atomic<int> wrong = 0;
  on_threads([&](int) {
    for (int i = 0; i < 25; ++i) {
      const Gradients gradients = backward(loss);
      const Tensor<double>& g = gradients[w];
      for (std::int64_t j = 0; j < 3; ++j) wrong += g(j) != expected(j);
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("several threads record graphs over the same parameters") {
  const Variable<double> w(tensor({1., 2., 3.}));
  std::atomic<int> wrong = 0;
  on_threads([&](int number) {
    const Variable<double> mine = w;  // a copy for each: one variable may be read by many, written by none meanwhile
    for (int i = 0; i < 50; ++i) {
      const Gradients gradients = backward(sum(mine * mine * (number + 1.0)));
      wrong += gradients[w](2) != 6.0 * (number + 1);
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("the last of several threads frees a long graph") {
  const auto before = memory_stats<Cpu>().in_use;
  for (int round = 0; round < 10; ++round) {
    {
      Variable<double> y(tensor({1.}));
      for (int i = 0; i < 3000; ++i) y = y + 1;
      std::vector<Variable<double>> ends;
      for (int i = 0; i < threads; ++i) ends.push_back(y * 2.0);
      y = Variable<double>();
      on_threads([&](int number) { ends[static_cast<std::size_t>(number)] = Variable<double>(); });
    }
    CHECK(memory_stats<Cpu>().in_use == before);
  }
}

}  // namespace
