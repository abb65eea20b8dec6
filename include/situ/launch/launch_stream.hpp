// SPDX-License-Identifier: Apache-2.0
// `LaunchStream`: the stream that `launch_on` passes to the program's function, with launches and scratch memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/dtype.hpp>
#include <situ/core/error.hpp>
#include <situ/core/pack.hpp>
#include <situ/cuda/api/backend.hpp>
#include <situ/cuda/api/grid.hpp>
#include <situ/cuda/runtime/handles.hpp>
#include <situ/cuda/runtime/own_launch.hpp>
#include <situ/cuda/runtime/scratch.hpp>
#include <situ/device/device.hpp>
#include <situ/launch/kernel_argument.hpp>
#include <situ/launch/operands.hpp>
#include <situ/tensor/device_pointer.hpp>

namespace situ {

/// The grid of a launch: blocks of threads, along one or two axes, and the bytes of dynamic shared memory of a block.
///
///     LaunchSize{.blocks = 8, .threads = 128}
///     LaunchSize::covering(x.size())              // a thread for each element
struct LaunchSize {
  std::int64_t blocks = 1;  // at most 2^31 - 1
  int blocks_y = 1;         // at most 65535
  int threads = 256;        // of a block, at most 1024
  std::size_t shared_bytes = 0;

  /// At least `count` threads, in blocks of `threads`; no block if there is nothing to do.
  [[nodiscard]] static constexpr LaunchSize covering(std::int64_t count, int threads = 256) noexcept {
    return {.blocks = count <= 0 ? 0 : (count - 1) / threads + 1, .threads = threads};
  }
};

template <Device D>
class LaunchStream;

/// The scratch memory of a launch as an allocator of bytes, for Thrust; see `LaunchStream::allocator`.
template <Device D>
class LaunchAllocator {
 public:
  using value_type = char;

  explicit LaunchAllocator(const LaunchStream<D>& stream) noexcept : stream_(&stream) {}
  [[nodiscard]] char* allocate(std::size_t bytes) const { return static_cast<char*>(stream_->scratch(bytes)); }
  /// `launch_on` returns the memory when it ends.
  void deallocate(char*, std::size_t) const noexcept {}

 private:
  const LaunchStream<D>* stream_;
};

/// The stream of a `launch_on`, for the duration of its function.
template <Device D>
class LaunchStream {
 public:
  using device_type = D;

  /// For `launch_on`.
  LaunchStream(const internal::cuda::Backend& backend, const char* name,
               std::span<const internal::launch::Range> operands)
      : backend_(backend), name_(name), operands_(operands) {}
  LaunchStream(const LaunchStream&) = delete;
  LaunchStream& operator=(const LaunchStream&) = delete;
  ~LaunchStream() = default;

  /// The `cudaStream_t`, for `<<<blocks, threads, bytes, stream.native()>>>` and for libraries.
  [[nodiscard]] internal::cuda::NativeStream native() const noexcept {
    return internal::cuda::native_stream(backend_.stream);
  }

