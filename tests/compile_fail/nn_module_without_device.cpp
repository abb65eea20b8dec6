// SPDX-License-Identifier: Apache-2.0
// A module of one type, wherever its parameters are, inside a network that goes to a GPU.
// first: (?=.*the_type_of_this_module_does_not_name_its_device<.*Net>)(?=.*fix_make_it_template_Device_D_or_add_a_member_on)
// first[clang]: deleted.*'to'
// lines[clang]: 16
// within[clang]: the_type_of_this_module_does_not_name_its_device<.*Net>::fix_make_it_template_Device_D_or_add_a_member_on
#include <situ/nn.hpp>

using namespace situ;

#ifdef SITU_CONTROL
template <Device D = Cpu>
struct Net : nn::Module<Net<D>> {
  nn::Linear<float, D> layer;
  static constexpr auto members() { return nn::members("layer", &Net::layer); }
};
auto mistake(const nn::Sequential<Net<>, nn::ReLU>& net) { return net.to(gpu<0>); }
#else
struct Net : nn::Module<Net> {
  nn::Linear<float> layer;
  static constexpr auto members() { return nn::members("layer", &Net::layer); }
};
auto mistake(const nn::Sequential<Net, nn::ReLU>& net) { return net.to(gpu<0>); }
#endif
