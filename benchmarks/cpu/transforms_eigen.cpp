// SPDX-License-Identifier: Apache-2.0
// Eigen's FFT module as it is: what computes situ's transforms on the CPU. One thread has one line at a time.
#include "transforms.hpp"

#include <complex>

#include <unsupported/Eigen/FFT>

namespace rows {

namespace {

namespace data = transforms;

template <class From, class To>
void transform_all(const From* from, std::int64_t n, To* to, std::int64_t spectrum) {
#pragma omp parallel num_threads(threads)
  {
    Eigen::FFT<float> fft;
    fft.SetFlag(Eigen::FFT<float>::HalfSpectrum);
#pragma omp for
    for (std::int64_t i = 0; i < data::elements / n; ++i) fft.fwd(to + i * spectrum, from + i * n, static_cast<int>(n));
  }
}

}  // namespace

void add_eigen_transforms() {
  for (const std::int64_t n : data::all_lengths()) {
    const std::int64_t count = data::elements / n;
    add(data::transform_row("fft", n), "eigen", [=] {
      const std::vector<float> re = random(count * n, 1), im = random(count * n, 2);
      std::vector<std::complex<float>> x(re.size());
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = {re[i], im[i]};
      return [n, x, y = std::vector<std::complex<float>>(x.size())]() mutable {
        transform_all(x.data(), n, y.data(), n);
        benchmark::DoNotOptimize(y.data());
      };
    });
    add(data::transform_row("rfft", n), "eigen", [=] {
      const std::int64_t spectrum = n / 2 + 1;
      return [n, spectrum, x = random(count * n, 1),
              y = std::vector<std::complex<float>>(static_cast<std::size_t>(count * spectrum))]() mutable {
        transform_all(x.data(), n, y.data(), spectrum);
        benchmark::DoNotOptimize(y.data());
      };
    });
  }
}

}  // namespace rows
