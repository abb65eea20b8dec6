// SPDX-License-Identifier: Apache-2.0
// Reading CSV files: fields, line ends, headers, missing values, columns, correct rounding. The hostile ones follow issues
// of other readers (PapaParse 344 and 1127, node-csv-parse 300, duckdb 9036).
#include <doctest/doctest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <locale>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <situ/csv.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;

namespace {

std::span<const std::byte> csv_bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

template <class T>
std::vector<T> csv_numbers(const std::string& text, const CsvOptions& options = {}) {
  const Tensor<T> x = load_csv<T>(csv_bytes(text), options);
  return {x.span().begin(), x.span().end()};
}

using Texts = std::vector<std::string>;

/// Another decimal point, as a program may set it for its output.
struct Comma : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
};

}  // namespace

TEST_CASE("csv: numbers as one tensor") {
  const Tensor x = load_csv<float>(csv_bytes("1,2.5,-3\n4e2,+5,.25\n"));
  CHECK(x.shape() == Shape{2, 3});
  CHECK(all(x == tensor({{1.f, 2.5f, -3.f}, {400.f, 5.f, 0.25f}})).item());
  CHECK(csv_numbers<std::int64_t>("1,-9223372036854775808\n9223372036854775807,0\n") ==
        std::vector<std::int64_t>{1, std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max(), 0});
  CHECK(csv_numbers<std::uint64_t>("18446744073709551615") == std::vector{std::numeric_limits<std::uint64_t>::max()});
  CHECK(csv_numbers<std::int8_t>("-128,127") == std::vector<std::int8_t>{-128, 127});
  CHECK(csv_numbers<bool>("true,False\n1,0\n", {.header = false}) == std::vector<bool>{true, false, true, false});
}

TEST_CASE("csv: line ends, a mark of the encoding, no final line end") {
  const std::vector<float> wanted{1, 2, 3, 4};
  for (const char* text : {"1,2\n3,4\n", "1,2\n3,4", "1,2\r\n3,4\r\n", "1,2\r\n3,4\n", "1,2\n3,4\r\n", "1,2\r3,4\r", "1,2\r3,4",
                           "\xef\xbb\xbf" "1,2\n3,4\n", "\n1,2\n\n  \n3,4\n\n", " 1 , 2\n\t3,4 \n", "\"1\",\"2\"\r\n\"3\",\"4\"\r\n"}) {
    CAPTURE(text);
    CHECK(csv_numbers<float>(text) == wanted);
  }
  // The mark is not a part of a quoted name.
  CHECK(load_csv(csv_bytes("\xef\xbb\xbf\"a\",b\n1,2\n")).names() == Texts{"a", "b"});
  CHECK(load_csv<float>(csv_bytes("a,b\n")).shape() == Shape{0, 2});
  CHECK(load_csv<float>(csv_bytes("a,b")).shape() == Shape{0, 2});
}

TEST_CASE("csv: quoted fields") {
  const CsvTable table = load_csv(csv_bytes("name,\"the, \"\"age\"\"\"\n\"Ann\nB\",1\r\n\"\"\"\",2\n\"\",3\nit's 5\" long,4\n\"a\r\nb\",5"));
  CHECK(table.names() == Texts{"name", "the, \"age\""});
  CHECK(table.rows() == 5);
  CHECK(table.columns() == 2);
  CHECK(table.column<std::string>("name") == Texts{"Ann\nB", "\"", "", "it's 5\" long", "a\r\nb"});
  CHECK(all(table.column<std::int32_t>(1) == arange<std::int32_t>(1, 6)).item());
  CHECK(load_csv(csv_bytes("a\n\"b\n"), {.quote = {}}).column<std::string>(0) == Texts{"\"b"});
  CHECK(load_csv(csv_bytes("a;b\n'1;2';3\n"), {.delimiter = ';', .quote = '\''}).column<std::string>(0) == Texts{"1;2"});
}

