// SPDX-License-Identifier: Apache-2.0
// Tensors as Eigen maps: types, values, layouts that have one, writing through a lease; Eigen expressions as operands.
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined lanes in its own AVX-512 intrinsics, which Eigen's transposes call, for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <doctest/doctest.h>

#include <complex>
#include <functional>
#include <string>

#include <Eigen/Core>

#include <situ/interop/eigen.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

Tensor<float, Cpu> counting() {
  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  return x;
}

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class X>
concept Mappable = requires(X&& x) {
  eigen(std::forward<X>(x));
  eigen<2, 3>(std::forward<X>(x));
  eigen_vector(std::forward<X>(x));
  eigen_array(std::forward<X>(x));
  eigen_batch(std::forward<X>(x));
  eigen_rows(std::forward<X>(x));
  eigen_strided(std::forward<X>(x));
};
template <class X>
concept NotMappable =
    !requires(X&& x) { eigen(std::forward<X>(x)); } && !requires(X&& x) { eigen<2, 3>(std::forward<X>(x)); } &&
    !requires(X&& x) { eigen_vector(std::forward<X>(x)); } && !requires(X&& x) { eigen_array(std::forward<X>(x)); } &&
    !requires(X&& x) { eigen_batch(std::forward<X>(x)); } && !requires(X&& x) { eigen_rows(std::forward<X>(x)); } &&
    !requires(X&& x) { eigen_strided(std::forward<X>(x)); };

static_assert(Mappable<Tensor<float, Cpu>&> && Mappable<const Tensor<double, Pinned>&>, "host tensors with a name");
static_assert(NotMappable<Tensor<float, Cpu>> && NotMappable<const Tensor<float, Cpu>>, "what would dangle");
static_assert(NotMappable<lazy_until_eval_t<internal::functional::Negate, Tensor<float, Cpu>>&>, "not computed yet");
static_assert(NotMappable<Tensor<float, Cuda<0>>&> && NotMappable<const Tensor<int, Cuda<1>>&>, "GPU tensors");
static_assert(Mappable<const Lease<float, Cpu>&> && NotMappable<const Lease<float, Cuda<0>>&>, "leases of host tensors");
static_assert(NotMappable<Tensor<float16, Cpu>&>, "Eigen does not compute with situ's 16-bit floats");

template <class L, class R>
concept Adds = requires(L& l, R& r) { l + r; };
template <class L, class R>
concept AddsTo = requires(L& l, R& r) { l += r; };
template <class L, class R>
concept Compares = requires(L& l, R& r) {
  l == r;
  l < r;
};
template <class X, class E>
concept TakesPart = requires(X& x, E& e) { x.at(all, 0) = e; };
template <class X>
concept BecomesTensor = requires(const X& x) { from_eigen(x); };

static_assert(Adds<Tensor<float, Cpu>, Eigen::MatrixXf> && Adds<const Eigen::Array3f, Tensor<float, Cpu>>);
static_assert(!Adds<Tensor<float, Cuda<0>>, Eigen::MatrixXf> && !Adds<Eigen::MatrixXf, Tensor<float, Cuda<0>>>);
static_assert(!Adds<Tensor<float, Pinned>, Eigen::MatrixXf> && !Adds<Eigen::MatrixXf, Tensor<float, Pinned>>);
static_assert(!Adds<Tensor<float, Cpu>, Eigen::MatrixXd> && !Adds<Eigen::MatrixXd, Tensor<float, Cpu>>);
static_assert(!Adds<Tensor<float, Cpu>, Eigen::MatrixXcf> && !Adds<Eigen::MatrixXcf, Tensor<float, Cpu>>);
static_assert(!Compares<Tensor<float, Cuda<0>>, Eigen::MatrixXf> && !Compares<Eigen::MatrixXf, Tensor<float, Cuda<0>>>);
static_assert(Compares<Tensor<float, Cpu>, Eigen::MatrixXf> && Compares<Eigen::MatrixXf, Tensor<float, Cpu>>);
static_assert(AddsTo<Tensor<float, Cpu>, Eigen::MatrixXf> && !AddsTo<Tensor<float, Cuda<0>>, Eigen::MatrixXf>);
static_assert(!AddsTo<Tensor<float, Cpu>, Eigen::MatrixXd> && !AddsTo<const Tensor<float, Cpu>, Eigen::MatrixXf>);
static_assert(TakesPart<Tensor<float, Cpu>, Eigen::VectorXf> && !TakesPart<Tensor<float, Cpu>, Eigen::VectorXd>);
static_assert(!TakesPart<Tensor<float, Cuda<0>>, Eigen::VectorXf>);
static_assert(BecomesTensor<Eigen::ArrayXXi> && !BecomesTensor<Eigen::MatrixXcd> && !BecomesTensor<Tensor<float, Cpu>>);
static_assert(std::is_same_v<decltype(from_eigen(Eigen::MatrixXd())), Tensor<double, Cpu>>);

