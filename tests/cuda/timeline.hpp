// SPDX-License-Identifier: Apache-2.0
// What stands in a ledger's timeline of GPUs.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>

#include <situ/ledger.hpp>

namespace cuda_test {

/// How often each name stands in the streams.
inline std::map<std::string, int> names_in_streams(const situ::MovementLedger& ledger) {
  const std::string path = "timeline_" + std::to_string(getpid()) + ".json";
  ledger.save(path);
  std::ifstream file(path);
  std::map<std::string, int> names;
  for (std::string line; std::getline(file, line);) {  // an event each
    const bool in_a_stream = line.find("\"cat\":\"copy\"") != line.npos || line.find("\"cat\":\"kernel\"") != line.npos;
    constexpr const char* before = "\"name\":\"";
    const std::size_t begin = line.find(before) + std::string(before).size();
    if (in_a_stream) ++names[line.substr(begin, line.find('"', begin) - begin)];
  }
  std::remove(path.c_str());
  return names;
}

}  // namespace cuda_test
