// SPDX-License-Identifier: Apache-2.0
// A second module of the process, with pools of its own.
#include <nanobind/nanobind.h>

#include <cstdint>
#include <utility>

#include <situ/interop/python.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

Tensor<float, Cpu> kept;

}  // namespace

NB_MODULE(situ_second, m) {
  bind_tensor(m);
  m.def("in_use", [] { return memory_stats<Cpu>().in_use; });
  m.def("keep", [](Tensor<float, Cpu> x) { kept = std::move(x); });
  m.def("give_up", [] { kept = {}; });
  m.def("sum_of_kept", [] { return sum(kept).item(); });
  m.def("address_of_kept", [] { return reinterpret_cast<std::uintptr_t>(kept.data()); });
  m.def("three", [] { return full<float>({100}, 3.f); });
}
