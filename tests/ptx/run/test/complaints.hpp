// SPDX-License-Identifier: Apache-2.0
// A body of PTX with one fault, and a twin without it.
#pragma once

#include <string>

#include "harness.hpp"

namespace ptx::test {

inline void fault(const char* kind, const std::string& faulty, const std::string& twin, const Setting& setting = {}) {
  INFO(kind << ": " << faulty);
  run_body(faulty, setting).complains(kind);
  INFO("its twin: " << twin);
  run_body(twin, setting).is_clean();
}

/// %rd1 is the address of a word of %out for each thread, and %rd2 of %in.
inline const std::string own_words = "mul.wide.u32 %rd0, %i, 4; add.s64 %rd1, %out, %rd0; add.s64 %rd2, %in, %rd0;";

}  // namespace ptx::test
