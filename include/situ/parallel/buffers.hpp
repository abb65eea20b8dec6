// SPDX-License-Identifier: Apache-2.0
// The buffers of replicas, grouped by name.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/device/device.hpp>
#include <situ/nn/module.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal {

/// A buffer of a module, of any type.
class AnyBuffer {
 public:
  template <class B>
  AnyBuffer(std::string name, B& tensor) : name_(std::move(name)), type_(&typeid(B)), tensor_(&tensor) {}

  /// Null if it has another name or type.
  template <class B>
  [[nodiscard]] B* as(const std::string& name) const noexcept {
    return name == name_ && *type_ == typeid(B) ? static_cast<B*>(tensor_) : nullptr;
  }

 private:
  std::string name_;
  const std::type_info* type_;
  void* tensor_;
};

template <class M>
[[nodiscard]] std::vector<AnyBuffer> buffers_of(M& module) {
  std::vector<AnyBuffer> list;
  nn::for_each_entry(module, [&list]<class B>(const std::string& name, B& entry) {
    if constexpr (TensorType<B>) list.emplace_back(name, entry);
  });
  return list;
}

[[noreturn]] inline void fail_unequal_replicas(const std::string& entry, std::size_t replica) {
  throw ValueError("Replicas: replica 0 has '" + entry + "', and replica " + std::to_string(replica) +
                   " has another entry there, or none; replicas are modules with the same members: what changes " +
                   "one of them must change all");
}

/// A buffer of a replica: on `D`, the device of its parameters, or on `Aside` if it is there in each replica.
template <Element T, Device D, Device Aside = D>
class ReplicaBuffer {
 public:
  ReplicaBuffer(Tensor<T, D>* own, Tensor<T, Aside>* aside) noexcept : own_(own), aside_(aside) {}

  [[nodiscard]] explicit operator bool() const noexcept { return own_ != nullptr || aside_ != nullptr; }
  template <Device To>
  [[nodiscard]] Tensor<T, To> value() const {
    return own_ != nullptr ? own_->template to<To>() : aside_->template to<To>();
  }
  template <Device From>
  void set(const Tensor<T, From>& value) const {
    if (own_ != nullptr) *own_ = value.template to<D>();
    else *aside_ = value.template to<Aside>();
  }

 private:
  Tensor<T, D>* own_;
  Tensor<T, Aside>* aside_;
};

/// Calls `f(name, buffer, the same of each other module...)` for each buffer of replicas, `ReplicaBuffer`s. Throws
/// `ValueError` if their buffers differ.
template <class F, class First, class... Rest>
void for_each_buffer_of_replicas(F&& f, First& first, Rest&... rest) {
  const std::array<std::vector<AnyBuffer>, sizeof...(Rest)> others{buffers_of(rest)...};
  std::size_t number = 0;
  nn::for_each_entry(first, [&]<class B>(const std::string& name, B& entry) {
    if constexpr (TensorType<B>) {
      using T = value_type_t<B>;
      using D = device_t<B>;
      const std::size_t at = number++;
      std::size_t replica = 0;
      const auto found = [&]<class Own>(std::type_identity<Own>) {
        const std::vector<AnyBuffer>& list = others[replica++];
        const AnyBuffer* const any = at < list.size() ? &list[at] : nullptr;
        const ReplicaBuffer<T, Own, D> buffer(any == nullptr ? nullptr : any->as<Tensor<T, Own>>(name),
                                              any == nullptr ? nullptr : any->as<B>(name));
        if (!buffer) fail_unequal_replicas(name, replica);
        return buffer;
      };
      const std::tuple<ReplicaBuffer<T, typename nn::parameter_t<Rest>::device_type, D>...> beside{
          found(std::type_identity<typename nn::parameter_t<Rest>::device_type>{})...};
      std::apply([&](const auto&... other) { f(name, ReplicaBuffer<T, D>(&entry, nullptr), other...); }, beside);
    }
  });
}

}  // namespace situ::internal
