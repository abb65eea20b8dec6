// SPDX-License-Identifier: Apache-2.0
// A GPU tensor to a stream.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#include <ostream>

#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/tensor/print.hpp>
#endif

using namespace situ;

#ifdef SITU_CONTROL
void mistake(std::ostream& out, const Tensor<float, Cuda<1>>& w) {
  out << "w: " << w.to<Cpu>();
}
#else
void mistake(std::ostream& out, const Tensor<float, Cuda<1>>& w) {
  out << "w: " << w;
}
#endif
