// SPDX-License-Identifier: Apache-2.0
// The installed OpenBLAS: products only.
#include "rows.hpp"

#include <cblas.h>

namespace rows {

namespace {

template <class T>
struct Matrix {
  std::unique_ptr<T[]> elements;
  std::int64_t rows, columns;
};

struct Blas {
  static constexpr const char* name = "blas";

  template <class T>
  static std::shared_ptr<const Matrix<T>> operand(const Extents& extents, unsigned seed) {
    const std::vector<T> from = random<T>(count_of(extents), seed);
    auto x = std::make_shared<Matrix<T>>(std::make_unique<T[]>(from.size()), extents[0], extents[1]);
    std::copy(from.begin(), from.end(), x->elements.get());
    return x;
  }
  template <class X>
  static X made(X&& x) {
    return std::move(x);
  }
  template <class T>
  static std::vector<double> values(const Matrix<T>& x) {
    return numbers(x.elements.get(), x.rows * x.columns);
  }
};

template <class T, class Gemm>
void add_products(Gemm gemm) {
  offer<Blas, T>("product", [gemm](auto& a, auto& b) {
    Matrix<T> c{std::unique_ptr<T[]>(new T[static_cast<std::size_t>(a->rows * b->columns)]), a->rows, b->columns};
    const int m = static_cast<int>(a->rows), n = static_cast<int>(b->columns), k = static_cast<int>(a->columns);
    gemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, T(1), a->elements.get(), k, b->elements.get(), n, T(0),
         c.elements.get(), n);
    return c;
  });
}

void add_all() {
  describe(Blas::name, openblas_get_config());
  openblas_set_num_threads(threads);
  add_products<float>(cblas_sgemm);
  add_products<double>(cblas_dgemm);
}

const Registration here("cpu", add_all);

}  // namespace

}  // namespace rows
