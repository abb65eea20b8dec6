// SPDX-License-Identifier: Apache-2.0
// Nor into pageable memory.
// first[gcc]: (?=.*to_async)(?=.*pageable_memory_cannot_be_copied_asynchronously<situ::Cpu>::fix_call_to_async<situ::Pinned>)(?=.*Cuda<1>)
// first[clang]: deleted.*to_async
// first[nvcc]: (?=.*to_async)(?=.*pageable_memory_cannot_be_copied_asynchronously<situ::Cpu>::fix_call_to_async<situ::Pinned>)(?=.*Cuda<1>)
// within[clang]: pageable_memory_cannot_be_copied_asynchronously<situ::Cpu>::fix_call_to_async<situ::Pinned>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#include <situ/tensor/pending.hpp>
#endif
#include <utility>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return w.to_async<Pinned>();
}
#else
auto mistake(const Tensor<float, Cuda<1>>& w) {
  return w.to_async(cpu);
}
#endif
