// SPDX-License-Identifier: Apache-2.0
// Beside Eigen, in one program and interleaved, one thread, mostly `float`: our products and Eigen's, which SITU_PRODUCTS chooses
// from, also with the weights of layers; a Kalman filter; and what Eigen does with `eigen(x)` beside its own matrix. Prints medians, Eigen's
// time over ours, and whether the bits of Eigen's products depend on the number of threads.
//
//     g++ -std=c++20 -O3 -DNDEBUG -march=x86-64-v3 -Iinclude -isystem /usr/include/eigen3 benchmarks/beside_eigen.cpp -pthread
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined lanes in its own AVX-512 intrinsics, which Eigen calls, for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>

#include <situ/cpu/gemm/eigen.hpp>
#include <situ/cpu/gemm/gemm.hpp>
#include <situ/interop/eigen.hpp>
#include <situ/linalg.hpp>
#include <situ/situ.hpp>

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using situ::internal::cpu::MatrixRef;

/// The compiler must take `x` for read.
template <class X>
void keep(const X& x) {
  asm volatile("" : : "r"(&x) : "memory");
}

/// The median microseconds of each of two functions that take turns, each for `seconds` in all.
std::array<double, 2> medians(const std::function<void()>& first, const std::function<void()>& second, double seconds) {
  using Clock = std::chrono::steady_clock;
  const std::function<void()>* const both[] = {&first, &second};
  std::array<std::vector<double>, 2> times;
  first(), second();
  double spent = 0;
  while (spent < 2 * seconds || times[0].size() < 5) {
    for (std::size_t i = 0; i < 2; ++i) {
      const auto start = Clock::now();
      (*both[i])();
      times[i].push_back(std::chrono::duration<double, std::micro>(Clock::now() - start).count());
      spent += times[i].back() * 1e-6;
    }
  }
  for (auto& each : times)
    std::nth_element(each.begin(), each.begin() + static_cast<std::ptrdiff_t>(each.size() / 2), each.end());
  return {times[0][times[0].size() / 2], times[1][times[1].size() / 2]};
}

/// Whether Eigen's product, its rows dealt out to 1, 2, 3 and 7 threads, has the same bits.
bool same_bits(std::int64_t n) {
  const Matrix a = Matrix::Random(n, n), b = Matrix::Random(n, n);
  std::vector<Matrix> results;
  const int before = situ::num_threads();
  for (const int threads : {1, 2, 3, 7}) {
    situ::set_num_threads(threads);
    Matrix& c = results.emplace_back(n, n);
    situ::internal::cpu::detail::gemm_eigen(n, n, n, MatrixRef<float>{a.data(), n, 1}, MatrixRef<float>{b.data(), n, 1},
                                            c.data(), true);
  }
  situ::set_num_threads(before);
  return std::all_of(results.begin(), results.end(), [&](const Matrix& c) { return c == results.front(); });
}

void products() {
  std::puts("| n | situ us | Eigen / situ | bits of Eigen's, 1 to 7 threads |\n|---:|---:|---:|---|");
  for (const std::int64_t n : {64, 100, 128, 256, 512, 1024, 2048}) {
    const Matrix a = Matrix::Random(n, n), b = Matrix::Random(n, n);
    Matrix c(n, n), d(n, n);
    const auto [ours, eigens] =
        medians([&] { situ::internal::cpu::gemm<float>(n, n, n, {a.data(), n, 1}, {b.data(), n, 1}, c.data()); },
                [&] { d.noalias() = a * b; }, n < 2048 ? 0.3 : 1.0);
    std::printf("| %d | %.4g | %.2f | %s |\n", static_cast<int>(n), ours, eigens / ours,
                same_bits(n) ? "the same" : "DIFFER");
  }
}

/// Layers: few rows by the transpose of a weight of shape (out, in).
void layers() {
  std::puts(
      "\n| rows | in | out | situ us | Eigen / situ | situ, weight (in, out) / situ "
      "|\n|---:|---:|---:|---:|---:|---:|");
  for (const auto& [in, out] : {std::array<std::int64_t, 2>{768, 768}, std::array<std::int64_t, 2>{768, 3072},
                                std::array<std::int64_t, 2>{3072, 768}, std::array<std::int64_t, 2>{128, 128},
                                std::array<std::int64_t, 2>{64, 512}}) {
    for (const std::int64_t rows : {2, 4, 8, 16, 32, 64, 128}) {
      const Matrix x = Matrix::Random(rows, in), weight = Matrix::Random(out, in), turned = weight.transpose();
      Matrix c(rows, out), d(rows, out);
      const auto ours = [&] {
        situ::internal::cpu::gemm<float>(rows, out, in, {x.data(), in, 1}, {weight.data(), 1, in}, c.data());
      };
      const auto beside = [&] {
        situ::internal::cpu::gemm<float>(rows, out, in, {x.data(), in, 1}, {turned.data(), out, 1}, d.data());
      };
      const auto [first, eigens] = medians(ours, [&] { d.noalias() = x * weight.transpose(); }, 0.1);
      const auto [second, prepared] = medians(ours, beside, 0.1);
      std::printf("| %d | %d | %d | %.4g | %.2f | %.2f |\n", static_cast<int>(rows), static_cast<int>(in),
                  static_cast<int>(out), first, eigens / first, prepared / second);
    }
  }
}

