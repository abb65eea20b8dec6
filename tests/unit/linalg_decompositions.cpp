// SPDX-License-Identifier: Apache-2.0
// Decompositions: factors give the matrix back, by the bars of LAPACK's working notes; matrices that are known to be hard;
// errors.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include <situ/autograd.hpp>
#include <situ/device/host_memory.hpp>
#include <situ/linalg.hpp>
#include <situ/situ.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;

template <class T>
double eps() {
  return static_cast<double>(std::numeric_limits<T>::epsilon());
}

template <class T>
double length(const Tensor<T>& x) {
  return norm(cast<double>(x)).item();
}

/// |A - B| / (|B| n eps).
template <class T>
double residual(const Tensor<T>& a, const Tensor<T>& b) {
  const double n = static_cast<double>(std::max(b.extent(-1), b.extent(-2)));
  return norm(cast<double>(a) - cast<double>(b)).item() / (std::max(length(b), std::numeric_limits<double>::min()) * n * eps<T>());
}

/// |Q^T Q - 1| / (n eps); of a batch the root of the mean square, as the bar is one matrix'.
template <class T>
double from_orthogonal(const Tensor<T>& q) {
  const Tensor<double> wide = cast<double>(q);
  const Tensor<double> product = matmul(transpose(wide), wide);
  const double matrices = static_cast<double>(q.size() / (q.extent(-1) * q.extent(-2)));
  return norm(product - eye<double>(q.extent(-1))).item() / (std::sqrt(matrices) * static_cast<double>(q.extent(-2)) * eps<T>());
}

template <class T>
Tensor<T> random_matrix(const Shape& shape) {
  Generator generator(1);
  return cast<T>(randn<double>(shape, generator));
}

/// Magnitudes over ten decades from row to row.
template <class T>
Tensor<T> graded(std::int64_t rows, std::int64_t columns) {
  const Tensor<T> powers = exp(arange<T>(rows) * static_cast<T>(-23.0 / static_cast<double>(rows)));
  return random_matrix<T>({rows, columns}) * unsqueeze(powers, 1);
}

template <class T>
void check_qr(const Tensor<T>& a) {
  for (const QrMode mode : {QrMode::reduced, QrMode::complete}) {
    const auto [q, r] = qr(a, mode);
    CHECK(residual(matmul(q, r), a) <= 10);
    CHECK(from_orthogonal(q) <= 10);
    CHECK(length(Tensor<T>(r - triu(r))) == 0);
    CHECK(q.extent(-1) == (mode == QrMode::complete ? a.extent(-2) : std::min(a.extent(-2), a.extent(-1))));
    CHECK(r.extent(-2) == q.extent(-1));
  }
}

template <class T>
void check_svd(const Tensor<T>& a) {
  for (const FullMatrices full : {FullMatrices::no, FullMatrices::yes}) {
    const auto [u, s, vh] = svd(a, full);
    const std::int64_t k = s.extent(-1);
    CHECK(k == std::min(a.extent(-2), a.extent(-1)));
    CHECK(u.extent(-1) == (full == FullMatrices::yes ? a.extent(-2) : k));
    CHECK(vh.extent(-2) == (full == FullMatrices::yes ? a.extent(-1) : k));
    CHECK(residual(matmul(internal::part_of_matrices(u, -1, 0, k) * unsqueeze(s, -2),
                          internal::part_of_matrices(vh, -2, 0, k)), a) <= 10);
    CHECK(from_orthogonal(u) <= 10);
    CHECK(from_orthogonal(transpose(vh)) <= 10);
    CHECK(all(internal::part_of_matrices(s, -1, 0, k - 1) >= internal::part_of_matrices(s, -1, 1, k)).item());
    CHECK(all(s >= T(0)).item());
    CHECK(residual(unsqueeze(svdvals(a), -1), Tensor<T>(unsqueeze(s, -1))) <= 10);
  }
}

template <class T>
void check_eigh(const Tensor<T>& x) {
  const Tensor<T> a = (x + transpose(x)) * T(0.5);
  const auto [w, v] = eigh(a);
  const std::int64_t n = a.extent(-1);
  CHECK(residual(matmul(v * unsqueeze(w, -2), transpose(v)), a) <= 10);
  CHECK(from_orthogonal(v) <= 10);
  CHECK(all(internal::part_of_matrices(w, -1, 0, n - 1) <= internal::part_of_matrices(w, -1, 1, n)).item());
  CHECK(residual(unsqueeze(eigvalsh(a), -1), Tensor<T>(unsqueeze(w, -1))) <= 10);
}

