// SPDX-License-Identifier: Apache-2.0
// `Replicas<Net, Where...>`: any network, with replicated parameters.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/at_site.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/map_parts.hpp>
#include <situ/distributed/mesh.hpp>
#include <situ/distributed/replicas.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/nn/module.hpp>
#include <situ/nn/rebind.hpp>
#include <situ/ops/random.hpp>
#include <situ/parallel/buffers.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>
#include <situ/parallel/output_shape.hpp>
#include <situ/parallel/variable.hpp>

namespace situ {

namespace internal {

/// The modules, one on each device of a mesh.
template <class Net, class Devices>
struct ReplicasOn;
template <class Net, class... D>
struct ReplicasOn<Net, std::tuple<D...>> {
  using type = std::tuple<nn::rebind_t<Net, D>...>;
};

}  // namespace internal

/// A network with a replica on each device: data parallel training. Its parameters are `Replicated`, so their gradients
/// are `Partial<>`. Called with a `Sharded<0>` batch, each replica computes its rows, and the result is `Sharded<0>`; a
/// batch may also be `Replicated`. Every layer that treats rows one by one returns what it returns on one device;
/// `BatchNorm` uses the statistics of its own rows, as in PyTorch's DistributedDataParallel, and as there every call
/// begins with the buffers of the first replica (of rank 0) on all of them: running statistics are its own. For a
/// `Replicated` batch all replicas draw the same, in `Dropout`; ranks do if their generators are equal.
///
///     auto net = replicas(nn::Sequential{nn::Linear(784, 256), nn::ReLU(), nn::Linear(256, 10)}, gpu<0>, gpu<1>);
///     auto optimizer = spread_optimizer<optim::Adam>(net, {.learning_rate = 1e-3});
///     SpreadVariable loss = cross_entropy(net(shard<0>(x, gpu<0>, gpu<1>)), shard<0>(labels, gpu<0>, gpu<1>));
///     optimizer.step(net, all_reduce(backward(loss)));
template <class Net, class... Where>
class Replicas {
  using Mesh = internal::mesh_t<Where...>;
  using T = typename nn::parameter_t<Net>::value_type;

 public:
  using modules_type = typename internal::ReplicasOn<Net, typename Mesh::devices>::type;
  using lists_parameter_parts = SpreadVariable<T, Replicated, Where...>;

  /// With equal modules, one for each local part of the mesh. Those of ranks get the parameters and buffers of rank 0,
  /// as in PyTorch's DistributedDataParallel: nothing else would show that ranks drew different ones.
  Replicas(Mesh mesh, modules_type modules, CallSite site = CallSite::here())
      : mesh_(std::move(mesh)), modules_(std::move(modules)) {
    const internal::AtSite here(site);
    if constexpr (Mesh::of_ranks) take_from_first_rank();
    join();
  }

  /// The output of the replicas, each for its part of the batch. Throws `ShapeError` if axis 0 of a result is not the
  /// rows of its input. A collective of ranks, if the network has buffers.
  template <SpreadLike X>
    requires(std::same_as<internal::spread_mesh_t<X>, Mesh> &&
             (std::same_as<layout_t<X>, Sharded<0>> || std::same_as<layout_t<X>, Replicated>))
  [[nodiscard]] auto operator()(const X& x, CallSite site = CallSite::here()) {
    const internal::AtSite here(site);
    share_buffers();
    return called(*this, x);
  }
  template <SpreadLike X>
    requires(std::same_as<internal::spread_mesh_t<X>, Mesh> &&
             (std::same_as<layout_t<X>, Sharded<0>> || std::same_as<layout_t<X>, Replicated>))
  [[nodiscard]] auto operator()(const X& x, CallSite site = CallSite::here()) const {
    const internal::AtSite here(site);
    Replicas same = *this;  // the parameters are the same variables
    same.share_buffers();
    return called(std::as_const(same), x);
  }
  never_made operator()(this_layer_takes_an_input_in_layout<Sharded<0>>::fix_call_reshard) const;
  never_made operator()(this_layer_takes_an_input_in_layout<Sharded<0>>::fix_call_shard) const;
  never_made operator()(a_partial_sum_is_not_a_value::fix_call_all_reduce) const;