/// A Kalman filter of four states and two measurements, and its parts: what a step costs, not its arithmetic.
void filter() {
  using Dynamic = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using situ::Tensor;
  using situ::transpose;
  constexpr int calls = 200;
  const auto row = [](const char* name, const auto& ours, const auto& eigens) {
    const auto repeated = [](const auto& f) {
      return [&f] {
        for (int i = 0; i < calls; ++i) f();
      };
    };
    const auto [first, second] = medians(repeated(ours), repeated(eigens), 0.1);
    std::printf("| %s | %.4g | %.4g | %.2f |\n", name, first * 1000 / calls, second * 1000 / calls, first / second);
  };
  const Tensor f = situ::eye<double>(4) + 0.1 * situ::randn<double>({4, 4}), h = situ::randn<double>({2, 4});
  const Tensor q = 0.01 * situ::eye<double>(4), r = 0.1 * situ::eye<double>(2), one = situ::eye<double>(4);
  const Tensor z = situ::randn<double>({2}), positive = matmul(f, transpose(f)) + one;
  Tensor x = situ::randn<double>({4}), p = situ::eye<double>(4);
  const Dynamic ef = eigen(f), eh = eigen(h), eq = eigen(q), er = eigen(r), eone = eigen(one),
                epositive = eigen(positive);
  const Eigen::VectorXd ez = eigen(z);
  Eigen::VectorXd ex = eigen(x);
  Dynamic ep = eigen(p);
  std::puts("\n| `double` | situ ns | Eigen ns | situ / Eigen |\n|---|---:|---:|---:|");
  row("product of 4 x 4", [&] { keep(matmul(f, one)); }, [&] { keep(Dynamic(ef * eone)); });
  row(
      "product with a transpose", [&] { keep(matmul(f, transpose(one))); },
      [&] { keep(Dynamic(ef * eone.transpose())); });
  row("inverse of 4 x 4", [&] { keep(inv(f)); }, [&] { keep(Dynamic(ef.inverse())); });
  row("system of 4 x 4 by 4", [&] { keep(solve(f, one)); }, [&] { keep(Dynamic(ef.partialPivLu().solve(eone))); });
  row("Cholesky of 4 x 4", [&] { keep(cholesky(positive)); }, [&] { keep(Dynamic(epositive.llt().matrixL())); });
  row(
      "filter step, by the inverse",
      [&] {
        x = matmul(f, x);
        p = matmul(matmul(f, p), transpose(f)) + q;
        const Tensor across = matmul(p, transpose(h)), gain = matmul(across, inv(matmul(h, across) + r));
        x += matmul(gain, z - matmul(h, x));
        p = matmul(one - matmul(gain, h), p);
      },
      [&] {
        ex = ef * ex;
        ep = ef * ep * ef.transpose() + eq;
        const Dynamic across = ep * eh.transpose(), sum = eh * across + er, gain = across * sum.inverse();
        ex += gain * (ez - eh * ex);
        ep = (eone - gain * eh) * ep;
      });
  row(
      "filter step, by a system",
      [&] {
        x = matmul(f, x);
        p = matmul(matmul(f, p), transpose(f)) + q;
        const Tensor across = matmul(h, p), gain = transpose(solve(matmul(across, transpose(h)) + r, across));
        x += matmul(gain, z - matmul(h, x));
        p = matmul(one - matmul(gain, h), p);
      },
      [&] {
        ex = ef * ex;
        ep = ef * ep * ef.transpose() + eq;
        const Dynamic across = eh * ep, sum = across * eh.transpose() + er;
        const Dynamic gain = sum.partialPivLu().solve(across).transpose();
        ex += gain * (ez - eh * ex);
        ep = (eone - gain * eh) * ep;
      });
}

void maps() {
  constexpr std::int64_t n = 1000;
  const Matrix a = Matrix::Random(n, n), b = Matrix::Random(n, n);
  const situ::Tensor x = situ::from_eigen(a), y = situ::from_eigen(b);
  Matrix c(n, n);
  volatile float sink = 0;
  const auto row = [](const char* name, const std::array<double, 2>& times) {
    std::printf("| %s | %.4g | %.2f |\n", name, times[1], times[0] / times[1]);
  };
  std::puts("\n| 1000 x 1000 | Eigen::Matrix us | eigen(x) / Eigen::Matrix |\n|---|---:|---:|");
  row("sum", medians([&] { sink = eigen(x).sum(); }, [&] { sink = a.sum(); }, 0.2));
  row("squared norm", medians([&] { sink = eigen(x).squaredNorm(); }, [&] { sink = a.squaredNorm(); }, 0.2));
  row("norms of rows",
      medians([&] { sink = eigen(x).rowwise().norm().sum(); }, [&] { sink = a.rowwise().norm().sum(); }, 0.2));
  row("a b + 1, element-wise", medians([&] { c.array() = eigen_array(x) * eigen_array(y) + 1; },
                                       [&] { c.array() = a.array() * b.array() + 1; }, 0.2));
  row("product", medians([&] { c.noalias() = eigen(x) * eigen(y); }, [&] { c.noalias() = a * b; }, 0.5));
  const auto strided = medians([&] { sink = eigen_strided(x).sum(); }, [&] { sink = a.sum(); }, 0.1);
  row("sum of eigen_strided(x)", strided);
}

}  // namespace

int main() {
  situ::set_num_threads(1);
  std::printf("Eigen %d.%d.%d, vectors of %d bytes\n\n", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION,
              situ::internal::vector_bytes);
  products();
  layers();
  filter();
  maps();
}
