// SPDX-License-Identifier: Apache-2.0
// Reductions and scans, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_REDUCTIONS(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