  /// Local replica number `At`. If you change its parameters by hand, change those of the others as well, and call
  /// `join`; see `compare_every` of an optimizer. Buffers are those of the first.
  template <std::size_t At>
  [[nodiscard]] auto& replica() noexcept {
    return std::get<At>(modules_);
  }
  /// Replica number `At`.
  template <std::size_t At>
  [[nodiscard]] const auto& replica() const noexcept {
    return std::get<At>(modules_);
  }
  /// The first replica: to save it, to evaluate it, to send it elsewhere.
  [[nodiscard]] auto& module() noexcept { return replica<0>(); }
  [[nodiscard]] const auto& module() const noexcept { return replica<0>(); }
  [[nodiscard]] const Mesh& mesh() const noexcept { return mesh_; }
  [[nodiscard]] modules_type& replicas() noexcept { return modules_; }
  [[nodiscard]] const modules_type& replicas() const noexcept { return modules_; }

  /// See `nn::train`.
  Replicas& train(bool on = true) {
    std::apply([on](auto&... each) { (nn::train(each, on), ...); }, modules_);
    return *this;
  }
  Replicas& eval() { return train(false); }

  /// Makes the equal parameters of the replicas one parameter each, after they were changed.
  void join() {
    for_each_parameter_parts(std::string(), [](const std::string&, const auto& parameter) {
      if (!parameter.joined()) parameter.join();
    });
  }

  /// Gives all replicas the buffers of the first, and ranks those of rank 0; every call begins with this.
  void share_buffers() {
    if constexpr (Mesh::of_ranks) {
      if (mesh_.size() == 1) return;
      internal::for_each_buffer_of_replicas(
          [this]<class T, Device D>(const std::string&, const internal::ReplicaBuffer<T, D>& own) {
            own.set(from_first_rank(mesh_, own.template value<D>()));
          },
          std::get<0>(modules_));
    } else {
      const auto share = []<class T, Device D>(const std::string&, const internal::ReplicaBuffer<T, D>& first,
                                               const auto&... rest) {
        const Tensor<T, D> value = first.template value<D>();
        (rest.set(value), ...);
      };
      std::apply([&share](auto&... module) { internal::for_each_buffer_of_replicas(share, module...); }, modules_);
    }
  }

  /// For the library.
  template <class F>
  void for_each_parameter_parts(const std::string& name, F&& f) {
    std::apply([&](auto&... module) { visit(name, f, module...); }, modules_);
  }

 private:
  void take_from_first_rank() {
    nn::for_each_parameter(module(), [this](const std::string&, auto& parameter) {
      parameter.update([this](auto& value) { value = from_first_rank(mesh_, value); });
    });
    share_buffers();
  }
  /// Rank 0's value of a tensor, on any device of that rank.
  template <Element U, Device D>
  [[nodiscard]] static Tensor<U, D> from_first_rank(const Mesh& mesh, const Tensor<U, D>& own) {
    using Own = internal::device_of_part<Mesh, 0>;
    return std::get<0>(mesh.broadcast(std::tuple(own.template to<Own>()), 0)).template to<D>();
  }

  template <class Self, class X>
  [[nodiscard]] static auto called(Self& self, const X& x) {
    constexpr bool replicated = std::same_as<layout_t<X>, Replicated>;
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      std::optional<internal::SameDraws> draws;
      if constexpr (replicated) draws.emplace();
      auto parts = std::tuple{output_of(draws, std::get<At>(self.modules_), std::get<At>(x.parts()))...};  // in order
      const std::array<Shape, Mesh::local> outputs{std::get<At>(parts).shape()...};
      Shape shape;
      if constexpr (replicated) {
        shape = internal::shape_of_replicas(x.shape(), outputs);
        internal::check_replicas(self.mesh_, std::tuple{value_of(std::get<At>(parts))...}, "Replicas");
      } else {
        shape = internal::shape_of_rows(x.shape(), std::array<Shape, Mesh::local>{std::get<At>(x.parts()).shape()...},
                                        outputs);
      }
      return internal::make_spread<layout_t<X>>(self.mesh_, shape, std::move(parts));
    }(std::make_index_sequence<Mesh::local>{});
  }
  template <class Module, class X>
  [[nodiscard]] static auto output_of(std::optional<internal::SameDraws>& draws, Module& module, const X& x) {
    if (draws) draws->again();
    return output(module(x));
  }
  template <class Y>
  [[nodiscard]] static const auto& value_of(const Y& y) {
    if constexpr (VariableType<Y>) return y.value();
    else return y;
  }
  /// The output of a replica, computed and recorded.
  template <class Y>
  [[nodiscard]] static auto output(const Y& y) {
    if constexpr (Recorded<Y>) return autograd::as_variable(y);
    else return situ::eval(y);
  }

