// SPDX-License-Identifier: Apache-2.0
// What an operation on 64 elements costs, and its parts: docs/decisions/small-tensors.md. The library's threads run.
//
//     small                    least time of each row, in ns
//     small "sum" 1000         that row so many times, for a program that counts instructions:
//     valgrind --tool=callgrind --callgrind-out-file=/dev/null small "sum" 1000
//
// "Floor" is what the guarantees of a tensor cost: each operand's storage is held while an expression names it (a counted
// handle is copied and given back, by instructions that lock), the result has a block of the pool, and the elements are
// read and written by a loop that knows where they lie.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <string_view>

#include <situ/situ.hpp>

namespace {

using namespace situ;

/// The compiler must take what is at `x` for read and written.
template <class X>
void keep(X& x) {
  asm volatile("" : : "r"(&x) : "memory");
}

template <class F>
[[nodiscard]] double least_nanoseconds(const F& f) {
  constexpr int calls = 20000;
  double least = std::numeric_limits<double>::infinity();
  for (int repetition = 0; repetition < 100; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) f();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    least = std::min(least, time.count() / calls);
  }
  return least;
}

class Rows {
 public:
  Rows(std::string_view only, long times) : only_(only), times_(times) {}

  template <class F>
  void operator()(const char* name, const F& f) {
    if (only_.empty()) {
      std::printf("%-28s %7.1f\n", name, least_nanoseconds(f));
    } else if (only_ == name) {
      found_ = true;
      for (long i = 0; i < times_; ++i) f();
    }
  }
  [[nodiscard]] bool found() const { return found_ || only_.empty(); }

 private:
  std::string_view only_;
  long times_;
  bool found_ = false;
};

void multiply_add(const float* a, const float* b, const float* c, float* d) {
  for (int i = 0; i < 64; ++i) d[i] = a[i] * b[i] + c[i];
}

}  // namespace

int main(int argc, char** argv) {
  Rows row(argc > 2 ? argv[1] : "", argc > 2 ? std::atol(argv[2]) : 0);
  const Tensor a = rand<float>({64}), b = rand<float>({64}), c = rand<float>({64});
  Tensor d = a * b + c;
  const Tensor matrix = rand<float>({8, 8}), line = rand<float>({8}), column = rand<float>({8, 1});
  Tensor large = rand<float>({1 << 21});
  large += 1;  // by all threads, which run from here on

  row("nothing", [&] { keep(d); });
  row("a handle", [&] {
    internal::Storage<Cpu> handle = a.storage();
    keep(handle);
  });
  row("a copy of a tensor", [&] {
    Tensor copy = a;
    keep(copy);
  });
  row("an allocation", [&] {
    auto storage = internal::Storage<Cpu>::allocate(256);
    keep(storage);
  });
  row("the node a * b", [&] {
    auto node = a * b;
    keep(node);
  });
  row("the node a * b + c", [&] {
    auto node = a * b + c;
    keep(node);
  });
  row("floor of a * b + c, new", [&] {
    internal::Storage<Cpu> x = a.storage(), y = b.storage(), z = c.storage();
    keep(x), keep(y), keep(z);
    auto result = internal::Storage<Cpu>::allocate(256);
    multiply_add(a.data(), b.data(), c.data(), static_cast<float*>(result.data()));
    keep(result);
  });
  row("floor of a * b + c, existing", [&] {
    internal::Storage<Cpu> x = a.storage(), y = b.storage(), z = c.storage();
    keep(x), keep(y), keep(z);
    auto* out = static_cast<float*>(d.storage().data());
    multiply_add(a.data(), b.data(), c.data(), out);
    keep(*out);
  });
  const auto operation = [&](const char* name, auto&& f) {
    row(name, [&] {
      Tensor result = f();
      keep(result);
    });
  };
  operation("a * b + c, new", [&] { return a * b + c; });
  row("a * b + c, existing", [&] {
    d = a * b + c;
    keep(d);
  });
  row("d += a", [&] {
    d += a;
    keep(d);
  });
  operation("a + 1", [&] { return a + 1; });
  operation("exp(a)", [&] { return exp(a); });
  operation("0.5 * a * (1 + tanh(...))",
            [&] { return 0.5f * a * (1 + tanh(0.7978846f * (a + 0.044715f * a * a * a))); });
  operation("sum(a)", [&] { return sum(a); });
  operation("max(a)", [&] { return max(a); });
  operation("matrix + line", [&] { return matrix + line; });
  operation("matrix + column", [&] { return matrix + column; });
  operation("sum(matrix, 1)", [&] { return sum(matrix, 1); });
  operation("sum(matrix, 0)", [&] { return sum(matrix, 0); });
  operation("softmax(matrix, 1)", [&] { return softmax(matrix, 1); });
  operation("matmul(matrix, matrix)", [&] { return matmul(matrix, matrix); });
  if (row.found()) return EXIT_SUCCESS;
  std::fprintf(stderr, "small: no row \"%s\"\n", argv[1]);
  return EXIT_FAILURE;
}
