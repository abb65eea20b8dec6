// SPDX-License-Identifier: Apache-2.0
// What test_exchange.py calls: functions of every element type and of several devices.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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
std::vector<Tensor<float, Cpu>> seen;
std::vector<Tensor<float, Cuda<0>>> seen_on_gpu;

/// A class of the program's with a tensor that Python may set.
struct Holder {
  Tensor<float, Cpu> tensor;
  Holder() = default;
  explicit Holder(Tensor<float, Cpu> x) : tensor(std::move(x)) {}
};

/// Functions that keep their arguments, in every way.
void bind_keeping(nb::module_& m) {
  m.def("see", [](const Tensor<float, Cpu>& x) { seen.push_back(x); });
  m.def("see_two", [](const Tensor<float, Cpu>& x, Tensor<float, Cpu> y) {
    seen.push_back(x);
    seen.push_back(std::move(y));
  });
  m.def("see_view", [](const Tensor<float, Cpu>& x) { seen.push_back(x(IndexRange{1, 3, 1})); });
  m.def("see_list", [](const std::vector<Tensor<float, Cpu>>& list) { seen.insert(seen.end(), list.begin(), list.end()); });
  m.def("see_pair", [](const std::pair<Tensor<float, Cpu>, Tensor<float, Cpu>>& pair) {
    seen.push_back(pair.first);
    seen.push_back(pair.second);
  });
  m.def("see_optional", [](const std::optional<Tensor<float, Cpu>>& x) { seen.push_back(*x); });
  m.def("see_and_fail", [](const Tensor<float, Cpu>& x) {
    seen.push_back(x);
    throw std::runtime_error("the function fails");
  });
  m.def("fail_by", [](const char* name) {
    const std::string_view kind = name;
    if (kind == "shape") throw ShapeError("wrong shape");
    if (kind == "value") throw ValueError("wrong value");
    if (kind == "index") throw IndexError("wrong index");
    if (kind == "floating") throw FloatingPointError("NaN");
    if (kind == "memory") throw OutOfMemory("too much", 1);
    throw InteropError("another");
  });
  m.def("see_object", [](nb::object x) { seen.push_back(nb::cast<Tensor<float, Cpu>>(x)); });
  m.def("see_objects", [](nb::list list) {
    for (const nb::handle x : list) seen.push_back(nb::cast<Tensor<float, Cpu>>(x, false));
  });
  m.def("see_first", [](const Tensor<std::int64_t, Cpu>&, int) { throw std::runtime_error("another overload"); });
  m.def("see_first", [](const Tensor<float, Cpu>& x, int) { seen.push_back(x); });
  m.def("in_numpy", [](const Tensor<float, Cpu>& x) { return nb::module_::import_("numpy").attr("from_dlpack")(nb::cast(x)); });
  m.def("reversed", [](const Tensor<float, Cpu>& x) { return flip(x, 0); });
  m.def("pair_of", [](const Tensor<float, Cpu>& x) { return std::pair(x, x); });
  m.def("take_seen", [] { return std::exchange(seen, {}); });
  m.def("see_on_gpu", [](const Tensor<float, Cuda<0>>& x) { seen_on_gpu.push_back(x); });
  m.def("take_seen_on_gpu", [] {
    std::vector<Tensor<float, Cpu>> found;
    for (const auto& x : std::exchange(seen_on_gpu, {})) found.push_back((x + 0.f).to(cpu));
    return found;
  });
  m.def("write_on_gpu", [](nb::object array, float value) {  // as a library does that owns the memory
    auto capsule = array.attr("__dlpack__")(nb::arg("max_version") = nb::make_tuple(1, 0));
    auto* const managed = static_cast<dlpack::ManagedTensorVersioned*>(
        PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
    namespace cuda = internal::cuda;
    const Tensor<float, Cuda<0>> from = full<float>({1}, value).to<Cuda<0>>();
    cuda::StreamState* const stream = cuda::current_stream(0);
    cuda::choose_device(stream->device->physical, 0);
    if (cuda::api::copy_on_device(managed->dl_tensor.data, from.element_pointer(), sizeof value, stream->stream) !=
        cuda::api::success) {
      throw std::runtime_error("the copy fails");
    }
    synchronize<Cuda<0>>();
  });
  nb::class_<Holder>(m, "Holder")
      .def(nb::init<>())
      .def(nb::init<Tensor<float, Cpu>>())
      .def_rw("tensor", &Holder::tensor)
      .def_prop_rw("by_setter", [](const Holder& h) { return h.tensor; },
                   [](Holder& h, const Tensor<float, Cpu>& x) { h.tensor = x; });
}

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
  bind_keeping(m);
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
