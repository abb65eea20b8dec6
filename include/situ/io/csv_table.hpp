// SPDX-License-Identifier: Apache-2.0
// A CSV file with columns of several types: `load_csv` and `CsvTable`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/io/csv_chunks.hpp>
#include <situ/io/csv_fields.hpp>
#include <situ/io/csv_number.hpp>
#include <situ/io/csv_options.hpp>
#include <situ/io/csv_source.hpp>
#include <situ/io/file.hpp>
#include <situ/ops/creation.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// A column of texts as numbers: `names[codes[i]]` is the text of row `i`, and -1 the code of a missing value. The names
/// are sorted.
struct CsvCategories {
  Tensor<std::int64_t, Cpu> codes;
  std::vector<std::string> names;
};

/// The rows of a CSV file. It keeps the text and where its fields begin; a column is read when it is asked for, as the
/// type that is named. Copies share the text.
///
///     CsvTable table = load_csv("people.csv");
///     Tensor age = table.column<std::int64_t>("age");
///     std::vector<std::string> name = table.column<std::string>("name");
///     Tensor x = table.to_tensor<float>({"age", "height"});      // of shape (rows, 2)
class CsvTable {
 public:
  explicit CsvTable(std::shared_ptr<const internal::io::csv::Fields> fields) : fields_(std::move(fields)) {}

  /// How many rows and columns it has.
  [[nodiscard]] std::int64_t rows() const noexcept { return fields_->rows(); }
  [[nodiscard]] std::int64_t columns() const noexcept { return static_cast<std::int64_t>(names().size()); }
  /// The names of the columns; "0", "1", ... without a header.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return fields_->names(); }

  /// What a column can be read as: integers if all fields are, floats if all are numbers (or missing), `bool` if all are
  /// `true` or `false`, otherwise text. Integers that a `double` does not represent are text beside missing values or
  /// fractions, so account numbers keep their digits.
  template <class Column>
  [[nodiscard]] CsvType type(const Column& column) const {
    return fields_->type(position(column));
  }

  /// A column, by its name or its number: a `Tensor<T>` of shape (rows,), or of `std::string` a vector. Throws
  /// `IndexError` if there is no such column, and `FileError` for a field that is not a `T`. Text stays as it is, also
  /// that of missing values.
  template <CsvElement T, class Column>
  [[nodiscard]] Tensor<T, Cpu> column(const Column& column) const {
    return read<T>({position(column)}, {rows()});
  }
  template <std::same_as<std::string> T, class Column>
  [[nodiscard]] std::vector<std::string> column(const Column& column) const {
    return fields_->texts(position(column));
  }

  /// Columns of numbers, of shape (rows, columns): those of the names, or all. Throws as `column`.
  template <CsvElement T>
  [[nodiscard]] Tensor<T, Cpu> to_tensor(const std::vector<std::string>& columns = {}) const {
    std::vector<std::size_t> wanted;
    for (const std::string& name : columns.empty() ? names() : columns) {
      wanted.push_back(columns.empty() ? wanted.size() : position(name));
    }
    return read<T>(wanted, {rows(), static_cast<std::int64_t>(wanted.size())});
  }

  /// A column of texts as numbers of its different texts. Throws `IndexError` if there is no such column.
  template <class Column>
  [[nodiscard]] CsvCategories categories(const Column& column) const {
    const std::size_t place = position(column);
    const std::vector<std::string> texts = fields_->texts(place);
    std::vector<std::string> names = texts;
    std::erase_if(names, [&](const std::string& text) { return fields_->is_missing(text); });
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    Tensor<std::int64_t, Cpu> codes = empty<std::int64_t>({rows()});
    {
      auto lease = codes.write();
      for (std::size_t i = 0; i != texts.size(); ++i) {
        const auto found = std::lower_bound(names.begin(), names.end(), texts[i]);
        lease.span()[i] = fields_->is_missing(texts[i]) ? -1 : found - names.begin();
      }
    }
    return {std::move(codes), std::move(names)};
  }

 private:
  template <class T>
  [[nodiscard]] Tensor<T, Cpu> read(const std::vector<std::size_t>& columns, const Shape& shape) const {
    Tensor<T, Cpu> result = empty<T>(shape);
    {
      auto lease = result.write();
      fields_->read(columns, lease.span());
    }
    return result;
  }
  [[nodiscard]] std::size_t position(std::integral auto column) const {
    if (std::cmp_less(column, 0) || std::cmp_greater_equal(column, columns())) {
      throw IndexError(fields_->name() + ": column " + std::to_string(column) + " of " + std::to_string(columns()));
    }
    return static_cast<std::size_t>(column);
  }
  [[nodiscard]] std::size_t position(std::string_view column) const { return fields_->position(column); }

  std::shared_ptr<const internal::io::csv::Fields> fields_;
};

/// A file of delimited text as a table. Throws as `load_csv<T>`, except that fields are read as numbers later.
///
///     CsvTable table = load_csv("people.csv", {.delimiter = ';'});
[[nodiscard]] inline CsvTable load_csv(const std::filesystem::path& path, const CsvOptions& options = {}) {
  internal::io::InputFile file(path);
  return CsvTable(std::make_shared<const internal::io::csv::Fields>(file, options));
}

/// The same from bytes in memory; `name` is their name in messages.
[[nodiscard]] inline CsvTable load_csv(std::span<const std::byte> bytes, const CsvOptions& options = {},
                                       const std::string& name = "csv") {
  internal::io::InputBytes file(name, bytes);
  return CsvTable(std::make_shared<const internal::io::csv::Fields>(file, options));
}

}  // namespace situ
