// SPDX-License-Identifier: Apache-2.0
// LibTorch's linear algebra, which is the LAPACK that it is linked with.
#include "linalg.hpp"
#include "peer_libtorch.hpp"

namespace rows {

namespace {

struct Triangle {
  at::Tensor r;
};
struct LibTorchLinalg : LibTorch {
  static std::vector<double> values(const Triangle& x) { return diagonals(LibTorch::values(x.r), x.r.size(-1)); }
  static std::vector<double> values(const at::Tensor& x) { return LibTorch::values(x); }
};

template <class F>
void add_rows(const std::string& operation, Matrices kind, F f) {
  for (const std::int64_t n : systems) {
    add<LibTorchLinalg>(system_row(operation, n), [=] {
      const std::int64_t count = matrices(n);
      std::vector<float> elements = system(n, kind), sides = random(count * n, 3);
      return [a = at::from_blob(elements.data(), {count, n, n}, at::kFloat).clone(),
              b = at::from_blob(sides.data(), {count, n, 1}, at::kFloat).clone(), f] { return f(a, b); };
    });
  }
}

void add_all() {
  at::set_num_threads(threads);
  add_rows("solve", Matrices::general, [](auto& a, auto& b) { return at::linalg_solve(a, b); });
  add_rows("inv", Matrices::general, [](auto& a, auto&) { return at::linalg_inv(a); });
  add_rows("det", Matrices::general, [](auto& a, auto&) { return at::linalg_det(a); });
  add_rows("cholesky", Matrices::definite, [](auto& a, auto&) { return at::linalg_cholesky(a); });
  add_rows("qr", Matrices::general, [](auto& a, auto&) { return Triangle{std::get<1>(at::linalg_qr(a))}; });
  add_rows("lstsq", Matrices::general,
           [](auto& a, auto& b) { return std::get<0>(at::linalg_lstsq(a, b, c10::nullopt, "gels")); });
  add_rows("eigh", Matrices::definite, [](auto& a, auto&) { return std::get<0>(at::linalg_eigh(a)); });
  add_rows("svd", Matrices::general, [](auto& a, auto&) { return std::get<1>(at::linalg_svd(a, false)); });
}

const Registration here("linalg", add_all);

}  // namespace

}  // namespace rows
