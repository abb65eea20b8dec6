// SPDX-License-Identifier: Apache-2.0
// A DLPack structure whose element type and device are not named.
// kind: a DLPack structure of unknown type
// first: (?=.*a_DLPack_structure_has_no_type_for_the_compiler)(?=.*fix_name_element_and_device)
#include <situ/interop/dlpack.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float, Cpu> mistake(dlpack::ManagedTensorVersioned* array) {
  return from_dlpack<float, Cpu>(array);
}
#else
auto mistake(dlpack::ManagedTensorVersioned* array) {
  return from_dlpack(array);
}
#endif
