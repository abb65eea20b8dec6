// SPDX-License-Identifier: Apache-2.0
// `Replicas<Net, Where...>`: a network of any kind, whose parameters are replicated.
#pragma once

#include <concepts>
#include <cstddef>
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
#include <situ/distributed/spread.hpp>
#include <situ/nn/module.hpp>
#include <situ/nn/rebind.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>
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

/// The shape of the whole output of replicas, from that of their input and that of a part.
template <SpreadLayout L>
[[nodiscard]] Shape shape_of_outputs(const Shape& input, const Shape& part) {
  Shape shape = part;
  if constexpr (is_sharded<L>) {
    if (shape.rank() == 0)
      throw ShapeError("Replicas: the network makes one number of its rows; it must keep the rows");
    shape.set(sharded_axis<L>, input[sharded_axis<L>]);
  }
  return shape;
}

}  // namespace internal

/// A network with a replica on each device: data parallel training. Its parameters are `Replicated`, so that their
/// gradients are `Partial<>`. It is called with a batch that is `Sharded<0>`, each replica with its rows, and gives
/// what they give as `Sharded<0>`; or with what is `Replicated`. Every layer that handles rows one by one gives what it
/// gives on one device; `BatchNorm` has the statistics of its own rows, as in PyTorch's DistributedDataParallel.
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

  /// With modules that are equal, one for each part of the mesh that is here. Those of ranks get the parameters and
  /// buffers that rank 0 has, as by PyTorch's DistributedDataParallel: that ranks drew different ones would show
  /// nowhere.
  Replicas(Mesh mesh, modules_type modules, CallSite site = CallSite::here())
      : mesh_(std::move(mesh)), modules_(std::move(modules)) {
    const internal::AtSite here(site);
    if constexpr (Mesh::of_ranks) take_from_first_rank();
    join();
  }

  /// The output of the replicas, each for its part of the batch.
  template <SpreadLike X>
    requires(std::same_as<internal::spread_mesh_t<X>, Mesh> &&
             (std::same_as<layout_t<X>, Sharded<0>> || std::same_as<layout_t<X>, Replicated>))
  [[nodiscard]] auto operator()(const X& x) {
    return called(*this, x);
  }
  template <SpreadLike X>
    requires(std::same_as<internal::spread_mesh_t<X>, Mesh> &&
             (std::same_as<layout_t<X>, Sharded<0>> || std::same_as<layout_t<X>, Replicated>))
  [[nodiscard]] auto operator()(const X& x) const {
    return called(*this, x);
  }

  /// Replica number `At` of those that are here. What changes its parameters by hand must change those of the others as
  /// well, and call `join`.
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

  /// For the library.
  template <class F>
  void for_each_parameter_parts(const std::string& name, F&& f) {
    std::apply([&](auto&... module) { visit(name, f, module...); }, modules_);
  }

 private:
  void take_from_first_rank() {
    const auto take = [this](auto& value) { value = std::get<0>(mesh_.broadcast(std::tuple(value), 0)); };
    nn::for_each_entry(module(), [&take](const std::string&, auto& entry) {
      if constexpr (TensorType<decltype(entry)>) take(entry);
      else entry.update(take);
    });
  }

  template <class Self, class X>
  [[nodiscard]] static auto called(Self& self, const X& x) {
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      auto parts = std::tuple{output(std::get<At>(self.modules_)(std::get<At>(x.parts())))...};  // in this order
      const Shape shape = internal::shape_of_outputs<layout_t<X>>(x.shape(), std::get<0>(parts).shape());
      return internal::make_spread<layout_t<X>>(self.mesh_, shape, std::move(parts));
    }(std::make_index_sequence<Mesh::local>{});
  }
  /// What a replica gives, computed and recorded.
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
  template <class F, class... M>
  void visit(const std::string& prefix, F& f, M&... module) {
    const auto lists = std::tuple(listed(module)...);
    const auto& names = std::get<0>(lists);
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

/// What stands for several ranks where a call names devices: a `Group`.
template <class G>
concept GroupOfRanks = requires(const G& group) {
  typename G::device_type;
  requires decltype(group.mesh())::of_ranks;
};

}  // namespace internal

/// A replica of a network, which may be on any device, on each of the devices.
///
///     auto net = replicas(nn::Linear(784, 10), gpu<0>, gpu<1>);     // Replicas<nn::Linear<float>, Cuda<0>, Cuda<1>>
template <class Net, Device... D>
  requires(sizeof...(D) > 0 && !std::is_void_v<nn::parameter_t<Net>>)
[[nodiscard]] Replicas<Net, D...> replicas(const Net& net, D...) {
  return Replicas<Net, D...>({}, {internal::replica_of<D>(net)...});
}
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
