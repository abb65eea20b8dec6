// SPDX-License-Identifier: Apache-2.0
// situ's rows of linear algebra.
#include "linalg.hpp"
#include "peer_situ.hpp"

#include <situ/linalg.hpp>

namespace rows {

namespace {

struct SituLinalg : Situ {
  /// Of factorisations, what signs do not change.
  template <class X>
  static std::vector<double> values(const X& x) {
    if constexpr (requires { x.r; }) return diagonals(Situ::values(x.r), x.r.shape()[2]);
    else if constexpr (requires { x.eigenvalues; }) return Situ::values(x.eigenvalues);
    else if constexpr (requires { x.s; }) return Situ::values(x.s);
    else return Situ::values(x);
  }
};

template <class F>
void add_rows(const std::string& operation, Matrices kind, F f) {
  for (const std::int64_t n : systems) {
    add<SituLinalg>(system_row(operation, n), [=] {
      const std::int64_t count = matrices(n);
      return [a = situ::from_span<float>(system(n, kind), {count, n, n}),
              b = situ::from_span<float>(random(count * n, 3), {count, n, 1}), f] { return f(a, b); };
    });
  }
}

void add_all() {
  add_rows("solve", Matrices::general, [](auto& a, auto& b) { return solve(a, b); });
  add_rows("inv", Matrices::general, [](auto& a, auto&) { return inv(a); });
  add_rows("det", Matrices::general, [](auto& a, auto&) { return det(a); });
  add_rows("cholesky", Matrices::definite, [](auto& a, auto&) { return cholesky(a); });
  add_rows("qr", Matrices::general, [](auto& a, auto&) { return qr(a); });
  add_rows("lstsq", Matrices::general, [](auto& a, auto& b) { return lstsq(a, b); });
  add_rows("eigh", Matrices::definite, [](auto& a, auto&) { return eigh(a); });
  add_rows("svd", Matrices::general, [](auto& a, auto&) { return svd(a, situ::FullMatrices::no); });
}

const Registration here("linalg", add_all);

}  // namespace

}  // namespace rows
