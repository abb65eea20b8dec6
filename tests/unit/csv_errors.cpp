// SPDX-License-Identifier: Apache-2.0
// What is wrong with a CSV file, and where: kinds of errors and their texts.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <functional>
#include <span>
#include <string>

#include <situ/csv.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using reference::contains;
using reference::message_of;

namespace {

template <class T>
void read_as(const std::string& text, const CsvOptions& options = {}) {
  static_cast<void>(load_csv<T>(std::as_bytes(std::span(text)), options, "x.csv"));
}

FileErrorKind csv_kind_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const FileError& error) {
    return error.kind();
  }
  FAIL("loaded");
  return {};
}

}  // namespace

TEST_CASE("csv errors: line, row, column and text of a field") {
  CHECK(message_of([] { read_as<float>("a,b\n1,2\n\n3,x\n"); }) ==
        "x.csv: line 4 (row 1), column 'b': 'x' is not of type float32; read the column as text, leave it out, or add this "
        "to missing_values");
  CHECK(message_of([] { read_as<int>("a,b\n1,2\n3,\n"); }) ==
        "x.csv: line 3 (row 1), column 'b': a missing value, which int32 cannot represent; give a fill_value, or read floats");
  CHECK(message_of([] { read_as<int>("a,b\n1,1.5\n"); }) ==
        "x.csv: line 2 (row 0), column 'b': '1.5' is not of type int32; read the column as float or double");
  CHECK(message_of([] { read_as<float>("a;b\n1;2,5\n", {.delimiter = ';'}); }) ==
        "x.csv: line 2 (row 0), column 'b': '2,5' is not of type float32; if the comma is a decimal point: {.decimal = ','}");
  CHECK(contains(message_of([] { read_as<float>("x,2\n1,2\n"); }),
                 "line 1 (row 0), column '0': 'x' is not of type float32; if the first row has the names of the columns: "
                 "{.header = true}"));
  for (const char* text : {"a\n1e39\n", "a\n123456789e31\n", "a\n1e99999999999999999999\n", "a\n-340282356779733661637539395458142568448\n"}) {
    CAPTURE(text);
    CHECK(contains(message_of([&] { read_as<float>(text); }), "is out of the range of float32; read the column as double or text"));
  }
  CHECK(contains(message_of([] { read_as<std::uint8_t>("a\n256\n"); }), "'256' is out of the range of uint8; read the column as a larger"));
  for (const char* text : {"1e", "--1", "+-1", "1.2.3", "0x10", "1 2", "e5", ".", "-", "1e+", "nan(1)x", "1_000"}) {
    CAPTURE(text);
    CHECK(csv_kind_of([&] { read_as<double>(text, {.header = false}); }) == FileErrorKind::wrong_element_type);
  }
  CHECK(csv_kind_of([] { read_as<std::uint32_t>("-1"); }) == FileErrorKind::wrong_element_type);
  CHECK(csv_kind_of([] { read_as<bool>("2"); }) == FileErrorKind::wrong_element_type);
  // In lines as an editor counts them, quoted ones too; a lone CR is one.
  CHECK(contains(message_of([] { read_as<float>("# 1\r\n\r\n\"1\"\r\n\"\n2\"\n", {.comment = '#'}); }), "line 4 (row 1), column '0': '\\x0a2'"));
}

TEST_CASE("csv errors: hostile text is short and harmless") {
  const std::string message = message_of([] { read_as<float>("\x1b[31mname\n" + std::string(100000, '\x1b') + "\n", {.header = true}); });
  CHECK(message.size() < 500);
  CHECK(!contains(message, "\x1b"));
  CHECK(contains(message, "column '\\x1b[31mname': '\\x1b\\x1b"));
  CHECK(csv_kind_of([] { read_as<float>(std::string("1,2\0,3\n", 7)); }) == FileErrorKind::wrong_element_type);
  CHECK(csv_kind_of([] { read_as<float>("\xff\xfe" "1\n"); }) == FileErrorKind::unsupported);
}

