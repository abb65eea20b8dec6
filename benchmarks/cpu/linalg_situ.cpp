// SPDX-License-Identifier: Apache-2.0
// situ's rows of linear algebra.
#include "rows.hpp"

#include <situ/linalg.hpp>
#include <situ/situ.hpp>

namespace rows {

namespace {

using situ::Tensor;

template <class X>
void keep(const X& x) {
  benchmark::DoNotOptimize(x.storage_elements());
}

template <class F>
void add_rows(const std::string& operation, Matrices kind, F f) {
  for (const std::int64_t n : systems) {
    add(system_row(operation, n), "situ", [=] {
      const std::int64_t count = matrices(n);
      return [a = situ::from_span<float>(system(n, kind), {count, n, n}),
              b = situ::from_span<float>(random(count * n, 3), {count, n, 1}), f] { f(a, b); };
    });
  }
}

}  // namespace

void add_situ_linalg() {
  add_rows("solve", Matrices::general, [](auto& a, auto& b) { keep(solve(a, b)); });
  add_rows("inv", Matrices::general, [](auto& a, auto&) { keep(inv(a)); });
  add_rows("det", Matrices::general, [](auto& a, auto&) { keep(det(a)); });
  add_rows("cholesky", Matrices::definite, [](auto& a, auto&) { keep(cholesky(a)); });
  add_rows("qr", Matrices::general, [](auto& a, auto&) {
    const auto result = qr(a);
    keep(result.q), keep(result.r);
  });
  add_rows("lstsq", Matrices::general, [](auto& a, auto& b) { keep(lstsq(a, b)); });
  add_rows("eigh", Matrices::definite, [](auto& a, auto&) {
    const auto result = eigh(a);
    keep(result.eigenvalues), keep(result.eigenvectors);
  });
  add_rows("svd", Matrices::general, [](auto& a, auto&) {
    const auto result = svd(a, situ::FullMatrices::no);
    keep(result.u), keep(result.s), keep(result.vh);
  });
}

}  // namespace rows
