// SPDX-License-Identifier: Apache-2.0
#include "allowed.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace ptx::harness {
namespace {

[[nodiscard]] bool in_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

[[nodiscard]] std::vector<std::string_view> split(std::string_view text, std::string_view at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(at);
    parts.push_back(trimmed(text.substr(0, end)));
    if (end != std::string_view::npos) text.remove_prefix(end + at.size());
  }
  return parts;
}

/// "Exp" is a name itself, "Exp*" all that begin so.
[[nodiscard]] bool among(const Names& names, std::string_view word) {
  if (!word.ends_with('*')) return names.contains(word);
  word.remove_suffix(1);
  const auto next = names.lower_bound(word);
  return next != names.end() && next->starts_with(word);
}

class Reader {
 public:
  explicit Reader(int line) : line_(line) {}

  [[nodiscard]] Allowance row(std::string_view text) const {
    const std::vector<std::string_view> fields = split(text, " | ");
    if (fields.size() != 4) wrong("it has not four fields");
    Allowance row;
    row.line = line_;
    row.text = std::string(text);
    for (const std::string_view word : split(fields[0], " ")) {
      if (word.empty()) continue;
      if (word.starts_with('!'))
        row.unless.emplace_back(word.substr(1));
      else
        row.words.emplace_back(alternatives(word));
    }
    if (row.words.empty()) wrong("it names no kernel");
    for (const std::string_view name : split(fields[1], " ")) {
      if (name == "-" || name.empty()) continue;
      const auto found = std::ranges::find(element_types, name, &ElementType::name);
      if (found == element_types.end()) wrong("no element type is called " + std::string(name));
      row.elements.push_back(found->element);
    }
    bool any = false;
    for (const std::string_view bound : split(fields[2], ", ")) any |= add_bound(row, bound);
    if (any == row.elements.empty()) wrong("a bound of floats and an element type belong together");
    if (fields[3].empty()) wrong("it gives no reason");
    return row;
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    throw std::runtime_error("line " + std::to_string(line_) + " of the table of what may differ: " + what);
  }
  [[nodiscard]] static std::vector<std::string> alternatives(std::string_view word) {
    std::vector<std::string> found;
    for (const std::string_view one : split(word, "/")) found.emplace_back(one);
    return found;
  }
  /// Whether the bound is one of floats.
  [[nodiscard]] bool add_bound(Allowance& row, std::string_view bound) const {
    if (bound == "holes") return row.holes = true, false;
    if (bound == "missing") return row.missing = true, false;
    if (bound == "large") return row.large = true, false;
    if (bound == "signs of zero") return row.zero_signs = true;
    double number = 0;
    const auto [end, error] = std::from_chars(bound.data(), bound.data() + bound.size(), number);
    const std::string_view unit = trimmed(bound.substr(static_cast<std::size_t>(end - bound.data())));
    if (error != std::errc() || number < 0) wrong("'" + std::string(bound) + "' is no bound");
    if (unit == "ulp")
      row.ulps = number;
    else if (unit == "absolute")
      row.absolute = number;
    else if (unit == "of largest")
      row.of_largest = number;
    else
      wrong("'" + std::string(bound) + "' has another unit than ulp, absolute, of largest");
    return true;
  }

  int line_;
};

}  // namespace

Names names_in(std::string_view type) {
  Names names;
  for (std::size_t at = 0; at < type.size();) {
    std::size_t end = at;
    while (end < type.size() && in_name(type[end])) ++end;
    if (end > at) names.emplace(type.substr(at, end - at));
    at = end + 1;
  }
  return names;
}

bool Allowance::fits(const Names& kernel) const {
  const auto is_there = [&](const std::string& word) { return among(kernel, word); };
  return std::ranges::all_of(words, [&](const auto& group) { return std::ranges::any_of(group, is_there); }) &&
         std::ranges::none_of(unless, is_there);
}

bool Allowance::has(Element element) const { return std::ranges::find(elements, element) != elements.end(); }

std::vector<Allowance> read_allowed(std::string_view text) {
  std::vector<Allowance> rows;
  int number = 0;
  for (const std::string_view line : split(text, "\n")) {
    ++number;
    if (!line.empty() && !line.starts_with('#')) rows.push_back(Reader(number).row(line));
  }
  return rows;
}

std::vector<Allowance> read_allowed_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("no table of what may differ: " + file.string());
  std::stringstream text;
  text << in.rdbuf();
  return read_allowed(text.str());
}

std::vector<const Allowance*> rows_for(const std::vector<Allowance>& all, const Names& kernel) {
  std::vector<const Allowance*> found;
  for (const Allowance& row : all) {
    if (row.fits(kernel)) found.push_back(&row);
  }
  return found;
}

}  // namespace ptx::harness