TEST_CASE("csv: a header is guessed or stated") {
  CHECK(load_csv(csv_bytes("a, b \n1,2\n")).names() == Texts{"a", "b"});
  CHECK(load_csv(csv_bytes("1,2\n3,4\n")).names() == Texts{"0", "1"});
  CHECK(load_csv(csv_bytes("x,2\n3,4\n")).rows() == 2);  // a number among them: a row
  CHECK(load_csv(csv_bytes("a,b\nc,d\n"), {.header = false}).rows() == 2);
  CHECK(load_csv(csv_bytes("2020,2021\n1,2\n"), {.header = true}).names() == Texts{"2020", "2021"});
  CHECK(csv_numbers<float>(",\n1,2\n").size() == 4);  // no text: a row of missing values
}

TEST_CASE("csv: delimiters, decimal commas, comments, lines and rows to leave out") {
  CHECK(csv_numbers<float>("1\t2\n", {.delimiter = '\t'}) == std::vector<float>{1, 2});
  CHECK(csv_numbers<float>("1 2\n", {.delimiter = ' '}) == std::vector<float>{1, 2});
  CHECK(csv_numbers<double>("1,5;-2,25e1\n", {.delimiter = ';', .decimal = ','}) == std::vector<double>{1.5, -22.5});
  CHECK(csv_numbers<float>("# \"made\n1,2 # a, \"b\n#\n\"3\",4\n", {.comment = '#'}) == std::vector<float>{1, 2, 3, 4});
  CHECK(load_csv(csv_bytes("a\n\"#1\"\n"), {.comment = '#'}).column<std::string>(0) == Texts{"#1"});
  CHECK(csv_numbers<float>("made \"today\n\n1,2\n", {.skip_rows = 2}) == std::vector<float>{1, 2});
  CHECK(csv_numbers<float>("1\n2\nx\n", {.max_rows = 2}) == std::vector<float>{1, 2});
  CHECK(load_csv(csv_bytes("a\n1\n2\n"), {.max_rows = 0}).rows() == 0);
}

TEST_CASE("csv: missing values") {
  const std::vector<float> x = csv_numbers<float>("a,b\n,1\nNA,\"\"\n2, nan \n");
  CHECK(x.size() == 6);
  for (const std::size_t i : {0u, 2u, 3u, 5u}) CHECK(std::isnan(x[i]));
  CHECK(x[4] == 2);
  CHECK(csv_numbers<std::int32_t>("a,b\n,1\n", {.fill_value = -7}) == std::vector<std::int32_t>{-7, 1});
  CHECK(csv_numbers<float>("1,-999\n", {.missing_values = {"-999"}, .fill_value = 0}) == std::vector<float>{1, 0});
  // "NA" may be a text: of Namibia.
  CHECK(load_csv(csv_bytes("country\nNA\nDE\n")).column<std::string>("country") == Texts{"NA", "DE"});
}

TEST_CASE("csv: columns by name and number") {
  const std::string text = "a,b,c\n1,2,x\n3,4,y\n";
  CHECK(csv_numbers<float>(text, {.columns = {"b", "a"}}) == std::vector<float>{2, 1, 4, 3});
  CHECK(csv_numbers<float>("1,2,x\n3,4,y\n", {.columns = {"1"}}) == std::vector<float>{2, 4});
  const CsvTable table = load_csv(csv_bytes(text));
  CHECK(all(table.to_tensor<float>({"b", "a"}) == tensor({{2.f, 1.f}, {4.f, 3.f}})).item());
  CHECK(all(table.column<double>("b") == tensor({2.0, 4.0})).item());
  CHECK(all(load_csv(csv_bytes(text), {.columns = {"b", "a"}}).to_tensor<float>() == tensor({{2.f, 1.f}, {4.f, 3.f}})).item());
  const CsvTable twice = load_csv(csv_bytes("a,a\n1,2\n"));
  CHECK(sum(twice.column<std::int64_t>(1)).item() == 2);
  CHECK(reference::contains(reference::message_of([&] { static_cast<void>(twice.column<float>("a")); }),
                            "the columns 0 and 1 have the name 'a'"));
}

