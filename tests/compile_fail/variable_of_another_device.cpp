// SPDX-License-Identifier: Apache-2.0
// A variable on one device made of an expression over variables on another.
// first: (?=.*\bCpu\b)(?=.*Cuda<1>)
// within: tensors_live_on_different_devices
// within: fix_call_dot_to
#include <situ/autograd.hpp>

using namespace situ;

#ifdef SITU_CONTROL
Variable<float, Cpu> mistake(const Variable<float, Cuda<1>>& w) { return (w * 2).to<Cpu>(); }
#else
Variable<float, Cpu> mistake(const Variable<float, Cuda<1>>& w) { return w * 2; }
#endif
