// SPDX-License-Identifier: Apache-2.0
// Pageable memory cannot be copied asynchronously.
// kind: a copy that cannot be asynchronous
// first[gcc]: (?=.*to_async)(?=.*pageable_memory_cannot_be_copied_asynchronously<situ::Cpu>::fix_call_dot_to<situ::Pinned>)(?=.*Cuda<1>)
// first[clang]: deleted.*to_async
// first[nvcc]: (?=.*to_async)(?=.*pageable_memory_cannot_be_copied_asynchronously<situ::Cpu>::fix_call_dot_to<situ::Pinned>)(?=.*Cuda<1>)
// within[clang]: Cuda<1>.*pageable_memory_cannot_be_copied_asynchronously<situ::Cpu>::fix_call_dot_to<situ::Pinned>
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
auto mistake(const Tensor<float, Cpu>& x) {
  return x.to<Pinned>().to_async<Cuda<1>>();
}
#else
auto mistake(const Tensor<float, Cpu>& x) {
  return x.to_async<Cuda<1>>();
}
#endif
