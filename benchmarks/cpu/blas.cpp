// SPDX-License-Identifier: Apache-2.0
// The installed BLAS: products only.
#include "rows.hpp"

#include <memory>

#include <cblas.h>

namespace rows {

void add_blas() {
#if defined(OPENBLAS_VERSION) || defined(OPENBLAS_CONST)
  openblas_set_num_threads(threads);
#endif
  for (const std::int64_t n : products) {
    add("product, " + std::to_string(n), "blas", [=] {
      return [a = random(n * n, 1), b = random(n * n, 2), n] {
        const std::unique_ptr<float[]> c(new float[static_cast<std::size_t>(n * n)]);
        const int m = static_cast<int>(n);
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, m, m, 1.0f, a.data(), m, b.data(), m, 0.0f, c.get(), m);
        benchmark::DoNotOptimize(c.get());
        benchmark::ClobberMemory();
      };
    });
  }
}

}  // namespace rows