TEST_CASE("csv: the types of columns") {
  const CsvTable table = load_csv(csv_bytes(
      "i,gap,f,big,account,huge,b,s,none,sum\n1,1,1.5,9007199254740993,9007199254740993,12345678901234567890,true,x,,-1\n"
      "-2,,2,1,,1,false,1,NA,1e3\n"));
  const std::pair<const char*, CsvType> wanted[] = {
      {"i", CsvType::int64},     {"gap", CsvType::float64},   {"f", CsvType::float64}, {"big", CsvType::int64},
      {"account", CsvType::text}, {"huge", CsvType::text},     {"b", CsvType::boolean}, {"s", CsvType::text},
      {"none", CsvType::float64}, {"sum", CsvType::float64}};
  for (const auto& one : wanted) {
    CAPTURE(one.first);
    CHECK(table.type(one.first) == one.second);
  }
  CHECK(load_csv(csv_bytes("a,b\n1,2\n,3\n"), {.fill_value = 0}).type("a") == CsvType::int64);
}

TEST_CASE("csv: categories") {
  const CsvCategories city = load_csv(csv_bytes("city\nRome\nBonn\n\"\"\nRome\n")).categories("city");
  CHECK(city.names == Texts{"Bonn", "Rome"});
  CHECK(all(city.codes == tensor<std::int64_t>({1, 0, -1, 1})).item());
}

TEST_CASE("csv: numbers are rounded once, whatever the locale") {
  std::mt19937_64 random(1);
  std::string text;
  std::vector<std::string> written;
  for (int i = 0; i < 20000; ++i) {
    char buffer[128];
    double value = std::bit_cast<double>(random());
    if (i % 2 == 0) value = std::ldexp(static_cast<double>(random() % 100000000), -static_cast<int>(random() % 30));
    if (!std::isfinite(value)) continue;
    const int precision = 1 + static_cast<int>(random() % 25);
    const auto format = i % 3 == 0 ? std::chars_format::scientific : std::chars_format::general;
    written.emplace_back(buffer, std::to_chars(buffer, buffer + sizeof buffer, value, format, precision).ptr);
  }
  // Halfway between two floats, and above and below it by less than a double shows.
  for (const char* half : {"16777217", "1.000000059604644775390625", "1.00000005960464477539062500000000001", "1e-400", "-1e-50",
                           "1.00000005960464477539062499999999999", "0.1", "123456789012345678901234567890", "0.000000000000000000000000000001"}) {
    written.emplace_back(half);
  }
  for (const std::string& one : written) text += one + "\n";
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new Comma));
  const std::vector<double> doubles = csv_numbers<double>(text);
  REQUIRE(doubles.size() == written.size());
  std::string floats_text;
  std::vector<float> floats_wanted;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i != written.size(); ++i) {
    double wanted = written[i][0] == '-' ? -0.0 : 0.0;
    std::from_chars(written[i].data(), written[i].data() + written[i].size(), wanted);
    if (std::bit_cast<std::uint64_t>(doubles[i]) != std::bit_cast<std::uint64_t>(wanted)) ++wrong;
    if (std::abs(wanted) > 1e38) continue;
    float narrow = written[i][0] == '-' ? -0.f : 0.f;
    std::from_chars(written[i].data(), written[i].data() + written[i].size(), narrow);
    floats_text += written[i] + "\n";
    floats_wanted.push_back(narrow);
  }
  CHECK(wrong == 0);
  const std::vector<float> floats = csv_numbers<float>(floats_text);
  std::locale::global(before);
  REQUIRE(floats.size() == floats_wanted.size());
  wrong = 0;
  for (std::size_t i = 0; i != floats.size(); ++i) {
    if (std::bit_cast<std::uint32_t>(floats[i]) != std::bit_cast<std::uint32_t>(floats_wanted[i])) ++wrong;
  }
  CHECK(wrong == 0);
}
