// SPDX-License-Identifier: Apache-2.0
// Random numbers and sequences, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_RANDOM(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
