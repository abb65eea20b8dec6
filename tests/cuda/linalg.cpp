// SPDX-License-Identifier: Apache-2.0
// The kernels of linear algebra on a GPU: what the factors give back, how operands lie, and what becomes of matrices without
// result. (tests/conformance compares the operations with those of the CPU.)
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/graph.hpp>
#include <situ/linalg.hpp>
#include <situ/linalg/operands.hpp>
#include <situ/situ.hpp>

#include "compare.hpp"
#include "timeline.hpp"

using namespace situ;
using internal::LinAlgOperation;
using internal::MatricesOperand;
using Gpu = Cuda<0>;

namespace {

/// No pattern that a matrix of low rank has.
template <class T>
Tensor<T> pattern(const Shape& shape, std::int64_t seed = 1) {
  return cuda_test::filled<T>(
      shape, [=](std::int64_t i) { return std::sin(static_cast<double>(i * i + 3 * i + seed * 17)); });
}
/// Symmetric and positive definite.
template <class T>
Tensor<T> definite(const Shape& shape) {
  const Tensor<T> x = pattern<T>(shape);
  return matmul(x, transpose(x)) + eye<T>(shape[-1]);
}

template <class T>
struct HeldTensor {
  Tensor<T, Gpu> held;
};
/// An operand, which refers to its tensor, with the tensor.
template <class T>
struct Operand : HeldTensor<T>, MatricesOperand<T, Gpu> {
  explicit Operand(Tensor<T, Gpu> x) : HeldTensor<T>{std::move(x)}, MatricesOperand<T, Gpu>(this->held) {}
};

/// Result memory on the GPU, and the call of a kernel that fills it: `f(backend, pointer...)`.
template <class T, class F, class... X>
std::vector<Tensor<T, Gpu>> results(const std::vector<Shape>& shapes, const F& f, const X&... x) {
  std::vector<Tensor<T, Gpu>> made;
  for (const Shape& shape : shapes) {
    made.emplace_back(internal::allocate_elements<T, Gpu>(shape), Layout::row_major(shape));
  }
  internal::on_backend<Gpu>(
      [&](const auto& backend) {
        std::vector<T*> places;
        for (const auto& tensor : made) {
          before_write(backend, tensor.storage());
          places.push_back(static_cast<T*>(tensor.storage().data()));
        }
        f(backend, places);
      },
      internal::reads(x)...);
  return made;
}

template <class T>
double distance(const Tensor<T, Gpu>& found, const Tensor<T>& expected) {
  const Tensor<T> host = found.template to<Cpu>();
  REQUIRE(host.shape() == expected.shape());
  return static_cast<double>(max(abs(host - expected)).item());
}
template <class T>
constexpr double bar = 200.0 * static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
Tensor<T, Gpu> solved(const Tensor<T, Gpu>& a, const Tensor<T, Gpu>& b) {
  const Shape batch = internal::broadcast_shapes(internal::batch_shape(a.shape()), internal::batch_shape(b.shape()), "solve");
  const MatricesOperand<T, Gpu> x(a, batch), y(b, batch);
  return results<T>(
      {internal::shape_of_batch(batch, {b.extent(-2), b.extent(-1)})},
      [&](const auto& backend, const auto& out) {
        solve_matrices(backend, LinAlgOperation::solve, x.matrices, y.matrices, out[0]);
      },
      x.tensor, y.tensor)[0];
}
template <class T>
Tensor<T, Gpu> factored(const Tensor<T, Gpu>& a, bool checked = true) {
  const Operand<T> x(a);
  return results<T>(
      {a.shape()},
      [&](const auto& backend, const auto& out) { factor_cholesky(backend, x.matrices, checked, out[0]); }, x.tensor)[0];
}

template <class F>
std::string message_of(const F& f) {
  try {
    f();
  } catch (const LinAlgError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

}  // namespace

TEST_CASE_TEMPLATE("solve and inverse: orders, batches, and operands as they lie", T, float, double) {
  for (const std::int64_t n : {1, 2, 5, 33}) {
    for (const std::int64_t count : {1, 3}) {
      CAPTURE(n);
      CAPTURE(count);
      const Tensor<T> a = pattern<T>({count, n, n}) + eye<T>(n) * 3;
      const Tensor<T> x = pattern<T>({count, n, 4}, 2);
      CHECK(distance(solved(a.template to<Gpu>(), Tensor<T>(matmul(a, x)).template to<Gpu>()), x) < 20 * bar<T>);
      const Operand<T> operand(a.template to<Gpu>());
      const auto inverse = results<T>(
          {a.shape()},
          [&](const auto& backend, const auto& out) {
            invert_matrices(backend, LinAlgOperation::inv, operand.matrices, out[0]);
          },
          operand.tensor)[0];
      CHECK(max(abs(matmul(a, inverse.template to<Cpu>()) - eye<T>(n))).item() < 20 * bar<T>);
    }
  }
  const Tensor<T> large = pattern<T>({6, 12, 12}) + eye<T>(12) * 3;
  const Tensor<T> right = pattern<T>({6, 12, 12}, 5);
  const Tensor<T, Gpu> a = cuda_test::on_gpu(large), b = cuda_test::on_gpu(right);
  const auto checked = [&](const Tensor<T, Gpu>& left, const Tensor<T, Gpu>& sides) {
    const Tensor<T> host = left.template to<Cpu>();
    const Tensor<T> product = matmul(host, solved(left, sides).template to<Cpu>());
    CHECK(max(abs(product - sides.template to<Cpu>())).item() < 50 * bar<T>);
  };
  checked(transpose(a), b);
  checked(a, transpose(b));
  checked(a(all, range(0, 12, 2), range(0, 12, 2)), b(range(1, 2), range(0, 12, 2), range(1, 6)));
  checked(a(2, all, all), b);  // one matrix, factored once
  checked(a, b(1, all, all));  // one right-hand side
  checked(flip(a, 0), b);
}

TEST_CASE_TEMPLATE("determinants: signs of exchanges, logarithms where they overflow, singular ones", T, float, double) {
  const auto found = [](const Tensor<T>& a, bool logarithm) {
    const Operand<T> x(a.template to<Gpu>());
    const Shape shape{a.extent(0)};
    const auto out = results<T>(
        {shape, shape},
        [&](const auto& backend, const auto& to) {
          if (logarithm) find_log_determinants(backend, x.matrices, to[0], to[1]);
          else find_determinants(backend, x.matrices, to[0]);
        },
        x.tensor);
    std::vector<double> values;
    for (std::size_t k = 0; k < (logarithm ? 2u : 1u); ++k) {
      const Tensor<T> host = out[k].template to<Cpu>();
      for (std::int64_t i = 0; i < host.size(); ++i) values.push_back(static_cast<double>(host(i)));
    }
    return values;
  };
  Tensor<T> a = zeros<T>({4, 3, 3});
  a.at(0, all, all) = eye<T>(3);
  a.at(1, all, all) = flip(eye<T>(3), 0) * 2;         // one exchange
  a.at(2, all, all) = tensor<T>({{0, 1, 0}, {0, 0, 1}, {1, 0, 0}}) * 3;  // two
  a.at(3, all, all) = tensor<T>({{1, 2, 3}, {2, 4, 6}, {1, 1, 1}});
  CHECK(found(a, false) == std::vector<double>{1, -8, 27, 0});
  const std::vector<double> both = found(a, true);
  CHECK(std::vector<double>(both.begin(), both.begin() + 4) == std::vector<double>{1, -1, 1, 0});
  CHECK(both[5] == doctest::Approx(std::log(8.0)));
  CHECK(both[7] == -std::numeric_limits<double>::infinity());
  const std::vector<double> large = found(Tensor<T>(reshape(eye<T>(300) * -10, {1, 300, 300})), true);
  CHECK(large[0] == 1);
  CHECK(large[1] == doctest::Approx(300 * std::log(10.0)));
}

TEST_CASE_TEMPLATE("lu: tall, wide, square; alone and many", T, float, double) {
  for (const Shape& shape : std::vector<Shape>{{1, 5, 5}, {3, 4, 4}, {2, 7, 3}, {1, 3, 6}}) {
    CAPTURE(shape.to_string());
    const std::int64_t m = shape[1], n = shape[2], k = m < n ? m : n;
    const Tensor<T> a = pattern<T>(shape);
    const Operand<T> x(a.template to<Gpu>());
    const Tensor<std::int64_t, Gpu> permutation(internal::allocate_elements<std::int64_t, Gpu>({shape[0], m}),
                                                Layout::row_major({shape[0], m}));
    const auto out = results<T>(
        {{shape[0], m, k}, {shape[0], k, n}},
        [&](const auto& backend, const auto& to) {
          before_write(backend, permutation.storage());
          factor_lu(backend, x.matrices, static_cast<std::int64_t*>(permutation.storage().data()), to[0], to[1]);
        },
        x.tensor);
    const Tensor<T> l = out[0].template to<Cpu>(), u = out[1].template to<Cpu>();
    const Tensor<std::int64_t> order = permutation.template to<Cpu>();
    for (std::int64_t i = 0; i < shape[0]; ++i) {
      const Tensor<T> product = matmul(l(i, all, all), u(i, all, all));
      CHECK(max(abs(product - take(a(i, all, all), order(i, all), 0))).item() < bar<T>);
      CHECK(max(abs(l(i, all, all))).item() <= 1);
      for (std::int64_t r = 0; r < k; ++r) CHECK(l(i, r, r) == 1);
      for (std::int64_t r = 1; r < k; ++r) CHECK((l(i, r - 1, r) == 0 && u(i, r, r - 1) == 0));
    }
  }
}

TEST_CASE_TEMPLATE("cholesky, and triangles by rows and by columns", T, float, double) {
  for (const Shape& shape : std::vector<Shape>{{1, 1, 1}, {1, 6, 6}, {3, 5, 5}}) {
    const Tensor<T> a = definite<T>(shape);
    const Tensor<T, Gpu> l = factored(cuda_test::on_gpu(a));
    const Tensor<T> host = l.template to<Cpu>();
    CHECK(max(abs(matmul(host, transpose(host)) - a)).item() < 20 * bar<T>);
    for (std::int64_t i = 1; i < shape[1]; ++i) CHECK(host(0, i - 1, i) == 0);
    Tensor<T> one_triangle = a;
    for (std::int64_t i = 1; i < shape[1]; ++i) one_triangle.at(0, i - 1, i) = T(77);
    CHECK(cuda_test::same_bits(factored(cuda_test::on_gpu(one_triangle), false), host));
  }
  const Tensor<T> whole = pattern<T>({3, 6, 6}) + eye<T>(6) * 4;
  const Tensor<T> x = pattern<T>({3, 6, 2}, 9);
  for (const bool lower : {true, false}) {
    for (const bool unit : {false, true}) {
      for (const int how : {0, 1, 2, 3}) {
        CAPTURE(lower);
        CAPTURE(unit);
        CAPTURE(how);
        Tensor<T> a = zeros<T>({3, 6, 6});
        for (std::int64_t i = 0; i < 6; ++i) {
          for (std::int64_t j = 0; j < 6; ++j) {
            if (i == j && unit) a.at(all, i, j) = T(1);
            else if (i == j || (i > j) == lower) a.at(all, i, j) = whole(all, i, j);
          }
        }
        if (how == 2) a = Tensor<T>(broadcast_to(a(1, all, all), a.shape()));
        const Tensor<T> b = matmul(a, x);
        Tensor<T, Gpu> left = cuda_test::on_gpu(whole);  // the other triangle is not read
        if (how == 1) left = transpose(cuda_test::on_gpu(contiguous(transpose(whole))));
        if (how == 2) left = broadcast_to(cuda_test::on_gpu(whole)(1, all, all), whole.shape());
        if (how == 3) {
          const Tensor<T> wide = concat({reshape(whole, {3, 6, 6, 1}), reshape(whole, {3, 6, 6, 1})}, 3);
          left = cuda_test::on_gpu(contiguous(wide))(all, all, all, 1);
        }
        const Operand<T> p(left), q(b.template to<Gpu>());
        const auto found = results<T>(
            {b.shape()},
            [&](const auto& backend, const auto& out) {
              solve_triangles(backend, LinAlgOperation::solve_triangular, p.matrices,
                              lower ? Triangle::lower : Triangle::upper, unit, q.matrices, out[0]);
            },
            p.tensor, q.tensor)[0];
        CHECK(distance(found, x) < 400 * bar<T>);
      }
    }
  }
}

TEST_CASE_TEMPLATE("qr and least squares", T, float, double) {
  for (const Shape& shape : std::vector<Shape>{{1, 5, 5}, {3, 7, 3}, {2, 3, 6}, {1, 4, 1}, {1, 1, 4}}) {
    for (const bool complete : {false, true}) {
      CAPTURE(shape.to_string());
      CAPTURE(complete);
      const std::int64_t m = shape[1], n = shape[2], k = complete || m < n ? m : n;
      const Tensor<T> a = pattern<T>(shape);
      const Operand<T> x(a.template to<Gpu>());
      const auto out = results<T>(
          {{shape[0], m, k}, {shape[0], k, n}},
          [&](const auto& backend, const auto& to) { factor_qr(backend, x.matrices, complete, to[0], to[1]); }, x.tensor);
      const Tensor<T> q = out[0].template to<Cpu>(), r = out[1].template to<Cpu>();
      CHECK(max(abs(matmul(q, r) - a)).item() < bar<T>);
      CHECK(max(abs(matmul(transpose(q), q) - eye<T>(k))).item() < bar<T>);
      for (std::int64_t i = 1; i < k && i <= n; ++i) CHECK(r(0, i, i - 1) == 0);
    }
  }
  const Tensor<T> a = pattern<T>({2, 8, 3}), b = pattern<T>({2, 8, 2}, 4);
  const Operand<T> p(a.template to<Gpu>()), q(transpose(contiguous(transpose(b)).template to<Gpu>()));
  const Tensor<T> least = results<T>(
      {{2, 3, 2}},
      [&](const auto& backend, const auto& out) { solve_least_squares(backend, p.matrices, q.matrices, out[0]); },
      p.tensor, q.tensor)[0].template to<Cpu>();
  CHECK(max(abs(matmul(transpose(a), matmul(a, least) - b))).item() < 5 * bar<T>);

  // Of rank 2: the shortest of all solutions is a combination of rows.
  Tensor<T> low = a;
  low.at(all, all, 2) = a(all, all, 0) - a(all, all, 1);
  for (const bool wide : {false, true}) {
    const Tensor<T> left = wide ? Tensor<T>(contiguous(transpose(low))) : low;
    const Tensor<T> right = wide ? Tensor<T>(b(all, range(0, 3), all)) : b;
    const Operand<T> s(left.template to<Gpu>()), t(right.template to<Gpu>());
    const Tensor<std::int64_t, Gpu> rank(internal::allocate_elements<std::int64_t, Gpu>({2}), Layout::row_major({2}));
    const Tensor<T> x = results<T>(
        {{2, left.extent(2), 2}},
        [&](const auto& backend, const auto& out) {
          before_write(backend, rank.storage());
          solve_least_squares_of_any_rank(backend, s.matrices, t.matrices, 1e-5, out[0],
                                          static_cast<std::int64_t*>(rank.storage().data()));
        },
        s.tensor, t.tensor)[0].template to<Cpu>();
    CHECK((rank.to<Cpu>()(0) == 2 && rank.to<Cpu>()(1) == 2));
    CHECK(max(abs(matmul(transpose(left), matmul(left, x) - right))).item() < 20 * bar<T>);
    const Tensor<T> null = tensor<T>({{1}, {-1}, {-1}});
    if (!wide) CHECK(max(abs(matmul(transpose(null), x))).item() < 20 * bar<T>);
  }
}

TEST_CASE_TEMPLATE("eigenvalues and singular values", T, float, double) {
  for (const Shape& shape : std::vector<Shape>{{1, 6, 6}, {3, 4, 4}, {1, 1, 1}}) {
    const Tensor<T> a = definite<T>(shape);
    const Operand<T> x(a.template to<Gpu>());
    const auto found = [&](bool vectors) {
      return results<T>(
          {{shape[0], shape[1]}, shape},
          [&](const auto& backend, const auto& to) {
            find_eigen_of_symmetric(backend, LinAlgOperation::eigh, x.matrices, to[0], vectors ? to[1] : nullptr);
          },
          x.tensor);
    };
    const auto both = found(true);
    const Tensor<T> w = both[0].template to<Cpu>(), v = both[1].template to<Cpu>();
    CHECK(max(abs(matmul(a, v) - v * unsqueeze(w, 1))).item() < 20 * bar<T>);
    CHECK(max(abs(matmul(transpose(v), v) - eye<T>(shape[1]))).item() < bar<T>);
    for (std::int64_t i = 1; i < shape[1]; ++i) CHECK(w(0, i) >= w(0, i - 1));
    CHECK(distance(found(false)[0], w) < 20 * bar<T>);
  }
  for (const Shape& shape : std::vector<Shape>{{1, 5, 5}, {3, 6, 2}, {2, 2, 5}, {1, 1, 3}}) {
    for (const bool full : {false, true}) {
      CAPTURE(shape.to_string());
      CAPTURE(full);
      const std::int64_t m = shape[1], n = shape[2], k = m < n ? m : n;
      const Tensor<T> a = pattern<T>(shape);
      const Operand<T> x(a.template to<Gpu>());
      const auto found = [&](bool vectors) {
        return results<T>(
            {{shape[0], k}, {shape[0], m, full ? m : k}, {shape[0], full ? n : k, n}},
            [&](const auto& backend, const auto& to) {
              find_singular_values(backend, LinAlgOperation::svd, x.matrices, full, vectors ? to[1] : nullptr, to[0],
                                   vectors ? to[2] : nullptr);
            },
            x.tensor);
      };
      const auto out = found(true);
      const Tensor<T> s = out[0].template to<Cpu>(), u = out[1].template to<Cpu>(), vh = out[2].template to<Cpu>();
      const Tensor<T> product = matmul(u(all, all, range(0, k)) * unsqueeze(s, 1), vh(all, range(0, k), all));
      CHECK(max(abs(product - a)).item() < bar<T>);
      CHECK(max(abs(matmul(transpose(u), u) - eye<T>(u.extent(2)))).item() < bar<T>);
      CHECK(max(abs(matmul(vh, transpose(vh)) - eye<T>(vh.extent(1)))).item() < bar<T>);
      for (std::int64_t i = 1; i < k; ++i) CHECK(s(0, i) <= s(0, i - 1));
      CHECK(distance(found(false)[0], s) < bar<T>);
    }
  }
}

TEST_CASE("a matrix without result: the error comes with the next transfer, once, and the others have theirs") {
  Tensor<double> a = Tensor<double>(broadcast_to(eye<double>(3), {4, 3, 3}) * 2);
  a.at(2, 1, 1) = 0.0;
  a.at(3, 0, 0) = 0.0;
  const Tensor<double> b = pattern<double>({4, 3, 2});
  const Tensor<double, Gpu> x = solved(a.to<Gpu>(), b.to<Gpu>());  // nothing is thrown here
  const std::string first = message_of([&] { static_cast<void>(x.to<Cpu>()); });
  CHECK(first == "solve: matrix 2 of 4 is singular: pivot 2 is 0; lstsq and pinv take such a matrix; each is 3 x 3");
  const Tensor<double> found = x.to<Cpu>();
  CHECK(max(abs(found(range(0, 2), all, all) * 2 - b(range(0, 2), all, all))).item() == 0);
  CHECK(all(isnan(found(range(2, 4), all, all))).item());

  const auto at_wait = [](const auto& f) {
    const auto kept = f();
    return message_of([] { synchronize<Gpu>(); });
  };
  CHECK(at_wait([&] { return solved(Tensor<double>(a(2, all, all)).to<Gpu>(), b.to<Gpu>()); }) ==
        "solve: matrix 0 of 4 is singular: pivot 2 is 0; lstsq and pinv take such a matrix; each is 3 x 3");
  Tensor<double> indefinite = eye<double>(3);
  indefinite.at(2, 2) = -1.0;
  CHECK(at_wait([&] { return factored(indefinite.to<Gpu>()); }) ==
        "cholesky: the matrix is not positive definite: its leading minor of order 3 is not positive; each is 3 x 3");
  Tensor<double> unsymmetric = indefinite;
  unsymmetric.at(1, 0) = 0.5;
  CHECK(at_wait([&] { return factored(unsymmetric.to<Gpu>()); }) ==
        "cholesky: the matrix is not symmetric: row 2 is the first that differs from its column; (a + transpose(a)) / 2 is; "
        "each is 3 x 3");
  const auto eigen = [](const Tensor<double>& of) {
    const Operand<double> operand(of.to<Gpu>());
    return results<double>(
        {{3}, {3, 3}},
        [&](const auto& backend, const auto& out) {
          find_eigen_of_symmetric(backend, LinAlgOperation::eigh, operand.matrices, out[0], out[1]);
        },
        operand.tensor);
  };
  CHECK(at_wait([&] { return eigen(unsymmetric); }).substr(0, 35) == "eigh: the matrix is not symmetric: ");
  Tensor<double> infinite = eye<double>(3);
  infinite.at(1, 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(at_wait([&] { return eigen(infinite); }) ==
        "eigh: the iteration for the matrix did not converge; it may have NaN or infinite elements; each is 3 x 3");
  const auto least = [](const Tensor<double>& of) {
    const Operand<double> left(of.to<Gpu>()), right(ones<double>({4, 1}).to<Gpu>());
    return results<double>(
        {{2, 1}},
        [&](const auto& backend, const auto& out) { solve_least_squares(backend, left.matrices, right.matrices, out[0]); },
        left.tensor, right.tensor);
  };
  CHECK(at_wait([&] { return least(tensor<double>({{1, 2}, {2, 4}, {3, 6}, {4, 8}})); }) ==
        "lstsq: the matrix has linearly dependent columns: column 2 is the first; lstsq_rank_revealing takes such a matrix; "
        "each is 4 x 2");
  CHECK(at_wait([&] { return least(tensor<double>({{1, 2}, {2, 4}, {3, 6}, {4, 9}})); }) == "nothing was thrown");
}

TEST_CASE("a ledger's timeline has factorisations, whoever computes them") {
  const Tensor<float, Gpu> a = definite<float>({5, 5}).to(gpu<0>);
  const MovementLedger ledger;
  static_cast<void>(solve(a, a));
  static_cast<void>(cholesky(a));
  static_cast<void>(eigvalsh(a));
  const auto names = cuda_test::names_in_streams(ledger);
  CHECK(names.at("LU") == 1);
  CHECK(names.at("Cholesky") == 1);
  CHECK(names.at("eigenvalues") == 1);
  CHECK(names.at("division by a triangle") == 2);
}

TEST_CASE("linear algebra in a stream of its own; not in a captured function") {
  const Tensor<float> a = definite<float>({5, 5});
  const Tensor<float, Gpu> on_gpu = a.to<Gpu>();
  const Tensor<float, Gpu> expected = factored(on_gpu);
  Tensor<float, Gpu> l;
  {
    const Stream<Gpu> side;
    const StreamScope scope(side);
    l = factored(on_gpu);
    const Tensor<float, Gpu> failed = factored(Tensor<float, Gpu>(-on_gpu));
    CHECK(message_of([&] { static_cast<void>(failed.to<Cpu>()); }).substr(0, 44) ==
          "cholesky: the matrix is not positive definit");
  }
  CHECK(cuda_test::same_bits(l, Tensor<float>(expected.to<Cpu>())));
  const auto function = [](const Tensor<float, Gpu>& x) { return factored(x); };
  CHECK_THROWS_WITH_AS(static_cast<void>(capture<Gpu>(function, on_gpu)(on_gpu)),
                       doctest::Contains("linear algebra in a function that is captured"), CaptureError);
}

#if defined(SITU_CUDA_EMULATED)

TEST_CASE("what linear algebra works in is kept: again it allocates nothing but its result, and any call may fail") {
  namespace emulated = situ::internal::cuda::emulated;
  const Tensor<float, Gpu> a = definite<float>({2, 5, 5}).to<Gpu>(), b = pattern<float>({2, 5, 3}).to<Gpu>();
  const Tensor<float> expected = solved(a, b).to<Cpu>();
  emulated::fail_after(emulated::Call::allocate, 0);
  CHECK(cuda_test::same_bits(solved(a, b), expected));
  emulated::fail_after(emulated::Call::allocate, -1);
  int failures = 0;
  for (int n = 0; n < 100; ++n) {
    emulated::fail_after(emulated::Call::launch, n, emulated::ErrorCode::invalid_configuration);
    try {
      const Tensor<float, Gpu> x = solved(a, b);
      emulated::fail_after(emulated::Call::launch, -1);
      CHECK(cuda_test::same_bits(x, expected));
      break;
    } catch (const CudaError&) {
      ++failures;
    }
  }
  CHECK(failures > 4);
}

#endif
