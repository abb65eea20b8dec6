// SPDX-License-Identifier: Apache-2.0
// A batch on the CPU given to a user's own module on a GPU, through two layers of it.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
// first[clang]: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*Tensor<float>)(?=.*Cuda<0>)
// within[clang]: fix_call_dot_to<situ::Cpu>
// lines: 20
#include <situ/nn.hpp>

using namespace situ;

template <Device D>
struct Block : nn::Module<Block<D>> {
  nn::Linear<float, D> layer;
  static constexpr auto members() { return nn::members("layer", &Block::layer); }
  template <class X>
  Variable<float, D> operator()(const X& x) const {
    return tanh(layer(x));
  }
};
template <Device D>
struct Net : nn::Module<Net<D>> {
  Block<D> first, second;
  static constexpr auto members() { return nn::members("first", &Net::first, "second", &Net::second); }
  template <class X>
  Variable<float, D> operator()(const X& x) const {
    return second(first(x));
  }
};

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& batch, const Net<Cpu>& net) { return net.to<Cuda<0>>()(batch.to<Cuda<0>>()); }
#else
auto mistake(const Tensor<float, Cpu>& batch, const Net<Cpu>& net) { return net.to<Cuda<0>>()(batch); }
#endif
