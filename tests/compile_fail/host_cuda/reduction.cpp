// SPDX-License-Identifier: Apache-2.0
// A reduction on a GPU, in a file that the host compiler compiles; the twin leaves it to a file for nvcc.
// first: this launches a kernel: compile this file as CUDA
// within: extern template
// lines: 200
// alone: an explicit instantiation must stand in the namespace of its template
#include <situ/situ.hpp>

using namespace situ;

template <Device D>
float total(const Tensor<float, D>& w) {
  return sum(w).to(Cpu{}).item();
}

#ifdef SITU_CONTROL
extern template float total<Cuda<0>>(const Tensor<float, Cuda<0>>&);
#endif

float mistake(const Tensor<float, Cuda<0>>& w) {
  return total(w);
}
