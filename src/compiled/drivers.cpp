// SPDX-License-Identifier: Apache-2.0
// What drives the programs of expressions, and copies, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_DRIVERS(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
