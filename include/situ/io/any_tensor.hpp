// SPDX-License-Identifier: Apache-2.0
// `AnyTensor<D>`: a tensor whose element type is known only at run time, and maps of them: the contents of a file of
// tensors when no module prescribes them.
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include <situ/complex.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/expression/evaluate.hpp>
#include <situ/io/element_type.hpp>
#include <situ/io/names.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ {

/// A tensor on device `D` of any element type. A tensor converts to it; `get<T>()` returns it.
///
///     AnyTensor any = load("net.safetensors").at("0.weight");
///     Tensor weight = any.get<float>();                 // Tensor<float, Cpu>
template <Device D = Cpu>
class AnyTensor {
 public:
  using device_type = D;

  /// An empty tensor of float32, of shape (0,).
  AnyTensor() = default;
  template <Element T>
  AnyTensor(Tensor<T, D> tensor) : tensor_(std::move(tensor)) {}
  /// The value of an expression, or of the part that a slot refers to.
  template <TensorLike E>
    requires(!TensorType<E> && !Recorded<E> && std::same_as<device_t<E>, D>)
  AnyTensor(const E& expression) : AnyTensor(eval(expression)) {}

  /// The element type of the tensor it holds.
  [[nodiscard]] ElementType type() const {
    return visit([]<class T>(const Tensor<T, D>&) { return element_type<T>(); });
  }
  /// The element type as NumPy and PyTorch spell it: `"float32"`.
  [[nodiscard]] std::string_view dtype() const { return dtype_name(type()); }
  [[nodiscard]] const Shape& shape() const {
    return visit([](const auto& tensor) -> const Shape& { return tensor.shape(); });
  }
  [[nodiscard]] std::int64_t size() const { return shape().count(); }

  /// Whether it holds a `Tensor<T, D>`.
  template <Element T>
  [[nodiscard]] bool holds() const noexcept {
    return std::holds_alternative<Tensor<T, D>>(tensor_);
  }
  /// The tensor. Throws `ValueError` unless its elements are of type `T`: it does not convert, so cast the result.
  template <Element T>
  [[nodiscard]] const Tensor<T, D>& get() const {
    if (const auto* tensor = std::get_if<Tensor<T, D>>(&tensor_)) return *tensor;
    throw ValueError("the tensor of shape " + shape().to_string() + " has elements of type " + std::string(dtype()) +
                     ", not " + std::string(dtype_name<T>()) + "; name the type that it has, and cast the tensor");
  }
  /// The same where the type is written: `Tensor<float, Cpu> w = file.at("w")`.
  template <Element T>
  operator Tensor<T, D>() const {
    return get<T>();
  }
  /// Calls `f` with the `Tensor<T, D>`.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return std::visit(std::forward<F>(f), tensor_);
  }

  /// The tensor on device `To`, see `Tensor::to`.
  template <Device To>
  [[nodiscard]] AnyTensor<To> to(To = {}, CallSite site = CallSite::here()) const {
    return visit([&](const auto& tensor) { return AnyTensor<To>(tensor.to(To{}, site)); });
  }

 private:
  std::variant<Tensor<float, D>, Tensor<double, D>, Tensor<float16, D>, Tensor<bfloat16, D>, Tensor<std::int64_t, D>,
               Tensor<std::int32_t, D>, Tensor<std::uint8_t, D>, Tensor<bool, D>, Tensor<std::int8_t, D>,
               Tensor<std::int16_t, D>, Tensor<std::uint16_t, D>, Tensor<std::uint32_t, D>, Tensor<std::uint64_t, D>,
               Tensor<float8_e4m3fn, D>, Tensor<float8_e5m2, D>, Tensor<std::complex<float>, D>,
               Tensor<std::complex<double>, D>>
      tensor_;
};

template <Element T, Device D>
AnyTensor(Tensor<T, D>) -> AnyTensor<D>;

template <Device D>
struct NamedTensors;

/// `tensors["x"]` on a non-const map. A read yields the tensor of this name, or throws `IndexError` if there is none;
/// an assignment stores the tensor under this name. Must not outlive the map.
template <Device D>
class NamedTensor {
 public:
  NamedTensor(const NamedTensor&) = delete;
  NamedTensor& operator=(AnyTensor<D> tensor) {
    tensors_.insert_or_assign(name_, std::move(tensor));
    return *this;
  }
  NamedTensor& operator=(const NamedTensor& other) { return *this = other.tensor(); }

  /// As `at(name)`, like all members below.
  operator AnyTensor<D>&() const { return tensor(); }
  [[nodiscard]] ElementType type() const { return tensor().type(); }
  [[nodiscard]] std::string_view dtype() const { return tensor().dtype(); }
  [[nodiscard]] const Shape& shape() const { return tensor().shape(); }
  [[nodiscard]] std::int64_t size() const { return tensor().size(); }
  template <Element T>
  [[nodiscard]] bool holds() const {
    return tensor().template holds<T>();
  }
  template <Element T>
  [[nodiscard]] const Tensor<T, D>& get() const {
    return tensor().template get<T>();
  }
  template <class F>
  decltype(auto) visit(F&& f) const {
    return tensor().visit(std::forward<F>(f));
  }
  template <Device To>
  [[nodiscard]] AnyTensor<To> to(To = {}, CallSite site = CallSite::here()) const {
    return tensor().template to<To>({}, site);
  }

 private:
  friend NamedTensors<D>;
  NamedTensor(NamedTensors<D>& tensors, std::string name) : tensors_(tensors), name_(std::move(name)) {}
  [[nodiscard]] AnyTensor<D>& tensor() const { return tensors_.at(name_); }

  NamedTensors<D>& tensors_;
  std::string name_;
};

/// Tensors on one device by name: a `std::map`, except that reading a missing name does not add it but throws an error
/// that lists similar names.
///
///     NamedTensors<> tensors{{"x", x}, {"y", y + 1}};
///     tensors["sum"] = x + y;
///     tensors["z"].get<float>();   // as tensors.at("z"). IndexError: no tensor 'z' among 3; near it are 'x', 'y'
template <Device D = Cpu>
struct NamedTensors : std::map<std::string, AnyTensor<D>> {
  using Map = std::map<std::string, AnyTensor<D>>;
  using Map::Map;

  /// The tensor of a name: reading throws `IndexError` if there is none, assigning adds it.
  [[nodiscard]] NamedTensor<D> operator[](std::string name) & { return {*this, std::move(name)}; }
  [[nodiscard]] const AnyTensor<D>& operator[](const std::string& name) const& { return at(name); }
  [[nodiscard]] AnyTensor<D> operator[](const std::string& name) && { return std::move(at(name)); }

  /// The tensor of a name. Throws `IndexError` if there is none.
  [[nodiscard]] const AnyTensor<D>& at(const std::string& name) const {
    const auto found = this->find(name);
    if (found == this->end()) throw IndexError(internal::io::missing_name(name, *this));
    return found->second;
  }
  /// The tensor of this name; throws `IndexError` with similar names.
  [[nodiscard]] AnyTensor<D>& at(const std::string& name) {
    return const_cast<AnyTensor<D>&>(std::as_const(*this).at(name));
  }
};

}  // namespace situ
