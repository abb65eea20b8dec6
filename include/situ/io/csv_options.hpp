// SPDX-License-Identifier: Apache-2.0
// Options of reading and writing CSV files.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace situ {

/// How `load_csv` reads delimited text: `{.delimiter = ';', .decimal = ','}`.
struct CsvOptions {
  /// Between two fields: any byte but a letter, a digit or one of `+ - .`; a tab is a delimiter too.
  char delimiter = ',';
  /// Whether the first row has the names of the columns. None: it has if none of its fields is a number, and one of
  /// them is not empty.
  std::optional<bool> header = {};
  /// Only these columns, in this order. Without a header, the names of columns are "0", "1", ...
  std::vector<std::string> columns = {};
  /// Lines to skip before the header, whatever they contain.
  std::int64_t skip_rows = 0;
  /// Rows to read at most, without the header.
  std::optional<std::int64_t> max_rows = {};
  /// Text after this byte, up to the end of its line, is left out, except in quotes.
  std::optional<char> comment = {};
  /// Around fields that contain delimiters, quotes (doubled) or line ends. None: quotes are ordinary text.
  std::optional<char> quote = '"';
  /// Between the digits of a number: `','` in files of many European programs.
  char decimal = '.';
  /// Fields without a value: NaN in a column of floats, and an error in one of integers or `bool`. Text stays as it is.
  std::vector<std::string> missing_values = {"", "NA", "N/A", "#N/A", "NaN", "nan", "NULL", "null", "None"};
  /// The number for a missing value, of every element type.
  std::optional<double> fill_value = {};
  /// Called by the thread that loads, now and then, with the bytes done and all bytes.
  std::function<void(std::int64_t, std::int64_t)> progress = {};
};

/// How `save_csv` writes: `{.header = {"time", "price"}}`.
struct SaveCsvOptions {
  /// The names of the columns, one for each; empty: no header.
  std::vector<std::string> header = {};
  /// Between two fields.
  char delimiter = ',';
  /// Significant digits of floats. None: the fewest from which the same number is read.
  std::optional<int> precision = {};
  /// For a NaN.
  std::string missing_value = "nan";
  /// At the end of a row: `"\r\n"` for programs that insist on it.
  std::string line_end = "\n";
};

}  // namespace situ
