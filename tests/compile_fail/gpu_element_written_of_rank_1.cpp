// SPDX-License-Identifier: Apache-2.0
// Writing an element of a GPU tensor of rank 1.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cuda<1>>& w) {
  Tensor x = w.to<Cpu>();
  x.at(0) = 2;
  w = x.to<Cuda<1>>();
}
#else
void mistake(Tensor<float, Cuda<1>>& w) {
  w.at(0) = 2;
}
#endif
