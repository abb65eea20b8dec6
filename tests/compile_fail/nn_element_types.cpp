// SPDX-License-Identifier: Apache-2.0
// A batch of `double` given to a layer of `float`.
// first: (?=.*element_types_differ)(?=.*fix_call_cast)(?=.*\bdouble\b)(?=.*\bfloat\b)
#include <situ/nn.hpp>

using namespace situ;

#ifdef SITU_CONTROL
auto mistake(const Tensor<double, Cpu>& batch, nn::BatchNorm<float, Cpu>& layer) { return layer(cast<float>(batch)); }
#else
auto mistake(const Tensor<double, Cpu>& batch, nn::BatchNorm<float, Cpu>& layer) { return layer(batch); }
#endif
