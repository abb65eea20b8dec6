// SPDX-License-Identifier: Apache-2.0
// Sorting, and what reads and writes by indices, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_ORDER(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
