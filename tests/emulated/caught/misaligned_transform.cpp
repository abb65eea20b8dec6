// SPDX-License-Identifier: Apache-2.0
// Real numbers that begin at an odd element are transformed where they lie: cuFFT refuses them.
// sanitizer: none
// expect: cuFFT failed on cuda:0 (emulated): error 4 of cuFFT; the operand begins 4 bytes after a multiple of 8
#include "program.hpp"

#include <situ/cuda/fft/library.hpp>
#include <situ/cuda/runtime/stream.hpp>

namespace cuda = situ::internal::cuda;

int main(int arguments, char**) {
  const cuda::Backend backend{0, cuda::current_stream(0)};
  const api::Stream stream = cuda::stream_of(backend);
  auto* const x = allocate<float>(10, stream);
  auto* const spectrum = allocate<float>(10, stream);
  check(api::set_bytes(x, 0, 10 * sizeof(float), stream));
  try {
    cuda::fft::transform_rows<float>(backend, {.kind = situ::internal::program::FourierKind::real, .length = 8},
                                     x + (asked_for_mistake(arguments) ? 1 : 2), spectrum);
    check(api::stream_synchronize(stream));
  } catch (const situ::CudaError& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
