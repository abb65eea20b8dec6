// SPDX-License-Identifier: Apache-2.0
// Tensors and columns as CSV files: `save_csv`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/device/cpu.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/io/csv_number.hpp>
#include <situ/io/csv_options.hpp>
#include <situ/io/csv_writer.hpp>
#include <situ/io/names.hpp>
#include <situ/ops/structure.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// A column for `save_csv`: its name, and a tensor of shape (rows,) or texts.
class CsvColumn {
 public:
  /// A column of texts.
  CsvColumn(std::string name, std::vector<std::string> texts)
      : name_(std::move(name)), rows_(static_cast<std::int64_t>(texts.size())) {
    append_ = [texts = std::move(texts)](const Writer& writer, std::string& line, std::int64_t row) {
      writer.text(line, texts[static_cast<std::size_t>(row)]);
    };
  }
  /// A tensor on any device, or an expression. Throws `ShapeError` unless it has one axis.
  template <TensorLike X>
    requires CsvElement<value_type_t<X>>
  CsvColumn(std::string name, const X& x) : name_(std::move(name)) {
    const Tensor<value_type_t<X>, Cpu> values = contiguous(eval(x).to(Cpu{}));
    if (values.rank() != 1) {
      throw ShapeError("CsvColumn " + internal::io::in_quotes(name_) + ": a tensor of shape " +
                       values.shape().to_string() + "; a column has one axis");
    }
    rows_ = values.size();
    append_ = [values](const Writer& writer, std::string& line, std::int64_t row) {
      writer.number(line, values.span()[static_cast<std::size_t>(row)]);
    };
  }

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// The number of its values.
  [[nodiscard]] std::int64_t rows() const noexcept { return rows_; }

 private:
  using Writer = internal::io::csv::Writer;
  friend void save_csv(const std::filesystem::path& path, const std::vector<CsvColumn>& columns,
                       const SaveCsvOptions& options);

  std::string name_;
  std::int64_t rows_ = 0;
  // Appends the field of a row: a variant of all types would be compiled by all programs.
  std::function<void(const Writer&, std::string&, std::int64_t)> append_;
};

/// Writes a tensor or an expression on any device as delimited text: a matrix (rows, columns), or a vector as one
/// column. Numbers are written so that `load_csv` reads the same bits, except for those of NaN. An existing file is
/// replaced in one step, and stays unchanged if writing fails. Throws `ShapeError` for other ranks, `ValueError` for
/// options that do not fit, `FileError`.
///
///     save_csv("prices.csv", prices, {.header = {"open", "close"}});
template <TensorLike X>
  requires CsvElement<value_type_t<X>>
void save_csv(const std::filesystem::path& path, const X& x, const SaveCsvOptions& options = {}) {
  const Tensor<value_type_t<X>, Cpu> tensor = contiguous(eval(x).to(Cpu{}));
  if (tensor.rank() != 1 && tensor.rank() != 2) {
    throw ShapeError("save_csv: a tensor of shape " + tensor.shape().to_string() +
                     "; a table has rows and columns: reshape it");
  }
  const std::int64_t rows = tensor.extent(0), columns = tensor.rank() == 1 ? 1 : tensor.extent(1);
  const internal::io::csv::Writer writer(options, columns);
  const auto elements = tensor.span();
  writer.write(path, options.header, rows, [&](std::string& line, std::int64_t row, std::int64_t column) {
    writer.number(line, elements[static_cast<std::size_t>(row * columns + column)]);
  });
}

/// Writes columns of several types, whose names are the header.
///
///     save_csv("people.csv", {{"name", names}, {"age", age}});
inline void save_csv(const std::filesystem::path& path, const std::vector<CsvColumn>& columns,
                     const SaveCsvOptions& options = {}) {
  std::vector<std::string> header;
  for (const CsvColumn& column : columns) {
    header.push_back(column.name());
    if (column.rows() == columns[0].rows()) continue;
    throw ShapeError("save_csv: the column " + internal::io::in_quotes(column.name()) + " has " +
                     std::to_string(column.rows()) + " rows, and " + internal::io::in_quotes(columns[0].name()) + " " +
                     std::to_string(columns[0].rows()));
  }
  if (!options.header.empty()) throw ValueError("save_csv: the columns have names; leave out the header");
  const internal::io::csv::Writer writer(options, static_cast<std::int64_t>(columns.size()));
  const std::int64_t rows = columns.empty() ? 0 : columns[0].rows();
  writer.write(path, header, rows, [&](std::string& line, std::int64_t row, std::int64_t column) {
    columns[static_cast<std::size_t>(column)].append_(writer, line, row);
  });
}

template <TensorLike X>
  requires(!CsvElement<value_type_t<X>>)
void save_csv(a_csv_file_has_float_double_integers_and_bool::fix_cast_to_float_or_double, const X&,
              const SaveCsvOptions& = {});

}  // namespace situ
