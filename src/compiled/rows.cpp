// SPDX-License-Identifier: Apache-2.0
// The softmax family, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_ROWS(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
