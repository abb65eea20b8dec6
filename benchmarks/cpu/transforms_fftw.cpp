// SPDX-License-Identifier: Apache-2.0
// FFTW: a plan of all lines, measured when the row is prepared, from and into memory of its own, as its documentation says.
#include "transforms.hpp"

#include <algorithm>

#include <fftw3.h>

namespace rows {

namespace {

namespace data = transforms;

/// Floats where FFTW wants them.
struct Floats {
  std::shared_ptr<float> elements;
  std::int64_t count;

  explicit Floats(std::int64_t wanted)
      : elements(fftwf_alloc_real(static_cast<std::size_t>(wanted)), fftwf_free), count(wanted) {}
  [[nodiscard]] fftwf_complex* complexes() const { return reinterpret_cast<fftwf_complex*>(elements.get()); }
};

struct Fftw {
  static constexpr const char* name = "fftw";

  static std::vector<double> values(const Floats& x) { return numbers(x.elements.get(), x.count); }
};

using Plan = std::shared_ptr<std::remove_pointer_t<fftwf_plan>>;

/// `plan` overwrites what it measures with: so the input comes after it.
auto executed(fftwf_plan plan, const Floats& x, const float* from, const Floats& y) {
  std::copy(from, from + x.count, x.elements.get());
  return [plan = Plan(plan, fftwf_destroy_plan), x, y]() -> const Floats& {
    fftwf_execute(plan.get());
    return y;
  };
}

void add_all() {
#if defined(SITU_BENCHMARK_FFTW_THREADS)
  fftwf_init_threads();
  fftwf_plan_with_nthreads(threads);
#endif
  describe(Fftw::name, fftwf_version);
  for (const std::int64_t n : data::all_lengths()) {
    const int length = static_cast<int>(n), lines = static_cast<int>(data::elements / n), spectrum = length / 2 + 1;
    add<Fftw>(data::transform_row("fft", n), [=] {
      const auto from = data::complexes(n);
      const Floats x(2 * n * lines), y(2 * n * lines);
      const fftwf_plan plan = fftwf_plan_many_dft(1, &length, lines, x.complexes(), nullptr, 1, length, y.complexes(),
                                                  nullptr, 1, length, FFTW_FORWARD, FFTW_MEASURE);
      return executed(plan, x, reinterpret_cast<const float*>(from.data()), y);
    });
    add<Fftw>(data::transform_row("rfft", n), [=] {
      const auto from = data::reals(n);
      const Floats x(n * lines), y(std::int64_t{2} * spectrum * lines);
      const fftwf_plan plan = fftwf_plan_many_dft_r2c(1, &length, lines, x.elements.get(), nullptr, 1, length,
                                                      y.complexes(), nullptr, 1, spectrum, FFTW_MEASURE);
      return executed(plan, x, from.data(), y);
    });
  }
}

const Registration here("transforms", add_all);

}  // namespace

}  // namespace rows
