// SPDX-License-Identifier: Apache-2.0
// Loading a file whose floating-point elements are of another type than the program's, `load(path, net, {.cast = true})`.
#pragma once

#include <concepts>
#include <string>

#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/io/archive.hpp>
#include <situ/io/checkpoint_reader.hpp>
#include <situ/io/element_type.hpp>
#include <situ/ops/select.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ::internal::io::detail {

/// Accepts any floating-point elements where the program has such.
class CastingComparison : public EntryComparison {
 public:
  using EntryComparison::EntryComparison;
  using EntryComparison::operator();

  template <Element T, Device D>
  void operator()(const std::string& name, Tensor<T, D>& tensor) {
    if constexpr (FloatingElement<T>) {
      static_cast<void>(tensor.storage());  // throws while it is leased
      expect(name, accepted<T>(name), tensor.shape());
    } else {
      EntryComparison::operator()(name, tensor);
    }
  }
  template <FloatingElement T, Device D>
  void operator()(const std::string& name, Variable<T, D>& variable) {
    expect(name, accepted<T>(name), variable.shape());
  }

 private:
  template <FloatingElement T>
  [[nodiscard]] ElementType accepted(const std::string& name) const {
    const auto found = archive().entries().find(name);
    return found != archive().entries().end() && is_castable(found->second.type) ? found->second.type
                                                                                 : element_type<T>();
  }
};

/// Reads such entries.
class CastingReader : public EntryReader {
 public:
  using EntryReader::EntryReader;
  using EntryReader::operator();

  template <Element T, Device D>
  void operator()(const std::string& name, Tensor<T, D>& tensor) {
    if constexpr (!FloatingElement<T>) EntryReader::operator()(name, tensor);
    else if (has(name)) replace_later(tensor, read_as<T>(name).template to<D>());
  }
  template <FloatingElement T, Device D>
  void operator()(const std::string& name, Variable<T, D>& variable) {
    if (has(name)) replace_later(variable, as_kind_of(variable, read_as<T>(name).template to<D>()));
  }

 private:
  template <FloatingElement T>
  [[nodiscard]] Tensor<T, Cpu> read_as(const std::string& name) {
    switch (type_of(name)) {
      case ElementType::float64:
        return converted<T, double>(name);
      case ElementType::float16:
        return converted<T, float16>(name);
      case ElementType::bfloat16:
        return converted<T, bfloat16>(name);
      default:
        return converted<T, float>(name);
    }
  }
  template <FloatingElement T, FloatingElement From>
  [[nodiscard]] Tensor<T, Cpu> converted(const std::string& name) {
    if constexpr (std::same_as<T, From>) return read<T>(name);
    else return cast<T>(read<From>(name));
  }
};

}  // namespace situ::internal::io::detail
