// SPDX-License-Identifier: Apache-2.0
// A number of another device appended to a log.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<0>)
#include <situ/situ.hpp>
#include <situ/train.hpp>

using namespace situ;

#ifdef SITU_CONTROL
void mistake(DeviceLog<float, Cuda<0>>& log, const Tensor<float, Cpu>& loss) { log.append(loss.to<Cuda<0>>()); }
#else
void mistake(DeviceLog<float, Cuda<0>>& log, const Tensor<float, Cpu>& loss) { log.append(loss); }
#endif
