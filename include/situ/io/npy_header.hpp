// SPDX-License-Identifier: Apache-2.0
// The header of a .npy file: a Python dictionary of three entries, in text. Source of the format: "NEP 1 - A simple
// file format for NumPy arrays", and numpy.lib.format. Stricter than NumPy where NumPy would accept nonsense.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/file_error.hpp>
#include <situ/io/names.hpp>

namespace situ::internal::io {

/// The contents of the header.
struct NpyHeader {
  std::string descr;  // element type: "<f4", "|b1"
  bool fortran_order = false;
  Shape shape;
};

/// The element type as .npy files write it, without the byte order: `"f4"`. NumPy has none for
/// `bfloat16` and floats of 8 bits: empty.
[[nodiscard]] constexpr std::string_view npy_type(ElementType type) noexcept {
  switch (type) {
    case ElementType::float32:
      return "f4";
    case ElementType::float64:
      return "f8";
    case ElementType::float16:
      return "f2";
    case ElementType::bfloat16:
    case ElementType::float8_e4m3fn:
    case ElementType::float8_e5m2:
      return "";
    case ElementType::int64:
      return "i8";
    case ElementType::int32:
      return "i4";
    case ElementType::uint8:
      return "u1";
    case ElementType::int8:
      return "i1";
    case ElementType::int16:
      return "i2";
    case ElementType::uint16:
      return "u2";
    case ElementType::uint32:
      return "u4";
    case ElementType::uint64:
      return "u8";
    case ElementType::complex64:
      return "c8";
    case ElementType::complex128:
      return "c16";
    case ElementType::boolean:
      break;
  }
  return "b1";
}

namespace detail {

inline constexpr std::string_view npy_magic = "\x93NUMPY";
/// As in NumPy: a longer header is an attack or an error.
inline constexpr std::size_t longest_npy_header = 10000;

/// Reads the dictionary of a header from left to right; anything unexpected is an error with its position.
class NpyDictionary {
 public:
  NpyDictionary(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  [[nodiscard]] NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false, has_order = false, has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        once(has_descr, key);
        skip_blanks();
        if (position_ < text_.size() && (text_[position_] == '[' || text_[position_] == '(')) {
          throw FileError(FileErrorKind::unsupported, file_ + ": records of several fields; save one array a field");
        }
        header.descr = string();
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = shape();
      } else {
        fail("the unknown entry " + in_quotes(key));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (position_ != text_.size()) fail("text after the dictionary");
    if (!has_descr || !has_order || !has_shape) {
      fail(std::string("no entry '") + (!has_descr ? "descr" : !has_order ? "fortran_order" : "shape") + "'");
    }
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw FileError(FileErrorKind::malformed,
                    file_ + ": the header has " + what + " at position " + std::to_string(position_));
  }
  void once(bool& seen, const std::string& key) const {
    if (seen) fail("'" + key + "' twice");
    seen = true;
  }
  void skip_blanks() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n')) ++position_;
  }
  [[nodiscard]] bool accept(char wanted) {
    skip_blanks();
    if (position_ == text_.size() || text_[position_] != wanted) return false;
    ++position_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) fail(std::string("no '") + wanted + "'");
  }
  [[nodiscard]] std::string string() {
    skip_blanks();
    if (position_ == text_.size() || (text_[position_] != '\'' && text_[position_] != '"')) fail("no quoted string");
    const char quote = text_[position_++];
    const std::size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) fail("a string without an end");
    const std::string_view content = text_.substr(position_, end - position_);
    if (content.find('\\') != std::string_view::npos) fail("an escaped character");
    position_ = end + 1;
    return std::string(content);
  }
  [[nodiscard]] bool boolean() {
    skip_blanks();
    for (const std::string_view word : {std::string_view("True"), std::string_view("False")}) {
      if (text_.substr(position_, word.size()) != word) continue;
      position_ += word.size();
      return word == "True";
    }
    fail("neither True nor False");
  }
  [[nodiscard]] std::int64_t extent() {
    skip_blanks();
    const std::size_t start = position_;
    std::int64_t value = 0;
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    for (; position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9'; ++position_) {
      const int digit = text_[position_] - '0';
      if (value > (most - digit) / 10) fail("an extent of more than 63 bits");
      value = value * 10 + digit;
    }
    if (position_ == start) fail("no extent");
    if (text_[start] == '0' && position_ > start + 1) fail("an extent that begins with 0");
    return value;
  }
  [[nodiscard]] Shape shape() {
    std::array<std::int64_t, max_rank> extents{};
    std::size_t rank = 0;
    expect('(');
    bool comma = true;
    while (!accept(')')) {
      if (!comma) fail("no ',' between extents");
      if (rank == max_rank) {
        throw FileError(FileErrorKind::unsupported,
                        file_ + ": more than " + std::to_string(max_rank) + " axes, which a tensor cannot have");
      }
      extents[rank++] = extent();
      comma = accept(',');
    }
    if (rank == 1 && !comma) fail("a number in parentheses instead of a shape");
    try {
      return Shape(std::span<const std::int64_t>(extents.data(), rank));
    } catch (const ShapeError&) {
      fail("a shape of more elements than 63 bits can count");
    }
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t position_ = 0;
};

}  // namespace detail

