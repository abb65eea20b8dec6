// SPDX-License-Identifier: Apache-2.0
// The integers of 8 to 64 bits as elements, against loops: one case of each kind of operation, since what computes them
// is the same template for all; lanes are in functional.cpp. And the product of int8, files, names.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <situ/interop/dlpack.hpp>
#include <situ/io.hpp>
#include <situ/einsum.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

namespace {

using temporary_files::TemporaryFolder;

using namespace situ;
using reference::message_of;

template <class T>
std::vector<T> list(const Tensor<T>& x) {
  return {x.begin(), x.end()};
}

/// The ends of the range and numbers all over it.
template <class T>
std::vector<T> spread_numbers(std::size_t count, std::uint64_t state) {
  using limits = std::numeric_limits<T>;
  std::vector<T> result{T(0), T(1), limits::max(), limits::lowest(), T(limits::max() - 1)};
  while (result.size() < count) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    result.push_back(static_cast<T>(state >> 32 >> (state >> 61)));
  }
  result.resize(count);
  return result;
}

template <class T>
T wrapped(std::uint64_t value) {
  return static_cast<T>(value);
}

/// What computes: an expression, a reduction, an order, a selection, for a vector and a matrix that lies in steps.
template <class T>
void check_operations() {
  CAPTURE(std::string(dtype_name<T>()));
  using Sum = std::conditional_t<std::same_as<T, std::uint64_t>, std::uint64_t, std::int64_t>;
  const std::size_t count = 1009;
  const std::vector<T> a = spread_numbers<T>(count, 1), b = spread_numbers<T>(count, 2);
  const Tensor<T> x = from_span<T>(a), y = from_span<T>(b);
  std::vector<T> wanted;
  for (std::size_t i = 0; i < count; ++i) {
    wanted.push_back(wrapped<T>(static_cast<std::uint64_t>(a[i]) * static_cast<std::uint64_t>(b[i]) -
                                static_cast<std::uint64_t>(std::min(a[i], b[i])) + 3));
  }
  CHECK(list(eval(x * y - minimum(x, y) + 3)) == wanted);

  std::uint64_t total = 0, product = 1;
  std::vector<Sum> sums;
  for (const T value : a) sums.push_back(static_cast<Sum>(total += static_cast<std::uint64_t>(value)));
  for (std::size_t i = 1; i < 5; ++i) product *= static_cast<std::uint64_t>(a[i]);
  static_assert(std::same_as<decltype(sum(x)), Tensor<Sum, Cpu>>);
  CHECK(sum(x).item() == static_cast<Sum>(total));
  CHECK(prod(x(range(1, 5))).item() == static_cast<Sum>(product));
  CHECK(list(cumsum(x)) == sums);
  CHECK(max(x).item() == std::numeric_limits<T>::max());
  CHECK(min(x).item() == std::numeric_limits<T>::lowest());
  CHECK(argmax(x).item() == 2);

  std::vector<T> ordered = a;
  std::stable_sort(ordered.begin(), ordered.end());
  CHECK(list(sort(x)) == ordered);
  CHECK(argsort(x).size() == x.size());
  std::reverse(ordered.begin(), ordered.end());
  CHECK(list(sort(x, 0, true)) == ordered);

  const Tensor<T> stepped =
      transpose(reshape(x(range(0, 1008)), {14, 72}))(range(IndexRange::none, IndexRange::none, 5), all);
  for (std::int64_t i = 0; i < 15; ++i) CHECK(stepped(i, 3) == a[static_cast<std::size_t>(3 * 72 + 5 * i)]);
  Tensor<T> changed = contiguous(stepped);
  changed.at(2, 3) += 1;
  CHECK(changed(2, 3) == wrapped<T>(static_cast<std::uint64_t>(stepped(2, 3)) + 1));
  const Tensor<T> places = from_span<T>(std::vector<T>{T(2), T(0), T(2)});
  CHECK(list(take(x, places, 0)) == std::vector<T>{a[2], a[0], a[2]});
  CHECK(list(eval(where(x > y, x, y))) == list(eval(maximum(x, y))));
  CHECK(list(eval(cast<T>(cast<double>(x(range(0, 2))) + 0.75))) == std::vector<T>{T(0), T(1)});
}

