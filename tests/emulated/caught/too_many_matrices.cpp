// SPDX-License-Identifier: Apache-2.0
// A batch of more matrices than cuSOLVER takes in one call.
// sanitizer: none
// expect: cusolverDnXsyevBatched failed on cuda:0 (emulated): CUSOLVER_STATUS_INVALID_VALUE; 40000 matrices, and one call
#include "program.hpp"

#include <situ/cuda/linalg/parts.hpp>
#include <situ/emulation/solver_calls.hpp>

namespace cuda = situ::internal::cuda;
namespace solver = situ::internal::cuda::solver;

int main(int arguments, char**) {
  const cuda::Backend backend{0, cuda::current_stream(0)};
  const std::int64_t most = asked_for_mistake(arguments) ? 40000 : solver::most_matrices;
  try {
    solver::for_parts(40000, most, [&](std::int64_t, std::int64_t count) {
      solver::detail::call_batched(backend, solver::detail::syev_batched, count, 9 * sizeof(float), [] {});
    });
    check(api::stream_synchronize(cuda::stream_of(backend)));
  } catch (const situ::CudaError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
