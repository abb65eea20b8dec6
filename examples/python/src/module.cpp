// SPDX-License-Identifier: Apache-2.0
// An operation with its gradient for Python. Compiled by nvcc with SITU_CUDA (as module.cu), `bind` is called for
// Cuda<0> as well: both are overloads of one name, and the array's device chooses.
#include <nanobind/nanobind.h>

#include <situ/interop/python.hpp>
#include <situ/situ.hpp>

namespace nb = nanobind;

namespace {

// [operation]
/// Elements squeezed smoothly into (-limit, limit).
template <situ::Device D>
situ::Tensor<float, D> soft_clip(const situ::Tensor<float, D>& x, float limit) {
  return limit * tanh(x / limit);
}

/// The gradient by x, from the result `y` and the gradient `dy` by it.
template <situ::Device D>
situ::Tensor<float, D> soft_clip_gradient(const situ::Tensor<float, D>& y, const situ::Tensor<float, D>& dy,
                                          float limit) {
  return dy * (1.f - y * y / (limit * limit));
}
// [operation-end]

// [bind]
template <situ::Device D>
void bind(nb::module_& m) {
  m.def("soft_clip", &soft_clip<D>, nb::arg("x"), nb::arg("limit"), "Elements squeezed smoothly into (-limit, limit).");
  m.def("soft_clip_gradient", &soft_clip_gradient<D>, nb::arg("y"), nb::arg("dy"), nb::arg("limit"),
        "The gradient by x, from the result y and the gradient dy by it.");
}
// [bind-end]

}  // namespace

// [module]
NB_MODULE(_native, m) {
  situ::bind_tensor(m);
  bind<situ::Cpu>(m);
#if defined(SITU_CUDA)
  bind<situ::Cuda<0>>(m);
#endif
}
// [module-end]
