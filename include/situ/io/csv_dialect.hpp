// SPDX-License-Identifier: Apache-2.0
// Where records and fields of delimited text begin and end. As in RFC 4180, except that lines may also end with a lone
// LF or CR, that lines of blanks alone are skipped, and that a quote within an unquoted field is an ordinary character.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <situ/core/error.hpp>
#include <situ/io/csv_options.hpp>
#include <situ/io/names.hpp>

namespace situ::internal::io::csv {

/// A field as it is in the text.
struct Field {
  const char* begin;
  const char* end;       // of its text, without the quotes
  const char* next;      // the delimiter, line end or comment behind it
  bool quoted = false;   // then two quotes in its text mean one
  const char* why = "";  // what is wrong with it, if something is
};

/// Throws `ValueError` for bytes that cannot be told apart.
inline void check_bytes(const char* call, const CsvOptions& options) {
  const auto refuse = [&](const char* what, char c, const char* why) {
    throw ValueError(std::string(call) + ": " + what + " is " + in_quotes({&c, 1}) + ", " + why);
  };
  const auto ends_line = [](char c) { return c == '\n' || c == '\r' || c == '\0'; };
  const auto in_numbers = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '-';
  };
  const char delimiter = options.delimiter, decimal = options.decimal;
  if (ends_line(delimiter)) refuse("the delimiter", delimiter, "which ends a line");
  if (in_numbers(delimiter) || (delimiter == '.' && decimal == '.')) {
    refuse("the delimiter", delimiter, "which is a part of numbers");
  }
  if (ends_line(decimal) || in_numbers(decimal)) refuse("the decimal point", decimal, "which means something else");
  if (decimal == delimiter) {
    refuse("the decimal point", decimal, "like the delimiter; give both: {.delimiter = ';', .decimal = ','}");
  }
  for (const auto& [what, byte] : {std::pair("the quote", options.quote), std::pair("the comment", options.comment)}) {
    if (!byte) continue;
    if (ends_line(*byte)) refuse(what, *byte, "which ends a line");
    if (*byte == delimiter) refuse(what, *byte, "like the delimiter");
    if (in_numbers(*byte) || *byte == decimal) refuse(what, *byte, "which is a part of numbers");
  }
  if (options.quote && options.quote == options.comment) refuse("the comment", *options.comment, "like the quote");
}

/// The special bytes of a text, and the walk over it. A NUL byte must follow the text, which ends each walk; NUL
/// bytes within it are ordinary.
class Dialect {
 public:
  /// Throws `ValueError` for bytes that cannot be told apart.
  Dialect(const CsvOptions& options, std::string_view text)
      : delimiter(options.delimiter), decimal(options.decimal), end(text.data() + text.size()) {
    quote_ = options.quote.value_or('\0');
    comment_ = options.comment.value_or('\0');
    check_bytes("load_csv", options);
    has_quotes_ = options.quote && text.find(quote_) != text.npos;
    has_returns_ = text.find('\r') != text.npos;
    for (const char c : {delimiter, '\n', '\r', '\0'}) stop(c);
    if (options.comment) stop(comment_);
  }

  const char delimiter;
  const char decimal;
  const char* const end;

  [[nodiscard]] bool has_quotes() const noexcept { return has_quotes_; }
  [[nodiscard]] char quote() const noexcept { return quote_; }

  /// Whether an unquoted field ends here.
  [[nodiscard]] bool stops(const char* p) const noexcept {
    return stops_[static_cast<unsigned char>(*p)] && (*p != '\0' || p == end);
  }
  /// Whether a record ends here: at a line end, a comment, or the end of the text.
  [[nodiscard]] bool ends_record(const char* p) const noexcept { return stops(p) && *p != delimiter; }

  /// The end of the line, quotes or not.
  [[nodiscard]] const char* line_end(const char* p) const noexcept {
    if (!has_returns_) return find('\n', p, end);
    while (p != end && *p != '\n' && *p != '\r') ++p;  // not two searches: a file may have one of the two only
    return p;
  }
  /// The beginning of the next line.
  [[nodiscard]] const char* after_line(const char* p) const noexcept {
    p = line_end(p);
    return p == end ? p : p + (p[0] == '\r' && p[1] == '\n' ? 2 : 1);
  }
  /// The beginning of the next record: skips lines of blanks and comments.
  [[nodiscard]] const char* skip_blank(const char* p) const noexcept {
    while (p != end) {
      const char* q = p;
      while ((*q == ' ' || *q == '\t') && *q != delimiter) ++q;
      if (!ends_record(q)) return p;
      p = after_line(q);
    }
    return p;
  }
  /// The beginning of the line after a record.
  [[nodiscard]] const char* after_record(const char* p) const noexcept {
    if (!has_quotes_) return after_line(p);
    if (const char* const line = line_end(p); find(quote_, p, line) == line) return after_line(line);
    for (;;) {
      p = field(p).next;
      if (ends_record(p)) return after_line(p);
      ++p;
    }
  }
  /// The field that begins here.
  [[nodiscard]] Field field(const char* p) const noexcept {
    if (has_quotes_ && *p == quote_ && p != end) return quoted_field(p);
    const char* const begin = p;
    while (!stops(p)) ++p;
    return {.begin = begin, .end = p, .next = p};
  }
  /// The text of a field, with its doubled quotes as one.
  [[nodiscard]] std::string text(const Field& field) const {
    std::string result;
    for (const char* p = field.begin; p != field.end; ++p) {
      result += *p;
      if (field.quoted && *p == quote_ && p + 1 != field.end) ++p;
    }
    return result;
  }

 private:
  static const char* find(char c, const char* p, const char* until) noexcept {
    const void* const found = p == until ? nullptr : std::memchr(p, c, static_cast<std::size_t>(until - p));
    return found == nullptr ? until : static_cast<const char*>(found);
  }
  void stop(char c) noexcept { stops_[static_cast<unsigned char>(c)] = true; }

  [[nodiscard]] Field quoted_field(const char* p) const noexcept {
    Field field{.begin = p + 1, .end = end, .next = end, .quoted = true, .why = "the quote before it is not closed"};
    for (const char* q = field.begin; (q = find(quote_, q, end)) != end; q += 2) {
      if (q[1] == quote_ && q + 1 != end) continue;
      field.end = q;
      field.next = q + 1;
      field.why = "";
      if (!stops(field.next))
        field.why = "text follows its closing quote; a quote within a quoted field is written twice";
      while (!stops(field.next)) ++field.next;
      break;
    }
    return field;
  }

  char quote_ = '\0';
  char comment_ = '\0';
  bool has_quotes_ = false;
  bool has_returns_ = false;
  std::array<bool, 256> stops_{};
};

}  // namespace situ::internal::io::csv
