// SPDX-License-Identifier: Apache-2.0
// The softmax family, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::cpu {

SITU_COMPILED_PART_ROWS(template)

}  // namespace situ::internal::cpu
