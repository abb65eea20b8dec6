// SPDX-License-Identifier: Apache-2.0
// A CSV file in memory, its header, and what an error says about a place in it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/io/csv_dialect.hpp>
#include <situ/io/csv_number.hpp>
#include <situ/io/csv_options.hpp>
#include <situ/io/file.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/names.hpp>

namespace situ::internal::io::csv {

/// The bytes of a file, with NUL bytes behind them.
class Text {
 public:
  template <class File>
  explicit Text(File& file) : name_(file.name()), size_(static_cast<std::size_t>(file.size())) {
    bytes_ = std::make_unique_for_overwrite<char[]>(size_ + padding);
    file.read(0, std::as_writable_bytes(std::span(bytes_.get(), size_)));
    std::fill_n(bytes_.get() + size_, padding, '\0');
    if (all().starts_with("\xff\xfe") || all().starts_with("\xfe\xff")) {
      throw FileError(FileErrorKind::unsupported, name_ + ": text in UTF-16; save it as UTF-8");
    }
    if (all().starts_with("\xef\xbb\xbf")) start_ = 3;  // the byte order mark of UTF-8
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Without a byte order mark.
  [[nodiscard]] std::string_view text() const noexcept { return all().substr(start_); }

 private:
  [[nodiscard]] std::string_view all() const noexcept { return {bytes_.get(), size_}; }

  std::string name_;
  std::size_t size_;
  std::size_t start_ = 0;
  std::unique_ptr<char[]> bytes_;
};

/// A text of which the header has been read. Neither copied nor moved: the dialect points into the text.
class Source {
 public:
  template <class File>
  Source(File& file, const CsvOptions& options)
      : text_(file), options_(options), dialect_(options, text_.text()), data_(text_.text().data()) {
    options_.progress = {};  // of this call alone
    if (options_.skip_rows < 0 || options_.max_rows.value_or(0) < 0) {
      throw ValueError("load_csv: skip_rows and max_rows must not be negative");
    }
    for (std::int64_t i = 0; i < options_.skip_rows && data_ != dialect_.end; ++i) data_ = dialect_.after_line(data_);
    data_ = dialect_.skip_blank(data_);
    if (data_ == dialect_.end) throw FileError(FileErrorKind::malformed, name() + ": has no row");
    read_header();
    numbers_for_missing_ = std::any_of(options_.missing_values.begin(), options_.missing_values.end(),
                                       [](auto& text) { return text.find_first_of("0123456789") != text.npos; });
  }
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return text_.name(); }
  [[nodiscard]] std::string_view text() const noexcept { return text_.text(); }
  [[nodiscard]] const Dialect& dialect() const noexcept { return dialect_; }
  [[nodiscard]] const CsvOptions& options() const noexcept { return options_; }
  /// Of the columns of the file.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] std::size_t columns() const noexcept { return names_.size(); }
  /// The beginning of the first row after the header.
  [[nodiscard]] const char* data() const noexcept { return data_; }

  /// The columns of the names, or all. Throws `FileError` for a missing or an ambiguous name.
  [[nodiscard]] std::vector<std::size_t> positions(const std::vector<std::string>& wanted) const {
    std::vector<std::size_t> found;
    for (const std::string& name : wanted) found.push_back(position_in<FileError>(names_, name));
    if (wanted.empty()) {
      for (std::size_t i = 0; i != columns(); ++i) found.push_back(i);
    }
    return found;
  }
  /// The column of a name among some. Throws an error `E` for a missing or an ambiguous name.
  template <class E>
  [[nodiscard]] std::size_t position_in(const std::vector<std::string>& names, std::string_view wanted) const {
    const auto first = std::find(names.begin(), names.end(), wanted);
    if (first == names.end()) {
      std::vector<std::pair<std::string_view, int>> entries;
      for (const std::string& one : names) entries.emplace_back(one, 0);
      refuse<E>(missing_name(wanted, entries, "column"));
    }
    const auto second = std::find(first + 1, names.end(), wanted);
    if (second != names.end()) {
      refuse<E>("the columns " + std::to_string(first - names.begin()) + " and " +
                std::to_string(second - names.begin()) + " have the name " + in_quotes(wanted) +
                "; read all as a table, and name this one by its number");
    }
    return static_cast<std::size_t>(first - names.begin());
  }

