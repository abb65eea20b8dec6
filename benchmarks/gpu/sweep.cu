// SPDX-License-Identifier: Apache-2.0
// Which width and depth a flat kernel needs: z = f(leaves) over floats, for vectors of 4, 8 and 16 bytes, 1 to
// 8 of them in flight, 128 to 512 threads, with and without the cache hints, as a share of the device-to-device copy
// measured in the same run. The shape is that of situ's flat kernel: all loads, then arithmetic, then all stores.
// Prints JSON, one object a line.
#include "probes/probe.hpp"

namespace {

enum class Hint { none, no_allocate, streaming };

template <int N>
struct alignas(N * 4) Words {
  unsigned word[N];
};

template <Hint H, int N>
__device__ Words<N> load(const Words<N>* p) {
  Words<N> v;
  if constexpr (H == Hint::no_allocate && N == 4) {
    asm volatile("ld.global.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(p));
  } else if constexpr (H == Hint::streaming && N == 4) {
    const uint4 u = __ldcs(reinterpret_cast<const uint4*>(p));
    v = {u.x, u.y, u.z, u.w};
  } else {
    v = *p;
  }
  return v;
}
template <Hint H, int N>
__device__ void store(Words<N>* p, const Words<N>& v) {
  if constexpr (H == Hint::streaming && N == 4) {
    __stcs(reinterpret_cast<uint4*>(p), make_uint4(v.word[0], v.word[1], v.word[2], v.word[3]));
  } else {
    *p = v;
  }
}

template <int N, int Unroll, int Leaves, Hint H>
__global__ void flat(const Words<N>* a, const Words<N>* b, const Words<N>* c, Words<N>* z) {
  const std::int64_t base = static_cast<std::int64_t>(blockIdx.x) * blockDim.x * Unroll + threadIdx.x;
  Words<N> x[Unroll][Leaves];
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    const std::int64_t at = base + static_cast<std::int64_t>(u) * blockDim.x;
    x[u][0] = load<H>(a + at);
    if constexpr (Leaves > 1) x[u][1] = load<H>(b + at);
    if constexpr (Leaves > 2) x[u][2] = load<H>(c + at);
  }
#pragma unroll
  for (int u = 0; u < Unroll; ++u) {
    Words<N> out;
#pragma unroll
    for (int i = 0; i < N; ++i) {
      float v = __uint_as_float(x[u][0].word[i]);
      if constexpr (Leaves > 1) v *= __uint_as_float(x[u][1].word[i]);
      if constexpr (Leaves > 2) v += __uint_as_float(x[u][2].word[i]);
      out.word[i] = __float_as_uint(v > 0 ? v : 0.f);
    }
    store<H>(z + base + static_cast<std::int64_t>(u) * blockDim.x, out);
  }
}

struct Arrays {
  float *a, *b, *c, *z;
  std::int64_t count;
  double copy_rate;
  cudaStream_t stream;
};

template <int N, int Unroll, int Leaves, Hint H>
void measure(const Arrays& arrays, int threads) {
  const auto blocks = static_cast<unsigned>(arrays.count / (static_cast<std::int64_t>(N) * Unroll * threads));
  const double ms = probe::gpu_ms(
      arrays.stream,
      [&] {
        flat<N, Unroll, Leaves, H><<<blocks, threads, 0, arrays.stream>>>(
            reinterpret_cast<const Words<N>*>(arrays.a), reinterpret_cast<const Words<N>*>(arrays.b),
            reinterpret_cast<const Words<N>*>(arrays.c), reinterpret_cast<Words<N>*>(arrays.z));
      },
      11);
  probe::check(cudaGetLastError(), "sweep");
  const double rate = static_cast<double>(arrays.count) * 4 * (Leaves + 1) / ms / 1e6;
  static const char* const hints[] = {"none", "L1::no_allocate", "streaming"};
  std::printf(
      "{\"leaves\": %d, \"bytes\": %d, \"unroll\": %d, \"threads\": %d, \"hint\": \"%s\", \"count\": %lld, \"ms\": "
      "%.5f, "
      "\"rate\": %.1f, \"of_copy\": %.4f}\n",
      Leaves, 4 * N, Unroll, threads, hints[static_cast<int>(H)], static_cast<long long>(arrays.count), ms, rate,
      rate / arrays.copy_rate);
  std::fflush(stdout);
}

template <int Leaves>
void sweep(const Arrays& arrays) {
  for (const int threads : {128, 256, 512}) {
    measure<1, 4, Leaves, Hint::none>(arrays, threads);
    measure<2, 4, Leaves, Hint::none>(arrays, threads);
    measure<4, 1, Leaves, Hint::none>(arrays, threads);
    measure<4, 2, Leaves, Hint::none>(arrays, threads);
    measure<4, 4, Leaves, Hint::none>(arrays, threads);
    measure<4, 8, Leaves, Hint::none>(arrays, threads);
    measure<4, 1, Leaves, Hint::no_allocate>(arrays, threads);
    measure<4, 2, Leaves, Hint::no_allocate>(arrays, threads);
    measure<4, 4, Leaves, Hint::no_allocate>(arrays, threads);
    measure<4, 2, Leaves, Hint::streaming>(arrays, threads);
    measure<4, 4, Leaves, Hint::streaming>(arrays, threads);
  }
}

__global__ void fill(float* x, std::int64_t count, unsigned seed) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) x[i] = static_cast<float>((static_cast<unsigned>(i) * 2654435761u + seed) >> 8) * 0x1p-24f - 0.5f;
}

}  // namespace

int main() {
  probe::start();
  Arrays arrays{};
  probe::check(cudaStreamCreateWithFlags(&arrays.stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  constexpr std::int64_t most = std::int64_t{1} << 28;
  for (float** x : {&arrays.a, &arrays.b, &arrays.c, &arrays.z}) {
    probe::check(cudaMalloc(x, most * sizeof(float)), "cudaMalloc");
    fill<<<static_cast<unsigned>(most / 256), 256, 0, arrays.stream>>>(*x, most, 17);
  }
  // The largest is the figure that budgets are about; the smaller ones fit the L2 cache in part, and show the tail.
  for (const int bits : {28, 24, 20}) {
    arrays.count = std::int64_t{1} << bits;
    const double ms = probe::gpu_ms(
        arrays.stream,
        [&] {
          cudaMemcpyAsync(arrays.z, arrays.a, static_cast<std::size_t>(arrays.count) * 4, cudaMemcpyDeviceToDevice,
                          arrays.stream);
        },
        21);
    arrays.copy_rate = static_cast<double>(arrays.count) * 8 / ms / 1e6;
    std::printf("{\"copy\": true, \"count\": %lld, \"ms\": %.5f, \"rate\": %.1f}\n",
                static_cast<long long>(arrays.count), ms, arrays.copy_rate);
    sweep<1>(arrays);
    sweep<2>(arrays);
    sweep<3>(arrays);
  }
  return 0;
}
