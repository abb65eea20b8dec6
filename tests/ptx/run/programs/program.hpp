// SPDX-License-Identifier: Apache-2.0
// What the programs here share. They compute, and say nothing of the results: these are compared with what PTX made of
// the same.
#pragma once

#include <cstdint>

#include <situ/situ.hpp>

namespace ptx_programs {

using namespace situ;

template <class T>
using Gpu = Tensor<T, Cuda<0>>;

template <class T>
Gpu<T> normal(const Shape& shape) {
  return cast<T>(randn<float>(shape, gpu<0>));
}
template <class T>
Gpu<T> uniform(const Shape& shape) {
  return cast<T>(rand<float>(shape, gpu<0>));
}
/// Whole numbers from `first` up to below `end`.
template <class T>
Gpu<T> whole(std::int32_t first, std::int32_t end, const Shape& shape) {
  return cast<T>(randint<std::int32_t>(first, end, shape, gpu<0>));
}

/// Waits until everything has run.
inline int finish() {
  synchronize(gpu<0>);
  return 0;
}

}  // namespace ptx_programs