  /// Puts a kernel, a `__global__` function, into the stream, as `kernel<<<...>>>(arguments...)` does; also where the
  /// GPU is emulated. Pointers are those that `launch_on` passed to the program's function, or of `scratch`; other
  /// arguments convert to the kernel's parameters. No block is no launch. Throws `CudaError` if CUDA refuses it;
  /// `LeaseError` or `ValueError` for a pointer into memory that is not declared for it, as after a lease has ended;
  /// `ValueError` for an integer that a parameter cannot hold.
  ///
  ///     stream.launch(LaunchSize::covering(x.size()), saxpy, x.size(), 2.f, px, py);
  template <class... Parameters, class... Arguments>
  void launch(const LaunchSize& size, void (*kernel)(Parameters...), const Arguments&... arguments) const {
    using internal::launch::Misfit;
    using P = void(Parameters...);
    using A = void(Arguments...);
    if constexpr (sizeof...(Parameters) != sizeof...(Arguments)) {
      static_assert(sizeof...(Parameters) == sizeof...(Arguments),
                    "LaunchStream::launch: the kernel takes another number of arguments; fix: pass one for each of its "
                    "parameters");
    } else if constexpr (internal::launch::any_misfit<Misfit::host_pointer, D, P, A>) {
      static_assert(!internal::launch::any_misfit<Misfit::host_pointer, D, P, A>,
                    "LaunchStream::launch: a pointer that may be the host's; fix: pass the tensor, or the lease of "
                    "write(), to launch_on, and the kernel the pointer that f gets for it");
    } else if constexpr (internal::launch::any_misfit<Misfit::no_conversion, D, P, A>) {
      static_assert(!internal::launch::any_misfit<Misfit::no_conversion, D, P, A>,
                    "LaunchStream::launch: an argument does not convert to the kernel's parameter; fix: pass one of "
                    "the parameter's type");
    } else if constexpr (internal::launch::any_misfit<Misfit::other_device, D, P, A>) {
      static_assert(!internal::launch::any_misfit<Misfit::other_device, D, P, A>,
                    "LaunchStream::launch: a pointer into another GPU's memory; fix: pass x.to(device) to launch_on, "
                    "and the kernel the pointer that f gets for it");
    } else if constexpr (internal::launch::any_misfit<Misfit::other_elements, D, P, A>) {
      static_assert(!internal::launch::any_misfit<Misfit::other_elements, D, P, A>,
                    "LaunchStream::launch: the kernel's parameter is no pointer to such elements; fix: pass a tensor "
                    "of the parameter's elements to launch_on, cast<...>(x)");
    } else if constexpr (internal::launch::any_misfit<Misfit::read_only, D, P, A>) {
      static_assert(!internal::launch::any_misfit<Misfit::read_only, D, P, A>,
                    "LaunchStream::launch: the kernel may write what launch_on only reads; fix: declare the parameter "
                    "const, or pass x.write() to launch_on instead of x");
    } else {
      int position = 0;
      const auto converted = [&]<class To, class From>(std::type_identity<To>, const From& argument) -> To {
        ++position;
        if constexpr (internal::launch::is_device_pointer<From>) require_declared(argument, position);
        return internal::launch::convert_argument<To>(argument, name_, position);
      };
      // in braces, where arguments are converted in order
      internal::Pack<Parameters...> values{{{converted(std::type_identity<Parameters>{}, arguments)}...}};
      if (size.blocks == 0 || size.blocks_y == 0) return;
#if defined(SITU_CUDA)
      internal::cuda::launch_function(backend_, name_, {size.blocks, size.blocks_y, size.threads}, size.shared_bytes,
                                      kernel, std::move(values));
#else
      static_cast<void>(kernel);
      static_cast<void>(values);
#endif
    }
  }

  /// Uninitialized memory for work in this stream, from the pool, aligned to 256 bytes: for libraries such as CUB. It
  /// is returned when `launch_on` ends; the stream orders its next use after this one. Throws `OutOfMemory`.
  [[nodiscard]] void* scratch(std::size_t bytes) const {
#if defined(SITU_CUDA)
    scratch_ranges_.reserve(scratch_ranges_.size() + 1);
    void* const data = scratch_.emplace_back(backend_, bytes).data();
    const auto* const begin = static_cast<const std::byte*>(data);
    scratch_ranges_.push_back({begin, begin + bytes, true});
    return data;
#else
    static_cast<void>(bytes);
    return nullptr;
#endif
  }
  /// The same for `count` elements, for kernels of the program.
  template <Element T>
  [[nodiscard]] DevicePointer<T, D> scratch(std::int64_t count) const {
    if (count < 0 || static_cast<std::uint64_t>(count) > static_cast<std::size_t>(-1) / 2 / sizeof(T))
      throw ValueError("scratch: " + std::to_string(count) + " is no number of elements; pass one of 0 or more");
    return DevicePointer<T, D>(static_cast<T*>(scratch(static_cast<std::size_t>(count) * sizeof(T))));
  }

  /// The same as an allocator: `thrust::cuda::par_nosync(allocator).on(stream.native())`.
  [[nodiscard]] LaunchAllocator<D> allocator() const noexcept { return LaunchAllocator<D>(*this); }

 private:
  template <class T, class E>
  void require_declared(const DevicePointer<T, E>& pointer, int position) const {
    const void* const address = static_cast<T*>(pointer);
    if (address == nullptr) return;  // of no elements
    for (const auto ranges : {operands_, std::span<const internal::launch::Range>(scratch_ranges_)}) {
      for (const internal::launch::Range& range : ranges) {
        if (range.contains(address) && (std::is_const_v<T> || range.written)) return;
      }
    }
    const std::string what = "launch_on: argument " + std::to_string(position) + " of kernel " + name_;
    if constexpr (std::is_const_v<T>) {
      throw ValueError(what +
                       " points to no operand: pass the tensor to launch_on, after f, and the kernel the pointer "
                       "that f gets for it");
    } else {
      throw LeaseError(what +
                       " points into no lease of this launch, or its lease has ended: pass the lease, x.write(), "
                       "to launch_on, after f, and the kernel the pointer that f gets for it");
    }
  }

  internal::cuda::Backend backend_;
  const char* name_;
  std::span<const internal::launch::Range> operands_;
  mutable std::vector<internal::launch::Range> scratch_ranges_;
#if defined(SITU_CUDA)
  mutable std::vector<internal::cuda::Scratch> scratch_;
#endif
};

}  // namespace situ
