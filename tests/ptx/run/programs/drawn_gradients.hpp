// SPDX-License-Identifier: Apache-2.0
// What the programs of expressions drawn at random do with each: its gradients for three variables.
#pragma once

#include <situ/autograd.hpp>

#include "program.hpp"

namespace ptx_programs {

inline void gradients_of(const auto& f) {
  const Variable<float, Cuda<0>> a(linspace<float>(0.5f, 1.5f, 5, gpu<0>)), b(linspace<float>(1.5f, 2.5f, 5, gpu<0>)),
      c(linspace<float>(-0.5f, 2.f, 5, gpu<0>));
  const Gradients g = backward(sum(f(a, b, c)));
}

}  // namespace ptx_programs