/// What only carries elements: text, files, the names of other libraries.
template <class T>
void check_carried(std::string_view name, std::string_view npy, std::string_view text) {
  CAPTURE(std::string(name));
  CHECK(dtype_name<T>() == name);
  const Tensor<T> x = from_span<T>(spread_numbers<T>(6, 3), {2, 3});
  CHECK(to_string(x(0, all)) == "tensor([" + std::string(text) + "], shape=(3,), dtype=" + std::string(name) + ", device='cpu')");
  const TemporaryFolder folder;
  save_npy(folder.path / "x.npy", x);
  CHECK(array_equal(load_npy<T>(folder.path / "x.npy"), x).item());
  CHECK(internal::io::npy_type(element_type<T>()) == npy);
  for (const char* const file : {"x.npz", "x.safetensors"}) {
    save(folder.path / file, "x", x);
    const AnyTensor<> any = load(folder.path / file).at("x");
    CHECK(any.dtype() == name);
    CHECK(array_equal(any.get<T>(), x).item());
  }
  const auto type = internal::dlpack_type<T>();
  CHECK(type.bits == 8 * sizeof(T));
  CHECK(type.code == (std::is_signed_v<T> ? dlpack::int_code : dlpack::uint_code));
}

}  // namespace

TEST_CASE("integers of every width compute as loops do") {
  check_operations<std::int8_t>();
  check_operations<std::int16_t>();
  check_operations<std::uint16_t>();
  check_operations<std::uint32_t>();
  check_operations<std::uint64_t>();
}

TEST_CASE("integers of every width are printed, written and read") {
  check_carried<std::int8_t>("int8", "i1", "  0,   1, 127");
  check_carried<std::int16_t>("int16", "i2", "    0,     1, 32767");
  check_carried<std::uint16_t>("uint16", "u2", "    0,     1, 65535");
  check_carried<std::uint32_t>("uint32", "u4", "         0,          1, 4294967295");
  check_carried<std::uint64_t>("uint64", "u8", "                   0,                    1, 18446744073709551615");
}

TEST_CASE("the product of int8 is int32") {
  const Tensor<std::int8_t> a = full<std::int8_t>({3, 300}, -128);
  const Tensor<std::int8_t> b = full<std::int8_t>({300, 2}, -128);
  const Tensor<std::int32_t> product = matmul(a, b);
  CHECK(Tensor<std::int32_t>(tensordot(a, b, 1))(2, 1) == 300 * 128 * 128);
  CHECK(product.shape() == Shape{3, 2});
  CHECK(product(2, 1) == 300 * 128 * 128);
  CHECK(dot(a(0, all), b(all, 0)).item() == 300 * 128 * 128);
  const Tensor<std::uint16_t> c = full<std::uint16_t>({3, 300}, 65409);  // -127, as it wraps
  CHECK(matmul(c, transpose(c))(2, 0) == static_cast<std::uint16_t>(300 * 127 * 127));
  CHECK(matmul(c, c(0, all))(2) == static_cast<std::uint16_t>(300 * 127 * 127));  // two of which no `int` holds
  CHECK(dot(full<std::int16_t>({5}, -1), full<std::int16_t>({5}, -1)).item() == 5);
}

TEST_CASE("an index that 63 bits do not hold is past the end") {
  const Tensor<float> x = arange<float>(5);
  const Tensor<std::uint64_t> last = full<std::uint64_t>({1}, std::numeric_limits<std::uint64_t>::max());
  CHECK_THROWS_AS(static_cast<void>(take(x, last, 0)), IndexError);
  CHECK(take(x, full<std::uint64_t>({1}, 4), 0)(0) == 4);
}

TEST_CASE("scalars beside integers fit by their value") {
  const Tensor<std::int8_t> x = zeros<std::int8_t>({2});
  CHECK((x + -128)(0) == -128);
  CHECK(reference::contains(message_of([&] { static_cast<void>(x + 128); }), "does not fit in int8"));
  CHECK((zeros<std::uint64_t>({2}) + std::numeric_limits<std::uint64_t>::max())(1) == std::numeric_limits<std::uint64_t>::max());
}
