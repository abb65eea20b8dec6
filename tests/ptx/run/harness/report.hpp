// SPDX-License-Identifier: Apache-2.0
// What a program's run from PTX showed, as JSON for stage.py.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "compare.hpp"

namespace ptx::harness {

/// A kernel that was launched and did not run from PTX.
struct NotRun {
  std::string name;
  std::uint64_t launches = 0;
  const Allowance* excuse = nullptr;
};

struct Report {
  std::uint64_t launches = 0;
  std::uint64_t compared = 0;
  std::uint64_t failed_on_host = 0;
  std::uint64_t blocks = 0;
  std::uint64_t instructions = 0;
  double seconds = 0;
  std::map<std::string, Kernel> kernels;  // by type
  std::map<std::string, NotRun> missing;
  std::map<std::string, NotRun> large;
  Complaints complaints;
};

void write(std::ostream& out, const Report& report, std::size_t entries);

}  // namespace ptx::harness
