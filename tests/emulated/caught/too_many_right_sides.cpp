// SPDX-License-Identifier: Apache-2.0
// More right-hand sides than cuBLAS has blocks for.
// sanitizer: none
// expect: cublas<t>trsmBatched failed on cuda:0 (emulated): CUBLAS_STATUS_EXECUTION_FAILED; 524281 right-hand sides, and one
#include "program.hpp"

#include <situ/cuda/linalg/parts.hpp>
#include <situ/emulation/solver_calls.hpp>

namespace cuda = situ::internal::cuda;
namespace solver = situ::internal::cuda::solver;

int main(int arguments, char**) {
  const cuda::Backend backend{0, cuda::current_stream(0)};
  const solver::Division<float> whole{.rows = 524281, .order = 2, .triangle_ld = 2, .count = 2};
  const auto divide = [&](const solver::Division<float>& x) {
    solver::detail::call_batched(backend, solver::detail::trsm_batched, x.count, x.rows, [] {});
  };
  try {
    if (asked_for_mistake(arguments))
      divide(whole);
    else
      solver::for_parts(whole, divide);
    check(api::stream_synchronize(cuda::stream_of(backend)));
  } catch (const situ::CudaError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
