// SPDX-License-Identifier: Apache-2.0
// Strided copies on GPUs, compiled once.
#include <situ/cuda/kernels/copy.hpp>
#include <situ/cuda/kernels/copy_kernels.hpp>

namespace situ::internal::cuda {

void copy_elements(const Backend& backend, const program::Operand& from, const program::Destination& to) {
  detail::copy_between(backend, from, to);
}

}  // namespace situ::internal::cuda