/// What a call throws, for its text.
std::string error_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "nothing was thrown";
}

const float* data_of(const Eigen::Ref<const RowMajor>& matrix) { return matrix.data(); }

}  // namespace

TEST_CASE("eigen: a matrix is mapped without a copy") {
  const Tensor x = counting();
  const auto map = eigen(x);
  CHECK(map.data() == x.data());
  CHECK(map.rows() == 2);
  CHECK(map.cols() == 3);
  CHECK(map(1, 0) == 4.f);
  CHECK(map.sum() == 21.f);
  const Eigen::MatrixXf product = map * map.transpose();
  CHECK(product(0, 1) == 32.f);
}

TEST_CASE("eigen: adjacent elements are known to the compiler: packets, and a Ref without a copy") {
  const Tensor x = counting();
  using Map = decltype(eigen(x));
  using Matrix = Eigen::internal::evaluator<RowMajor>;
  static_assert(Map::InnerStrideAtCompileTime == 1);
  [[maybe_unused]] constexpr auto as_fast = Eigen::PacketAccessBit | Eigen::LinearAccessBit | Eigen::DirectAccessBit;
  static_assert((Eigen::internal::evaluator<Map>::Flags & as_fast) == (Matrix::Flags & as_fast), "as Eigen's own matrix");
  static_assert((Eigen::internal::evaluator<decltype(eigen_vector(x))>::Flags & as_fast) == as_fast);
  static_assert((Eigen::internal::evaluator<decltype(eigen_rows(x))>::Flags & Eigen::PacketAccessBit) != 0);
  static_assert(Eigen::internal::blas_traits<Map>::HasUsableDirectAccess, "a product reads it where it is");
  CHECK(data_of(eigen(x)) == x.data());
  const Tensor second = x(range(1, 2), all);
  CHECK(data_of(eigen(second)) == second.data());
  const Tensor once = broadcast_to(second, {1, 3});
  CHECK(eigen(once)(0, 2) == 6.f);
}