/// The header, and the position of the elements after it.
struct NpyPreamble {
  NpyHeader header;
  std::uint64_t data_position = 0;
};

/// Reads the header of `file` (`InputFile` or `InputBytes`). Throws `FileError`.
template <class File>
[[nodiscard]] NpyPreamble read_npy_header(File& file) {
  std::array<std::byte, 12> start{};
  if (file.size() < 10) {
    throw FileError(FileErrorKind::not_this_format, file.name() + ": " + std::to_string(file.size()) +
                                                        " bytes are not a .npy file; one begins with \\x93NUMPY");
  }
  file.read(0, std::span(start.data(), 10));
  for (std::size_t i = 0; i < detail::npy_magic.size(); ++i) {
    if (start[i] != static_cast<std::byte>(detail::npy_magic[i])) {
      throw FileError(FileErrorKind::not_this_format,
                      file.name() + ": does not begin with \\x93NUMPY, so it is not a .npy file");
    }
  }
  const int version = std::to_integer<int>(start[6]), revision = std::to_integer<int>(start[7]);
  if (version < 1 || version > 3 || revision != 0) {
    throw FileError(FileErrorKind::unsupported, file.name() + ": version " + std::to_string(version) + "." +
                                                    std::to_string(revision) +
                                                    " of the format; 1.0, 2.0 and 3.0 are known");
  }
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  file.read(8, std::span(start.data() + 8, length_bytes));
  std::uint64_t length = 0;
  for (std::size_t i = 0; i < length_bytes; ++i) length |= std::to_integer<std::uint64_t>(start[8 + i]) << (8 * i);
  if (length > detail::longest_npy_header) {
    throw FileError(FileErrorKind::malformed, file.name() + ": a header of " + std::to_string(length) +
                                                  " bytes; at most " + std::to_string(detail::longest_npy_header) +
                                                  " are read");
  }
  std::string text(static_cast<std::size_t>(length), '\0');
  file.read(8 + length_bytes, std::as_writable_bytes(std::span(text)));
  return {detail::NpyDictionary(text, file.name()).parse(), 8 + length_bytes + length};
}

/// The bytes before the elements of a row-major file, padded so that these are at a multiple of 64.
[[nodiscard]] inline std::string npy_preamble(ElementType type, const Shape& shape) {
  static_assert(std::endian::native == std::endian::little);
  std::string text = "{'descr': '" + std::string(element_size(type) == 1 ? "|" : "<") + std::string(npy_type(type)) +
                     "', 'fortran_order': False, 'shape': " + shape.to_string() + ", }";
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string bytes(detail::npy_magic);
  bytes += '\x01';
  bytes += '\0';
  bytes += static_cast<char>(text.size() & 0xff);
  bytes += static_cast<char>(text.size() >> 8);
  return bytes + text;
}

}  // namespace situ::internal::io
