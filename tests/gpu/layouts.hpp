// SPDX-License-Identifier: Apache-2.0
// Sizes and alignments of the classes that files compiled by g++ and by nvcc hand to each other. Included by two files, one
// for each compiler, into two namespaces; layouts.cpp compares what they find.
#include <cstddef>
#include <string_view>
#include <vector>

#include <situ/situ.hpp>

namespace layouts {

struct Entry {
  std::string_view name;
  std::size_t size;
  std::size_t alignment;

  bool operator==(const Entry&) const = default;
};

// The compilers' names for a type differ only in spaces, so both give a name by hand.
template <class T>
Entry entry(std::string_view name) {
  return {name, sizeof(T), alignof(T)};
}

namespace SITU_TEST_COMPILER {

using namespace situ;

/// What this compiler finds, and the value of an inline function that could differ between the two.
std::vector<Entry> found() {
  using Gpu = Tensor<float, Cuda<0>>;
  using Half = Tensor<bfloat16, Cuda<1>>;
  return {
      entry<bool>("bool"),
      entry<float16>("float16"),
      entry<bfloat16>("bfloat16"),
      entry<Shape>("Shape"),
      entry<Strides>("Strides"),
      entry<Layout>("Layout"),
      entry<internal::Storage<Cpu>>("Storage<Cpu>"),
      entry<internal::Storage<Pinned>>("Storage<Pinned>"),
      entry<internal::Storage<Cuda<0>>>("Storage<Cuda<0>>"),
      entry<Tensor<float, Cpu>>("Tensor<float, Cpu>"),
      entry<Tensor<float, Pinned>>("Tensor<float, Pinned>"),
      entry<Gpu>("Tensor<float, Cuda<0>>"),
      entry<Half>("Tensor<bfloat16, Cuda<1>>"),
      entry<Slot<float, Cuda<0>>>("Slot<float, Cuda<0>>"),
      entry<decltype(std::declval<Gpu>() + std::declval<Gpu>() * 2)>("a + b * 2"),
      entry<decltype(exp(std::declval<Half>()))>("exp(h)"),
      entry<internal::program_t<decltype(std::declval<Gpu>() + std::declval<Gpu>() * 2)>>("the program of a + b * 2"),
      entry<internal::program::Operand>("internal::program::Operand"),
      entry<internal::program::Destination>("internal::program::Destination"),
      entry<internal::cuda::Backend>("internal::cuda::Backend"),
      entry<internal::cuda::StreamState>("internal::cuda::StreamState"),
      entry<internal::cuda::Scratch>("internal::cuda::Scratch"),
      entry<internal::cuda::Fault>("internal::cuda::Fault"),
      entry<internal::cuda::FaultMessage>("internal::cuda::FaultMessage"),
      entry<Generator>("Generator"),
      entry<CudaError>("CudaError"),
      entry<OutOfMemory>("OutOfMemory"),
      entry<AnyDevice<Cuda<0>, Cpu>>("AnyDevice<Cuda<0>, Cpu>"),
      {"the instruction set", static_cast<std::size_t>(instruction_set),
       static_cast<std::size_t>(internal::vector_bytes)},
      {"backend present, index of the fault", static_cast<std::size_t>(internal::cuda::Backend::present),
       offsetof(internal::cuda::FaultMessage, numbers)},
  };
}

}  // namespace SITU_TEST_COMPILER
}  // namespace layouts
