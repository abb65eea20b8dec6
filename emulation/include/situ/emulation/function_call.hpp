// SPDX-License-Identifier: Apache-2.0
// Launches a kernel that is a function, as a program writes it for CUDA, in the emulation.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include <situ/core/pack.hpp>
#include <situ/cuda/api/grid.hpp>
#include <situ/emulation/launch.hpp>

namespace situ::internal::cuda::emulated {

/// A function and its arguments, as a kernel.
template <class... Parameters>
struct FunctionCall {
  void (*function)(Parameters...);
  Pack<Parameters...> arguments;

  void operator()() const { call(std::index_sequence_for<Parameters...>()); }
  template <std::size_t... At>
  void call(std::index_sequence<At...>) const {
    function(get<At>(arguments)...);
  }
};

/// Puts a call of `function` into a stream, under a name that is a literal.
template <class... Parameters>
api::Error launch_function(api::Stream stream, const char* name, const Grid& grid, std::size_t dynamic_shared_bytes,
                           void (*function)(Parameters...), const Pack<Parameters...>& arguments) noexcept {
  using K = FunctionCall<Parameters...>;
  static_assert((std::is_trivially_copyable_v<Parameters> && ...),
                "a kernel's arguments are trivially copyable: they are copied to the device");
  static_assert(sizeof(K) <= 32764 && alignof(K) <= KernelCopy::alignment,
                "a kernel has at most 32764 bytes of arguments");
  const K kernel{function, arguments};
  Launch launch;
  launch.name = name;
  launch.threads = grid.threads;
  launch.most_threads = most_threads;
  launch.blocks = grid.x;
  launch.blocks_y = grid.y;
  launch.dynamic_bytes = dynamic_shared_bytes;
  launch.on_one_multiprocessor = true;
  launch.kernel = &kernel;
  launch.type = &kernel_type<K>;
  launch.run_threads = &run_threads<K>;
  return enqueue_launch(stream, launch, LaunchedBy::runtime);
}

}  // namespace situ::internal::cuda::emulated
