// SPDX-License-Identifier: Apache-2.0
// For libFuzzer: whatever the bytes are, reading them as a CSV file gives a table or a `FileError`; cut anywhere, the
// same; and what is written is read again. The first bytes choose the options. See docs/decisions/fuzzing.md.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

#include <situ/csv.hpp>
#include <situ/io/file_sync.hpp>

#include "reader.hpp"

namespace {

using Bytes = std::span<const std::byte>;

situ::CsvOptions options_of(std::uint8_t choice) {
  situ::CsvOptions options;
  if (choice & 1) options.delimiter = choice & 2 ? ';' : '\t';
  if (choice & 4) options.header = (choice & 2) != 0;
  if (choice & 8) options.comment = '#';
  if (choice & 16) options.quote = choice & 32 ? std::optional('\'') : std::nullopt;
  if (choice & 64) options.fill_value = 1;
  if ((choice & 3) == 3) options.decimal = ',';
  if (choice & 128) options.max_rows = choice & 31;
  return options;
}

/// What a reader gives, or the text of its error.
template <class Read>
std::string outcome(std::int64_t chunk, std::size_t size, const Read& read) {
  situ::internal::io::csv::chunk_bytes = chunk;
  std::string result;
  fuzz::read_within(size, [&] {
    try {
      result = read();
    } catch (const situ::FileError& error) {
      result = error.what();
      throw;
    }
  });
  situ::internal::io::csv::chunk_bytes = std::int64_t{1} << 20;
  return result;
}

template <class T>
std::string bytes_of(const situ::Tensor<T>& x) {
  const auto elements = std::as_bytes(x.span());
  return x.shape().to_string() + std::string(reinterpret_cast<const char*>(elements.data()), elements.size());
}

/// Tensors are the same wherever the text is cut.
template <class T>
void read_numbers(Bytes bytes, const situ::CsvOptions& options) {
  const auto read = [&] { return bytes_of(situ::load_csv<T>(bytes, options)); };
  // A field of no byte and its delimiter become an element.
  const std::size_t size = sizeof(T) * bytes.size();
  const std::string whole = outcome(std::int64_t{1} << 20, size, read);
  fuzz::require(outcome(3, size, read) == whole, "cut every 3 bytes, another tensor");
  fuzz::require(outcome(64, size, read) == whole, "cut every 64 bytes, another tensor");
}

/// All fields as text, by `column`; the tensors of its numbers are those of `load_csv`.
void read_table(Bytes bytes, const situ::CsvOptions& options) {
  std::vector<situ::CsvColumn> columns;
  std::vector<std::vector<std::string>> texts_of;
  const auto read = [&] {
    std::string all;
    columns.clear();
    texts_of.clear();
    const situ::CsvTable table = situ::load_csv(bytes, options);
    for (std::int64_t i = 0; i < table.columns(); ++i) {
      const std::vector<std::string> texts = table.column<std::string>(i);
      all += table.names()[static_cast<std::size_t>(i)] + '\1' + std::to_string(static_cast<int>(table.type(i)));
      for (const std::string& text : texts) all += '\2' + text;
      columns.emplace_back(table.names()[static_cast<std::size_t>(i)], texts);
      texts_of.push_back(texts);
      if (table.type(i) == situ::CsvType::float64) static_cast<void>(table.column<double>(i));
      if (table.type(i) == situ::CsvType::int64) static_cast<void>(table.column<std::int64_t>(i));
      if (table.type(i) == situ::CsvType::boolean) static_cast<void>(table.column<bool>(i));
      const situ::CsvCategories categories = table.categories(i);
      for (const std::string& name : categories.names) all += '\3' + name;
    }
    return all;
  };
  const std::size_t size = 64 * (bytes.size() + 1);  // of columns one after the other, with blocks of their own
  const std::string cut = outcome(2, size, read);
  fuzz::require(outcome(std::int64_t{1} << 20, size, read) == cut, "cut every 2 bytes, another table");
  if (columns.empty()) return;
  // Written and read again: names and texts are the same.
  const std::filesystem::path path = std::filesystem::temp_directory_path() / ("situ_fuzz_" + std::to_string(::getpid()) + ".csv");
  const situ::NoFileSync fast;
  situ::save_csv(path, columns);
  const situ::CsvTable again = situ::load_csv(path, {.header = true});
  std::filesystem::remove(path);
  fuzz::require(again.rows() == columns[0].rows() && again.columns() == static_cast<std::int64_t>(columns.size()), "another shape");
  for (std::size_t i = 0; i != columns.size(); ++i) {
    fuzz::require(again.names()[i] == columns[i].name(), "another name");
    fuzz::require(again.column<std::string>(static_cast<std::int64_t>(i)) == texts_of[i], "another text");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Bytes bytes = std::as_bytes(std::span(data + 1, size - 1));
  const situ::CsvOptions options = options_of(data[0]);
  read_numbers<float>(bytes, options);
  read_numbers<double>(bytes, options);
  read_numbers<std::int32_t>(bytes, options);
  read_numbers<bool>(bytes, options);
  read_table(bytes, options);
  return 0;
}
