// SPDX-License-Identifier: Apache-2.0
// The line of README.md that does not compile, and the error that README.md shows for it.
// first[gcc]: use of deleted function .situ::tensors_live_on_different_devices<LeftDevice>::fix_call_dot_to<To>::fix_call_dot_to\(const situ::on_device<RightDevice>&\) \[with RightDevice = situ::Cuda<0>; To = situ::Cpu; LeftDevice = situ::Cpu\]
// first[clang]: conversion function from .*Cuda<0>.* to .*tensors_live_on_different_devices<Cpu>::(template )?fix_call_dot_to<Cpu>' invokes a deleted function
// first[nvcc]: tensors_live_on_different_devices<LeftDevice>::fix_call_dot_to<To>::fix_call_dot_to\(const situ::on_device<RightDevice> &\) \[with LeftDevice=situ::Cpu, To=situ::Cpu, RightDevice=situ::Cuda<0>\]
#include <situ/situ.hpp>
using namespace situ;

void program() {
  Tensor x = tensor({{0.1f, 0.2f}, {0.3f, 0.4f}});
#ifdef SITU_CONTROL
  Tensor z = x + ones<float>({2, 2}, gpu<0>).to<Cpu>();
#else
  Tensor z = x + ones<float>({2, 2}, gpu<0>);
#endif
  print(z);
}
