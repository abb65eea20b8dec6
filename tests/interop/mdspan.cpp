// SPDX-License-Identifier: Apache-2.0
// Tensors from and as mdspan, of whichever implementations the machine has.
#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_mdspan)
#include <mdspan>
#endif
#if __has_include(<cuda/std/mdspan>)
#include <cuda/std/mdspan>
#endif

#include <situ/interop/mdspan.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

#if __has_include(<cuda/std/mdspan>)
struct CudaStd {
  template <class T, class Extents, class Layout = cuda::std::layout_right>
  using Span = cuda::std::mdspan<T, Extents, Layout>;
  template <class Index, std::size_t Rank>
  using Dynamic = cuda::std::dextents<Index, Rank>;
  template <class Index, std::size_t... Extents>
  using Fixed = cuda::std::extents<Index, Extents...>;
  using Right = cuda::std::layout_right;
  using Left = cuda::std::layout_left;
  using Strided = cuda::std::layout_stride;
};
#endif
#if defined(__cpp_lib_mdspan)
struct Std {
  template <class T, class Extents, class Layout = std::layout_right>
  using Span = std::mdspan<T, Extents, Layout>;
  template <class Index, std::size_t Rank>
  using Dynamic = std::dextents<Index, Rank>;
  template <class Index, std::size_t... Extents>
  using Fixed = std::extents<Index, Extents...>;
  using Right = std::layout_right;
  using Left = std::layout_left;
  using Strided = std::layout_stride;
};
#endif

template <class M, class X>
concept Shown = requires(X&& x) { as_mdspan<M>(std::forward<X>(x)); };
template <class M, class X>
concept ShownToKernels = requires(X&& x) { as_device_mdspan<M>(std::forward<X>(x)); };

template <class L>
void test_implementation() {
  using Matrix = typename L::template Span<const float, typename L::template Dynamic<std::int64_t, 2>>;
  using Columns = typename L::template Span<const float, typename L::template Dynamic<int, 2>, typename L::Left>;
  using Any = typename L::template Span<const float, typename L::template Dynamic<int, 2>, typename L::Strided>;
  using Square = typename L::template Span<const float, typename L::template Fixed<int, 3, 3>>;
  using Written = typename L::template Span<float, typename L::template Dynamic<int, 2>>;
  using Scalar = typename L::template Span<const float, typename L::template Fixed<int>>;
  using Small = typename L::template Span<const std::uint8_t, typename L::template Dynamic<std::int8_t, 1>>;
  static_assert(Mdspan<Matrix> && Mdspan<Columns> && Mdspan<Any> && Mdspan<Scalar>);
  static_assert(Shown<Matrix, Tensor<float, Cpu>&> && Shown<Written, const Lease<float, Cpu>&>);
  static_assert(!Shown<Matrix, Tensor<float, Cpu>> && !Shown<Written, Tensor<float, Cpu>&>);
  static_assert(!Shown<Matrix, Tensor<float, Cuda<0>>&> && !Shown<Matrix, Tensor<double, Cpu>&>);
  static_assert(ShownToKernels<Matrix, Tensor<float, Cuda<0>>&> && !ShownToKernels<Matrix, Tensor<float, Cpu>&>);

  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  const Matrix rows = as_mdspan<Matrix>(x);
  CHECK(rows.data_handle() == x.data());
  CHECK(rows.extent(0) == 2);
  CHECK(rows.extent(1) == 3);
  CHECK(rows.mapping()(1, 2) == 5);
  Tensor t = transpose(x);
  CHECK_THROWS_WITH_AS(static_cast<void>(as_mdspan<Matrix>(t)),
                       "as_mdspan: the tensor has shape (3, 2), and neighbors along axis 0 are 1 elements apart, in "
                       "the mdspan 2; take one of layout_stride, or contiguous(x)",
                       ShapeError);
  CHECK(as_mdspan<Columns>(t).mapping()(2, 1) == 5);
  CHECK(as_mdspan<Any>(t).mapping()(2, 1) == 5);
  CHECK(as_mdspan<Any>(t).mapping().stride(1) == 3);
  Tensor row = x(range(0, 1), all);
  CHECK(as_mdspan<Columns>(row).extent(1) == 3);  // what leads nowhere lies anywhere
  Tensor repeated = broadcast_to(x(range(0, 1), all), {4, 3});
  CHECK_THROWS_AS(static_cast<void>(as_mdspan<Any>(repeated)), ShapeError);
  Tensor reversed = flip(x, 1);
  CHECK_THROWS_AS(static_cast<void>(as_mdspan<Any>(reversed)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(as_mdspan<Square>(x)), ShapeError);
  CHECK_THROWS_AS(static_cast<void>(as_mdspan<Scalar>(x)), ShapeError);
  Tensor many = zeros<std::uint8_t>({128});
  CHECK_THROWS_AS(static_cast<void>(as_mdspan<Small>(many)), ShapeError);
  Tensor one = full({}, 3.f);
  CHECK(*as_mdspan<Scalar>(one).data_handle() == 3.f);
  {
    auto lease = x.write();
    const Written w = as_mdspan<Written>(lease);
    w.data_handle()[w.mapping()(1, 0)] = 9.f;
  }
  CHECK(x(1, 0) == 9.f);

  // And back: without a copy, in any layout, released once.
  int released = 0;
  for (const bool twice : {false, true}) {
    Tensor back = from_mdspan<Cpu>(as_mdspan<Any>(t), [&] { ++released; });
    CHECK(back.data() == t.data());
    CHECK(back(2, 1) == 6.f);
    CHECK(back.stride(0) == 1);
    if (twice) back += 1.f;
  }
  CHECK(released == 2);
  CHECK(from_mdspan<Cpu>(as_mdspan<Columns>(t))(0, 1) == 4.f);  // a value: `x` was written, `t` was not
  CHECK(from_mdspan<Cpu>(as_mdspan<Scalar>(one)).item() == 3.f);
  std::vector<float> nine(9, 2.f);
  CHECK(sum(from_mdspan<Cpu>(Square(nine.data()))).item() == 18.f);
  CHECK(t(2, 1) == 6.f);
}

#if __has_include(<cuda/std/mdspan>)
TEST_CASE("as the guide has it") {
  // [mdspan]
  using Rows = cuda::std::mdspan<const float, cuda::std::dextents<int, 2>>;
  using Written = cuda::std::mdspan<float, cuda::std::dextents<int, 2>>;
  Tensor x = tensor({{1.f, 2.f, 3.f}, {4.f, 5.f, 6.f}});
  Rows rows = as_mdspan<Rows>(x);                                // no copy; valid as long as x.data()
  {
    auto lease = x.write();
    Written written = as_mdspan<Written>(lease);
    written(1, 2) = 7.f;
  }
  std::vector<float> grid(12, 1.f);
  Tensor y = from_mdspan<Cpu>(Rows(grid.data(), 3, 4));          // grid outlives y
  // [mdspan-end]
  CHECK(rows(0, 1) == 2.f);
  CHECK(x(1, 2) == 7.f);
  CHECK(y.data() == grid.data());
}

TEST_CASE("cuda::std::mdspan") { test_implementation<CudaStd>(); }
#endif
#if defined(__cpp_lib_mdspan)
TEST_CASE("std::mdspan") { test_implementation<Std>(); }
#endif

}  // namespace
