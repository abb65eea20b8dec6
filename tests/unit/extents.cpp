// SPDX-License-Identifier: Apache-2.0
// Extents that are computed: whatever the shapes and numbers given, an operation either gives a shape that is one, or
// says that there is none. Run under UBSan, where a product that wraps around is seen, and ASan.
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <situ/einsum.hpp>
#include <situ/indexing.hpp>
#include <situ/interop/memory.hpp>
#include <situ/linalg.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t large = std::int64_t{1} << 62;
constexpr std::int64_t square_root = std::int64_t{1} << 32;  // two of them do not fit
constexpr std::int64_t third = 6148914691236517206;          // 3 times it is 2^64 + 2

/// Elements without memory of their own.
Tensor<float> repeated(const Shape& shape) { return broadcast_to(zeros<float>({}), shape); }

struct Call {
  std::string name;
  std::function<void()> compute;
};

}  // namespace

TEST_CASE("shapes whose extents beside 0 do not fit are none") {
  const std::vector<std::vector<std::int64_t>> hostile{
      {3, third, 0}, {0, 3, third}, {3, 0, third}, {large, 0, large}, {0, large, 2},  {square_root, square_root, 0},
      {0, most, 2},  {3, third},    {most, most},  {large, 2},        {0, -1},        {0, least},
      {least, 0},    {most, -1},    {-1, 0, most}, {large, 4, 0},     {2, 0, large},  {0, large, large, large}};
  for (const std::vector<std::int64_t>& extents : hostile) {
    CAPTURE(extents.size());
    CHECK_THROWS_AS(static_cast<void>(zeros<float>(extents)), ShapeError);
    CHECK_THROWS_AS(static_cast<void>(Shape(extents)), ShapeError);
    CHECK_THROWS_AS(static_cast<void>(Shape(extents).checked_count()), ShapeError);
    CHECK_THROWS_AS(static_cast<void>(broadcast_to(zeros<float>({}), extents)), ShapeError);
    if (std::find(extents.begin(), extents.end(), -1) != extents.end()) continue;  // an extent to be inferred
    CHECK_THROWS_AS(static_cast<void>(from_span<float>({}, extents)), ShapeError);
  }
  CHECK_THROWS_WITH_AS(static_cast<void>(zeros<float>({3, third, 0})),
                       doctest::Contains("the product of the extents other than 0 does not fit in 64 bits"),
                       ShapeError);
  CHECK_THROWS_WITH_AS(static_cast<void>(Shape{large, 4}), doctest::Contains("the number of elements does not fit"),
                       ShapeError);
  for (const std::vector<std::int64_t>& extents : hostile) {  // built axis by axis, which checks nothing
    Shape shape;
    for (const std::int64_t extent : extents) shape.push_back(extent);
    CHECK_THROWS_AS(static_cast<void>(zeros<float>(shape)), ShapeError);
    CHECK_THROWS_AS(static_cast<void>(broadcast_to(zeros<float>({}), shape)), ShapeError);
    const float* const nowhere = nullptr;
    CHECK_THROWS_AS(static_cast<void>(from_memory<Cpu>(nowhere, shape, borrowed)), ShapeError);
    if (std::find(extents.begin(), extents.end(), -1) != extents.end()) continue;
    CHECK_THROWS_AS(static_cast<void>(reshape(zeros<float>({0}), shape)), ShapeError);
  }
  CHECK(zeros<float>({large, 0, 1}).size() == 0);
  CHECK(Shape{0, most}.checked_count() == 0);
  CHECK(Shape{2, 3, 5, 7}.count(1, 3) == 15);
  CHECK(Shape{2, 3, 5, 7}.count(2, 2) == 1);
}

