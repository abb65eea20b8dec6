// SPDX-License-Identifier: Apache-2.0
// A range-for over a GPU tensor.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
// first[clang]: deleted
// within: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
float mistake(const Tensor<float, Cuda<1>>& w) {
  float sum = 0;
  Tensor x = w.to<Cpu>();
  for (float v : x) sum += v;
  return sum;
}
#else
float mistake(const Tensor<float, Cuda<1>>& w) {
  float sum = 0;
  for (float v : w) sum += v;
  return sum;
}
#endif
