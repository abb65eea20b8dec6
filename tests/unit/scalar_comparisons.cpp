// SPDX-License-Identifier: Apache-2.0
// Comparisons of tensors with numbers at and beyond the ends of their element types.
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <situ/situ.hpp>

#include "../reference.hpp"

namespace {

using namespace situ;
using reference::message_of;

template <class T>
std::vector<bool> list(const Tensor<T>& x) {
  return std::vector<bool>(x.begin(), x.end());
}

/// All six comparisons with a number on either side are refused.
template <class T, class S>
void check_refused(S number, const std::string& text) {
  const Tensor<T> x = tensor<T>({T(0), T(1)});
  const auto check = [&](const char* name, auto compare) {
    CHECK(message_of([&] { static_cast<void>(compare()); }) ==
          std::string(name) + ": the scalar " + text + " does not fit in " + std::string(dtype_name<T>()) +
              "; all elements compare alike with it: leave the comparison out, or cast the tensor to a wider type first");
  };
  check("less", [&] { return x < number; });
  check("less_equal", [&] { return x <= number; });
  check("greater", [&] { return x > number; });
  check("greater_equal", [&] { return x >= number; });
  check("equal", [&] { return x == number; });
  check("not_equal", [&] { return x != number; });
  check("less", [&] { return number < x; });
  check("less_equal", [&] { return number <= x; });
  check("greater", [&] { return number > x; });
  check("greater_equal", [&] { return number >= x; });
  check("equal", [&] { return number == x; });
  check("not_equal", [&] { return number != x; });
}

/// The ends themselves are compared as any other number.
template <class T, class S>
void check_ends(S low, S high) {
  const Tensor<T> x = tensor<T>({static_cast<T>(low), T(1), static_cast<T>(high)});
  CHECK(list(eval(x < high)) == std::vector<bool>{true, true, false});
  CHECK(list(eval(x <= high)) == std::vector<bool>{true, true, true});
  CHECK(list(eval(x > low)) == std::vector<bool>{false, true, true});
  CHECK(list(eval(x >= low)) == std::vector<bool>{true, true, true});
  CHECK(list(eval(x == high)) == std::vector<bool>{false, false, true});
  CHECK(list(eval(low != x)) == std::vector<bool>{false, true, true});
}

template <class T>
void check_narrow() {
  const std::int64_t low = std::numeric_limits<T>::lowest(), high = std::numeric_limits<T>::max();
  check_ends<T>(low, high);
  check_refused<T>(low - 1, std::to_string(low - 1));
  check_refused<T>(high + 1, std::to_string(high + 1));
}

TEST_CASE("a number beyond the elements of a comparison is refused, and the last one that fits is compared") {
  check_narrow<std::int8_t>();
  check_narrow<std::int16_t>();
  check_narrow<std::int32_t>();
  check_narrow<std::uint8_t>();
  check_narrow<std::uint16_t>();
  check_narrow<std::uint32_t>();
  check_ends<std::int64_t>(std::numeric_limits<std::int64_t>::lowest(), std::numeric_limits<std::int64_t>::max());
  check_refused<std::int64_t>(std::numeric_limits<std::uint64_t>::max(), "18446744073709551615");
  check_refused<std::int64_t>(std::uint64_t{1} << 63, "9223372036854775808");
  check_ends<std::uint64_t>(std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max());
  check_refused<std::uint64_t>(-1, "-1");
}

TEST_CASE("a finite number that would become infinite is refused, and infinity is compared") {
  check_refused<float>(1e300, "1e+300");
  check_refused<float16>(-1e6f, "-1e+06");
  const Tensor x = tensor({std::numeric_limits<float>::max(), -1.f});
  const double infinity = std::numeric_limits<double>::infinity();
  CHECK(list(eval(x < infinity)) == std::vector<bool>{true, true});
  CHECK(list(eval(x == -infinity)) == std::vector<bool>{false, false});
}

TEST_CASE("arithmetic with such a number says to cast") {
  const Tensor x = tensor<std::uint8_t>({1, 2});
  CHECK(message_of([&] { static_cast<void>(x + 300); }) ==
        "add: the scalar 300 does not fit in uint8; cast the tensor to a wider type first");
}

}  // namespace
