// SPDX-License-Identifier: Apache-2.0
// Files of tensors, compiled once.
#include <situ/io/compiled.hpp>

namespace situ::internal::io {

SITU_COMPILED_PART_FILES(template)

}  // namespace situ::internal::io
