// SPDX-License-Identifier: Apache-2.0
// An emulated GPU has no peers, nor has a machine without cuBLASLt.
#include "rows.hpp"

namespace rows {

std::function<void()> cublaslt(const Gemm&, bool) { return nullptr; }
std::function<void()> bare_launch() { return nullptr; }
void profile(const std::function<void()>& work) { work(); }

}  // namespace rows
