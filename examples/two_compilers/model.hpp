// SPDX-License-Identifier: Apache-2.0
// A layer for any device. Its computation launches kernels, which a file for the host compiler cannot; so it is a template
// that is instantiated for GPUs in model.cu, and declared `extern` here.
#pragma once

#include <situ/situ.hpp>

// [layer]
template <situ::Device D>
struct Layer {
  situ::Tensor<float, D> weight;  // (in, out)
  situ::Tensor<float, D> bias;    // (out,)

  // Neither inline nor with a return type of `auto`: then no file has to see its body.
  situ::Tensor<float, D> operator()(const situ::Tensor<float, D>& x) const;

  template <situ::Device To>
  Layer<To> to(To device) const {
    return {weight.to(device), bias.to(device)};
  }
};

template <situ::Device D>
situ::Tensor<float, D> Layer<D>::operator()(const situ::Tensor<float, D>& x) const {
  return tanh(matmul(x, weight) + bias);
}

extern template situ::Tensor<float, situ::Cuda<0>> Layer<situ::Cuda<0>>::operator()(
    const situ::Tensor<float, situ::Cuda<0>>&) const;
// [layer-end]
