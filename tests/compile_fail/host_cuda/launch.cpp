// SPDX-License-Identifier: Apache-2.0
// An expression on a GPU, in a file that the host compiler compiles. Its twin does what such a file can.
// kind: a kernel in a file of the host compiler
// first: this launches a kernel: compile this file as CUDA
// within: extern template
// lines: 120
#include <situ/situ.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Tensor<float, Cuda<0>> copied(const Tensor<float, Cuda<0>>& w) {
  return w(0, all).copy_to<Cuda<0>>();
}
#else
Tensor<float, Cuda<0>> mistake(const Tensor<float, Cuda<0>>& w) {
  return w + 1;
}
#endif
