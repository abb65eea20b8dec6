// SPDX-License-Identifier: Apache-2.0
// Numbers of a CSV file as one tensor: `load_csv<T>`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/io/csv_chunks.hpp>
#include <situ/io/csv_number.hpp>
#include <situ/io/csv_options.hpp>
#include <situ/io/csv_source.hpp>
#include <situ/io/file.hpp>
#include <situ/io/names.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::io::csv {

/// Reads rows of numbers: of each row the wanted columns.
template <CsvElement T>
class RowReader {
 public:
  explicit RowReader(const Source& source)
      : source_(source), wanted_(source.positions(source.options().columns)), place_(source.columns(), unwanted) {
    for (std::size_t i = 0; i != wanted_.size(); ++i) {
      std::size_t& place = place_[wanted_[i]];
      if (place != unwanted) {
        throw ValueError("load_csv: the column " + in_quotes(source.names()[wanted_[i]]) + " is asked for twice");
      }
      place = i;
    }
  }

  [[nodiscard]] std::size_t columns() const noexcept { return wanted_.size(); }

  /// Reads a record from `p` on into `out`; the position behind it.
  [[nodiscard]] const char* read(const char* p, T* out, std::int64_t row) const {
    const Dialect& dialect = source_.dialect();
    const bool simple = source_.numbers_are_values();
    const char* const record = p;
    const std::size_t last = place_.size() - 1;
    for (std::size_t column = 0;; ++column, ++p) {
      const std::size_t place = place_[column];
      T value{};
      const char* next = simple && place != unwanted ? quick_number(p, dialect.end, dialect.decimal, value) : nullptr;
      if (next == nullptr || !dialect.stops(next)) {
        const Field field = dialect.field(p);
        source_.check(field, row, column);
        if (place != unwanted) value = source_.number<T>(field, row, column);
        next = field.next;
      }
      p = next;
      if (place != unwanted) out[place] = value;
      if (dialect.ends_record(p) != (column == last)) source_.fail_count(record, row);
      if (column == last) return *p == '\n' ? p + 1 : dialect.after_line(p);
    }
  }

 private:
  static constexpr auto unwanted = static_cast<std::size_t>(-1);

  const Source& source_;
  std::vector<std::size_t> wanted_;
  std::vector<std::size_t> place_;  // in a row of the result, of each column of the file
};

template <CsvElement T, class File>
[[nodiscard]] Tensor<T, Cpu> load_tensor(File& file, const CsvOptions& options) {
  const Source source(file, options);
  const RowReader<T> reader(source);
  const std::vector<Chunk> chunks = chunks_of(source.dialect(), source.data(), options.max_rows);
  const auto columns = static_cast<std::int64_t>(reader.columns());
  source.check_count(source.data(), count_of_rows(chunks));
  Tensor<T, Cpu> result = empty<T>({count_of_rows(chunks), columns});
  {
    auto lease = result.write();
    T* const elements = lease.span().data();
    read_chunks(chunks, options.progress, [&](const Chunk& chunk) {
      const char* p = chunk.begin;
      for (std::int64_t row = chunk.first; row != chunk.first + chunk.rows; ++row) {
        p = reader.read(source.dialect().skip_blank(p), elements + row * columns, row);
      }
    });
  }
  return result;
}

}  // namespace situ::internal::io::csv

namespace situ {

/// The numbers of a file of delimited text, of shape (rows, columns), on the CPU. Threads of the library read a large
/// file together; file and tensor are in memory at the same time. Numbers are rounded correctly, and those too small
/// for `T` to 0. Throws `FileError` with line, row, column and text for a field that is not a `T`, for rows of unequal
/// length and wrong quotes; `ValueError` for options that contradict each other.
///
///     Tensor x = load_csv<float>("prices.csv", {.columns = {"open", "close"}});
template <CsvElement T>
[[nodiscard]] Tensor<T, Cpu> load_csv(const std::filesystem::path& path, const CsvOptions& options = {}) {
  internal::io::InputFile file(path);
  return internal::io::csv::load_tensor<T>(file, options);
}

/// The same from bytes in memory; `name` is their name in messages.
template <CsvElement T>
[[nodiscard]] Tensor<T, Cpu> load_csv(std::span<const std::byte> bytes, const CsvOptions& options = {},
                                      const std::string& name = "csv") {
  internal::io::InputBytes file(name, bytes);
  return internal::io::csv::load_tensor<T>(file, options);
}

template <class T>
  requires(!CsvElement<T>)
void load_csv(a_csv_file_has_float_double_integers_and_bool::fix_load_float_or_double_and_cast, const CsvOptions& = {});

}  // namespace situ
