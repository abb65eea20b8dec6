// SPDX-License-Identifier: Apache-2.0
// Writing CSV files: what is read again is the same, bit for bit; and what is in quotes.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <situ/csv.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using temporary_files::content_of;
using temporary_files::TemporaryFile;

namespace {

template <class T, class Bits>
void check_every_kind_of_number() {
  const TemporaryFile file(".csv");
  std::mt19937_64 random(2);
  std::vector<T> values{T{0}, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), std::numeric_limits<T>::lowest(),
                        std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::infinity()};
  if constexpr (std::is_floating_point_v<T>) values.insert(values.end(), {-T{0}, -std::numeric_limits<T>::infinity()});
  while (values.size() < 30000) {
    const T value = std::bit_cast<T>(static_cast<Bits>(random()));
    if (value == value) values.push_back(value);
  }
  const Tensor x = reshape(from_span<T>(values), {-1, 3});
  save_csv(file.path, x, {.header = {"a", "b", "c"}});
  const Tensor y = load_csv<T>(file.path);
  REQUIRE(y.shape() == x.shape());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != values.size(); ++i) {
    if (std::bit_cast<Bits>(y.span()[i]) != std::bit_cast<Bits>(values[i])) ++wrong;
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("csv save: numbers are read as the same bits") {
  check_every_kind_of_number<float, std::uint32_t>();
  check_every_kind_of_number<double, std::uint64_t>();
  check_every_kind_of_number<std::int64_t, std::uint64_t>();
  check_every_kind_of_number<std::int8_t, std::uint8_t>();
  check_every_kind_of_number<std::uint64_t, std::uint64_t>();
  check_every_kind_of_number<std::uint16_t, std::uint16_t>();
  const TemporaryFile file(".csv");
  const Tensor flags = tensor({{true, false}, {false, true}});
  save_csv(file.path, flags);
  CHECK(content_of(file.path) == "true,false\nfalse,true\n");
  CHECK(all(load_csv<bool>(file.path, {.header = false}) == flags).item());
}

TEST_CASE("csv save: a vector, an expression, options") {
  const TemporaryFile file(".csv");
  save_csv(file.path, tensor({1.f, 2.f}) * 2);
  CHECK(content_of(file.path) == "2\n4\n");
  const float nan = std::numeric_limits<float>::quiet_NaN();
  save_csv(file.path, tensor({{1.f / 3, nan}}), {.header = {"a;b", "c"}, .delimiter = ';', .precision = 3, .line_end = "\r\n"});
  CHECK(content_of(file.path) == "\"a;b\";c\r\n0.333;nan\r\n");
  save_csv(file.path, tensor({1.f, nan}), {.missing_value = ""});
  CHECK(content_of(file.path) == "1\n\"\"\n");  // a line of nothing would be skipped
  CHECK(any(isnan(load_csv<float>(file.path))).item());
  save_csv(file.path, zeros<float>({0, 2}), {.header = {"a", "b"}});
  CHECK(load_csv<float>(file.path).shape() == Shape{0, 2});
}

TEST_CASE("csv save: columns of several types, and texts of any bytes") {
  const TemporaryFile file(".csv");
  const std::vector<std::string> texts{"plain", "a,b", "say \"hi\"", "two\nlines", "", " edge ", "\xef\xbb\xbf", "\r", "NA", "Zoë"};
  const Tensor numbers = arange<std::int64_t>(10);
  save_csv(file.path, {{"text, any", texts}, {"n", numbers}, {"half", cast<double>(numbers) / 2}});
  const CsvTable table = load_csv(file.path);
  CHECK(table.names() == std::vector<std::string>{"text, any", "n", "half"});
  CHECK(table.column<std::string>("text, any") == texts);
  CHECK(all(table.column<std::int64_t>("n") == numbers).item());
  CHECK(all(table.column<double>("half") == cast<double>(numbers) / 2).item());
  save_csv(file.path, {{"only", texts}});
  CHECK(load_csv(file.path, {.header = true}).column<std::string>(0) == texts);
}

TEST_CASE("csv save: what does not fit") {
  const TemporaryFile file(".csv");
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({2, 2, 2})), ShapeError);
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({})), ShapeError);
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({2, 0})), ValueError);
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({2, 2}), {.header = {"a"}}), ValueError);
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({2, 2}), {.delimiter = '1'}), ValueError);
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({2, 2}), {.precision = 0}), ValueError);
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({2, 2}), {.line_end = "\t"}), ValueError);
  const std::vector<CsvColumn> unequal{{"a", ones<float>({2})}, {"b", ones<float>({3})}};
  CHECK(reference::message_of([&] { save_csv(file.path, unequal); }) ==
        "save_csv: the column 'b' has 3 rows, and 'a' 2");
  CHECK_THROWS_AS((CsvColumn{"a", ones<float>({2, 2})}), ShapeError);
  CHECK(!std::filesystem::exists(file.path));
  save_csv(file.path, ones<float>({1, 1}));
  CHECK_THROWS_AS(save_csv(file.path, ones<float>({2, 2, 2})), ShapeError);
  CHECK(content_of(file.path) == "1\n");  // the older file stays
}
