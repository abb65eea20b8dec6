// SPDX-License-Identifier: Apache-2.0
// Compares replicas between steps, of a network and of what trains it: their parameters, the optimizer's settings and
// its state, by a hash of their bits. If only one device or rank has loaded a file or set a learning rate, nothing else
// shows it: all of them train on, each in its own way.
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/core/config.hpp>
#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/distributed/replicas.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/from_span.hpp>
#include <situ/parallel/joint.hpp>
#include <situ/parallel/modules.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/tensor/transfer.hpp>

namespace situ::internal {

/// The facts of one replica: names, and a number for each, in the same order on all. For a setting the bits of its
/// value.
class ReplicaFacts {
 public:
  void add_setting(const std::string& name, double value) {
    add("the setting '" + name + "'", std::bit_cast<std::int64_t>(value), true);
  }
  template <Element T, Device D>
  void add_tensor(const std::string& kind, const std::string& name, const Tensor<T, D>& tensor) {
    add(kind + (name.empty() ? "" : " '" + name + "'"), std::bit_cast<std::int64_t>(content_hash(tensor)), false);
  }

  [[nodiscard]] const std::vector<std::int64_t>& numbers() const noexcept { return numbers_; }
  /// "the setting 'learning_rate' is 0.1 on rank 1 cpu, and 0.2 on rank 0 cpu".
  [[nodiscard]] std::string difference(std::size_t at, std::int64_t own, const std::string& place, std::int64_t first,
                                       const std::string& first_place) const {
    if (!settings_[at]) return names_[at] + " on " + place + " is not equal to that on " + first_place;
    return names_[at] + " is " + number_text(std::bit_cast<double>(own)) + " on " + place + ", and " +
           number_text(std::bit_cast<double>(first)) + " on " + first_place;
  }

 private:
  void add(std::string name, std::int64_t number, bool setting) {
    names_.push_back(std::move(name));
    numbers_.push_back(number);
    settings_.push_back(setting);
  }

  std::vector<std::string> names_;
  std::vector<std::int64_t> numbers_;
  std::vector<bool> settings_;
};

/// Throws `ValueError`, on all ranks, with the first entry that differs, given the entries of all parts.
template <class Mesh>
void require_equal_facts(const Mesh& mesh, const ReplicaFacts& names, const std::vector<std::int64_t>& all) {
  const std::size_t count = names.numbers().size();
  if (count == 0) return;
  for (std::size_t at = 0; at != count; ++at) {
    for (std::size_t part = 1; part < all.size() / count; ++part) {
      const std::int64_t own = all[part * count + at];
      if (own == all[at]) continue;
      throw ValueError(
          "step: the replicas differ: " + names.difference(at, own, mesh.place(part), all[at], mesh.place(0)) +
          "; load, set and change all of them alike, or make the replicas after that: all begin equal to "
          "the first");
    }
  }
}

/// Compares the replicas, one `ReplicaFacts` for each local part. A collective of ranks.
template <class Mesh, std::size_t Local>
void compare_replicas(const Mesh& mesh, const std::array<ReplicaFacts, Local>& facts) {
  std::vector<std::int64_t> own;
  for (const ReplicaFacts& each : facts) own.insert(own.end(), each.numbers().begin(), each.numbers().end());
  if constexpr (Mesh::of_ranks) {
    using D = device_of_part<Mesh, 0>;
    const auto count = static_cast<std::int64_t>(own.size());
    if (count == 0 || mesh.size() == 1) return;
    const Tensor<std::int64_t, D> row = from_span<std::int64_t>(own, Shape{1, count}).template to<D>();
    const Shape shape{static_cast<std::int64_t>(mesh.size()), count};
    const auto rows = mesh.template all_gather<0>(std::tuple(row), shape);
    const Tensor<std::int64_t, Cpu> all = std::get<0>(rows).template copy_to<Cpu>();
    own.assign(all.begin(), all.end());
  }
  require_equal_facts(mesh, facts[0], own);
}

/// The settings of an optimizer, and its state for the replicated parameters.
template <class O>
void add_optimizer(ReplicaFacts& facts, const O& optimizer, const std::vector<bool>& replicated) {
  if constexpr (requires { optimizer.for_each_setting([](const char*, double) {}); }) {
    optimizer.for_each_setting([&facts](const char* name, double value) { facts.add_setting(name, value); });
  }
  if constexpr (requires { optimizer.for_each_entry([](const std::string&, const auto&) {}); }) {
    std::size_t number = 0;
    optimizer.for_each_entry([&](const std::string& name, const auto& entry) {
      const std::size_t at = number++;  // entry 0 has the step counts, then each kind of state has one per parameter
      if (at == 0 || (!replicated.empty() && replicated[(at - 1) % replicated.size()])) {
        facts.add_tensor("the optimizer's", name, entry);
      }
    });
  }
}

/// Whether the devices of a mesh compute the same bits: a CPU and a GPU do not.
template <class Devices>
inline constexpr bool of_one_backend = false;
template <class First, class... Rest>
inline constexpr bool of_one_backend<std::tuple<First, Rest...>> =
    (std::same_as<backend_t<First>, backend_t<Rest>> && ...);

/// The replicated parameters of a module, part `At`; `replicated` tells for each parameter whether it is one.
template <std::size_t At, class M>
void add_parameters(ReplicaFacts& facts, std::vector<bool>& replicated, M& module) {
  replicated.clear();
  for_each_parameter_parts(module, [&]<class P>(const std::string& name, const P& parameter) {
    constexpr bool equal = std::same_as<typename P::layout_type, Replicated>;
    replicated.push_back(equal && of_one_backend<typename P::mesh_type::devices>);
    if constexpr (equal && of_one_backend<typename P::mesh_type::devices>) {
      facts.add_tensor("parameter", name, std::get<At>(parameter.parts).value());
    }
  });
}

/// When the next comparison is due.
class ComparisonTurn {
 public:
  /// Before each step: true for the first one and `every` steps after the last comparison; never if `every` is 0.
  [[nodiscard]] bool is_due(std::int64_t every) noexcept { return every > 0 && steps_++ % every == 0; }

 private:
  std::int64_t steps_ = 0;
};

/// The default of `compare_every`.
inline constexpr std::int64_t default_compare_every = checked_build ? 100 : 0;

}  // namespace situ::internal
