// SPDX-License-Identifier: Apache-2.0
// The number of a loss on a GPU.
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<1>)(?=.*\bCpu\b)
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
float mistake(const Variable<float, Cuda<1>>& loss) { return loss.to<Cpu>().item(); }
#else
float mistake(const Variable<float, Cuda<1>>& loss) { return loss.item(); }
#endif
