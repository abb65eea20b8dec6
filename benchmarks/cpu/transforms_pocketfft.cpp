// SPDX-License-Identifier: Apache-2.0
// PocketFFT, the header of C++ that NumPy has, with its threads and its cache of plans.
#include "transforms.hpp"

#define POCKETFFT_CACHE_SIZE 16
#include <pocketfft_hdronly.h>

namespace rows {

namespace {

namespace data = transforms;
using Complexes = std::vector<std::complex<float>>;

struct PocketFft {
  static constexpr const char* name = "pocketfft";

  static std::vector<double> values(const Complexes& x) {
    return numbers(x.data(), static_cast<std::int64_t>(x.size()));
  }
};

void add_all() {
  describe(PocketFft::name, "header");
  for (const std::int64_t n : data::all_lengths()) {
    const auto length = static_cast<std::size_t>(n), lines = static_cast<std::size_t>(data::elements / n),
               spectrum = length / 2 + 1;
    const auto strides = [](std::size_t row, std::size_t element) {
      return pocketfft::stride_t{static_cast<std::ptrdiff_t>(row * element), static_cast<std::ptrdiff_t>(element)};
    };
    const pocketfft::stride_t real = strides(length, sizeof(float)),
                              complex = strides(length, sizeof(std::complex<float>)),
                              half = strides(spectrum, sizeof(std::complex<float>));
    const auto many = static_cast<std::size_t>(threads);
    add<PocketFft>(data::transform_row("fft", n), [=] {
      return [=, x = data::complexes(n), y = Complexes(length * lines)]() mutable -> const Complexes& {
        pocketfft::c2c<float>({lines, length}, complex, complex, {1}, pocketfft::FORWARD, x.data(), y.data(), 1.0f,
                              many);
        return y;
      };
    });
    add<PocketFft>(data::transform_row("rfft", n), [=] {
      return [=, x = data::reals(n), y = Complexes(spectrum * lines)]() mutable -> const Complexes& {
        pocketfft::r2c<float>({lines, length}, real, half, 1, pocketfft::FORWARD, x.data(), y.data(), 1.0f, many);
        return y;
      };
    });
  }
}

const Registration here("transforms", add_all);

}  // namespace

}  // namespace rows