template <class Error, class F>
std::string message(F f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST_CASE_TEMPLATE("factors of random and graded matrices", T, float, double) {
  for (const std::int64_t n : {1, 2, 5, 40, 70}) {
    CAPTURE(n);
    for (const std::int64_t columns : {n, std::max<std::int64_t>(1, n / 2), 2 * n}) {
      CAPTURE(columns);
      check_qr(random_matrix<T>({n, columns}));
      check_qr(graded<T>(n, columns));
      check_svd(random_matrix<T>({n, columns}));
      check_svd(graded<T>(n, columns));
    }
    check_eigh(random_matrix<T>({n, n}));
    check_eigh(graded<T>(n, n));
  }
}

TEST_CASE("batches, transposed and broadcast matrices") {
  const Tensor<double> a = random_matrix<double>({3, 2, 5, 4});
  const Tensor<double> square = random_matrix<double>({3, 2, 4, 4});
  for (const auto& x : {a, Tensor<double>(transpose(a)), Tensor<double>(permute(a, {1, 0, 2, 3})),
                        Tensor<double>(broadcast_to(a(0, all, all, all), Shape{3, 2, 5, 4}))}) {
    check_qr(x);
    check_svd(x);
  }
  check_eigh(square);
  check_eigh(Tensor<double>(permute(square, {1, 0, 3, 2})));
  // where a matrix lies makes no difference
  const Tensor<double> one = a(1, 1, all, all);
  CHECK(array_equal(svd(one).u, svd(a).u(1, 1, all, all)).item());
  CHECK(array_equal(qr(Tensor<double>(transpose(contiguous(transpose(one))))).q, qr(a).q(1, 1, all, all)).item());
}

TEST_CASE_TEMPLATE("small matrices of a batch, some of which are computed by themselves", T, float, double) {
  for (const std::int64_t n : {1, 2, 3, 4, 5, 8, 9, 16}) {
    CAPTURE(n);
    Tensor<T> a = random_matrix<T>({19, n, n});
    a.at(5, all, all) = eye<T>(n);
    const Tensor<T> b = random_matrix<T>({19, n, 2});
    const Tensor<T> x = lstsq(a, b);
    for (std::int64_t i = 0; i < 19; ++i) {
      const Tensor<T> one = x(i, all, all);
      const double error = length(Tensor<T>(matmul(a(i, all, all), one) - b(i, all, all)));
      CHECK(error <= 10 * static_cast<double>(n) * eps<T>() * length(Tensor<T>(a(i, all, all))) * length(one));
      CHECK(array_equal(lstsq(Tensor<T>(a(i, all, all)), Tensor<T>(b(i, all, all))), one).item());
    }
    a.at(3, all, all) = zeros<T>({n, n});
    a.at(6, all, all) = eye<T>(n) + static_cast<T>(eps<T>() / 16);  // done before a rotation
    a.at(17, all, all) = a(17, all, all) * T(1e-30);
    a.at(18, all, all) = a(18, all, all) * T(1e18);
    check_qr(a);
    check_svd(a);
    check_eigh(a);
    const Tensor<T> symmetric = (a + transpose(a)) * T(0.5);
    for (const std::int64_t i : {0, 3, 5, 6, 17, 18}) {
      CAPTURE(i);
      const Tensor<T> one = a(i, all, all), same = symmetric(i, all, all);
      check_qr(one);
      check_svd(one);
      check_eigh(one);
      CHECK(array_equal(qr(one).q, qr(a).q(i, all, all)).item());
      CHECK(array_equal(svd(one).u, svd(a).u(i, all, all)).item());
      CHECK(array_equal(eigh(same).eigenvectors, eigh(symmetric).eigenvectors(i, all, all)).item());
    }
    CHECK(message<LinAlgError>([&] { static_cast<void>(lstsq(a, b)); })
              .find("lstsq: matrix 3 of 19 has linearly dependent columns: column 1") == 0);
  }
}

// Powers of 2 change no bit of Q, nor any but those of the exponent in R and in solutions, also where squares of the
// elements are below the least number or above the largest.
TEST_CASE_TEMPLATE("columns of tiny and of huge elements", T, float, double) {
  const int power = sizeof(T) == 4 ? 100 : 900;
  const auto same = [](const Tensor<T>& x, const Tensor<T>& y) {
#if defined(SITU_LINALG_LAPACK)  // whose lengths are rounded in another way once they are scaled
    return allclose(x, y, {.relative = std::sqrt(eps<T>()), .absolute = std::sqrt(eps<T>())}).item();
#else
    return array_equal(x, y).item();
#endif
  };
  for (const std::int64_t n : {1, 2, 3, 5, 8, 9, 16, 17, 40}) {
    CAPTURE(n);
    Tensor<T> powers = ones<T>({n});
    for (std::int64_t j = 1; j < n; j += 3) powers.at(j) = static_cast<T>(std::ldexp(1.0, -power));
    for (std::int64_t j = 2; j < n; j += 3) powers.at(j) = static_cast<T>(std::ldexp(1.0, power));
    for (const Tensor<T>& scales : {powers, Tensor<T>(powers * static_cast<T>(std::ldexp(1.0, -power / 16))),
                                    full<T>({n}, static_cast<T>(std::ldexp(1.0, -power))),
                                    full<T>({n}, static_cast<T>(std::ldexp(1.0, power)))}) {
      for (const std::int64_t rows : {n, 2 * n, n / 2 + 1}) {
        CAPTURE(rows);
        const Tensor<T> a = random_matrix<T>({3, rows, n}), scaled = a * scales;
        const auto [q, r] = qr(a);
        const auto [q_of_scaled, r_of_scaled] = qr(scaled);
        CHECK(same(q_of_scaled, q));
        CHECK(same(Tensor<T>(r_of_scaled / scales), r));
        CHECK(array_equal(qr(Tensor<T>(scaled(1, all, all))).r, r_of_scaled(1, all, all)).item());
        if (rows < n) continue;
        // not a itself, as the same numbers without + 1 were: a solution that is nearly 0 loses bits in a power of 2
        const Tensor<T> b = random_matrix<T>({rows, 2}) + T(1), x = lstsq(a, b);
        CHECK(same(Tensor<T>(lstsq(scaled, b) * unsqueeze(scales, 1)), x));
        if (array_equal(scales, powers).item() || n == 1) continue;
        const T whole = scales(0);
        const auto [y, rank] = lstsq_rank_revealing(Tensor<T>(a * whole), b);
        CHECK(same(Tensor<T>(y * whole), lstsq_rank_revealing(a, b).x));
        CHECK(all(rank == n).item());
      }
    }
    if (n == 1) continue;
    Tensor<T> dependent = random_matrix<T>({n, n}) * powers(n - 1);
    dependent.at(all, n - 1) = dependent(all, 0) * T(0.5);
    CHECK(message<LinAlgError>([&] { static_cast<void>(lstsq(dependent, ones<T>({n}))); })
              .find("lstsq: the matrix has linearly dependent columns: column " + std::to_string(n)) == 0);
  }
}

TEST_CASE("eigenvalues of elements that rotations would make infinite, and of what is not finite") {
  const Tensor<float> w = eigvalsh(tensor({{2e38f, 1e38f}, {1e38f, -2e38f}}));
  CHECK(w(0) == doctest::Approx(-2.2360680e38f));
  CHECK(w(1) == doctest::Approx(2.2360680e38f));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(static_cast<void>(eigh(tensor({{1.0, nan}, {0.0, 2.0}}))), LinAlgError);
  CHECK_THROWS_AS(static_cast<void>(eigh(tensor({{nan, 0.0}, {0.0, 2.0}}))), LinAlgError);
}

TEST_CASE("signs and order") {
  const auto [q, r] = qr(tensor({{3.0, 1.0}, {4.0, 2.0}}));
  CHECK(r(0, 0) == doctest::Approx(-5));
  CHECK(q(0, 0) == doctest::Approx(-0.6));
  const auto [w, v] = eigh(tensor({{2.0, 0.0}, {0.0, -3.0}}));
  CHECK(w(0) == -3);
  CHECK(w(1) == 2);
  CHECK(std::abs(v(1, 0)) == 1);
  const auto [u, s, vh] = svd(tensor({{0.0, 2.0}, {-7.0, 0.0}}));
  CHECK(s(0) == doctest::Approx(7));
  CHECK(s(1) == doctest::Approx(2));
  CHECK(u(1, 0) * vh(0, 0) == doctest::Approx(-1));
}

// What Eigen 3.4.0's divide and conquer gets wrong: vectors that are not orthogonal, for matrices of equal elements.
TEST_CASE_TEMPLATE("singular values of matrices of low rank", T, float, double) {
  check_svd(full<T>({200, 200}, T(0.1)));
  check_svd(zeros<T>({40, 40}));
  check_svd(Tensor<T>(eye<T>(40)));
  // Not under ASan, for time: what may fail are values, not accesses.
  if (sizeof(T) == 8 && !internal::memory::under_address_sanitizer) check_svd(full<T>({400, 400}, T(1)));
  const T huge = std::numeric_limits<T>::max() / T(1000);
  const Tensor<T> s = svdvals(full<T>({20, 20}, huge));
  CHECK(s(0) / huge == doctest::Approx(20));
  const T tiny = std::numeric_limits<T>::min() * T(16);
  CHECK(svdvals(full<T>({20, 20}, tiny))(0) / tiny == doctest::Approx(20));
}

TEST_CASE("nothing to decompose") {
  CHECK(eigh(zeros<double>({0, 0})).eigenvectors.shape() == Shape{0, 0});
  CHECK(eigvalsh(zeros<double>({2, 0, 0})).shape() == Shape{2, 0});
  CHECK(svd(zeros<double>({3, 0})).u.shape() == Shape{3, 0});
  CHECK(svd(zeros<double>({3, 0})).vh.shape() == Shape{0, 0});
  CHECK(array_equal(svd(zeros<double>({2, 3, 0}), FullMatrices::yes).u, broadcast_to(eye<double>(3), {2, 3, 3})).item());
  CHECK(svdvals(zeros<double>({0, 4})).shape() == Shape{0});
  CHECK(array_equal(qr(zeros<double>({3, 0}), QrMode::complete).q, eye<double>(3)).item());
  CHECK(qr(zeros<double>({0, 3})).r.shape() == Shape{0, 3});
}

TEST_CASE_TEMPLATE("least squares", T, float, double) {
  for (const std::int64_t n : {1, 3, 40}) {
    CAPTURE(n);
    for (const Tensor<T>& a : {random_matrix<T>({3 * n, n}), Tensor<T>(transpose(graded<T>(n, 3 * n)))}) {
      const Tensor<T> b = cast<T>(randn<double>({3 * n, 2}, Generator(5)));
      const Tensor<T> x = lstsq(a, b);
      // the residual is orthogonal to the columns
      const Tensor<double> rest = cast<double>(b) - matmul(cast<double>(a), cast<double>(x));
      const double off = norm(matmul(transpose(cast<double>(a)), rest)).item();
      CHECK(off <= 10 * static_cast<double>(3 * n) * eps<T>() * length(a) * length(b));
      const auto [same, rank] = lstsq_rank_revealing(random_matrix<T>({3 * n, n}), b);
      CHECK(rank.item() == n);
      CHECK(residual(same, Tensor<T>(lstsq(random_matrix<T>({3 * n, n}), b))) <= 100);
    }
  }
}

TEST_CASE("least squares of any rank") {
  const Tensor<double> left = random_matrix<double>({7, 2});
  const Tensor<double> a = matmul(left, random_matrix<double>({2, 5}));
  const Tensor<double> b = random_matrix<double>({7});
  for (const Tensor<double>& x : {a, Tensor<double>(transpose(a))}) {
    const Tensor<double> right = b(range(0, x.extent(0)));
    const auto [y, rank] = lstsq_rank_revealing(x, right);
    CHECK(rank.item() == 2);
    CHECK(matrix_rank(x).item() == 2);
    CHECK(allclose(y, matmul(pinv(x), right)).item());
    CHECK(allclose(matmul(matmul(x, pinv(x)), x), x).item());
    CHECK(allclose(transpose(pinv(x)), pinv(transpose(x))).item());
  }
  CHECK(lstsq_rank_revealing(zeros<double>({2, 3, 4}), ones<double>({3})).x.shape() == Shape{2, 4});
  CHECK(sum(lstsq_rank_revealing(zeros<double>({2, 3, 4}), ones<double>({3})).rank).item() == 0);
  CHECK(lstsq_rank_revealing(random_matrix<double>({3, 2}), zeros<double>({3, 0})).rank.item() == 2);
  CHECK(lstsq_rank_revealing(zeros<double>({0, 2}), zeros<double>({0})).x.shape() == Shape{2});
  CHECK(lstsq(zeros<double>({3, 0}), zeros<double>({3, 2})).shape() == Shape{0, 2});
  CHECK(pinv(zeros<double>({2, 0, 3})).shape() == Shape{2, 3, 0});
  CHECK(matrix_rank(zeros<double>({2, 0, 3})).shape() == Shape{2});
  // what is left of one matrix of a batch does not reach the next
  const Tensor<double> whole = random_matrix<double>({4, 3});
  Tensor<double> pair = stack({whole, whole});
  pair.at(1, all, 0) = 0.0;
  const auto [solutions, ranks] = lstsq_rank_revealing(pair, b(range(0, 4)));
  CHECK(array_equal(ranks, tensor<std::int64_t>({3, 2})).item());
  CHECK(allclose(solutions(1, all), lstsq_rank_revealing(pair(1, all, all), b(range(0, 4))).x).item());
  // one matrix for a batch is factored once, and gives what it gives of each
  const Tensor<double> many = random_matrix<double>({2, 4, 7, 3});
  CHECK(allclose(lstsq(left, many)(1, 2, all, all), lstsq(left, many(1, 2, all, all))).item());
}

TEST_CASE("condition numbers and norms") {
  const Tensor<double> a = tensor({{1.0, -2.0}, {3.0, 4.0}});
  CHECK(matrix_norm(a, MatrixNorm::one).item() == 6);
  CHECK(matrix_norm(a, MatrixNorm::minus_one).item() == 4);
  CHECK(matrix_norm(a, MatrixNorm::inf).item() == 7);
  CHECK(matrix_norm(a, MatrixNorm::minus_inf).item() == 3);
  CHECK(matrix_norm(a).item() == doctest::Approx(std::sqrt(30.0)));
  CHECK(matrix_norm(broadcast_to(a, {3, 2, 2}), MatrixNorm::nuc, keepdims).shape() == Shape{3, 1, 1});
  for (const MatrixNorm order : {MatrixNorm::fro, MatrixNorm::nuc, MatrixNorm::two, MatrixNorm::one, MatrixNorm::inf}) {
    CHECK(cond(a, order).item() == doctest::Approx(matrix_norm(a, order).item() * matrix_norm(inv(a), order).item()));
    const Tensor<double> both = cond(stack({a, zeros<double>({2, 2})}), order);
    CHECK(both(0) == doctest::Approx(cond(a, order).item()));
    CHECK(both(1) == std::numeric_limits<double>::infinity());
  }
}

// Spaces of equal values as wholes, and columns that complete a basis: the choice of vectors within is not to be seen.
TEST_CASE("gradients of spaces") {
  const auto projector = [](const auto& columns) { return eval(matmul(columns, transpose(columns))); };
  const Tensor<double> equal = diag(tensor({1.0, 1.0, 3.0})) + 0.0;
  gradient_check::check(
      [&](const auto& x) { return projector(eigh((x + transpose(x)) * 0.5).eigenvectors(all, range(0, 2))); }, equal);
  gradient_check::check([&](const auto& x) { return projector(svd(x).u(all, range(1, 3))); }, equal);
  gradient_check::check([&](const auto& x) { return svdvals(x)(range(0, 1)) * sum(eigvalsh((x + transpose(x)) * 0.5)); }, equal);
  const Tensor<double> tall = random_matrix<double>({5, 2});
  gradient_check::check([&](const auto& x) { return projector(qr(x, QrMode::complete).q(all, range(2, 5))); }, tall);
  gradient_check::check([&](const auto& x) { return projector(svd(x, FullMatrices::yes).u(all, range(2, 5))); }, tall);
  gradient_check::check(
      [&](const auto& x) { return projector(transpose(svd(transpose(x), FullMatrices::yes).vh)(all, range(2, 5))); }, tall);
  // at a rank that does not change
  const Tensor<double> left = random_matrix<double>({5, 2});
  const Tensor<double> b = random_matrix<double>({5, 3});
  gradient_check::check([&](const auto& x) { return pinv(matmul(left, x)); }, random_matrix<double>({2, 4}));
  gradient_check::check([&](const auto& x, const auto& y) { return lstsq_rank_revealing(matmul(left, x), y).x; },
                        random_matrix<double>({2, 4}), b);
}

TEST_CASE("errors of decompositions") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(message<ShapeError>([] { static_cast<void>(eigh(zeros<double>({2, 3}))); }).find("eigh: the matrices of shape (2, 3) are not square") == 0);
  CHECK(message<ShapeError>([] { static_cast<void>(svd(zeros<double>({3}))); }).find("svd: shape (3,)") == 0);
  CHECK(message<ShapeError>([] { static_cast<void>(qr(zeros<double>({3}))); }).find("qr: shape (3,)") == 0);
  CHECK(message<ShapeError>([] { static_cast<void>(matrix_norm(zeros<double>({3}))); }).find("matrix_norm: shape (3,)") == 0);
  const Tensor<double> a = random_matrix<double>({4, 3});
  CHECK(message<ShapeError>([&] { static_cast<void>(lstsq(a, zeros<double>({3}))); }).find("lstsq: shapes (4, 3) and (3, 1) do not fit") == 0);
  CHECK(message<ShapeError>([&] { static_cast<void>(lstsq(transpose(a), zeros<double>({3}))); }).find("lstsq: the matrices of shape (3, 4) have fewer rows") == 0);
  CHECK(message<ValueError>([&] { static_cast<void>(pinv(a, -1.0)); }).find("pinv: rcond is -1") == 0);
  CHECK(message<ShapeError>([&] { static_cast<void>(cond(a, MatrixNorm::one)); }).find("cond: the matrices of shape (4, 3) are not square") == 0);
  const Tensor<double> dependent = stack(a(all, 0), a(all, 1), a(all, 0) - 2.0 * a(all, 1), 1);
  const Tensor<double> some = stack({a, dependent});
  CHECK(message<LinAlgError>([&] { static_cast<void>(lstsq(some, ones<double>({4}))); }).find("lstsq: matrix 1 of 2 has linearly dependent columns: column 3") == 0);
  const Variable v(dependent(range(0, 3), all));
  CHECK(message<LinAlgError>([&] { static_cast<void>(backward(sum(qr(v * 0.0).q))); }).find("qr: the matrix is singular") == 0);
  Tensor<double> batch = broadcast_to(eye<double>(3), {4, 3, 3});
  batch.at(2, 0, 1) = 0.5;
  CHECK(message<LinAlgError>([&] { static_cast<void>(eigh(batch)); }).find("eigh: matrix 2 of 4 is not symmetric") == 0);
  batch.at(2, 0, 1) = 1e-9;  // as rounding may leave it
  CHECK(eigvalsh(batch)(2, 0) == 1);  // of the lower triangle
  batch.at(3, 1, 1) = nan;
  CHECK(message<LinAlgError>([&] { static_cast<void>(eigvalsh(batch)); }).find("eigvalsh: the iteration for matrix 3 of 4 did not converge") == 0);
  CHECK(message<LinAlgError>([&] { static_cast<void>(svd(batch)); }).find("svd: the iteration for matrix 3 of 4") == 0);
  CHECK(message<LinAlgError>([&] { static_cast<void>(svdvals(full<float>({20, 20}, std::numeric_limits<float>::infinity()))); }).find("svdvals: the iteration for the matrix") == 0);
}

#if defined(SITU_LINALG_LAPACK)
TEST_CASE("more than LAPACK can count is refused") {
  const Tensor<double> large = broadcast_to(zeros<double>({1, 1}), {16385, 16385});
  CHECK(message<ValueError>([&] { static_cast<void>(eigvalsh(large)); }).find("linear algebra: LAPACK, whose integers have 32 bits") == 0);
  CHECK_THROWS_AS(static_cast<void>(svdvals(large)), ValueError);
}
#endif

}  // namespace
