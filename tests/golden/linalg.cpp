// SPDX-License-Identifier: Apache-2.0
// Every case of linalg/cases.txt: values where they are unique, and everywhere the product of the factors and their
// orthogonality, by the bars of LAPACK's test programs; these also on random and graded matrices. Only on the CPU: the
// conformance suite shows other devices.
#if !defined(SITU_CUDA)
#include <situ/linalg.hpp>

#include "golden.hpp"

namespace golden {

namespace {

using namespace situ;

/// Checks the results that the case has values for.
template <class... R>
void expect_all(const Case& c, const R&... results) {
  std::size_t at = 0;
  ((at < c.outputs.size() ? expect(c, results, at++) : void()), ...);
}

Tensor<double> wide(const TensorLike auto& x) { return cast<double>(x); }

/// The largest of the sums of columns, of each matrix.
Tensor<double> norm_1(const Tensor<double>& x) { return max(sum(abs(x), -2), -1); }

/// |x - y| / (|y| n eps) <= 10 in the 1-norm, for each matrix of a batch: E. Anderson et al., LAPACK Users' Guide, SIAM
/// 1999, and LAPACK Working Note 41 have 30. `eps` is 2^-23 or 2^-52.
template <class T>
void check_bar(const Tensor<double>& x, const Tensor<double>& y, std::int64_t n) {
  REQUIRE(x.shape() == y.shape());
  if (x.size() == 0) return;
  const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
  const Tensor<double> excess = norm_1(x - y) - 10 * eps * static_cast<double>(n) * norm_1(y);
  CHECK(max(excess).item() <= 0);
}
template <class T>
void check_columns(const Tensor<T>& q) {
  const Tensor<double> x = wide(q);
  const Tensor<double> gram = matmul(transpose(x), x);
  check_bar<T>(gram, eval(broadcast_to(eye<double>(gram.extent(-1)), gram.shape())), q.extent(-2));
}

template <class T>
QR<Tensor<T>> checked_qr(const Tensor<T>& a, QrMode mode) {
  const QR<Tensor<T>> result = qr(a, mode);
  check_bar<T>(matmul(wide(result.q), wide(result.r)), wide(a), std::max(a.extent(-1), a.extent(-2)));
  check_columns(result.q);
  CHECK(situ::all(triu(result.r) == result.r).item());
  return result;
}

template <class T>
Eigh<Tensor<T>> checked_eigh(const Tensor<T>& a) {
  const Eigh<Tensor<T>> result = eigh(a);
  const Tensor<double> v = wide(result.eigenvectors);
  check_bar<T>(matmul(v * unsqueeze(wide(result.eigenvalues), -2), transpose(v)), wide(a), a.extent(-1));
  check_columns(result.eigenvectors);
  return result;
}

template <class T>
SVD<Tensor<T>> checked_svd(const Tensor<T>& a, FullMatrices full) {
  const SVD<Tensor<T>> result = svd(a, full);
  const std::int64_t k = std::min(a.extent(-1), a.extent(-2));
  const Tensor<double> u = wide(result.u), vh = wide(result.vh);
  // the first k columns of U, and rows of V^T
  const Tensor<double> thin_u = take(u, arange<std::int64_t>(k), -1), thin_vh = take(vh, arange<std::int64_t>(k), -2);
  check_bar<T>(matmul(thin_u * unsqueeze(wide(result.s), -2), thin_vh), wide(a), std::max(a.extent(-1), a.extent(-2)));
  check_columns(result.u);
  check_columns(eval(transpose(result.vh)));
  return result;
}

template <class T>
Lu<Tensor<T>> checked_lu(const Tensor<T>& a) {
  const auto result = lu(a);
  const Tensor<std::int64_t> rows = eval(broadcast_to(unsqueeze(result.permutation, -1), a.shape()));
  check_bar<T>(matmul(wide(result.l), wide(result.u)), wide(gather(a, -2, rows)), std::max(a.extent(-1), a.extent(-2)));
  CHECK(situ::all(abs(result.l) <= 1).item());
  CHECK(situ::all(tril(result.l) == result.l).item());
  CHECK(situ::all(triu(result.u) == result.u).item());
  return result;
}

template <class T>
Tensor<T> checked_cholesky(const Tensor<T>& a) {
  const Tensor<T> l = cholesky(a);
  check_bar<T>(matmul(wide(l), transpose(wide(l))), wide(a), a.extent(-1));
  return l;
}

template <class T>
void run(const Case& c) {
  constexpr MatrixNorm norms[] = {MatrixNorm::fro, MatrixNorm::nuc, MatrixNorm::two, MatrixNorm::one, MatrixNorm::inf};
  const Tensor<T> a = operand<T, Cpu>(c.inputs[0]);
  const Tensor<T> b = operand<T, Cpu>(c.inputs.back());
  if (c.op == "solve") return expect_all(c, solve(a, b));
  if (c.op == "inv") return expect_all(c, inv(a));
  if (c.op == "det") return expect_all(c, det(a));
  if (c.op == "cholesky") return expect_all(c, checked_cholesky(a));
  if (c.op == "cholesky_solve") return expect_all(c, cholesky_solve(a, b));
  if (c.op == "svdvals") return expect_all(c, svdvals(a));
  if (c.op == "eigvalsh") return expect_all(c, eigvalsh(a));
  if (c.op == "eigh") return expect_all(c, checked_eigh(a).eigenvalues);
  if (c.op == "svd") return expect_all(c, checked_svd(a, c.arg(0) != 0 ? FullMatrices::yes : FullMatrices::no).s);
  if (c.op == "qr") {
    return expect_all(c, eval(abs(checked_qr(a, c.arg(0) != 0 ? QrMode::complete : QrMode::reduced).r)));
  }
  if (c.op == "lstsq") return expect_all(c, lstsq(a, b));
  if (c.op == "pinv") return expect_all(c, pinv(a));
  if (c.op == "matrix_rank") return expect_all(c, matrix_rank(a));
  if (c.op == "matrix_norm") return expect_all(c, matrix_norm(a, norms[c.arg(0)]));
  if (c.op == "cond") return expect_all(c, cond(a, norms[c.arg(0)]));
  if (c.op == "matrix_power") return expect_all(c, matrix_power(a, c.arg(0)));
  if (c.op == "expm") return expect_all(c, expm(a));
  if (c.op == "kron") return expect_all(c, eval(kron(a, b)));
  if (c.op == "cross") return expect_all(c, eval(cross(a, b, c.arg(0))));
  if (c.op == "slogdet") {
    const auto [sign, logarithm] = slogdet(a);
    return expect_all(c, sign, logarithm);
  }
  if (c.op == "lu") {
    const auto [permutation, l, u] = checked_lu(a);
    return expect_all(c, permutation, l, u);
  }
  if (c.op == "lstsq_rank_revealing") {
    const auto [x, rank] = lstsq_rank_revealing(a, b);
    return expect_all(c, x, rank);
  }
  REQUIRE(c.op == "solve_triangular");
  expect_all(c, solve_triangular(a, b, c.arg(0) != 0 ? Triangle::lower : Triangle::upper,
                                 c.arg(1) != 0 ? UnitDiagonal::yes : UnitDiagonal::no));
}

TEST_CASE("linear algebra gives what NumPy gives") {
  const std::vector<Case> cases = read_cases("linalg/cases.txt");
  REQUIRE(cases.size() > 500);
  for (const Case& c : cases) {
    CAPTURE(c.name);
    const auto run_case = [&c] { c.dtype() == "float32" ? run<float>(c) : run<double>(c); };
    if (c.throws) CHECK_THROWS_AS(run_case(), LinAlgError);
    else run_case();
  }
}

/// Elements of normal distribution, the rows and columns scaled by powers that go down to `least`.
template <class T>
Tensor<T> graded(std::int64_t rows, std::int64_t columns, double least_row, double least_column) {
  Generator generator(static_cast<std::uint64_t>(rows * 1000 + columns));
  const Tensor<double> down = exp(linspace<double>(0, std::log(least_row), rows));
  const Tensor<double> across = exp(linspace<double>(0, std::log(least_column), columns));
  return cast<T>(randn<double>({rows, columns}, Cpu{}, generator) * unsqueeze(down, 1) * across);
}

TEST_CASE_TEMPLATE("factors of random and graded matrices", T, float, double) {
  const double tiny = std::same_as<T, float> ? 1e-6 : 1e-14;
  for (const std::int64_t n : {1, 2, 3, 4, 8, 13, 32, 33, 65}) {
    CAPTURE(n);
    for (const auto& least : {std::pair{1.0, 1.0}, {tiny, 1.0}, {1.0, tiny}, {tiny, tiny}}) {
      const double least_row = least.first;
      const double least_column = least.second;
      CAPTURE(least_row);
      CAPTURE(least_column);
      for (const auto& [rows, columns] : {std::pair{n, n}, {2 * n + 1, n}, {n, 2 * n + 1}}) {
        const Tensor<T> a = graded<T>(rows, columns, least_row, least_column);
        static_cast<void>(checked_qr(a, n % 2 == 0 ? QrMode::complete : QrMode::reduced));
        static_cast<void>(checked_svd(a, n % 2 == 0 ? FullMatrices::yes : FullMatrices::no));
        static_cast<void>(checked_lu(a));
      }
      const Tensor<T> a = graded<T>(n, n, least_row, least_column);
      static_cast<void>(checked_eigh(eval(a + transpose(a))));
      // definite however it is graded: D (B B^T + n I) D with the grades in D
      const Tensor<double> b = graded<double>(n, n, 1, 1);
      const Tensor<double> d = exp(linspace<double>(0, std::log(least_row), n));
      const Tensor<double> inner = matmul(b, transpose(b)) + static_cast<double>(n) * eye<double>(n);
      const Tensor<double> definite = unsqueeze(d, 1) * inner * d;
      static_cast<void>(checked_cholesky(eval(cast<T>(definite))));
    }
  }
}

}  // namespace

}  // namespace golden

#endif
