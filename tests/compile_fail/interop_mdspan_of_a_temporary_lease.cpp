// SPDX-License-Identifier: Apache-2.0
// An mdspan of a lease without a name.
// lines[clang]: 40
// first: (?=.*pointer_into_a_temporary_lease)(?=.*fix_give_the_lease_a_name)
#include <cstddef>

#include <situ/interop/mdspan.hpp>
#include <situ/situ.hpp>

using namespace situ;

/// What an mdspan of rank 1 has.
struct View {
  using element_type = float;
  using index_type = int;
  using reference = float&;
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
  View(float* data, const mapping_type& mapping) : data_(data), mapping_(mapping) {}
  [[nodiscard]] static constexpr std::size_t rank() { return 1; }
  [[nodiscard]] float* data_handle() const { return data_; }
  [[nodiscard]] const mapping_type& mapping() const { return mapping_; }
  float* data_;
  mapping_type mapping_;
};

#ifdef SITU_CONTROL
void mistake(Tensor<float, Cpu>& x) {
  auto w = x.write();
  *as_mdspan<View>(w).data_handle() = 9;
}
#else
auto mistake(Tensor<float, Cpu>& x) {
  return as_mdspan<View>(x.write());
}
#endif
