// SPDX-License-Identifier: Apache-2.0
// map on a GPU: a functor whose members share bytes, which nvcc and the host's compiler may put at different addresses.
// kind: a functor that compilers lay out differently
// first: (?=.*functor for a GPU must not share bytes)(?=.*no_unique_address)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/select.hpp>
#endif

using namespace situ;

struct Nothing {};
struct Scaled {
#ifndef SITU_CONTROL
  [[no_unique_address]]
#endif
  Nothing nothing;
  float scale;

  constexpr float operator()(float x) const noexcept { return scale * x; }
};

auto mistake(const Tensor<float, Cuda<0>>& x) { return map(Scaled{{}, 2}, x); }
