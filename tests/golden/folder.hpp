// SPDX-License-Identifier: Apache-2.0
// Where the answers of other libraries lie.
#pragma once

#include <cstdlib>
#include <filesystem>

namespace golden {

/// The folder of this file. CTest names it, for with a compiler cache __FILE__ is relative to the build folder, so that clones in
/// several folders share what is compiled; a program that is run by hand from the build folder needs no name.
inline std::filesystem::path folder() {
  const char* named = std::getenv("SITU_GOLDEN_DIR");
  return named != nullptr ? std::filesystem::path(named) : std::filesystem::path(__FILE__).parent_path();
}

}  // namespace golden
