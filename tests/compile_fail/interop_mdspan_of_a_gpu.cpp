// SPDX-License-Identifier: Apache-2.0
// A GPU's tensor as an mdspan that the host reads.
// kind: a GPU's elements as an mdspan of the host
// lines[clang]: 40
// first: (?=.*the_host_cannot_read_memory_of)(?=.*fix_call_dot_to)(?=.*Cuda<0>)
#include <cstddef>

#include <situ/interop/mdspan.hpp>
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#endif

using namespace situ;

/// What an mdspan of rank 1 has.
struct View {
  using element_type = const float;
  using index_type = int;
  using reference = const float&;
  struct extents_type {
    explicit extents_type(int n) : n_(n) {}
    [[nodiscard]] static std::size_t static_extent(std::size_t) { return static_cast<std::size_t>(-1); }
    [[nodiscard]] int extent(std::size_t) const { return n_; }
    int n_;
  };
  struct mapping_type {
    explicit mapping_type(const extents_type&) {}
    [[nodiscard]] static bool is_strided() { return true; }
    [[nodiscard]] static int stride(std::size_t) { return 1; }
  };
  View(const float* data, const mapping_type& mapping) : data_(data), mapping_(mapping) {}
  [[nodiscard]] static constexpr std::size_t rank() { return 1; }
  [[nodiscard]] const float* data_handle() const { return data_; }
  [[nodiscard]] const mapping_type& mapping() const { return mapping_; }
  const float* data_;
  mapping_type mapping_;
};

#ifdef SITU_CONTROL
const float* mistake(const Tensor<float, Cuda<0>>& x) {
  Tensor y = x.to<Cpu>();
  return as_mdspan<View>(y).data_handle();
}
#else
auto mistake(const Tensor<float, Cuda<0>>& x) {
  return as_mdspan<View>(x);
}
#endif
