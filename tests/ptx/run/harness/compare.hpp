// SPDX-License-Identifier: Apache-2.0
// What the host made of memory beside what PTX made of it, byte for byte. README.md has the rules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "../machine.hpp"
#include "allowed.hpp"

namespace ptx::harness {

/// The largest difference that a row allowed.
struct Largest {
  std::uint64_t count = 0;
  double ulps = 0;
  double host = 0;
  double ptx = 0;
};

/// A kernel, and what was seen of it.
struct Kernel {
  std::string type;  // demangled, as g++ has it
  std::string name;
  Names names;
  std::vector<const Allowance*> rows;
  std::uint64_t launches = 0;
  std::uint64_t compared_bytes = 0;
  std::uint64_t nan_bits = 0;  // of NaN that differ otherwise
  std::uint64_t zero_signs = 0;
  std::uint64_t hole_bytes = 0;  // that differ
  std::map<const Allowance*, std::map<Element, Largest>> largest;
};

/// Adds what differs and may, to the kernel; what may not, to the complaints. `host`: of the region, after the host's
/// launch.
void compare(Kernel& kernel, std::string_view where, std::span<const char> host, const Written& written,
             Complaints& complaints);

}  // namespace ptx::harness
