// SPDX-License-Identifier: Apache-2.0
// The addresses of the matrices of a batch, for routines that take those.
#pragma once

#include <cstdint>

#include <situ/cuda/api/backend.hpp>

namespace situ::internal::cuda::solver {

/// `out[i] = data + i * step`, with a step in bytes.
void write_addresses(const Backend& backend, void* data, std::int64_t step, std::int64_t count, void** out);

}  // namespace situ::internal::cuda::solver
