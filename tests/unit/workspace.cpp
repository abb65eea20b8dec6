// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Working memory of the kernels on the host: counted, limited, and returned by empty_cache, that of workers too.
#include <doctest/doctest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <thread>

#include <situ/situ.hpp>

using namespace situ;

namespace {

std::size_t workspace() { return memory_stats<Cpu>().workspace; }

/// Restores the limit and the number of threads.
struct Settings {
  Settings() { empty_cache<Cpu>(); }
  Settings(const Settings&) = delete;
  Settings& operator=(const Settings&) = delete;
  ~Settings() {
    set_memory_limit<Cpu>(std::numeric_limits<std::size_t>::max());
    set_num_threads(threads);
  }
  int threads = num_threads();
};

constexpr std::int64_t many = 300'000;

/// Descending integers, whose sorting needs 2 buffers.
Tensor<std::int32_t> descending() { return eval(cast<std::int32_t>(many - 1 - arange<std::int64_t>(many))); }
bool ascends(const Tensor<std::int32_t>& x) { return x(0) == 0 && x(many - 1) == many - 1; }

}  // namespace

TEST_CASE("working memory is counted and returned to the system") {
  const Settings restored;
  CHECK(workspace() == 0);
  const Tensor x = descending();
  CHECK(ascends(sort(x)));
  CHECK(workspace() >= std::size_t{2} * many * sizeof(std::int32_t));
  empty_cache<Cpu>();
  CHECK(workspace() == 0);
  CHECK(ascends(sort(x)));
  CHECK(workspace() > 0);
}

// A product of this depth packs its operands; with AVX-512 a smaller one would read them in place.
constexpr std::int64_t depth = 600;

TEST_CASE("the library's workers keep none after empty_cache") {
  const Settings restored;
  const Tensor a = ones<float>({300, depth}), b = ones<float>({depth, 300});
  for (int i = 0; i < 20; ++i) {
    set_num_threads(2 + i % 3);
    const Tensor c = matmul(a, b);
    CHECK(c(299, 299) == depth);
    CHECK(workspace() > 0);
    empty_cache<Cpu>();
    CHECK(workspace() == 0);
  }
}

TEST_CASE("threads that compute while another empties the cache") {
  const Settings restored;
  set_num_threads(3);
  const auto compute = [] {
    const Tensor a = ones<float>({96, 200}), b = ones<float>({200, 96}), x = ones<float>({2, 8, 20, 20});
    for (int i = 0; i < 30; ++i) {
      const Tensor c = matmul(a, b);
      REQUIRE(c(95, 95) == 200);
      const Tensor y = conv2d(x, ones<float>({8, 8, 3, 3}));
      REQUIRE(y(1, 7, 17, 17) == 72);
    }
  };
  std::thread first(compute), second(compute);
  for (int i = 0; i < 300; ++i) empty_cache<Cpu>();
  first.join();
  second.join();
  empty_cache<Cpu>();
  CHECK(workspace() == 0);  // a thread that ends returns its own
}

TEST_CASE("the limit covers working memory") {
  const Settings restored;
  const Tensor x = descending();
  const auto held = [] { return memory_stats<Cpu>().in_use + memory_stats<Cpu>().cached; };
  empty_cache<Cpu>();
  set_memory_limit<Cpu>(held() + 2 * many * sizeof(std::int32_t));  // enough for the result or for the buffers
  CHECK_THROWS_AS(static_cast<void>(sort(x)), OutOfMemory);
  CHECK(workspace() <= 2 * many * sizeof(std::int32_t));
  set_memory_limit<Cpu>(std::numeric_limits<std::size_t>::max());
  CHECK(ascends(sort(x)));

  SUBCASE("what is kept makes room for a tensor") {
    const std::size_t kept = workspace();
    set_memory_limit<Cpu>(held() + kept);
    const Tensor y = zeros<std::int8_t>({static_cast<std::int64_t>(memory_stats<Cpu>().cached + kept / 2)});
    CHECK(y.size() > 0);
    CHECK(workspace() == 0);
  }
  SUBCASE("and for working memory of another operation") {
    const Tensor a = ones<float>({300, depth}), b = ones<float>({depth, 300});
    Tensor c = matmul(a, b);
    set_num_threads(1);
    empty_cache<Cpu>();
    CHECK(ascends(sort(x)));
    set_memory_limit<Cpu>(held() + workspace() + (std::size_t{1} << 14));
    c = matmul(a, b);
    CHECK(c(0, 0) == depth);
  }
  SUBCASE("also of pinned tensors, which the same kernels compute") {
    const Tensor a = ones<float>({300, depth}, pinned), b = ones<float>({depth, 300}, pinned);
    const Tensor y = x.to(pinned);
    Tensor c = matmul(a, b);
    set_num_threads(1);
    empty_cache<Cpu>();
    static_cast<void>(sort(y));
    const auto begun = internal::memory::kernels_begun;
    c = matmul(a, b);
    CHECK(internal::memory::kernels_begun > begun);
    CHECK(c(0, 0) == depth);
  }
  SUBCASE("a lower limit releases it") {
    set_memory_limit<Cpu>(held());
    CHECK(workspace() == 0);
  }
}

TEST_CASE("a child of fork counts what it has") {
  const Settings restored;
  set_num_threads(2);
  static_cast<void>(matmul(ones<float>({300, depth}), ones<float>({depth, 300})));
  const Tensor x = descending();
  CHECK(ascends(sort(x)));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    bool right = workspace() > 0;
    empty_cache<Cpu>();
    right = right && workspace() == 0 && ascends(sort(x)) && workspace() > 0;
    _exit(right ? 0 : 1);
  }
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
}
