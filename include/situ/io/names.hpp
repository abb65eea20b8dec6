// SPDX-License-Identifier: Apache-2.0
// Names of tensors in messages: safe to print, and suggestions for a missing name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace situ::internal::io {

/// Whether a terminal may interpret this byte as a command.
[[nodiscard]] constexpr bool is_control(char c) noexcept {
  return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) == 0x7f;
}

/// Untrusted text for a message: at most `most` bytes of it, control characters as "\\x1b", and "..." if it is longer.
[[nodiscard]] inline std::string excerpt(std::string_view written, std::size_t most) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i != std::min(most, written.size()); ++i) {
    const auto c = static_cast<unsigned char>(written[i]);
    // U+0080 to U+009F, also control characters, begin with 0xc2 in UTF-8.
    const bool second_of_control = i > 0 && static_cast<unsigned char>(written[i - 1]) == 0xc2 && c >= 0x80 && c < 0xa0;
    if (is_control(written[i]) || second_of_control) text += {'\\', 'x', digits[c / 16], digits[c % 16]};
    else text += written[i];
  }
  return written.size() > most ? text + "..." : text;
}

/// A name for a message: quoted, without control characters, shortened if it is long.
[[nodiscard]] inline std::string in_quotes(std::string_view name) { return "'" + excerpt(name, 80) + "'"; }

/// The fewest characters to insert, delete or replace to turn `b` into `a` (Levenshtein distance).
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of the part of `a` seen so far to each prefix of `b`
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i != a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i + 1);
    for (std::size_t j = 0; j != b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

/// The message for a name that is not in a map: "no tensor 'wieght' among 12; near it are 'weight', 'head.weight'".
/// Near are names that differ by a few characters, or contain the name, or are contained in it; if there are none, the
/// first names are listed.
template <class Map>
[[nodiscard]] std::string missing_name(std::string_view name, const Map& map, const char* what = "tensor") {
  constexpr std::size_t most = 8, longest = 200;  // a file may have any names; keep the message readable
  std::vector<std::pair<std::size_t, std::string_view>> similar;
  for (const auto& entry : map) {
    const std::string_view other = entry.first;
    if (other.empty() || other.size() > longest || name.size() > longest) continue;
    const bool within = !name.empty() && (other.find(name) != other.npos || name.find(other) != name.npos);
    const std::size_t distance = edit_distance(name, other);
    if (within || distance <= 1 + name.size() / 4) similar.emplace_back(distance, other);
  }
  std::stable_sort(similar.begin(), similar.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string text = std::string("no ") + what + " " + in_quotes(name) + " among " + std::to_string(map.size());
  if (map.empty()) return text;
  const bool any = !similar.empty();
  if (!any) {
    for (auto entry = map.begin(); entry != map.end() && similar.size() <= most; ++entry)
      similar.emplace_back(0, entry->first);
  }
  text += any ? "; near it are " : "; there are ";
  for (std::size_t i = 0; i != std::min(most, similar.size()); ++i)
    text += (i == 0 ? "" : ", ") + in_quotes(similar[i].second);
  return similar.size() > most ? text + ", ..." : text;
}

}  // namespace situ::internal::io
