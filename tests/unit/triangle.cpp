// SPDX-License-Identifier: Apache-2.0
// tril, triu and diag against index arithmetic.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>

#include <situ/situ.hpp>

#include "../reference.hpp"

using namespace situ;
using reference::array_of;
using reference::Indices;
using reference::layouts;
using reference::make_array;

TEST_CASE_TEMPLATE("tril and triu", T, bool, uint8_t, int64_t, float16, float, double) {
  for (const Indices& shape : {Indices{3, 3}, Indices{1, 5}, Indices{5, 1}, Indices{0, 2}, Indices{2, 4, 3}, Indices{2, 1, 37, 41}}) {
    for (const Tensor<T>& x : layouts<T>(shape)) {
      const auto a = array_of(x);
      for (const std::int64_t diagonal : {std::int64_t{0}, std::int64_t{1}, std::int64_t{-1}, std::int64_t{-3},
                                          std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()}) {
        const auto kept = [&](bool lower) {
          return make_array<compute_t<T>>(shape, [&](const Indices& i) {
            const std::int64_t above = i[i.size() - 1] - i[i.size() - 2];
            return (lower ? above <= diagonal : above >= diagonal) ? compute_t<T>(a(i)) : compute_t<T>(0);
          });
        };
        CHECK(array_of(tril(x, diagonal)) == kept(true));
        CHECK(array_of(triu(x, diagonal)) == kept(false));
      }
    }
  }
  CHECK_THROWS_AS((void)tril(zeros<T>({3})), IndexError);
}

TEST_CASE("what is not kept is 0, whatever it was, and expressions are read in the same pass") {
  const Tensor x = full({2, 2}, std::numeric_limits<float>::quiet_NaN());
  CHECK(tril(x)(0, 1) == 0);
  CHECK(triu(x)(1, 0) == 0);
  const Tensor y = reference::counting<float>({3, 3});
  CHECK(array_of(tril(y * 2 + 1)) == array_of(tril(eval(y * 2 + 1))));
}

TEST_CASE_TEMPLATE("diag", T, bool, int32_t, float) {
  for (const std::int64_t count : {0, 1, 4}) {
    for (const Tensor<T>& x : layouts<T>({count})) {
      const auto a = array_of(x);
      for (std::int64_t offset = -3; offset <= 3; ++offset) {
        const std::int64_t size = count + (offset < 0 ? -offset : offset);
        CHECK(array_of(diag(x, offset)) == make_array<compute_t<T>>({size, size}, [&](const Indices& i) {
                return i[1] - i[0] == offset ? compute_t<T>(a({offset < 0 ? i[1] : i[0]})) : compute_t<T>(0);
              }));
        CHECK(array_of(diagonal(diag(x, offset), offset)) == a);
      }
    }
  }
  CHECK_THROWS_AS((void)diag(zeros<T>({2, 2})), ShapeError);
}
