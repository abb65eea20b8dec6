// SPDX-License-Identifier: Apache-2.0
// Kernels of one's own, each of few lines, that together use what kernels can: vectors of 16 bytes, shared memory,
// shuffles, a ticket behind a fence, 64-bit indices. faults.py plants mistakes in what nvcc makes of them.
#include <cstdint>

#include <situ/cuda/runtime/launch.hpp>
#include <situ/cuda/transfer/access.hpp>
#include <situ/device/cuda.hpp>
#include <situ/device/stream.hpp>
#include <situ/memory/storage.hpp>

namespace own_kernels {

namespace kernel = situ::internal::cuda::kernel;
using situ::Cuda;
using situ::internal::Storage;
using situ::internal::cuda::Grid;
using situ::internal::cuda::launch;

/// Numbers that no two neighbours share.
struct Fill {
  static constexpr int threads = 128;
  static constexpr const char* name = "own_fill";
  float* out;
  std::int64_t count;
  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i < count) out[i] = static_cast<float>(i % 1009) * 0.37f - 100.f;
  }
};

/// out = a * x + b of vectors of four; the padding behind `wide` is no member's.
struct Line {
  static constexpr int threads = 128;
  static constexpr const char* name = "own_line";
  const float* x;
  float* out;
  std::int64_t vectors;
  bool wide;
  float a;
  float b;
  SITU_DEVICE void operator()() const {
    using Four = kernel::Vector<float, 4>;
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i >= vectors) return;
    Four v = *reinterpret_cast<const Four*>(x + 4 * i);
    for (float& each : v.element) each = (wide ? a : -a) * each + b;
    *reinterpret_cast<Four*>(out + 4 * i) = v;
  }
};

/// Adds to each the number to its right, in place, by shared memory.
struct Neighbours {
  static constexpr int threads = 96;
  static constexpr const char* name = "own_neighbours";
  struct Tile {
    float of[threads + 1];
  };
  float* x;
  std::int64_t count;
  SITU_DEVICE void operator()() const {
    Tile& tile = kernel::block_shared<Tile>();
    const int t = kernel::thread();
    const std::int64_t i = kernel::block() * threads + t;
    const float mine = i < count ? x[i] : 0.f;
    tile.of[t] = mine;
    if (t == 0) tile.of[threads] = 0.f;
    kernel::barrier();
    const float right = tile.of[t + 1];
    if (i < count) x[i] = mine + right;
  }
};

/// The sum of all: of each warp by shuffles, of each block by the first thread, and by the last block of those.
struct Total {
  static constexpr int threads = 128;
  static constexpr const char* name = "own_total";
  struct Parts {
    float of[threads / kernel::warp_size];
    std::uint32_t ticket;
  };
  const float* x;
  float* parts;
  std::uint32_t* tickets;
  float* out;
  std::int64_t count;
  SITU_DEVICE void operator()() const {
    Parts& shared = kernel::block_shared<Parts>();
    const int t = kernel::thread();
    float sum = 0;
    for (std::int64_t i = kernel::block() * threads + t; i < count; i += kernel::blocks() * threads) sum += x[i];
    for (int d = kernel::warp_size / 2; d > 0; d /= 2) sum += kernel::shuffle_xor(sum, d);
    if (t % kernel::warp_size == 0) shared.of[t / kernel::warp_size] = sum;
    kernel::barrier();
    if (t == 0) {
      float all = 0;
      for (const float part : shared.of) all += part;
      parts[kernel::block()] = all;
      kernel::memory_fence();
      shared.ticket = kernel::atomic_add(tickets, std::uint32_t{1});
      kernel::memory_fence();
    }
    kernel::barrier();
    if (shared.ticket + 1 != static_cast<std::uint32_t>(kernel::blocks()) || t != 0) return;
    float all = 0;
    for (std::int64_t b = 0; b < kernel::blocks(); ++b) all += parts[b];
    *out = all;
    *tickets = 0;
  }
};

/// Writes to places far apart, whose number needs 64 bits before it is divided.
struct Spread {
  static constexpr int threads = 256;
  static constexpr const char* name = "own_spread";
  std::int64_t* out;
  std::int64_t count;
  std::int64_t step;
  SITU_DEVICE void operator()() const {
    const std::int64_t i = kernel::block() * threads + kernel::thread();
    if (i < count) out[i * step % count] = i;
  }
};

struct Clear {
  static constexpr int threads = 32;
  static constexpr const char* name = "own_clear";
  std::uint32_t* word;
  SITU_DEVICE void operator()() const {
    if (kernel::thread() == 0) *word = 0;
  }
};

template <class T>
Storage<Cuda<0>> room(std::int64_t count) {
  Storage<Cuda<0>> storage = Storage<Cuda<0>>::allocate(static_cast<std::size_t>(count) * sizeof(T));
  before_write(Cuda<0>::queue(), storage);
  return storage;
}
template <class T>
T* start(const Storage<Cuda<0>>& storage) {
  return static_cast<T*>(storage.data());
}

inline void run() {
  constexpr std::int64_t count = 1000, spread = 40001;
  const auto queue = Cuda<0>::queue();
  const Storage<Cuda<0>> x = room<float>(count), y = room<float>(count), parts = room<float>(4), out = room<float>(1);
  const Storage<Cuda<0>> tickets = room<std::uint32_t>(1), places = room<std::int64_t>(spread);
  launch(queue, Grid{8, 1}, Fill{start<float>(x), count});
  launch(queue, Grid{2, 1}, Line{start<float>(x), start<float>(y), count / 4, true, 1.7f, 0.3f});
  launch(queue, Grid{11, 1}, Neighbours{start<float>(y), count});
  launch(queue, Grid{1, 1}, Clear{start<std::uint32_t>(tickets)});
  launch(queue, Grid{4, 1},
         Total{start<float>(x), start<float>(parts), start<std::uint32_t>(tickets), start<float>(out), count});
  launch(queue, Grid{157, 1}, Spread{start<std::int64_t>(places), spread, 65537});
  situ::synchronize<Cuda<0>>();
}

}  // namespace own_kernels

int main() {
  own_kernels::run();
  return 0;
}
