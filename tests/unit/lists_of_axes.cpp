// SPDX-License-Identifier: Apache-2.0
// labels: values
// Axes in vectors and arrays, where braces would do if they were known; `moveaxis` and `roll` of several.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <vector>

#include <situ/fft.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

TEST_CASE("axes in lists made at run time, and several at once") {
  const std::vector<std::int64_t> a{0, -1};
  const std::array<std::int64_t, 2> b{0, -1};
  const Tensor x = reshape(arange<float>(6), {1, 6, 1});
  CHECK(squeeze(x, a).shape() == Shape{6});
  CHECK(squeeze(x, b).shape() == Shape{6});
  CHECK(sum(x, a).shape() == Shape{6});
  CHECK(norm(x, a).shape() == Shape{6});
  CHECK(norm(x, a, NormOrder{1}).shape() == Shape{6});
  CHECK(var(x, a).shape() == Shape{6});
  CHECK(flip(x, a).shape() == x.shape());
  CHECK(unsqueeze(tensor({1.f, 2.f}), a).shape() == Shape{1, 2, 1});
  CHECK(any(x, a).shape() == Shape{6});
  const Tensor y = reshape(arange<float>(24), {2, 3, 4});
  CHECK(array_equal(moveaxis(y, {0, 2}, {2, 1}), permute(y, {1, 2, 0})).item());
  CHECK(array_equal(moveaxis(y, {-1}, {0}), moveaxis(y, -1, 0)).item());
  CHECK(array_equal(roll(y, {1, -2}, {0, 2}), roll(roll(y, 1, 0), -2, 2)).item());
  CHECK_THROWS_AS(static_cast<void>(moveaxis(y, {0}, {0, 1})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(moveaxis(y, {0, 0}, {0, 1})), IndexError);
  CHECK_THROWS_AS(static_cast<void>(roll(y, {1}, {0, 1})), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(roll(y, {1, 1}, {0, 3})), IndexError);
  CHECK(array_equal(fftshift(y, 1), fftshift(y, {1})).item());
}

}  // namespace