  /// The parameters of a replica by name.
  template <class M>
  [[nodiscard]] static auto listed(M& module) {
    std::vector<std::pair<std::string, nn::parameter_t<M>*>> list;
    nn::for_each_parameter(module, [&](const std::string& name, auto& parameter) {
      static_assert(std::same_as<std::remove_reference_t<decltype(parameter)>, nn::parameter_t<M>>,
                    "Replicas: the parameters of the network must have one element type and live on one device");
      list.emplace_back(name, &parameter);
    });
    return list;
  }
  template <class First, class Other>
  static void require_names(const First& names, const Other& others, std::size_t replica) {
    for (std::size_t at = 0; at != names.size(); ++at) {
      if (at < others.size() && others[at].first == names[at].first) continue;
      internal::fail_unequal_replicas(names[at].first, replica);
    }
  }
  template <class F, class... M>
  void visit(const std::string& prefix, F& f, M&... module) {
    const auto lists = std::tuple(listed(module)...);
    const auto& names = std::get<0>(lists);
    std::size_t replica = 0;
    std::apply([&](const auto&... list) { (require_names(names, list, replica++), ...); }, lists);
    for (std::size_t at = 0; at != names.size(); ++at) {
      const std::string name = names[at].first.empty() ? prefix : nn::detail::name_of_child(prefix, names[at].first);
      std::apply(
          [&](const auto& first, const auto&... rest) {
            f(name, internal::parameter_parts<Replicated>(mesh_, first[at].second->shape(), *first[at].second,
                                                          *rest[at].second...));
          },
          lists);
    }
  }

  Mesh mesh_;
  modules_type modules_;
};

namespace internal {

/// A module on a device with parameters of its own: on its own device `nn::to` would share them.
template <Device To, class Net>
[[nodiscard]] nn::rebind_t<Net, To> replica_of(const Net& net) {
  auto replica = nn::to<To>(net);
  nn::for_each_parameter(replica, [](const std::string&, auto& parameter) {
    if (parameter.records()) parameter = std::remove_cvref_t<decltype(parameter)>(parameter.value());
  });
  return replica;
}

/// A type that names several ranks where a call names devices: a `Group`.
template <class G>
concept GroupOfRanks = requires(const G& group) {
  typename G::device_type;
  requires decltype(group.mesh())::of_ranks;
};

}  // namespace internal

/// `replicas(net)`: "replicas need devices: fix: write them behind the network", or a group.
struct replicas_need_devices {
  struct fix_write_them_behind_the_network {
    template <class Net>
      requires(!std::is_void_v<nn::parameter_t<Net>>)
    fix_write_them_behind_the_network(const Net&) = delete;
  };
};

/// A replica of a network, which may be on any device, on each of the devices.
///
///     auto net = replicas(nn::Linear(784, 10), gpu<0>, gpu<1>);     // Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>
template <class Net, Device... D>
  requires(sizeof...(D) > 0 && !std::is_void_v<nn::parameter_t<Net>>)
[[nodiscard]] Replicas<Net, D...> replicas(const Net& net, D...) {
  return Replicas<Net, D...>({}, {internal::replica_of<D>(net)...});
}
void replicas(replicas_need_devices::fix_write_them_behind_the_network);
/// A replica on each rank of a group, with the parameters and buffers of rank 0.
///
///     auto net = replicas(nn::Linear(784, 10), world.on(cpu));      // Replicas<nn::Linear<float>, Ranks<Cpu>>
template <class Net, internal::GroupOfRanks G>
  requires(!std::is_void_v<nn::parameter_t<Net>>)
[[nodiscard]] auto replicas(const Net& net, const G& group, CallSite site = CallSite::here()) {
  using Where = typename decltype(group.mesh())::where;
  return Replicas<Net, Where>(group.mesh(), {internal::replica_of<typename G::device_type>(net)}, site);
}

}  // namespace situ
