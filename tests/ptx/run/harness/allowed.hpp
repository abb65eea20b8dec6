// SPDX-License-Identifier: Apache-2.0
// The table allowed.txt: by how much the results of which kernels may differ, and why. README.md describes its form.
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "elements.hpp"

namespace ptx::harness {

/// The names in the type of a kernel: of its class, functors and element types.
using Names = std::set<std::string, std::less<>>;
[[nodiscard]] Names names_in(std::string_view type);

/// A row of the table.
struct Allowance {
  int line = 0;
  std::string text;                             // the row as it stands
  std::vector<std::vector<std::string>> words;  // of each group one is among the kernel's names
  std::vector<std::string> unless;              // and none of these
  std::vector<Element> elements;
  double ulps = 0;
  double absolute = 0;
  double of_largest = 0;  // times the largest magnitude that the kernel stored in the same allocation
  bool zero_signs = false;
  bool holes = false;    // bytes of structs that no member has may differ
  bool missing = false;  // there is no PTX of the kernel
  bool large = false;    // launches of more blocks than are run

  [[nodiscard]] bool fits(const Names& kernel) const;
  [[nodiscard]] bool allows_floats() const { return !elements.empty(); }
  [[nodiscard]] bool has(Element element) const;
};

/// Throws std::runtime_error that names the line that is not of the form.
[[nodiscard]] std::vector<Allowance> read_allowed(std::string_view text);
[[nodiscard]] std::vector<Allowance> read_allowed_file(const std::filesystem::path& file);

/// Those that fit.
[[nodiscard]] std::vector<const Allowance*> rows_for(const std::vector<Allowance>& all, const Names& kernel);

}  // namespace ptx::harness
