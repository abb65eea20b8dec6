// SPDX-License-Identifier: Apache-2.0
// A ledger as a table, the longest wait first, with suggestions.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include <situ/ledger/entry.hpp>

namespace situ::internal::ledger {

using std::chrono::nanoseconds;

/// Three digits and a unit: "1.90 s", "12.3 ms", "450 us"; "0" for none.
[[nodiscard]] inline std::string scaled(double value, const std::vector<const char*>& units) {
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f %s", digits, value, units[unit]);
  return text.data();
}
[[nodiscard]] inline std::string time_text(nanoseconds time) {
  return time.count() == 0 ? "0" : scaled(static_cast<double>(time.count()), {"ns", "us", "ms", "s"});
}
[[nodiscard]] inline std::string bytes_text(std::size_t bytes) {
  return scaled(static_cast<double>(bytes), {"B", "kB", "MB", "GB", "TB"});
}
/// "18,000".
[[nodiscard]] inline std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t digits = 3; digits < text.size(); digits += 4) text.insert(text.size() - digits, ",");
  return text;
}

/// A suggestion, if there is one: empty for what costs less than 1/20 of the time.
[[nodiscard]] inline std::string hint(const MovementEntry& entry, nanoseconds elapsed) {
  constexpr std::int64_t often = 20;
  constexpr std::size_t few_bytes = 1024;
  const bool costs = entry.waited * 20 >= elapsed;
  const std::size_t each = entry.count > 0 ? entry.bytes / static_cast<std::size_t>(entry.count) : 0;
  const bool to_host = entry.from.starts_with("cuda") && !entry.to.starts_with("cuda");
  if (entry.operation == "detaching copy" && entry.count >= often)
    return "another tensor shares what is written here: std::move it, or write before it is shared";
  if (entry.operation == "synchronize" && entry.count >= often && costs)
    return "a transfer waits anyway; synchronize only to measure times";
  if (to_host && entry.operation == "print" && entry.count >= often && costs) return "print it less often, DeviceLog";
  if (to_host && each <= few_bytes && entry.count >= often && costs) return "read it less often, DeviceLog";
  if (to_host && entry.operation != "to_async" && costs)
    return "overlap it with other work: to_async<Pinned>, and wait later";
  if (entry.from == "cpu" && entry.to.starts_with("cuda") && entry.count >= often && entry.on_device * 20 >= elapsed)
    return "copy from pinned memory, a step ahead: to_async";
  return {};
}

[[nodiscard]] inline std::string report(std::vector<MovementEntry> entries, nanoseconds elapsed) {
  std::stable_sort(entries.begin(), entries.end(), [](const MovementEntry& a, const MovementEntry& b) {
    return a.waited != b.waited ? a.waited > b.waited : a.on_device > b.on_device;
  });
  nanoseconds waited{0};
  for (const MovementEntry& entry : entries) waited += entry.waited;
  std::string text = "movement ledger: the host waited " + time_text(waited) + " of " + time_text(elapsed) + "\n";
  if (entries.empty()) return text + "  nothing moved between devices\n";

  constexpr std::size_t columns = 7;
  using Row = std::array<std::string, columns>;
  std::vector<Row> rows{{"waited", "on device", "times", "each", "way", "call", "where"}};
  for (const MovementEntry& entry : entries) {
    const auto count = static_cast<std::size_t>(std::max<std::int64_t>(entry.count, 1));
    rows.push_back({time_text(entry.waited), time_text(entry.on_device), count_text(entry.count),
                    entry.bytes == 0 ? "" : bytes_text(entry.bytes / count), entry.way(), entry.operation,
                    entry.where()});
  }
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  for (std::size_t number = 0; number < rows.size(); ++number) {
    std::string line;
    for (std::size_t i = 0; i < columns; ++i) {
      const std::string gap(widths[i] - rows[number][i].size(), ' ');
      const bool is_number = i < 4;
      line += "  " + (is_number ? gap + rows[number][i] : rows[number][i] + gap);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    if (number == 0) continue;
    const std::string what_to_do = hint(entries[number - 1], elapsed);
    if (!what_to_do.empty()) text += "    " + entries[number - 1].where() + ": " + what_to_do + "\n";
  }
  return text;
}

}  // namespace situ::internal::ledger
