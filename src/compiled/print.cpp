// SPDX-License-Identifier: Apache-2.0
// The text of tensors, compiled once.
#include <situ/tensor/print.hpp>

namespace situ::internal {

SITU_COMPILED_FOR_ALL(SITU_COMPILED_TEXT, template)

}  // namespace situ::internal
