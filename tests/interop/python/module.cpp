// SPDX-License-Identifier: Apache-2.0
// What test_exchange.py calls: functions of every element type and of several devices.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <situ/interop/python.hpp>
#include <situ/situ.hpp>

namespace nb = nanobind;
using namespace situ;

namespace {

template <Element T>
void bind_element(nb::module_& m) {
  const std::string name(dtype_name<T>());
  m.def(("same_" + name).c_str(), [](Tensor<T, Cpu> x) { return x; });
  m.def(("copied_" + name).c_str(), [](const Tensor<T, Cpu>& x) { return x.template copy_to<Cpu>(); });
  m.def(("address_" + name).c_str(),
        [](const Tensor<T, Cpu>& x) { return reinterpret_cast<std::uintptr_t>(x.size() == 0 ? nullptr : x.data()); });
}

/// What a program keeps of an argument beyond the call.
Tensor<float, Cpu> kept;

}  // namespace

NB_MODULE(situ_exchange, m) {
  bind_tensor(m);
  bind_element<bool>(m);
  bind_element<std::uint8_t>(m);
  bind_element<std::int32_t>(m);
  bind_element<std::int64_t>(m);
  bind_element<float16>(m);
  bind_element<bfloat16>(m);
  bind_element<float>(m);
  bind_element<double>(m);
  m.def("in_use", [] { return memory_stats<Cpu>().in_use; });
  m.def("keep", [](Tensor<float, Cpu> x) { kept = std::move(x); });
  m.def("sum_of_kept", [] { return sum(kept).item(); });
  m.def("increased", [](Tensor<float, Cpu> x) {
    x += 1.f;
    return x;
  });
  m.def("zeros_or", [](const std::optional<Tensor<float, Cpu>>& x) { return x ? *x : zeros<float>({2}); },
        nb::arg("x") = nb::none());
  m.def("place", [](const Tensor<float, Cpu>&) { return "float32 on cpu"; });
  m.def("place", [](const Tensor<std::int64_t, Cpu>&) { return "int64 on cpu"; });
  m.def("place", [](const Tensor<float, Cuda<0>>&) { return "float32 on cuda:0"; });
  m.def("to_gpu", [](const Tensor<float, Cpu>& x) { return x.to<Cuda<0>>(); });
  m.def("to_second_gpu", [](const Tensor<float, Cpu>& x) { return x.to<Cuda<1>>(); });
  m.def("to_cpu", [](const Tensor<float, Cuda<0>>& x) { return x.to<Cpu>(); });
  m.def("doubled_on_gpu", [](const Tensor<float, Cuda<0>>& x) -> Tensor<float, Cuda<0>> { return x * 2.f; });
}