  [[nodiscard]] bool is_missing(std::string_view text) const {
    const auto& values = options_.missing_values;
    return std::find(values.begin(), values.end(), without_blanks(text)) != values.end();
  }
  /// Whether a number can be read before the field is compared with the missing values.
  [[nodiscard]] bool numbers_are_values() const noexcept { return !numbers_for_missing_; }

  /// The number in a field of a row and a column. Throws `FileError`.
  template <CsvElement T>
  [[nodiscard]] T number(const Field& field, std::int64_t row, std::size_t column) const {
    const std::string_view written(field.begin, static_cast<std::size_t>(field.end - field.begin));
    if (is_missing(written)) return missing<T>(field, row, column);
    T value{};
    const Reading reading = number_of(written, dialect_.decimal, value);
    if (reading == Reading::number) return value;
    const std::string type(dtype_name<T>());
    if (reading == Reading::out_of_range) {
      fail(FileErrorKind::wrong_element_type, field, row, column,
           shown(written) + " is out of the range of " + type + "; read the column as " +
               (std::is_floating_point_v<T> ? "double or text" : "a larger type, double or text"));
    }
    fail(FileErrorKind::wrong_element_type, field, row, column,
         shown(written) + " is not of type " + type + hint<T>(written, row));
  }

  /// Throws `FileError` about a field.
  [[noreturn]] void fail(FileErrorKind kind, const Field& field, std::int64_t row, std::size_t column,
                         const std::string& what) const {
    throw FileError(kind, at(field.begin, row) + ", column " + in_quotes(names_[column]) + ": " + what);
  }
  /// Throws `FileError` about the quotes of a field, if they are wrong.
  void check(const Field& field, std::int64_t row, std::size_t column) const {
    if (*field.why == '\0') return;
    const auto size = static_cast<std::size_t>(field.end - field.begin);
    const std::string what = shown({field.begin, size}) + ": " + field.why;
    if (column < columns()) fail(FileErrorKind::malformed, field, row, column, what);
    throw FileError(FileErrorKind::malformed, at(field.begin, row) + ": " + what);
  }
  /// Throws `FileError` if so many rows from `p` on cannot have all fields, for each field but the last is followed by
  /// a delimiter: before memory is taken for fields that are not there.
  void check_count(const char* p, std::int64_t rows) const {
    if (rows == 0 || static_cast<std::int64_t>(columns()) - 1 <= (dialect_.end - p) / rows) return;
    for (std::int64_t row = 0; row != rows; ++row) {
      const char* const record = p = dialect_.skip_blank(p);
      std::size_t count = 1;
      for (;; ++p, ++count) {
        p = dialect_.field(p).next;
        if (dialect_.ends_record(p)) break;
      }
      if (count != columns()) fail_count(record, row);
      p = dialect_.after_line(p);
    }
  }
  /// Throws `FileError` about a row with more or fewer fields than the header, or the first row.
  [[noreturn]] void fail_count(const char* record, std::int64_t row) const {
    std::size_t count = 0;
    for (const char* p = record;; ++p) {
      const Field field = dialect_.field(p);
      check(field, row, count++);
      p = field.next;
      if (dialect_.ends_record(p)) break;
    }
    throw FileError(FileErrorKind::malformed, at(record, row) + ": " + std::to_string(count) + " fields, but the " +
                                                  (named_ ? "header has " : "first row has ") +
                                                  std::to_string(columns()) + hint_of_delimiter());
  }

