// SPDX-License-Identifier: Apache-2.0
// LibTorch's linear algebra, which is the LAPACK that it is linked with.
#include "rows.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace rows {

namespace {

void keep(const at::Tensor& x) { benchmark::DoNotOptimize(x.data_ptr()); }

template <class F>
void add_rows(const std::string& operation, Matrices kind, F f) {
  for (const std::int64_t n : systems) {
    add(system_row(operation, n), "libtorch", [=] {
      const std::int64_t count = matrices(n);
      std::vector<float> elements = system(n, kind), sides = random(count * n, 3);
      return [a = at::from_blob(elements.data(), {count, n, n}, at::kFloat).clone(),
              b = at::from_blob(sides.data(), {count, n, 1}, at::kFloat).clone(), f] { f(a, b); };
    });
  }
}

}  // namespace

void add_libtorch_linalg() {
  at::set_num_threads(threads);
  add_rows("solve", Matrices::general, [](auto& a, auto& b) { keep(at::linalg_solve(a, b)); });
  add_rows("inv", Matrices::general, [](auto& a, auto&) { keep(at::linalg_inv(a)); });
  add_rows("det", Matrices::general, [](auto& a, auto&) { keep(at::linalg_det(a)); });
  add_rows("cholesky", Matrices::definite, [](auto& a, auto&) { keep(at::linalg_cholesky(a)); });
  add_rows("qr", Matrices::general, [](auto& a, auto&) { keep(std::get<0>(at::linalg_qr(a))); });
  add_rows("lstsq", Matrices::general,
           [](auto& a, auto& b) { keep(std::get<0>(at::linalg_lstsq(a, b, c10::nullopt, "gels"))); });
  add_rows("eigh", Matrices::definite, [](auto& a, auto&) { keep(std::get<1>(at::linalg_eigh(a))); });
  add_rows("svd", Matrices::general, [](auto& a, auto&) { keep(std::get<0>(at::linalg_svd(a, false))); });
}

}  // namespace rows
