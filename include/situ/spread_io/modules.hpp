// SPDX-License-Identifier: Apache-2.0
// The access of checkpoints to spread variables, `Replicas`, and the optimizers of spread parameters.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/nn/members.hpp>
#include <situ/nn/module.hpp>
#include <situ/parallel/buffers.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>
#include <situ/parallel/optimizer.hpp>
#include <situ/parallel/sharded_optimizer.hpp>
#include <situ/parallel/variable.hpp>
#include <situ/spread_io/slot.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

namespace internal::io {

template <FloatingElement T, class Layout, class... Where>
struct SlotsOf<SpreadVariable<T, Layout, Where...>> {
  static_assert(std::same_as<Layout, Replicated> || is_sharded<Layout>,
                "a checkpoint holds values: all_reduce a Partial, and say by as<...> what a Local is");
  template <class X, class F>
  static void for_each(const std::string& name, X& x, F& f) {
    if (!x.records() && x.size() == 0) return;  // the bias of a layer without one
    const Spread<T, Layout, Where...> value = x.value();
    SpreadSlot<T, Layout, mesh_t<Where...>> slot{value.mesh(), value.shape(), value.parts(), {}};
    if constexpr (!std::is_const_v<X>) {
      slot.assign = [&x, mesh = slot.mesh, shape = slot.shape](auto parts) {
        const Spread<T, Layout, Where...> loaded(mesh, shape, std::move(parts));
        x = x.records() ? SpreadVariable<T, Layout, Where...>(loaded) : constant(loaded);
      };
    }
    f(name, slot);
  }
};

/// A module with a replica on each device. Its buffers, which may differ between replicas as the statistics of
/// `BatchNorm` do, are those of one of the replicas.
template <ListsParameterParts X>
struct SlotsOf<X> {
  template <class Self, class F>
  static void for_each(const std::string& name, Self& x, F& f) {
    auto& replicas = const_cast<X&>(x);  // lists references; `f` of a const value changes nothing
    replicas.for_each_parameter_parts(name, [&]<class P>(const std::string& own, const P& parameter) {
      using Slot = SpreadSlot<typename P::value_type, typename P::layout_type, typename P::mesh_type>;
      f(own,
        Slot{parameter.mesh, parameter.shape, values_of(parameter.parts), [parameter](typename Slot::tensors parts) {
               autograd::for_each_part<std::tuple_size_v<typename Slot::tensors>>([&](auto at) {
                 std::get<at>(parameter.parts).update([&](auto& value) { value = std::move(std::get<at>(parts)); });
               });
               parameter.join();
             }});
    });
    std::apply([&](auto&... module) { buffers(name, replicas.mesh(), f, module...); }, replicas.replicas());
  }

 private:
  template <class T, class... D>
  [[nodiscard]] static std::tuple<Tensor<T, D>...> values_of(const std::tuple<Variable<T, D>&...>& parts) {
    return std::apply([](const auto&... part) { return std::tuple<Tensor<T, D>...>{part.value()...}; }, parts);
  }
  template <class Tensors, class... B>
  [[nodiscard]] static Tensors on_devices(const B&... buffer) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return Tensors{buffer.template value<device_t<std::tuple_element_t<At, Tensors>>>()...};
    }(std::index_sequence_for<B...>{});
  }
  template <class Mesh, class F, class First, class... Rest>
  static void buffers(const std::string& prefix, const Mesh& mesh, F& f, First& first, Rest&... rest) {
    for_each_buffer_of_replicas(
        [&]<class T, Device D>(const std::string& name, const ReplicaBuffer<T, D>& own, const auto&... other) {
          using Slot = SpreadSlot<T, Replicated, Mesh>;
          auto parts = on_devices<typename Slot::tensors>(own, other...);  // also those on other devices
          f(prefix.empty() ? name : nn::detail::name_of_child(prefix, name),
            Slot{mesh, std::get<0>(parts).shape(), std::move(parts),
                 [all = std::tuple(own, other...)](typename Slot::tensors loaded) {
                   autograd::for_each_part<Mesh::local>([&](auto at) { std::get<at>(all).set(std::get<at>(loaded)); });
                 }});
        },
        first, rest...);
  }
};

template <class Rule, class T, class Mesh, class Devices>
inline constexpr bool scatters_state(const SpreadOptimizer<Rule, T, Mesh, Devices>*) {
  return false;
}
template <class Rule, class T, class Mesh, class Devices>
inline constexpr bool scatters_state(const ShardedOptimizer<Rule, T, Mesh, Devices>*) {
  return true;
}

/// An optimizer with the module whose parameters determine how its state is spread.
template <class M, class O>
struct OptimizerState {
  using lists_spread_state = void;
  M& net;
  O& optimizer;
};

template <class M, class O>
struct SlotsOf<OptimizerState<M, O>> {
  template <class X, class F>
  static void for_each(const std::string& prefix, X& state, F& f) {
    walk(prefix, state.net, const_cast<std::remove_const_t<O>&>(state.optimizer).optimizers(), f);
  }

 private:
  /// The layout and shape of a parameter's state: for a replica, its elements one after the other, divided.
  template <class P>
  static constexpr bool is_scattered =
      scatters_state(static_cast<const O*>(nullptr)) && std::same_as<typename P::layout_type, Replicated>;

  template <class F, class... Own>
  static void walk(const std::string& prefix, M& net, std::tuple<Own...>& optimizers, F& f) {
    std::tuple<std::vector<typename Own::state_type*>...> states;
    std::vector<std::string> names;
    CopiesOf<std::int64_t> steps;
    autograd::for_each_part<sizeof...(Own)>([&](auto at) {
      std::get<at>(optimizers).for_each_entry([&]<class Entry>(const std::string& name, Entry& entry) {
        if constexpr (std::same_as<Entry, Tensor<std::int64_t, Cpu>>) {
          steps.all.push_back(&entry);
        } else {
          std::get<at>(states).push_back(&entry);
          if (at == 0) names.push_back(nn::detail::name_of_child(prefix, name));
        }
      });
    });
    f(nn::detail::name_of_child(prefix, "steps"), steps);
    for (std::size_t number = 0; number != names.size();) {  // each kind of state has one for each parameter
      for_each_parameter_parts(net, [&]<class P>(const std::string&, const P& parameter) {
        using Layout = std::conditional_t<is_scattered<P>, Sharded<0>, typename P::layout_type>;
        using Slot = SpreadSlot<compute_t<typename P::value_type>, Layout, typename P::mesh_type>;
        const auto own = std::apply([&](const auto&... each) { return std::tuple{each[number]...}; }, states);
        f(names[number++], Slot{parameter.mesh, is_scattered<P> ? Shape{parameter.shape.count()} : parameter.shape,
                                std::apply([](const auto*... each) { return typename Slot::tensors{*each...}; }, own),
                                [own](typename Slot::tensors parts) {
                                  autograd::for_each_part<sizeof...(Own)>(
                                      [&](auto at) { *std::get<at>(own) = std::move(std::get<at>(parts)); });
                                }});
      });
    }
  }
};

}  // namespace internal::io

/// The state of an optimizer of the spread parameters of `net`, to be saved and loaded: spread as they are, or for a
/// `ShardedOptimizer` in pieces. Any number of devices can read it.
///
///     save(path, "net", net, "optimizer", spread_state(net, optimizer));
///     load(path, "net", net, "optimizer", spread_state(net, optimizer));
template <HasSpreadParameters M, class O>
[[nodiscard]] internal::io::OptimizerState<M, O> spread_state(M& net, O& optimizer) {
  return {net, optimizer};
}

}  // namespace situ
