// SPDX-License-Identifier: Apache-2.0
// Guards of the functions of situ/indexing.hpp, for programs that do not include it: the error names the header. They
// are not candidates where it is included.
#pragma once

#include <array>

#include <situ/device/cpu.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// `index_add(x, 0, i, y)` with situ.hpp alone: "this function is in another header: fix: include situ/indexing.hpp".
/// `unique(x)`, `solve(a, b)`, `fft(x)` name theirs (`in_other_headers.hpp`).
struct this_function_is_in_another_header {
  struct fix_include_situ_indexing_hpp {
    template <class T, class D>
    fix_include_situ_indexing_hpp(const placed<T, D>&) = delete;
  };
  struct fix_include_situ_order_hpp {
    template <class T, class D>
    fix_include_situ_order_hpp(const placed<T, D>&) = delete;
  };
  struct fix_include_situ_linalg_hpp {
    template <class T, class D>
    fix_include_situ_linalg_hpp(const placed<T, D>&) = delete;
  };
  struct fix_include_situ_fft_hpp {
    template <class T, class D>
    fix_include_situ_fft_hpp(const placed<T, D>&) = delete;
  };
};

namespace internal {

using InIndexing = this_function_is_in_another_header::fix_include_situ_indexing_hpp;

// One for each header of ops/ with such functions, which declares `is_included` of it. It is looked up by its argument
// where a guard is considered: that is behind all includes of a program.
struct Coordinates;
struct MaskedScatter;
struct Meshgrid;
struct ScatterReduce;
template <class Header>
concept NotIncluded = !requires(const Header* header) { is_included(header); };

}  // namespace internal

template <class Header = internal::Coordinates>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> gather_nd(internal::InIndexing, internal::Anything);
template <class Header = internal::Coordinates>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> index_put(internal::InIndexing, internal::Anything, internal::Anything, internal::Anything = {});
template <class Header = internal::MaskedScatter>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> masked_scatter(internal::InIndexing, internal::Anything, internal::Anything);
template <class Header = internal::Meshgrid>
  requires internal::NotIncluded<Header>
std::array<Tensor<float, Cpu>, 2> meshgrid(internal::InIndexing, internal::Anything, internal::Anything = {});
template <class Header = internal::ScatterReduce>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> index_add(internal::InIndexing, internal::Anything, internal::Anything, internal::Anything);
template <class Header = internal::ScatterReduce>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> index_copy(internal::InIndexing, internal::Anything, internal::Anything, internal::Anything);
template <class Header = internal::ScatterReduce>
  requires internal::NotIncluded<Header>
Tensor<float, Cpu> scatter_reduce(internal::InIndexing, internal::Anything, internal::Anything, internal::Anything,
                                  internal::Anything = {}, internal::Anything = {});

}  // namespace situ
