// SPDX-License-Identifier: Apache-2.0
// Batches beyond what one call of cuSOLVER or cuBLAS takes: the parts in which they are given, and that all of them are
// computed.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <situ/linalg.hpp>
#include <situ/situ.hpp>

#include "compare.hpp"

using namespace situ;
using Gpu = Cuda<0>;
namespace solver = internal::cuda::solver;

namespace {

/// `f(backend, pointers to the elements of x...)`, which may be written.
template <class F, class... T>
void with_pointers(const F& f, const Tensor<T, Gpu>&... x) {
  internal::on_backend<Gpu>(
      [&](const auto& backend) {
        (before_write(backend, x.storage()), ...);
        f(backend, static_cast<T*>(x.storage().data())...);
      },
      internal::reads(x)...);
}
template <class T>
std::int64_t different(const Tensor<T, Gpu>& found, T expected) {
  const Tensor<T> here = found.template to<Cpu>();
  return std::count_if(here.data(), here.data() + here.size(), [&](T x) { return x != expected; });
}

TEST_CASE("parts cover a batch, in order, and none is larger than a call may be") {
  for (const std::int64_t each : {std::int64_t{0}, std::int64_t{1}, std::int64_t{36}, std::int64_t{1} << 20,
                                  std::int64_t{1} << 30, std::int64_t{1} << 31, std::int64_t{1} << 40}) {
    const std::int64_t most = solver::most_matrices_of(each);
    CAPTURE(each);
    CHECK(most >= 1);
    CHECK(most <= 16384);
    CHECK((most == 1 || most * each < std::int64_t{1} << 31));
    CHECK((most == 16384 || (most + 1) * each >= std::int64_t{1} << 31));
    for (const std::int64_t count :
         {std::int64_t{0}, std::int64_t{1}, most - 1, most, most + 1, 3 * most, 3 * most + 2}) {
      std::int64_t reached = 0;
      solver::for_parts(count, most, [&](std::int64_t first, std::int64_t part) {
        CHECK(first == reached);
        CHECK((part >= 1 && part <= most));
        reached += part;
      });
      CHECK(reached == count);
    }
  }
}

TEST_CASE("parts of a division cover each right-hand side of each matrix once") {
  for (const std::int64_t step : {std::int64_t{0}, std::int64_t{9}}) {  // 0: one triangle for all
    solver::Division<float> whole{.rows = 2 * solver::most_right_sides + 9,
                                  .order = 3,
                                  .triangle_ld = 3,
                                  .triangle_batch = step,
                                  .count = 2 * solver::most_matrices + 1};
    std::vector<float> right(static_cast<std::size_t>(whole.rows + whole.count));
    std::vector<float> triangles(static_cast<std::size_t>(9 * whole.count));
    whole.c = right.data();
    whole.c_batch = 1;  // less than there are right-hand sides, but nothing is computed
    whole.triangle = triangles.data();
    std::int64_t parts = 0;
    solver::for_parts(whole, [&](const solver::Division<float>& part) {
      const std::int64_t matrix = parts / 3 * solver::most_matrices, row = parts % 3 * solver::most_right_sides;
      CHECK(part.triangle - whole.triangle == matrix * step);
      CHECK(part.c - whole.c == matrix + row);
      CHECK(part.count == std::min(whole.count - matrix, solver::most_matrices));
      CHECK(part.rows == std::min(whole.rows - row, solver::most_right_sides));
      CHECK(part.c_ld == whole.rows);
      ++parts;
    });
    CHECK(parts == 9);
  }
  CHECK(solver::most_right_sides <= 524280);
}

TEST_CASE_TEMPLATE("eigenvalues of more matrices than cuSOLVER takes in one call", T, float, double) {
  constexpr std::int64_t count = 40001;
  // Of ((0, 1), (1, 0)) times 1, 2, 3, ...
  const Tensor<T, Gpu> a = cuda_test::on_gpu(cuda_test::filled<T>(
      {count, 2, 2}, [](std::int64_t i) { return i % 4 == 0 || i % 4 == 3 ? 0.0 : static_cast<double>(i / 4 + 1); }));
  const Tensor<T> scale = arange<T>(count) + T(1);
  for (const bool vectors : {false, true}) {
    const Tensor<T, Gpu> made = a + T(0), values = zeros<T>({count, 2}, gpu<0>);
    const Tensor<std::int32_t, Gpu> info = full({count}, std::int32_t{-7}, gpu<0>);
    with_pointers(
        [&](const auto& backend, T* matrices, T* w, std::int32_t* said) {
          solver::eigen<T>(backend, {2, 2, matrices, count}, vectors, w, said);
        },
        made, values, info);
    CHECK(different(info, 0) == 0);
    const Tensor<T> w = values.template to<Cpu>();
    CHECK(max(abs(w(all, 0) / scale + T(1))).item() < T(1e-5));
    CHECK(max(abs(w(all, 1) / scale - T(1))).item() < T(1e-5));
  }
}

TEST_CASE_TEMPLATE("factors of more matrices than a grid has blocks", T, float, double) {
  constexpr std::int64_t count = 70001;
  const Tensor<T, Gpu> a = cuda_test::on_gpu(cuda_test::filled<T>(
      {count, 1, 1}, [](std::int64_t i) { return static_cast<double>((i % 100 + 1) * (i % 100 + 1)); }));
  const Tensor<T, Gpu> lu = a + T(0), root = a + T(0);
  const Tensor<std::int32_t, Gpu> pivots = zeros<std::int32_t>({count}, gpu<0>);
  const Tensor<std::int32_t, Gpu> info = full({count}, std::int32_t{-7}, gpu<0>);
  with_pointers(
      [&](const auto& backend, T* matrices, std::int32_t* exchanged, std::int32_t* said) {
        solver::lu<T>(backend, {1, 1, matrices, count}, exchanged, said);
      },
      lu, pivots, info);
  CHECK(different(info, 0) == 0);
  CHECK(different(pivots, 1) == 0);
  CHECK(cuda_test::same_bits(lu, a.template to<Cpu>()));
  const Tensor<std::int32_t, Gpu> of_roots = full({count}, std::int32_t{-7}, gpu<0>);
  with_pointers(
      [&](const auto& backend, T* matrices, std::int32_t* said) {
        solver::cholesky<T>(backend, {1, 1, matrices, count}, said);
      },
      root, of_roots);
  CHECK(different(of_roots, 0) == 0);
  CHECK(max(abs(root.template to<Cpu>() * root.template to<Cpu>() / a.template to<Cpu>() - T(1))).item() < T(1e-5));
}

TEST_CASE_TEMPLATE("singular values of more matrices than are in a part", T, float, double) {
  constexpr std::int64_t count = solver::most_matrices + 3;
  const Tensor<T, Gpu> a = cuda_test::on_gpu(cuda_test::filled<T>(
      {count, 1, 1}, [](std::int64_t i) { return static_cast<double>(i % 2 == 0 ? i + 1 : -i - 1); }));
  const Tensor<T, Gpu> lost = a + T(0), s = zeros<T>({count}, gpu<0>), u = zeros<T>({count}, gpu<0>),
                       vt = zeros<T>({count}, gpu<0>);
  const Tensor<std::int32_t, Gpu> info = full({count}, std::int32_t{-7}, gpu<0>);
  with_pointers(
      [&](const auto& backend, T* matrices, T* values, T* left, T* right, std::int32_t* said) {
        solver::singular_values<T>(backend, {1, 1, matrices, count}, solver::Vectors::thin, values, left, right, said);
      },
      lost, s, u, vt, info);
  CHECK(different(info, 0) == 0);
  const Tensor<T> product = u.template to<Cpu>() * s.template to<Cpu>() * vt.template to<Cpu>();
  CHECK(max(abs(product / reshape(a.template to<Cpu>(), {count}) - T(1))).item() < T(1e-5));
}

TEST_CASE_TEMPLATE("more right-hand sides than cuBLAS has blocks for", T, float, double) {
  // C ((2, 0), (4, 1))^-1 by columns: rows (2 c + 4 d, d) are made of (c, d).
  constexpr std::int64_t rows = (std::int64_t{1} << 19) + 9;
  const Tensor<T, Gpu> triangle = cuda_test::on_gpu(tensor<T>({{2, 4}, {0, 1}}));
  const auto d = [](std::int64_t i) { return static_cast<double>(i % 1000); };
  const Tensor<T, Gpu> c = cuda_test::on_gpu(cuda_test::filled<T>(
      {2, 2, rows}, [&](std::int64_t i) { return i / rows % 2 == 0 ? 6 + 4 * d(i % rows) : d(i % rows); }));
  with_pointers(
      [&](const auto& backend, T* made, T* given) {
        solver::divide<T>(backend, {.rows = rows,
                                    .order = 2,
                                    .triangle = given,
                                    .triangle_ld = 2,
                                    .triangle_batch = 0,
                                    .upper = false,
                                    .transposed = false,
                                    .unit = false,
                                    .c = made,
                                    .c_batch = 2 * rows,
                                    .count = 2});
      },
      c, triangle);
  const Tensor<T> found = c.template to<Cpu>();
  std::int64_t wrong = 0;
  for (std::int64_t matrix = 0; matrix < 2; ++matrix) {
    const T* const first = found.data() + matrix * 2 * rows;
    for (std::int64_t i = 0; i < rows; ++i) wrong += first[i] != T(3) || first[rows + i] != static_cast<T>(d(i));
  }
  CHECK(wrong == 0);
}

}  // namespace
