// SPDX-License-Identifier: Apache-2.0
// No class may have another layout in a file that nvcc compiles than in one that the host compiler does: a program has both.
#define SITU_TEST_COMPILER host
#include "layouts.hpp"

#include <doctest/doctest.h>

namespace layouts::nvcc {
std::vector<Entry> found();
}

TEST_CASE("classes have one layout under both compilers") {
  const std::vector<layouts::Entry> host = layouts::host::found();
  const std::vector<layouts::Entry> nvcc = layouts::nvcc::found();
  REQUIRE(host.size() == nvcc.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    CAPTURE(host[i].name);
    CHECK(host[i].size == nvcc[i].size);
    CHECK(host[i].alignment == nvcc[i].alignment);
  }
}
