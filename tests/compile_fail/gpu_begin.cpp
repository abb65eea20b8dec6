// SPDX-License-Identifier: Apache-2.0
// The elements of a GPU tensor as a range of iterators.
// kind: memory of a GPU, read by the host
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
// first[clang]: deleted
// within: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#include <situ/situ.hpp>

#include <vector>

using namespace situ;

#ifdef SITU_CONTROL
std::vector<float> mistake(const Tensor<float, Cuda<1>>& w) {
  Tensor x = w.to<Cpu>();
  return std::vector<float>(x.begin(), x.end());
}
#else
std::vector<float> mistake(const Tensor<float, Cuda<1>>& w) {
  return std::vector<float>(w.begin(), w.end());
}
#endif
