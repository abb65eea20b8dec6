// SPDX-License-Identifier: Apache-2.0
// A module that does not name its buffer, which would stay behind.
// kind: a module that does not name its members
// first: members\(\) must name all data members of the module
// lines: 20
#include <situ/nn.hpp>

using namespace situ;

template <Device D>
struct Net : nn::Module<Net<D>> {
  nn::Linear<float, D> layer;
  Tensor<float, D> scale;
#ifdef SITU_CONTROL
  static constexpr auto members() { return nn::members("layer", &Net::layer, "scale", &Net::scale); }
#else
  static constexpr auto members() { return nn::members("layer", &Net::layer); }
#endif
};

Net<Cuda<1>> mistake(const Net<Cpu>& net) { return net.to<Cuda<1>>(); }