TEST_CASE("csv errors: rows and quotes") {
  CHECK(message_of([] { read_as<float>("a,b\n1,2\n1,2,3\n"); }) == "x.csv: line 3 (row 1): 3 fields, but the header has 2");
  CHECK(message_of([] { read_as<float>("1,2\n1\n"); }) == "x.csv: line 2 (row 1): 1 fields, but the first row has 2");
  CHECK(contains(message_of([] { read_as<float>("1\n1;2\n"); }), "'1;2' is not of type float32"));
  CHECK(contains(message_of([] { read_as<float>("a\n1,2\n"); }), "2 fields, but the header has 1; is the delimiter right?"));
  CHECK(contains(message_of([] { read_as<float>("a,b\n1,\"2\n3,4\n"); }),
                 "line 2 (row 0), column 'b': '2\\x0a3,4\\x0a': the quote before it is not closed"));
  CHECK(contains(message_of([] { read_as<float>("a,b\n1,\"2\"3\n"); }), "column 'b': '2': text follows its closing quote"));
  CHECK(contains(message_of([] { read_as<float>("\"a\n1,2\n"); }), "line 1: a field with wrong quotes: the quote before it is not closed"));
  for (const char* text : {"", "\n\n", "  \r\n", "\xef\xbb\xbf"}) CHECK(message_of([&] { read_as<float>(text); }) == "x.csv: has no row");
  CHECK(csv_kind_of([] { read_as<float>("1\n", {.skip_rows = 5}); }) == FileErrorKind::malformed);
}

TEST_CASE("csv errors: many columns and many short rows take no memory for fields that are not there") {
  std::string text = "c0";
  for (int i = 1; i < 10000; ++i) text += ",c" + std::to_string(i);
  text += '\n';
  for (int i = 0; i < 100000; ++i) text += "1\n";
  const std::size_t before = memory_stats<Cpu>().peak;
  CHECK(message_of([&] { read_as<float>(text); }) == "x.csv: line 2 (row 0): 1 fields, but the header has 10000");
  CHECK(memory_stats<Cpu>().peak - before < (std::size_t{1} << 30));  // the tensor would have 4 GB
  CHECK(message_of([&] { static_cast<void>(load_csv(std::as_bytes(std::span(text)), {}, "x.csv")); }) ==
        "x.csv: line 2 (row 0): 1 fields, but the header has 10000");
}

TEST_CASE("csv errors: columns and options") {
  CHECK(message_of([] { read_as<float>("price,b\n1,2\n", {.columns = {"pirce"}}); }) ==
        "x.csv: no column 'pirce' among 2; near it are 'price'");
  CHECK(csv_kind_of([] { read_as<float>("a,a\n1,2\n", {.columns = {"a"}}); }) == FileErrorKind::wrong_entries);
  const std::string text = "a,b\n1,x\n";
  const CsvTable table = load_csv(std::as_bytes(std::span(text)));
  CHECK_THROWS_AS(static_cast<void>(table.column<float>("c")), IndexError);
  CHECK_THROWS_AS(static_cast<void>(table.column<float>(2)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(table.column<float>(-1)), IndexError);
  CHECK_THROWS_AS(static_cast<void>(table.to_tensor<float>()), FileError);
  CHECK_THROWS_AS(read_as<float>("a,b\n1,2\n", {.columns = {"a", "a"}}), ValueError);
  CHECK_THROWS_AS(read_as<int>("a,b\n,2\n", {.fill_value = 0.5}), ValueError);
  CHECK_THROWS_AS(read_as<int>("a,b\n,2\n", {.fill_value = 1e10}), ValueError);
  CHECK_THROWS_AS(read_as<float>("1", {.skip_rows = -1}), ValueError);
  CHECK_THROWS_AS(read_as<float>("1", {.max_rows = -1}), ValueError);
  for (const char c : {'\n', '\r', '\0', '1', 'e', '-', '.', '"'}) CHECK_THROWS_AS(read_as<float>("1", {.delimiter = c}), ValueError);
  CHECK_THROWS_AS(read_as<float>("1", {.comment = '"'}), ValueError);
  CHECK_THROWS_AS(read_as<float>("1", {.comment = ','}), ValueError);
  CHECK(message_of([] { read_as<float>("1", {.decimal = ','}); }) ==
        "load_csv: the decimal point is ',', like the delimiter; give both: {.delimiter = ';', .decimal = ','}");
  CHECK(contains(message_of([] { static_cast<void>(load_csv<float>("not/there.csv")); }), "not/there.csv: cannot be opened to read"));
}