 private:
  template <class E>
  [[noreturn]] void refuse(const std::string& what) const {
    if constexpr (std::is_same_v<E, FileError>) throw FileError(FileErrorKind::wrong_entries, name() + ": " + what);
    else throw E(name() + ": " + what);
  }

  void read_header() {
    const Dialect& dialect = dialect_;
    std::vector<std::string> fields;
    bool any_number = false, any_text = false;
    const char* p = data_;
    for (;; ++p) {
      const Field field = dialect.field(p);
      if (*field.why != '\0') {
        throw FileError(FileErrorKind::malformed, at(field.begin, -1) + ": a field with wrong quotes: " + field.why);
      }
      std::string text = dialect.text(field);
      double value = 0;
      if (!field.quoted) text = without_blanks(text);
      any_text = any_text || !text.empty();
      any_number = any_number || number_of(text, dialect.decimal, value) != Reading::no_number;
      fields.push_back(std::move(text));
      p = field.next;
      if (dialect.ends_record(p)) break;
    }
    named_ = options_.header.value_or(any_text && !any_number);
    if (named_) {
      names_ = std::move(fields);
      data_ = dialect.after_line(p);
    } else {
      for (std::size_t i = 0; i != fields.size(); ++i) names_.push_back(std::to_string(i));
    }
  }

  template <class T>
  [[nodiscard]] T missing(const Field& field, std::int64_t row, std::size_t column) const {
    if (options_.fill_value) {
      const double fill = *options_.fill_value;
      if constexpr (std::is_floating_point_v<T>) return static_cast<T>(fill);
      else {
        // The limits as doubles, the upper one rounded up: it is excluded.
        const double low = static_cast<double>(std::numeric_limits<T>::min());
        const double high = std::ldexp(1.0, std::numeric_limits<T>::digits);
        if (fill >= low && fill < high && fill == std::floor(fill)) return static_cast<T>(fill);
        throw ValueError("load_csv: the fill_value " + std::to_string(fill) + " is not a " +
                         std::string(dtype_name<T>()));
      }
    }
    if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::quiet_NaN();
    fail(FileErrorKind::wrong_element_type, field, row, column,
         "a missing value, which " + std::string(dtype_name<T>()) +
             " cannot represent; give a fill_value, or read floats");
  }

  /// "prices.csv: line 4 (row 2)": the line as an editor counts it, the row as the tensor does.
  [[nodiscard]] std::string at(const char* place, std::int64_t row) const {
    std::int64_t line = 1;
    const char* p = text().data();
    for (const char* next = dialect_.after_line(p); next <= place && next != p && next != dialect_.end;
         p = next, next = dialect_.after_line(p)) {
      ++line;
    }
    return name() + ": line " + std::to_string(line) + (row < 0 ? "" : " (row " + std::to_string(row) + ")");
  }
  /// Untrusted text of any length.
  [[nodiscard]] static std::string shown(std::string_view text) { return "'" + excerpt(text, 40) + "'"; }

  template <class T>
  [[nodiscard]] std::string hint(std::string_view written, std::int64_t row) const {
    double value = 0;
    if (row == 0 && !named_) return "; if the first row has the names of the columns: {.header = true}";
    if (dialect_.decimal == '.' && number_of(written, ',', value) == Reading::number) {
      return "; if the comma is a decimal point: {.decimal = ','}";
    }
    if (!std::is_floating_point_v<T> && number_of(written, dialect_.decimal, value) == Reading::number) {
      return "; read the column as float or double";
    }
    return "; read the column as text, leave it out, or add this to missing_values";
  }
  [[nodiscard]] const char* hint_of_delimiter() const { return columns() == 1 ? "; is the delimiter right?" : ""; }

  Text text_;
  CsvOptions options_;
  Dialect dialect_;
  const char* data_;
  std::vector<std::string> names_;
  bool named_ = false;
  bool numbers_for_missing_ = false;
};

}  // namespace situ::internal::io::csv
