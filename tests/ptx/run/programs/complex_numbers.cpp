// SPDX-License-Identifier: Apache-2.0
// Complex numbers as elements: functions, reductions, scans, products and scatters of views.
#include <complex>

#include <situ/complex.hpp>
#include <situ/fft.hpp>
#include <situ/indexing.hpp>

#include "program.hpp"

int main() {
  using namespace ptx_programs;
  using C = std::complex<float>;
  const Gpu<float> r = normal<float>({7, 33});
  const Gpu<C> z = make_complex(r, flip(r)), w = z(range(1, 7), range(1, 32)), v = flip(z(range(0, 6), range(2, 33)));
  { Gpu<C> y = z * conj(z) / (z + C(1, 2)) - z; }
  { Gpu<C> y = w * v + w; }
  { Gpu<float> y = abs(w) + angle(v); }
  { Gpu<C> y = exp(w); }
  { Gpu<C> y = log(w); }
  { Gpu<C> y = sqrt(v); }
  { Gpu<C> y = sin(w) * tanh(v); }
  { Gpu<C> y = pow(w, v); }
  { Gpu<C> y = polar(abs(r), r); }
  { auto y = eval(sum(w, 0)); }
  { auto y = eval(prod(w, 1)); }
  { auto y = eval(mean(v)); }
  { auto y = eval(cumsum(w, 1)); }
  { auto y = eval(cumprod(v, 0)); }
  { Gpu<C> y = where(real(w) > 0.f, w, v); }
  { Gpu<bool> y = w == v; }
  { auto y = fftshift(z, {0, 1}); }
  { auto y = eval(dot(w(0, all), v(0, all))); }
  { auto y = eval(outer(w(0, all), v(all, 0))); }
  { auto y = contiguous(view_as_real(z)); }
  { auto y = contiguous(transpose(z)); }
  { auto y = scatter_add(w, 0, randint<std::int64_t>(0, 2, {6, 31}, gpu<0>), v); }
  return finish();
}
