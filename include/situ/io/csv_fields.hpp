// SPDX-License-Identifier: Apache-2.0
// A CSV file with an index of its fields, from which columns are read.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/io/csv_chunks.hpp>
#include <situ/io/csv_number.hpp>
#include <situ/io/csv_options.hpp>
#include <situ/io/csv_source.hpp>
#include <situ/io/file_error.hpp>

namespace situ {

/// What all fields of a column can be read as.
enum class CsvType { int64, float64, boolean, text };

}  // namespace situ

namespace situ::internal::io::csv {

class Fields {
 public:
  template <class File>
  Fields(File& file, const CsvOptions& options) : source_(file, options), wanted_(source_.positions(options.columns)) {
    for (const std::size_t column : wanted_) names_.push_back(source_.names()[column]);
    const std::vector<Chunk> chunks = chunks_of(source_.dialect(), source_.data(), options.max_rows);
    rows_ = count_of_rows(chunks);
    source_.check_count(source_.data(), rows_);
    records_.resize(static_cast<std::size_t>(rows_));
    begins_.resize(static_cast<std::size_t>(rows_) * source_.columns());
    read_chunks(chunks, options.progress, [&](const Chunk& chunk) { index(chunk); });
  }

  [[nodiscard]] const std::string& name() const noexcept { return source_.name(); }
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return names_; }
  [[nodiscard]] bool is_missing(std::string_view text) const { return source_.is_missing(text); }

  /// The column of a name. Throws `IndexError`.
  [[nodiscard]] std::size_t position(std::string_view name) const {
    return source_.position_in<IndexError>(names_, name);
  }

  /// The numbers of some columns: those of a row are adjacent.
  template <CsvElement T>
  void read(const std::vector<std::size_t>& columns, std::span<T> out) const {
    const bool simple = source_.numbers_are_values();
    const Dialect& dialect = source_.dialect();
    const std::size_t width = columns.size();
    read_rows([&](std::int64_t row) {
      T* to = out.subspan(static_cast<std::size_t>(row) * width).data();
      for (const std::size_t column : columns) {
        const char* const p = begin(row, column);
        const char* const next = simple ? quick_number(p, dialect.end, dialect.decimal, *to) : nullptr;
        if (next == nullptr || !dialect.stops(next)) {
          *to = source_.number<T>(dialect.field(p), row, wanted_[column]);
        }
        ++to;
      }
    });
  }

  [[nodiscard]] std::vector<std::string> texts(std::size_t column) const {
    std::vector<std::string> result(static_cast<std::size_t>(rows_));
    read_rows([&](std::int64_t row) {
      result[static_cast<std::size_t>(row)] = source_.dialect().text(source_.dialect().field(begin(row, column)));
    });
    return result;
  }

  [[nodiscard]] CsvType type(std::size_t column) const {
    std::atomic<unsigned> all = 0;
    read_rows([&](std::int64_t row) {
      const Field field = source_.dialect().field(begin(row, column));
      const unsigned found = facts({field.begin, static_cast<std::size_t>(field.end - field.begin)});
      if ((all.load(std::memory_order_relaxed) & found) != found) all.fetch_or(found, std::memory_order_relaxed);
    });
    const unsigned facts = all.load();
    const bool gaps = (facts & missing) != 0 && !source_.options().fill_value;
    if ((facts & value) == 0) return CsvType::float64;
    if ((facts & (no_integer | digits_lost)) == 0 && !gaps) return CsvType::int64;
    if ((facts & no_integer) == 0 && !gaps && (facts & beyond_int64) == 0) return CsvType::int64;
    if ((facts & (no_number | digits_lost)) == 0) return CsvType::float64;
    if ((facts & no_boolean) == 0 && !gaps) return CsvType::boolean;
    return CsvType::text;
  }

 private:
  // What is known of the fields of a column.
  static constexpr unsigned missing = 1, value = 2, no_integer = 4, digits_lost = 8, beyond_int64 = 16, no_number = 32,
                            no_boolean = 64;

  [[nodiscard]] unsigned facts(std::string_view text) const {
    if (source_.is_missing(text)) return missing;
    unsigned found = value;
    const char decimal = source_.dialect().decimal;
    std::int64_t integer = 0;
    const Reading as_integer = number_of(text, decimal, integer);
    constexpr std::int64_t most = std::int64_t{1} << 53;
    if (as_integer == Reading::number && (integer > most || integer < -most)) found |= digits_lost;
    if (as_integer == Reading::out_of_range) found |= digits_lost | beyond_int64;
    if (as_integer == Reading::no_number) {
      double real = 0;
      found |= no_integer;
      if (number_of(text, decimal, real) != Reading::number) found |= no_number;
    }
    bool boolean = false;
    if (number_of(text, decimal, boolean) != Reading::number) found |= no_boolean;
    return found;
  }

  [[nodiscard]] const char* begin(std::int64_t row, std::size_t column) const noexcept {
    const auto record = static_cast<std::size_t>(row);
    return records_[record] + begins_[record * source_.columns() + wanted_[column]];
  }

  /// Calls `read(row)` for all rows. Rows of a range are read in order.
  template <class Read>
  void read_rows(const Read& read) const {
    constexpr std::int64_t grain = 4096;
    read_in_parallel(0, rows_, grain, [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t row = from; row != to; ++row) read(row);
    });
  }

  void index(const Chunk& chunk) {
    const Dialect& dialect = source_.dialect();
    const char* p = chunk.begin;
    for (std::int64_t row = chunk.first; row != chunk.first + chunk.rows; ++row) {
      const char* const record = p = dialect.skip_blank(p);
      records_[static_cast<std::size_t>(row)] = record;
      std::uint32_t* begins = begins_.data() + static_cast<std::size_t>(row) * source_.columns();
      for (std::size_t column = 0;; ++column, ++p) {
        if (p - record > std::int64_t{std::numeric_limits<std::uint32_t>::max()}) {
          throw FileError(FileErrorKind::unsupported, name() + ": a row of more than 4 GiB; is a quote not closed?");
        }
        begins[column] = static_cast<std::uint32_t>(p - record);
        const Field field = dialect.field(p);
        source_.check(field, row, column);
        p = field.next;
        const bool last = column + 1 == source_.columns();
        if (dialect.ends_record(p) != last) source_.fail_count(record, row);
        if (last) break;
      }
      p = dialect.after_line(p);
    }
  }

  Source source_;
  std::vector<std::size_t> wanted_;  // columns of the file
  std::vector<std::string> names_;   // of them
  std::int64_t rows_ = 0;
  std::vector<const char*> records_;
  std::vector<std::uint32_t> begins_;  // of each field, behind the beginning of its record
};

}  // namespace situ::internal::io::csv
