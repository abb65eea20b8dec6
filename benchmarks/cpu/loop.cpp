// SPDX-License-Identifier: Apache-2.0
// Hand-written loops, as a careful user writes them, on OpenMP threads; and the rates of copying memory.
#include "rows.hpp"

#include <cmath>
#include <cstring>
#include <memory>

#include <omp.h>

#include <situ/cpu/copy.hpp>

namespace rows {

namespace {

using Buffer = std::unique_ptr<float[]>;
Buffer fresh(std::int64_t n) { return Buffer(new float[static_cast<std::size_t>(n)]); }

template <class F>
void fill(float* z, std::int64_t n, F f) {
  if (threads == 1 || n < 20000) {
    for (std::int64_t i = 0; i < n; ++i) z[i] = f(i);
  } else {
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < n; ++i) z[i] = f(i);
  }
}

template <class F>
void add_formula(const std::string& row, std::int64_t n, F formula, bool existing) {
  add(sized(row, n, "new"), "loop", [=] {
    return [a = random(n, 1), b = random(n, 2), c = random(n, 3), d = random(n, 4), formula, n] {
      const Buffer z = fresh(n);
      fill(z.get(), n, [&](std::int64_t i) {
        const auto j = static_cast<std::size_t>(i);
        return formula(a[j], b[j], c[j], d[j]);
      });
      benchmark::DoNotOptimize(z.get());
      benchmark::ClobberMemory();
    };
  });
  if (!existing) return;
  add(sized(row, n, "pre"), "loop", [=] {
    return [a = random(n, 1), b = random(n, 2), c = random(n, 3), d = random(n, 4),
            z = std::vector<float>(static_cast<std::size_t>(n)), formula, n]() mutable {
      fill(z.data(), n, [&](std::int64_t i) {
        const auto j = static_cast<std::size_t>(i);
        return formula(a[j], b[j], c[j], d[j]);
      });
      benchmark::ClobberMemory();
    };
  });
}

}  // namespace

void add_loop() {
  omp_set_num_threads(threads);
  const auto multiply_add = [](float a, float b, float c, float) { return a * b + c; };
  const auto chain = [](float a, float b, float c, float d) { return std::exp(a) * b + std::tanh(c) - d; };
  const auto gelu = [](float a, float, float, float) {
    return 0.5f * a * (1.0f + std::tanh(0.7978845608f * (a + 0.044715f * a * a * a)));
  };
  add_formula("a+b", small, [](float a, float b, float, float) { return a + b; }, false);
  for (const std::int64_t n : {small, medium, large}) {
    add_formula("a*b+c", n, multiply_add, true);
    if (n != large) {
      add_formula("exp(a)*b+tanh(c)-d", n, chain, false);
      add_formula("gelu_tanh", n, gelu, false);
    }
  }
  add("row bias, 4000x4000, pre", "loop", [] {
    return [x = random(side * side, 1), b = random(side, 2), z = std::vector<float>(side * side)]() mutable {
#pragma omp parallel for schedule(static)
      for (std::int64_t i = 0; i < side; ++i) {
        for (std::int64_t j = 0; j < side; ++j) {
          z[static_cast<std::size_t>(i * side + j)] =
              x[static_cast<std::size_t>(i * side + j)] + b[static_cast<std::size_t>(j)];
        }
      }
      benchmark::ClobberMemory();
    };
  });
  add("column sums, 4000x4000", "loop", [] {
    return [x = random(side * side, 1)] {
      std::vector<float> y(side);
      for (std::int64_t i = 0; i < side; ++i) {
        const float* row = x.data() + i * side;
        for (std::int64_t j = 0; j < side; ++j) y[static_cast<std::size_t>(j)] += row[j];
      }
      benchmark::DoNotOptimize(y.data());
    };
  });
  add("sum, 1.6e7", "loop", [] {
    return [x = random(large, 1)] {
      float total = 0;
#pragma omp parallel for simd reduction(+ : total)
      for (std::size_t i = 0; i < x.size(); ++i) total += x[i];
      benchmark::DoNotOptimize(total);
    };
  });
  // Rates of memory, for the rows that it bounds: bytes read and written count once each.
  add("copy of 64 MB, ordinary stores", "loop", [] {
    return [x = random(large, 1), z = std::vector<float>(large)]() mutable {
#pragma omp parallel for schedule(static)
      for (int t = 0; t < threads; ++t) {
        const std::int64_t begin = large / threads * t;
        const std::int64_t end = t + 1 == threads ? large : large / threads * (t + 1);
        std::copy(x.data() + begin, x.data() + end, z.data() + begin);
      }
      benchmark::ClobberMemory();
    };
  });
  add("copy of 64 MB, non-temporal stores", "loop", [] {
    return [x = random(large, 1), z = std::vector<float>(large)]() mutable {
#pragma omp parallel for schedule(static)
      for (int t = 0; t < threads; ++t) {
        const std::int64_t begin = large / threads * t;
        const std::int64_t end = t + 1 == threads ? large : large / threads * (t + 1);
        situ::internal::cpu::stream_copy(z.data() + begin, x.data() + begin,
                                         static_cast<std::size_t>(end - begin) * sizeof(float));
        situ::internal::cpu::stream_fence();
      }
      benchmark::ClobberMemory();
    };
  });
}

}  // namespace rows
