// SPDX-License-Identifier: Apache-2.0
// The kernels of the layer, compiled by nvcc.
#include "model.hpp"

// [instance]
template situ::Tensor<float, situ::Cuda<0>> Layer<situ::Cuda<0>>::operator()(
    const situ::Tensor<float, situ::Cuda<0>>&) const;
// [instance-end]
