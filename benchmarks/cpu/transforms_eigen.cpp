// SPDX-License-Identifier: Apache-2.0
// Eigen's FFT module as it is: what computes situ's transforms on the CPU. One thread has one line at a time.
#include "peer_eigen.hpp"
#include "transforms.hpp"

#include <unsupported/Eigen/FFT>

namespace rows {

namespace {

namespace data = transforms;

template <class From, class To>
void transform_all(const From* from, std::int64_t n, To* to, std::int64_t spectrum) {
#pragma omp parallel num_threads(threads)
  {
    static thread_local Eigen::FFT<float> fft;  // keeps its plans, as ours are kept
    fft.SetFlag(Eigen::FFT<float>::HalfSpectrum);
#pragma omp for
    for (std::int64_t i = 0; i < data::elements / n; ++i) fft.fwd(to + i * spectrum, from + i * n, static_cast<int>(n));
  }
}

struct EigenFft : Eigen3 {
  template <class T>
  static std::vector<double> values(const std::vector<T>& x) {
    return numbers(x.data(), static_cast<std::int64_t>(x.size()));
  }
};

template <class X>
auto transforms_of(const std::vector<X>& x, std::int64_t n, std::int64_t spectrum) {
  const auto lines = static_cast<std::int64_t>(x.size()) / n;
  return [=, y = std::vector<std::complex<float>>(static_cast<std::size_t>(lines * spectrum))]() mutable -> auto& {
    transform_all(x.data(), n, y.data(), spectrum);
    return y;
  };
}

void add_all() {
  for (const std::int64_t n : data::all_lengths()) {
    add<EigenFft>(data::transform_row("fft", n), [=] { return transforms_of(data::complexes(n), n, n); });
    add<EigenFft>(data::transform_row("rfft", n), [=] { return transforms_of(data::reals(n), n, n / 2 + 1); });
  }
}

const Registration here("transforms", add_all);

}  // namespace

}  // namespace rows
