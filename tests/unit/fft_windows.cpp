// SPDX-License-Identifier: Apache-2.0
// Windows: exact symmetry, periodic beside symmetric, lengths at the ends, element types, and the signal that frames give
// back. NumPy's values are in tests/golden/fft.
#include <doctest/doctest.h>

#include <cmath>
#include <concepts>
#include <cstdint>

#include <situ/fft.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;

template <class Window>
void check_window(const Window& window) {
  for (const std::int64_t n : {2, 3, 8, 33, 1000}) {
    CAPTURE(n);
    const Tensor<double> symmetric = window(n + 1, Periodic::no);
    CHECK(array_equal(symmetric, flip(symmetric, 0)).item());
    CHECK(array_equal(window(n, Periodic::yes), symmetric(range(0, n))).item());
    CHECK(max(symmetric).item() <= 1.0);
  }
  CHECK(window(0, Periodic::no).shape() == Shape{0});
  CHECK(window(0, Periodic::yes).shape() == Shape{0});
  CHECK(window(1, Periodic::no).item() == 1.0);
  CHECK(window(1, Periodic::yes).item() == 1.0);
  CHECK_THROWS_WITH_AS(static_cast<void>(window(-1, Periodic::yes)),
                       doctest::Contains("_window: a length of -1; it must not be negative"), ValueError);
}

TEST_CASE("windows are symmetric to the bit, and periodic ones are those without the last element") {
  check_window([](std::int64_t n, Periodic periodic) { return hann_window<double>(n, periodic); });
  check_window([](std::int64_t n, Periodic periodic) { return hamming_window<double>(n, periodic); });
  check_window([](std::int64_t n, Periodic periodic) { return blackman_window<double>(n, periodic); });
  check_window([](std::int64_t n, Periodic periodic) { return bartlett_window<double>(n, periodic); });
  for (const double beta : {0.0, 0.5, 14.0, 700.0}) {
    check_window([&](std::int64_t n, Periodic periodic) { return kaiser_window<double>(n, beta, periodic); });
  }
}

TEST_CASE("Kaiser's window from no window to the narrowest") {
  CHECK(array_equal(kaiser_window(9, 0), ones<float>({9})).item());
  // I0(700) is 1.5e302: the scale must not overflow
  const Tensor<double> narrow = kaiser_window<double>(9, 700, Periodic::no);
  CHECK(narrow(4) == doctest::Approx(1).epsilon(1e-14));
  CHECK((narrow(0) > 0 && narrow(0) < 1e-300));
  for (const double beta : {-1.0, 701.0, std::nan("")}) {
    CHECK_THROWS_WITH_AS(static_cast<void>(kaiser_window(4, beta)), doctest::Contains("it must be from 0 to 700"),
                         ValueError);
  }
}

TEST_CASE("element types and devices of windows") {
  static_assert(std::same_as<decltype(hann_window(4)), Tensor<float, Cpu>>);
  static_assert(std::same_as<decltype(hann_window<double>(4, pinned)), Tensor<double, Pinned>>);
  CHECK(array_equal(hann_window<float16>(8), cast<float16>(hann_window<double>(8))).item());
  CHECK(array_equal(kaiser_window(8, 5), cast<float>(kaiser_window<double>(8, 5))).item());
  CHECK(array_equal(hamming_window(8, pinned).to<Cpu>(), hamming_window(8)).item());
  CHECK(array_equal(blackman_window(8, pinned).to<Cpu>(), blackman_window(8)).item());
  CHECK(array_equal(bartlett_window(8, pinned).to<Cpu>(), bartlett_window(8)).item());
  CHECK(array_equal(kaiser_window(8, 5, pinned).to<Cpu>(), kaiser_window(8, 5)).item());
}

TEST_CASE("a periodic window gives a signal back from its frames, and finds a tone between two frequencies") {
  const Tensor<double> t = arange<double>(256);
  const Tensor<double> sound = eval(sin(t * 0.3) + 0.5 * cos(t * 0.9));
  const Tensor<double> hann = hann_window<double>(32);
  const Tensor<double> back = istft(stft(sound, 32, hann), 32, hann, {.length = 256});
  CHECK(max(abs(back - sound)).item() < 1e-13);
  // of a tone between two frequencies, most leaks into all others without a window, and next to nothing with one
  const Tensor<double> tone = eval(sin(t * (2 * 3.14159265358979 * 4.5 / 32)));
  const auto far = [&](const Tensor<double>& window) {
    const Tensor<double> power = square(abs(stft(tone, 32, window, {.center = false})));
    return (max(power(range(12, 17), all)) / max(power)).item();
  };
  CHECK(far(ones<double>({32})) > 1e-3);
  CHECK(far(hann) < 1e-5);
  CHECK(far(kaiser_window<double>(32, 8)) < 1e-6);
}

}  // namespace