TEST_CASE("operations refuse what they would compute of large extents") {
  const Tensor<float> rows = zeros<float>({square_root, 0}), columns = zeros<float>({0, square_root});
  const Tensor<float> flat = zeros<float>({0, 4}), line = repeated({square_root}), one = zeros<float>({1});
  const Tensor<std::int64_t> labels = zeros<std::int64_t>({square_root, 0});
  const std::vector<Call> calls{
      {"tile", [&] { (void)tile(flat, {1, large}); }},
      {"tile of most", [&] { (void)tile(flat, {most, most}); }},
      {"tile of a new axis", [&] { (void)tile(rows, {square_root, 1, 1}); }},
      {"repeat", [&] { (void)repeat(flat, large, 1); }},
      {"repeat of rows", [&] { (void)repeat(rows, square_root, 0); }},
      {"concat", [&] { (void)concat(zeros<float>({0, most}), zeros<float>({0, 1}), 1); }},
      {"concat beside others", [&] { (void)concat(zeros<float>({2, 0, large - 1}), zeros<float>({2, 0, 1}), 2); }},
      {"stack", [&] { (void)stack(zeros<float>({large, 0}), zeros<float>({large, 0}), 0); }},
      {"pad", [&] { (void)pad(flat, {{0, 0}, {most, most}}); }},
      {"pad of others", [&] { (void)pad(rows, {{0, 0}, {square_root, 0}}); }},
      {"pad by the edge",
       [&] { (void)pad(zeros<float>({square_root, 0, 1}), {{0, 0}, {0, 0}, {square_root, 0}}, PadMode::edge); }},
      {"one_hot", [&] { (void)one_hot(labels, square_root); }},
      {"take", [&] { (void)take(rows, labels, 1); }},
      {"gather",
       [&] {
         const Tensor<std::int64_t> places = zeros<std::int64_t>({square_root, square_root / 4, 0, 1});
         (void)gather(repeated({1, square_root / 4, 0, 4}), 1, places);
       }},
      {"outer", [&] { (void)outer(line, line); }},
      {"matmul", [&] { (void)matmul(rows, columns); }},
      {"matmul of batches", [&] { (void)matmul(zeros<float>({square_root, 0, 0}), zeros<float>({0, square_root})); }},
      {"linear", [&] { (void)linear(rows, rows); }},
      {"kron", [&] { (void)kron(rows, repeated({square_root, 1})); }},
      {"tensordot", [&] { (void)tensordot(rows, columns, {1}, {0}); }},
      {"einsum", [&] { (void)einsum<"ij,jk->ik">(rows, columns); }},
      {"meshgrid", [&] { (void)meshgrid(line, line); }},
      {"sum of operands", [&] { (void)(repeated({square_root, 1, 0}) + repeated({1, square_root, 1})); }},
      {"where", [&] { (void)where(zeros<bool>({0, 1, 1}), repeated({square_root, 1}), repeated({1, square_root})); }},
      {"diag", [&] { (void)diag(one, most); }},
      {"diag below", [&] { (void)diag(one, least); }},
      {"diag just below", [&] { (void)diag(one, least + 1); }},
      {"diag of many", [&] { (void)diag(line); }},
      {"diag of nothing", [&] { (void)diag(zeros<float>({0}), square_root); }},
      {"eye", [&] { (void)eye(square_root, square_root); }},
      {"split", [&] { (void)split(zeros<float>({0}), large); }},
      {"split of many", [&] { (void)split(repeated({large}), large); }},
      {"split by sizes", [&] { (void)split(zeros<float>({0, 2}), {large, large}); }},
      {"reshape", [&] { (void)reshape(flat, {large, -1, large}); }},
      {"reshape to nothing", [&] { (void)reshape(flat, {3, third, 0}); }},
      {"unsqueeze", [&] { (void)unsqueeze(unsqueeze(repeated({1, 1, 1, 1, 1, 1, 1, 1}), 0), 0); }},
      {"conv2d", [&] { (void)conv2d(zeros<float>({0, 1, 1 << 26, 1 << 26}), repeated({4096, 1, 1, 1})); }},
      {"linspace", [&] { (void)linspace(0.0, 1.0, least); }},
      {"arange", [&] { (void)arange<std::int64_t>(least, most); }},
      {"broadcast_shapes", [&] { (void)broadcast_shapes(Shape{square_root, 1, 0}, Shape{square_root, 1}); }},
      {"from_span", [&] { (void)from_span<float>({}, {3, third, 0}); }},
      {"from braces", [&] { (void)zeros<float>({large, 0, large}); }},
  };
  for (const Call& call : calls) {
    CAPTURE(call.name);
    CHECK_THROWS_AS(call.compute(), ShapeError);
  }
}

TEST_CASE("what large extents may give") {
  const Tensor<float> planes = zeros<float>({std::int64_t{1} << 31, std::int64_t{1} << 31, 0});
  // the shape is one, and there is no memory for it
  const std::vector<Call> calls{
      {"sum", [&] { (void)sum(planes, 2); }},
      {"mean", [&] { (void)mean(planes, {2}, keepdims); }},
      {"any", [&] { (void)any(zeros<bool>({large, 0}), 1); }},
      {"var", [&] { (void)var(planes, -1); }},
      {"logsumexp", [&] { (void)logsumexp(planes, -1); }},
      {"norm", [&] { (void)norm(planes, {2}); }},
      {"matmul", [&] { (void)matmul(zeros<float>({1 << 30, 0}), zeros<float>({0, 1 << 30})); }},
      {"pad", [&] { (void)pad(zeros<float>({0, 4}), {{1, 0}, {0, large}}); }},
      {"diag", [&] { (void)diag(zeros<float>({1}), 3037000498); }},
      {"tile", [&] { (void)tile(zeros<float>({1}), {large}); }},
  };
  for (const Call& call : calls) {
    CAPTURE(call.name);
    CHECK_THROWS_AS(call.compute(), OutOfMemory);
  }
  CHECK(flatten(planes).shape() == Shape{0});
  CHECK(flatten(planes, 0, 1).shape() == Shape{large, 0});
  CHECK(sum(planes, {0, 1}).shape() == Shape{0});
  CHECK(eye(0, most, 5).shape() == Shape{0, most});
  CHECK(eye(most, 0, least).shape() == Shape{most, 0});
  CHECK(diagonal(zeros<float>({0, most})).shape() == Shape{0});
  CHECK(diagonal(zeros<float>({0, most}), most).shape() == Shape{0});
  CHECK(diagonal(zeros<float>({most, 0}), least).shape() == Shape{0});
  CHECK(tril(zeros<float>({0, most}), most).shape() == Shape{0, most});
  CHECK(tril(zeros<float>({most, 0}), least).shape() == Shape{most, 0});
  CHECK(split(zeros<float>({0}), 3).size() == 3);
  CHECK(repeat(zeros<float>({0, square_root}), 1 << 30, 0).shape() == Shape{0, square_root});
  CHECK(tile(zeros<float>({0, large}), {most, 1}).shape() == Shape{0, large});
  CHECK(matmul(zeros<float>({most, 0}), zeros<float>({0, 0})).shape() == Shape{most, 0});
  CHECK(roll(zeros<float>({0, most}), least, 1).shape() == Shape{0, most});
  CHECK(flip(zeros<float>({0, most})).shape() == Shape{0, most});
}