TEST_CASE("eigen: a layout with gaps is refused, and the call that serves it named") {
  const Tensor x = counting();
  const Tensor right = x(all, range(1, 3));
  const Tensor turned = transpose(x);
  const Tensor reversed = x(all, range(IndexRange::none, IndexRange::none, -2));
  const Tensor upside_down = x(range(IndexRange::none, IndexRange::none, -1), all);
  const Tensor repeated = broadcast_to(x(0, all), {4, 3});
  CHECK(error_of([&] { static_cast<void>(eigen(right)); }) ==
        "eigen: the tensor of shape (2, 2) has strides (3, 1), gaps between rows; call eigen_rows(x), or contiguous(x) "
        "before");
  CHECK(data_of(eigen_rows(right)) == right.data());
  CHECK(eigen_rows(right).row(1).prod() == 30.f);
  CHECK((eigen_rows(right) * eigen_rows(right)).eval()(1, 1) == 51.f);

  CHECK(error_of([&] { static_cast<void>(eigen(turned)); }) ==
        "eigen: the tensor of shape (3, 2) has strides (1, 3), and its elements are not adjacent; call eigen_strided(x), a "
        "map of any layout, or contiguous(x) before");
  CHECK(error_of([&] { static_cast<void>(eigen_rows(turned)); }) ==
        "eigen_rows: the tensor of shape (3, 2) has strides (1, 3), and this map is of rows of adjacent elements; call "
        "eigen_strided(x), a map of any layout, or contiguous(x) before");
  CHECK(error_of([&] { static_cast<void>(eigen_array(reversed)); }).starts_with("eigen_array: the tensor of shape (2, 2)"));
  CHECK_THROWS_AS(static_cast<void>(eigen(upside_down)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(eigen_rows(upside_down)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(eigen_rows(repeated)), ShapeError);  // a Ref would take its stride of 0 for none

  const auto map = eigen_strided(turned);
  CHECK(map.data() == x.data());
  CHECK(map.rows() == 3);
  CHECK(map(2, 1) == 6.f);
  CHECK(map(2, 0) == 3.f);
  CHECK(eigen_strided(right)(1, 0) == 5.f);
  CHECK(eigen_strided(reversed)(0, 0) == 3.f);
  CHECK(eigen_strided(reversed)(1, 1) == 4.f);
  CHECK(eigen_strided(upside_down)(0, 1) == 5.f);
  CHECK(eigen_strided(repeated).col(1).sum() == 8.f);
  const Tensor copy = contiguous(turned);
  CHECK(eigen(copy)(2, 1) == 6.f);
}

TEST_CASE("eigen: a vector is one column, and eigen_vector one that Eigen knows as a vector") {
  const Tensor x = counting();
  const Tensor column = x(all, 1);
  const auto map = eigen_rows(column);
  CHECK(map.rows() == 2);
  CHECK(map.cols() == 1);
  CHECK(map(1, 0) == 5.f);
  CHECK(error_of([&] { static_cast<void>(eigen_vector(column)); }) ==
        "eigen_vector: the tensor of shape (2,) has strides (3,), gaps between rows; call eigen_rows(x), or contiguous(x) "
        "before");

  const Tensor row = x(1, all);
  CHECK(eigen(row).rows() == 3);
  CHECK(eigen(row)(2, 0) == 6.f);
  CHECK(eigen_vector(row).dot(Eigen::Vector3f(1, 10, 100)) == 654.f);
  const Eigen::Ref<const Eigen::VectorXf> reference = eigen_vector(row);
  CHECK(reference.data() == row.data());
  const Tensor matrix = reshape(row, {3, 1});
  CHECK(eigen_vector(matrix)(2) == 6.f);
  CHECK_THROWS_AS(static_cast<void>(eigen_vector(x)), ShapeError);
}

TEST_CASE("eigen: sizes that the compiler knows are checked") {
  const Tensor x = counting();
  const auto map = eigen<2, 3>(x);
  static_assert(decltype(map)::SizeAtCompileTime == 6);
  const Eigen::Matrix2f product = map * map.transpose();
  CHECK(product(0, 1) == 32.f);
  CHECK(eigen<2, Eigen::Dynamic>(x).cols() == 3);
  const Tensor right = x(all, range(1, 3));
  CHECK_THROWS_AS((static_cast<void>(eigen<2, 2>(right))), ShapeError);
  const Tensor row = x(0, all);
  CHECK(eigen<3, 1>(row) + Eigen::Vector3f(1, 1, 1) == Eigen::Vector3f(2, 3, 4));
  CHECK(eigen<1, 3>(row) * Eigen::Vector3f(1, 10, 100) == Eigen::Matrix<float, 1, 1>(321.f));
  CHECK(error_of([&] { static_cast<void>(eigen<3, 3>(x)); }) ==
        "eigen<rows, columns>: the tensor has shape (2, 3), the map 3 x 3; reshape it first, or call eigen(x), a map of "
        "any size");
  CHECK_THROWS_AS(static_cast<void>(eigen<Eigen::Dynamic, 2>(x)), ShapeError);
  const Tensor column = x(all, 1);
  CHECK_THROWS_AS((static_cast<void>(eigen<2, 1>(column))), ShapeError);
  CHECK_THROWS_AS((static_cast<void>(eigen<1, 2>(column))), ShapeError);
}

TEST_CASE("eigen_array: element-wise operators") {
  const Tensor x = counting();
  CHECK((eigen_array(x) * eigen_array(x)).sum() == 91.f);
}

TEST_CASE("eigen_batch: the matrices of a stack, read and written") {
  Tensor x = eval(reshape(arange<float>(24), {2, 2, 2, 3}));
  const auto batch = eigen_batch(x);
  CHECK(batch.size() == 4);
  CHECK(batch[2](1, 2) == 17.f);
  CHECK(data_of(batch[3]) == x.data() + 18);
  float sum = 0;
  for (const auto& matrix : batch) sum += matrix(0, 0);
  CHECK(sum == 0 + 6 + 12 + 18);

  const Tensor moved = permute(x, {1, 0, 2, 3});  // the matrices may be in any order
  CHECK(eigen_batch(moved)[1](1, 0) == 15.f);
  CHECK(eigen_batch(moved)[2](0, 1) == 7.f);
  {
    const auto lease = x.write();
    for (auto matrix : eigen_batch(lease)) matrix.row(1).setZero();
  }
  CHECK(x(1, 0, 1, 2) == 0.f);
  CHECK(x(1, 0, 0, 2) == 14.f);

  const Tensor turned = transpose(x, 2, 3);
  CHECK(error_of([&] { static_cast<void>(eigen_batch(turned)); }).ends_with("call contiguous(x) before"));
  const Tensor row = x(0, 0, 0, all);
  CHECK_THROWS_AS(static_cast<void>(eigen_batch(row)), ShapeError);
  const Tensor none = zeros<float>({0, 2, 2});
  for (const auto& matrix : eigen_batch(none)) CHECK(matrix.rows() == -1);
}

TEST_CASE("eigen: no elements, no error") {
  const Tensor x = zeros<float>({0, 3});
  CHECK(eigen(x).rows() == 0);
  CHECK(eigen(x).sum() == 0.f);
  const Tensor nothing = zeros<float>({0});
  CHECK(eigen_vector(nothing).sum() == 0.f);
  CHECK(from_eigen(eigen(x)).shape() == Shape{0, 3});
  const Tensor turned = transpose(x);
  CHECK(eigen(turned).cols() == 0);
}

TEST_CASE("eigen: writing through a lease changes the tensor and no copy of it") {
  Tensor x = counting();
  const Tensor before = x;
  {
    const auto lease = x.write();
    eigen(lease).row(0).setConstant(7.f);
    eigen(lease)(1, 2) *= 2.f;
    eigen<2, 3>(lease)(1, 0) += eigen_array(lease)(1, 0);
    eigen_strided(lease)(1, 1) = -5.f;
  }
  CHECK(x(1, 0) == 8.f);
  CHECK(x(1, 1) == -5.f);
  CHECK(x(0, 0) == 7.f);
  CHECK(x(0, 2) == 7.f);
  CHECK(x(1, 2) == 12.f);
  CHECK(before(0, 0) == 1.f);
  CHECK(before(1, 2) == 6.f);
}

TEST_CASE("eigen: other ranks have no map") {
  const Tensor cube = zeros<float>({2, 2, 2});
  CHECK(error_of([&] { static_cast<void>(eigen(cube)); }) ==
        "eigen: the tensor has shape (2, 2, 2); a matrix has rank 2 and a vector rank 1; reshape it first, or call "
        "eigen_batch(x), a map for each matrix");
  CHECK_THROWS_AS(static_cast<void>(eigen_strided(cube)), ShapeError);
  Tensor scalar = zeros<float>({});
  CHECK_THROWS_AS(static_cast<void>(eigen(scalar)), ShapeError);
  const auto lease = scalar.write();
  CHECK_THROWS_AS(static_cast<void>(eigen(lease)), ShapeError);
}

TEST_CASE("from_eigen: any expression in row-major order; a vector has rank 1") {
  Eigen::MatrixXf m(2, 3);
  m << 1, 2, 3, 4, 5, 6;
  CHECK(array_equal(from_eigen(m), counting()).item());
  const Tensor product = from_eigen(m * m.transpose());
  CHECK(array_equal(product, tensor({{14.f, 32.f}, {32.f, 77.f}})).item());
  CHECK(from_eigen(m.col(1)).shape() == Shape{2});
  CHECK(from_eigen(m.row(1)).shape() == Shape{3});
  CHECK(from_eigen(m.leftCols(1)).shape() == Shape{2, 1});
  CHECK(from_eigen(m.array() > 2)(0, 2));
  CHECK(array_equal(from_eigen(m.leftCols(2).triangularView<Eigen::Upper>()), tensor({{1.f, 2.f}, {0.f, 5.f}})).item());
  CHECK(from_eigen(Eigen::MatrixXd(0, 4)).shape() == Shape{0, 4});
  const Tensor x = counting();
  CHECK(array_equal(from_eigen(eigen(x).cwiseAbs2()), x * x).item());
}

TEST_CASE("Eigen expressions are operands beside tensors of the CPU") {
  Eigen::MatrixXf m(3, 2);
  m << 1, 2, 3, 4, 5, 6;
  const Eigen::Vector3f v(10, 20, 30);
  Tensor x = counting();
  CHECK(array_equal(x + m.transpose(), tensor({{2.f, 5.f, 8.f}, {6.f, 9.f, 12.f}})).item());
  CHECK(array_equal(m.transpose() - x, tensor({{0.f, 1.f, 2.f}, {-2.f, -1.f, 0.f}})).item());
  CHECK(array_equal(x * v, tensor({{10.f, 40.f, 90.f}, {40.f, 100.f, 180.f}})).item());  // broadcast as rank 1
  CHECK(array_equal(x > m.transpose(), tensor({{false, false, false}, {true, true, false}})).item());
  CHECK(sum(cast<int>(x == m.transpose())).item() == 2);
  CHECK(sum(cast<int>(m.transpose() != x)).item() == 4);
  CHECK(array_equal(where(x > 3, x, 2 * m.transpose()), tensor({{2.f, 6.f, 10.f}, {4.f, 5.f, 6.f}})).item());
  CHECK(maximum(v, 15.f * x)(1, 2) == 90.f);
  x += m.transpose();
  CHECK(x(1, 1) == 9.f);
  x.at(0, all) = v;
  x.at(all, 0) = 2 * v.head(2);
  CHECK(array_equal(x, tensor({{20.f, 20.f, 30.f}, {40.f, 9.f, 12.f}})).item());
  x.at(1, all) *= v.array();
  CHECK(x(1, 2) == 360.f);
  CHECK_THROWS_AS(static_cast<void>(x + m), ShapeError);
  CHECK_THROWS_AS(x.at(all, 0) = v, ShapeError);
  x.at(all, all) = eigen(x).colwise().reverse();  // an expression over what is written
  CHECK(x(0, 2) == 360.f);
}

TEST_CASE("Eigen expressions: a lazy expression keeps their value, not a reference") {
  auto late = [] {
    Eigen::Vector3f v(1, 2, 3);
    auto e = counting() + v;
    v.setZero();
    return e;
  }();
  CHECK(eval(late)(1, 2) == 9.f);
}
