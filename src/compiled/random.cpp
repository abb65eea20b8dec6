// SPDX-License-Identifier: Apache-2.0
// Random numbers and sequences, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::cpu {

SITU_COMPILED_PART_RANDOM(template)

}  // namespace situ::internal::cpu
