// SPDX-License-Identifier: Apache-2.0
// Products, convolutions and poolings, compiled once.
#include <situ/cpu/compiled.hpp>

namespace situ::internal::inline SITU_SETTINGS::cpu {

SITU_COMPILED_PART_PRODUCTS(template)

}  // namespace situ::internal::inline SITU_SETTINGS::cpu
