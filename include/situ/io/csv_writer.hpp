// SPDX-License-Identifier: Apache-2.0
// The text of rows, and writing it to a file.
#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/io/csv_dialect.hpp>
#include <situ/io/csv_options.hpp>
#include <situ/io/names.hpp>
#include <situ/io/output_file.hpp>
#include <situ/threads/thread_pool.hpp>

namespace situ::internal::io::csv {

class Writer {
 public:
  /// Throws `ValueError` for options that do not fit together, or not the number of columns.
  Writer(const SaveCsvOptions& options, std::int64_t columns) : options_(options), columns_(columns) {
    check_bytes("save_csv", {.delimiter = options.delimiter});
    if (columns < 1) throw ValueError("save_csv: a table without columns");
    if (options.line_end != "\n" && options.line_end != "\r\n") {
      throw ValueError("save_csv: the line end is " + in_quotes(options.line_end) + R"(; "\n" or "\r\n")");
    }
    if (options.precision && (*options.precision < 1 || *options.precision > most_digits)) {
      throw ValueError("save_csv: a precision of " + std::to_string(*options.precision) + "; 1 to 50 digits");
    }
    if (options.header.empty() || std::cmp_equal(options.header.size(), columns)) return;
    throw ValueError("save_csv: the header has " + std::to_string(options.header.size()) + " names for " +
                     std::to_string(columns) + " columns");
  }

  template <class T>
  void number(std::string& line, T value) const {
    if constexpr (std::same_as<T, bool>) {
      line += value ? "true" : "false";
    } else {
      std::array<char, 64> buffer;
      char* const begin = buffer.data();
      char* const end = begin + buffer.size();
      if constexpr (std::floating_point<T>) {
        if (std::isnan(value)) return text(line, options_.missing_value);
        const auto result = options_.precision
                                ? std::to_chars(begin, end, value, std::chars_format::general, *options_.precision)
                                : std::to_chars(begin, end, value);
        line.append(begin, result.ptr);
      } else {
        line.append(begin, std::to_chars(begin, end, value).ptr);
      }
    }
  }

  /// A text, in quotes if it would be read as something else without them.
  void text(std::string& line, std::string_view text) const {
    const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
    const bool alone = text.empty() && columns_ == 1;  // a line of nothing is skipped
    const bool blanks = !text.empty() && (is_blank(text.front()) || is_blank(text.back()));
    // Bytes that at the beginning of a file mark its encoding.
    const bool mark = text.starts_with('\xef') || text.starts_with('\xfe') || text.starts_with('\xff');
    const bool special = text.find(options_.delimiter) != text.npos || text.find_first_of("\"\r\n") != text.npos;
    if (!alone && !blanks && !mark && !special) {
      line += text;
      return;
    }
    line += '"';
    for (const char c : text) line.append(c == '"' ? 2 : 1, c);
    line += '"';
  }

  /// Writes a file whose fields `field(line, row, column)` appends. Threads make the text of some rows each.
  template <class Field>
  void write(const std::filesystem::path& path, const std::vector<std::string>& header, std::int64_t rows,
             const Field& field) const {
    OutputFile file(path);
    const auto put = [&](const std::string& lines) { file.write(std::as_bytes(std::span(lines))); };
    if (!header.empty()) {
      std::string line;
      for (const std::string& name : header) {
        text(line, name);
        line += options_.delimiter;
      }
      line.pop_back();
      put(line + options_.line_end);
    }
    constexpr std::int64_t numbers_at_once = std::int64_t{1} << 14;
    const std::int64_t rows_at_once = std::max<std::int64_t>(1, numbers_at_once / columns_);
    const std::int64_t parts = (rows + rows_at_once - 1) / rows_at_once;
    std::vector<std::string> lines(static_cast<std::size_t>(std::min<std::int64_t>(parts, 4 * num_threads())));
    const auto together = static_cast<std::int64_t>(lines.size());
    for (std::int64_t first = 0; first < parts; first += together) {
      const std::int64_t end = std::min(parts, first + together);
      threads::parallel_for(
          first, end, 1,
          [&](std::int64_t from, std::int64_t to) {
            for (std::int64_t part = from; part != to; ++part) {
              std::string& into = lines[static_cast<std::size_t>(part - first)];
              into.clear();
              const std::int64_t last = std::min(rows, (part + 1) * rows_at_once);
              for (std::int64_t row = part * rows_at_once; row != last; ++row) append_row(into, row, field);
            }
          },
          1);
      for (std::int64_t part = first; part != end; ++part) put(lines[static_cast<std::size_t>(part - first)]);
    }
    file.finish();
  }

 private:
  static constexpr int most_digits = 50;

  template <class Field>
  void append_row(std::string& line, std::int64_t row, const Field& field) const {
    for (std::int64_t column = 0; column != columns_; ++column) {
      if (column != 0) line += options_.delimiter;
      field(line, row, column);
    }
    line += options_.line_end;
  }

  const SaveCsvOptions& options_;
  std::int64_t columns_;
};

}  // namespace situ::internal::io::csv
