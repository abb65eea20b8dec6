// SPDX-License-Identifier: Apache-2.0
// What core/profile_range.hpp uses of NVTX's header, for a test that has no CUDA toolkit: it writes down the calls.
#pragma once

#include <string>
#include <vector>

/// The names that were pushed by this thread, each with as many dots before it as there were ranges around it.
inline thread_local std::vector<std::string> nvtx_seen;
inline thread_local int nvtx_depth = 0;

inline int nvtxRangePushA(const char* name) {
  nvtx_seen.push_back(std::string(static_cast<std::size_t>(nvtx_depth), '.') + name);
  return nvtx_depth++;
}
inline int nvtxRangePop() { return --nvtx_depth; }
