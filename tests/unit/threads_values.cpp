// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Tensors in several threads: many read one tensor, distinct handles of one storage are copied, read and written, and
// expressions large enough for all cores are evaluated by several threads at once.
#include <doctest/doctest.h>

#include <atomic>
#include <barrier>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include <situ/situ.hpp>

using namespace situ;

namespace {

/// Runs `f(0)` to `f(count - 1)`, each in a thread of its own, all starting at once. They use none of doctest's
/// assertions: those take a lock, which would order what is to be left unordered.
template <class F>
void in_threads(int count, const F& f) {
  std::barrier start(count);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      f(i);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

constexpr int thread_count = 4;

}  // namespace

TEST_CASE("many threads read one tensor") {
  const Tensor x = reshape(arange<float>(6000), {60, 100});
  std::atomic<int> wrong = 0;
  in_threads(thread_count, [&](int) {
    for (int round = 0; round < 20; ++round) {
      const Tensor copy = x;
      const Tensor row = x(round, all);
      const Tensor shifted = x + 1;
      wrong += x(round, 99) != static_cast<float>(round * 100 + 99);
      wrong += copy(0, 1) != 1 || row(5) != static_cast<float>(round * 100 + 5) || shifted(59, 99) != 6000;
      wrong += sum(x).item() != 17997000;
      float last = 0;
      for (const float v : transpose(x).to(pinned)) last = v;
      wrong += last != 5999;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("handles of one storage are written in different threads, and each sees its own value") {
  std::atomic<int> wrong = 0;
  for (int round = 0; round < 50; ++round) {
    Tensor original = full({257}, 1.f);
    std::vector<Tensor<float>> handles(thread_count, original);
    in_threads(thread_count, [&](int i) {
      Tensor<float>& mine = handles[static_cast<std::size_t>(i)];
      const auto number = static_cast<float>(i);
      mine.at(0) = number;
      mine += 1;
      mine.at(range(100, 200)) = mine(range(0, 100)) * 2;
      {
        auto lease = mine.write();
        lease.data()[256] = number;
      }
      wrong += mine(0) != number + 1 || mine(1) != 2 || mine(100) != 2 * (number + 1) || mine(101) != 4;
      wrong += mine(256) != number;
    });
    wrong += original(0) != 1 || sum(original).item() != 257;
  }
  CHECK(wrong == 0);
}

TEST_CASE("the last handle but one disappears while its owner writes") {
  // Whether the write is in place or into a copy depends on who is first; its result does not.
  std::atomic<int> wrong = 0;
  for (int round = 0; round < 200; ++round) {
    Tensor kept = full({64}, 3.f);
    std::optional<Tensor<float>> other(kept);
    float seen = 0;
    in_threads(2, [&](int i) {
      if (i == 0) {
        kept *= 2;
      } else {
        seen = (*other)(63);
        other.reset();
      }
    });
    wrong += seen != 3 || kept(0) != 6 || kept(63) != 6;
  }
  CHECK(wrong == 0);
}

TEST_CASE("a tensor made in one thread is moved to another, changed there and released in a third") {
  std::vector<Tensor<float>> made(thread_count);
  in_threads(thread_count, [&](int i) { made[static_cast<std::size_t>(i)] = full({5000}, static_cast<float>(i)); });
  std::vector<Tensor<float>> changed(thread_count);
  in_threads(thread_count, [&](int i) {
    const auto from = static_cast<std::size_t>((i + 1) % thread_count);
    Tensor mine = std::move(made[from]);
    mine += 10;
    changed[from] = std::move(mine);
  });
  std::atomic<int> wrong = 0;
  in_threads(thread_count, [&](int i) {
    const auto from = static_cast<std::size_t>((i + 2) % thread_count);
    const Tensor last = std::move(changed[from]);
    wrong += last(4999) != static_cast<float>(from) + 10;
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads evaluate large expressions at once") {
  constexpr std::int64_t n = 300000;  // several threads' share
  const Tensor a = arange<float>(n) / 1000;
  const Tensor b = full({n}, 0.5f);
  const Tensor expected = a * b + sqrt(a);
  const float expected_sum = sum(expected).item();
  std::atomic<int> wrong = 0;
  in_threads(thread_count, [&](int) {
    for (int round = 0; round < 4; ++round) {
      const Tensor y = a * b + sqrt(a);
      wrong += !all(y == expected).item();
      wrong += sum(a * b + sqrt(a)).item() != expected_sum;
      Tensor z = a;
      z = z * b + sqrt(z);
      wrong += any(z != expected).item();
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads multiply matrices at once") {
  const Tensor a = reshape(arange<float>(160 * 96) % 7, {160, 96});
  const Tensor b = reshape(arange<float>(96 * 130) % 5, {96, 130});
  const Tensor expected = matmul(a, b);
  std::atomic<int> wrong = 0;
  in_threads(thread_count, [&](int) {
    for (int round = 0; round < 4; ++round) wrong += any(matmul(a, b) != expected).item();
  });
  CHECK(wrong == 0);
}

TEST_CASE("generators of threads give what they give alone") {
  std::vector<Tensor<float>> alone;
  for (std::uint64_t i = 0; i < thread_count; ++i) alone.push_back(randn<float>({40000}, Generator(i)));
  std::atomic<int> wrong = 0;
  in_threads(thread_count, [&](int i) {
    Generator generator(static_cast<std::uint64_t>(i));
    wrong += any(randn<float>({40000}, generator) != alone[static_cast<std::size_t>(i)]).item();
  });
  CHECK(wrong == 0);
}
