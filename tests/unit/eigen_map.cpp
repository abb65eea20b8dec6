// SPDX-License-Identifier: Apache-2.0
// Tensors as Eigen maps: values, strides of views, writing through a lease, ranks without a map.
#if defined(__GNUC__) && !defined(__clang__)
// g++ 12 takes the undefined lanes in its own AVX-512 intrinsics, which Eigen's transposes call, for a mistake.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <doctest/doctest.h>

#include <Eigen/Core>

#include <situ/interop/eigen.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

Tensor<float, Cpu> counting() {
  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  return x;
}

template <class X>
concept Mappable = requires(X&& x) { eigen(std::forward<X>(x)); };

static_assert(Mappable<Tensor<float, Cpu>&> && Mappable<const Tensor<double, Pinned>&>, "host tensors with a name");
static_assert(!Mappable<Tensor<float, Cpu>>, "a temporary's elements would dangle");
static_assert(!Mappable<Tensor<float, Cuda<0>>&> && !Mappable<const Tensor<int, Cuda<1>>&>, "GPU tensors");
static_assert(Mappable<const Lease<float, Cpu>&> && !Mappable<const Lease<float, Cuda<0>>&>, "leases of host tensors");
static_assert(!Mappable<Tensor<float16, Cpu>&>, "Eigen does not compute with situ's 16-bit floats");

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

TEST_CASE("eigen: the strides of a view are the map's") {
  const Tensor x = counting();
  const Tensor turned = transpose(x);
  const auto map = eigen(turned);
  CHECK(map.data() == x.data());
  CHECK(map.rows() == 3);
  CHECK(map(2, 1) == 6.f);
  CHECK(map(2, 0) == 3.f);

  const Tensor stepped = x(all, range(Range::none, Range::none, -2));
  const auto reversed = eigen(stepped);
  CHECK(reversed(0, 0) == 3.f);
  CHECK(reversed(1, 1) == 4.f);
}

TEST_CASE("eigen: a vector is one column") {
  const Tensor x = counting();
  const Tensor column = x(all, 1);
  const auto map = eigen(column);
  CHECK(map.rows() == 2);
  CHECK(map.cols() == 1);
  CHECK(map(1, 0) == 5.f);
}

TEST_CASE("eigen: no elements, no error") {
  const Tensor x = zeros<float>({0, 3});
  CHECK(eigen(x).rows() == 0);
  CHECK(eigen(x).sum() == 0.f);
}

TEST_CASE("eigen: writing through a lease changes the tensor and no copy of it") {
  Tensor x = counting();
  const Tensor before = x;
  {
    const auto lease = x.write();
    eigen(lease).row(0).setConstant(7.f);
    eigen(lease)(1, 2) *= 2.f;
  }
  CHECK(x(0, 0) == 7.f);
  CHECK(x(0, 2) == 7.f);
  CHECK(x(1, 2) == 12.f);
  CHECK(before(0, 0) == 1.f);
  CHECK(before(1, 2) == 6.f);
}

TEST_CASE("eigen: other ranks have no map") {
  const Tensor cube = zeros<float>({2, 2, 2});
  CHECK_THROWS_AS(static_cast<void>(eigen(cube)), ShapeError);
  Tensor scalar = zeros<float>({});
  CHECK_THROWS_AS(static_cast<void>(eigen(scalar)), ShapeError);
  const auto lease = scalar.write();
  CHECK_THROWS_AS(static_cast<void>(eigen(lease)), ShapeError);
}
