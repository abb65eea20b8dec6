// SPDX-License-Identifier: Apache-2.0
// What moving tensors costs, beside the bare calls of CUDA in the same run: rates, overlap, logs kept on the GPU, two GPUs
// at once. `scripts/gpu movement` runs it, and says what it found; `movement --small` is for the
// emulation, where no figure counts. Lines of fields separated by tabs, as those of probes/probe.hpp:
//   VERIFIED | REFUTED | UNTESTABLE   point   what was seen
//   FIGURE   name   value   unit
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <situ/cuda/api/error.hpp>
#include <situ/cuda/runtime/device_state.hpp>
#include <situ/situ.hpp>
#include <situ/train/device_log.hpp>

using namespace situ;

namespace {

using Gpu = Cuda<0>;
namespace api = situ::internal::cuda::api;

#if defined(SITU_CUDA_EMULATED)
constexpr bool emulated = true;
#else
constexpr bool emulated = false;
#endif

bool small = emulated;  // --small
int rounds() { return small ? 1 : 9; }

std::string text(double value, const char* unit) {
  char buffer[64];
  std::snprintf(buffer, sizeof buffer, "%.4g%s%s", value, *unit != 0 ? " " : "", unit);
  return buffer;
}
void figure(const std::string& name, double value, const char* unit) {
  std::printf("FIGURE\tmovement: %s\t%.6g\t%s\n", name.c_str(), value, unit);
  std::fflush(stdout);
}
void verdict(bool holds, const std::string& point, const std::string& seen) {
  const char* const kind = small ? "UNTESTABLE" : holds ? "VERIFIED" : "REFUTED";
  std::printf("%s\t%s\t%s\n", kind, point.c_str(), small ? "emulated, or small sizes" : seen.c_str());
  std::fflush(stdout);
}
void untestable(const std::string& point, const std::string& why) {
  std::printf("UNTESTABLE\t%s\t%s\n", point.c_str(), why.c_str());
  std::fflush(stdout);
}

void check(api::Error error, const char* what) { situ::internal::cuda::check(error, what, 0); }

template <class F>
double milliseconds(F&& f) {
  synchronize<Gpu>();
  const auto start = std::chrono::steady_clock::now();
  f();
  synchronize<Gpu>();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Medians of the times of several functions, measured in turn, after a call of each that does not count.
template <class... F>
std::vector<double> in_turn(F&&... f) {
  (static_cast<void>(milliseconds(f)), ...);
  std::vector<std::vector<double>> times(sizeof...(F));
  for (int round = 0; round < rounds(); ++round) {
    std::size_t i = 0;
    (times[i++].push_back(milliseconds(f)), ...);
  }
  std::vector<double> medians;
  for (auto& each : times) medians.push_back(median(each));
  return medians;
}

/// Sizes from one that fits a cache to one that fits none; the last counts for the verdicts.
std::vector<std::int64_t> sizes() {
  if (small) return {std::int64_t{1} << 16, std::int64_t{1} << 20};
  return {std::int64_t{1} << 20, std::int64_t{16} << 20, std::int64_t{256} << 20};
}
std::string named(std::int64_t bytes) {
  return bytes >= (1 << 20) ? std::to_string(bytes >> 20) + " MiB" : std::to_string(bytes >> 10) + " KiB";
}

// --- rates ----------------------------------------------------------------------------------------------------------------
struct Bare {
  explicit Bare(std::int64_t bytes)
      : count(static_cast<std::size_t>(bytes)),
        device(internal::Storage<Gpu>::allocate(count)),
        pinned(internal::Storage<Pinned>::allocate(count)),
        pageable(new char[count]) {
    std::memset(pinned.data(), 1, count);
    std::memset(pageable.get(), 2, count);
    synchronize<Gpu>();
  }
  void up() const { check(api::copy_to_device(device.data(), pinned.data(), count, stream()), "cudaMemcpyAsync"); }
  void down() const { check(api::copy_to_host(pinned.data(), device.data(), count, stream()), "cudaMemcpyAsync"); }
#if defined(SITU_CUDA_EMULATED)  // which has no copies of pageable memory: nothing of ours may make one
  void pageable_up() const { up(); }
  void pageable_down() const { down(); }
#else
  void pageable_up() const {
    check(cudaMemcpy(device.data(), pageable.get(), count, cudaMemcpyHostToDevice), "cudaMemcpy");
  }
  void pageable_down() const {
    check(cudaMemcpy(pageable.get(), device.data(), count, cudaMemcpyDeviceToHost), "cudaMemcpy");
  }
#endif
  static api::Stream stream() { return situ::internal::cuda::stream_of(Gpu::queue()); }

  std::size_t count;
  internal::Storage<Gpu> device;
  internal::Storage<Pinned> pinned;
  std::unique_ptr<char[]> pageable;
};

/// One row: a transfer of ours beside a bare one. Gives bare / ours.
template <class Ours, class Theirs>
double compare(const std::string& name, std::int64_t bytes, Ours&& ours, Theirs&& theirs) {
  const std::vector<double> ms = in_turn(ours, theirs);
  const auto rate = [&](double time) { return static_cast<double>(bytes) / time / 1e6; };
  figure(name + ", " + named(bytes) + ", situ", rate(ms[0]), "GB/s");
  figure(name + ", " + named(bytes) + ", bare", rate(ms[1]), "GB/s");
  return ms[1] / ms[0];
}

void rates() {
  double up = 0, down = 0, pageable_up = 0, pageable_down = 0;
  for (const std::int64_t bytes : sizes()) {
    const Bare bare(bytes);
    const Tensor<float> x = ones<float>({bytes / 4});
    const Tensor<float, Pinned> p = x.to<Pinned>();
    const Tensor<float, Gpu> g = x.to<Gpu>();
    // clang-format off
    up = compare("pinned to GPU", bytes, [&] { static_cast<void>(p.to<Gpu>()); }, [&] { bare.up(); });
    down = compare("GPU to pinned", bytes, [&] { static_cast<void>(g.to<Pinned>()); }, [&] { bare.down(); });
    pageable_up = compare("pageable to GPU", bytes, [&] { static_cast<void>(x.to<Gpu>()); }, [&] { bare.pageable_up(); });
    pageable_down = compare("GPU to pageable", bytes, [&] { static_cast<void>(g.to<Cpu>()); }, [&] { bare.pageable_down(); });
    // clang-format on
  }
  const std::string size = named(sizes().back());
  verdict(std::min(up, down) >= 0.95, "pinned transfers of " + size + " are within 5% of a bare cudaMemcpyAsync",
          text(up, "") + " of the bare rate to the GPU, " + text(down, "") + " from it");
  verdict(std::min(pageable_up, pageable_down) >= 1.5,
          "pageable transfers of " + size + " are 1.5 times as fast as a bare pageable cudaMemcpy",
          text(pageable_up, "") + " times to the GPU, " + text(pageable_down, "") + " times from it");
}

/// What a small transfer costs until it is complete.
void latencies() {
  const Tensor<float, Pinned> p = ones<float>({1024}, pinned);
  const Tensor<float, Gpu> g = p.to<Gpu>();
  const Bare bare(4096);
  const int calls = small ? 2 : 200;
  const auto many = [calls](auto f) {
    return [calls, f] {
      for (int i = 0; i < calls; ++i) f();
    };
  };
  const std::vector<double> ms =
      in_turn(many([&] { static_cast<void>(p.to<Gpu>()); }), many([&] { static_cast<void>(p.to_async<Gpu>().wait()); }),
              many([&] { bare.up(); }), many([&] { static_cast<void>(g.to<Cpu>()); }), many([&] {
                bare.down();
                check(api::stream_synchronize(Bare::stream()), "cudaStreamSynchronize");
              }));
  const char* const names[] = {"4 KiB pinned to GPU, to", "4 KiB pinned to GPU, to_async and wait",
                               "4 KiB pinned to GPU, bare", "4 KiB GPU to host, to and its wait",
                               "4 KiB GPU to host, bare and its wait"};
  for (std::size_t i = 0; i < ms.size(); ++i) figure(names[i], ms[i] * 1e3 / calls, "us a call");
}

// --- overlap --------------------------------------------------------------------------------------------------------------
void overlap() {
  const std::int64_t bytes = sizes().back();
  const std::int64_t n = small ? 32 : 2048;
  const Tensor<float, Pinned> p = ones<float>({bytes / 4}, pinned);
  const Tensor<float, Gpu> g = p.to<Gpu>();
  const Tensor<float, Gpu> a = rand<float>({n, n}, gpu<0>, Generator(1));
  Tensor<float, Gpu> c;
  const auto products = [&](int count) {
    for (int i = 0; i < count; ++i) c = matmul(a, a);
  };
  const auto up = [&] { static_cast<void>(p.to_async<Gpu>().wait()); };
  const auto down = [&] { static_cast<void>(g.to_async<Pinned>().wait()); };
  // as many products as take the time of the copy
  const std::vector<double> alone = in_turn(up, [&] { products(10); });
  const int count = small ? 2 : std::max(1, static_cast<int>(10 * alone[0] / alone[1]));
  const auto both = [&](const char* name, const auto& copy, auto begin) {
    const std::vector<double> ms = in_turn(
        copy, [&] { products(count); },
        [&] {
          auto pending = begin();
          products(count);
          static_cast<void>(std::move(pending).wait());
        });
    figure(std::string(name) + ", the copy alone", ms[0], "ms");
    figure(std::string(name) + ", the products alone", ms[1], "ms");
    figure(std::string(name) + ", together", ms[2], "ms");
    const double ratio = ms[2] / std::max(ms[0], ms[1]);
    verdict(ratio < 1.15,
            std::string("overlap: ") + name + " and products together take less than 1.15 times the longer",
            text(ratio, "times"));
  };
  both("a copy to the GPU", up, [&] { return p.to_async<Gpu>(); });
  both("a copy to pinned memory", down, [&] { return g.to_async<Pinned>(); });
}

/// While one thread waits for a loss, whose labels were checked on the GPU, another moves the next batch: its calls must
/// not wait for the work that the first has put into the queue.
void loading_beside_item() {
  const std::int64_t n = small ? 32 : 4096;
  const int products = small ? 2 : 20;
  const Tensor<float, Gpu> a = rand<float>({n, n}, gpu<0>, Generator(1));
  const Tensor<float, Gpu> logits = rand<float>({n, 10}, gpu<0>, Generator(2));
  const Tensor<std::int64_t, Gpu> labels = zeros<std::int64_t>({n}, gpu<0>);
  const Tensor<float, Pinned> batch = ones<float>({small ? 1024 : 1 << 18}, pinned);
  const auto step = [&] {
    Tensor<float, Gpu> c;
    for (int i = 0; i < products; ++i) c = matmul(a, a);
    return cross_entropy(logits + c(all, range(0, 10)) * 0.f, labels).to<Cpu>().item();
  };
  const auto now = [] { return std::chrono::steady_clock::now(); };
  const auto since = [&](auto start) { return std::chrono::duration<double, std::milli>(now() - start).count(); };
  static_cast<void>(step());
  static_cast<void>(batch.to_async<Gpu>().wait());
  std::atomic<bool> over = false;
  double longest = 0;
  int batches = 0;
  std::thread loader([&] {
    while (!over || batches == 0) {
      const auto start = now();
      auto pending = batch.to_async<Gpu>();
      longest = std::max(longest, since(start));
      static_cast<void>(std::move(pending).wait());
      ++batches;
    }
  });
  const auto start = now();
  for (int i = 0; i < (small ? 1 : 5); ++i) static_cast<void>(step());
  const double taken = since(start) / (small ? 1 : 5);
  over = true;
  loader.join();
  figure("a step that waits for its loss", taken, "ms");
  figure("the longest to_async of another thread meanwhile", longest, "ms");
  verdict(longest < 0.25 * taken, "to_async does not wait for another thread's item() after cross_entropy",
          text(longest, "ms") + " at most, beside a step of " + text(taken, "ms"));
}

// --- the book's exercises -------------------------------------------------------------------------------------------------
void exercise_1() {
  for (const std::int64_t n :
       small ? std::vector<std::int64_t>{4, 32} : std::vector<std::int64_t>{4, 128, 1024, 4096}) {
    const Tensor<float> a = rand<float>({n, n}, cpu, Generator(1));
    const Tensor<float, Gpu> b = a.to<Gpu>();
    const std::vector<double> ms =
        in_turn([&] { static_cast<void>(matmul(a, a)); }, [&] { static_cast<void>(matmul(b, b)); });
    figure("exercise 1, one product, n = " + std::to_string(n) + ", time on the CPU in registers of " +
               std::to_string(internal::vector_bytes) + " bytes over that on the GPU",
           ms[0] / ms[1], "");
  }
}

void exercise_3() {
  const int count = small ? 20 : 1000;
  const std::int64_t n = small ? 16 : 100;
  std::vector<Tensor<float, Gpu>> x;
  for (std::uint64_t seed = 0; seed < 8; ++seed) x.push_back(rand<float>({n, n}, gpu<0>, Generator(seed)));
  const auto product = [&](int i) { return matmul(x[static_cast<std::size_t>(i) % x.size()], x[0]); };
  std::vector<float> norms(static_cast<std::size_t>(count));
  const std::vector<double> ms = in_turn(
      [&] {
        for (int i = 0; i < count; ++i) norms[static_cast<std::size_t>(i)] = norm(product(i)).to<Cpu>().item();
      },
      [&] {
        DeviceLog<float, Gpu> log;
        for (int i = 0; i < count; ++i) log.append(norm(product(i)));
        const Tensor<float> all_norms = log.flush();
        std::copy(all_norms.begin(), all_norms.end(), norms.begin());
      },
      [&] {
        for (int i = 0; i < count; ++i) static_cast<void>(norm(product(i)));
      });
  figure("exercise 3, each norm to the host at once", ms[0], "ms");
  figure("exercise 3, a DeviceLog flushed at the end", ms[1], "ms");
  figure("exercise 3, the norms without a log", ms[2], "ms");
  figure("exercise 3, ratio of the first two", ms[0] / ms[1], "");
  verdict(ms[0] > ms[1], "exercise 3: a log on the GPU is faster than one result at a time",
          text(ms[0] / ms[1], "times"));
}

void two_gpus() {
  const char* const at_once = "exercise 4: two products on two GPUs take less than 0.6 of the time on one";
  const char* const peer = "a copy between two GPUs is within 5% of cudaMemcpyAsync";
  if (device_count<Cuda>() < 2) {
    untestable(at_once, "one GPU");
    untestable(peer, "one GPU");
    return;
  }
  const std::int64_t n = small ? 32 : 4096;
  const Tensor<float, Gpu> a = rand<float>({n, n}, gpu<0>, Generator(1));
  const Tensor<float, Cuda<1>> b = a.to<Cuda<1>>();
  Tensor<float, Gpu> c;
  Tensor<float, Cuda<1>> d;
  const std::vector<double> ms = in_turn([&] { c = matmul(a, a), c = matmul(a, a); },
                                         [&] {
                                           c = matmul(a, a), d = matmul(b, b);
                                           synchronize<Cuda<1>>();
                                         });
  figure("exercise 4, two products in sequence on one GPU", ms[0], "ms");
  figure("exercise 4, on two GPUs at once", ms[1], "ms");
  auto& first = situ::internal::cuda::device_state(0);
  auto& second = situ::internal::cuda::device_state(1);
  const bool same = first.physical == second.physical;
  if (same) untestable(at_once, "the two are one GPU (SITU_CUDA_DEVICES)");
  else verdict(ms[1] < 0.6 * ms[0], at_once, text(ms[1] / ms[0], "of it"));

  const std::int64_t bytes = sizes().back();
  const Tensor<std::uint8_t, Cuda<1>> x = ones<std::uint8_t>({bytes}, gpu<1>);
  const Bare bare(bytes);
  synchronize<Cuda<1>>();
  const double ratio = compare(
      "GPU to GPU", bytes, [&] { static_cast<void>(x.to<Gpu>()); },
      [&] {
        const void* const from = x.storage().data();
        if (same) check(api::copy_on_device(bare.device.data(), from, bare.count, Bare::stream()), "cudaMemcpyAsync");
        else check(api::copy_from_peer(bare.device.data(), from, bare.count, Bare::stream()), "cudaMemcpyAsync");
      });
  verdict(ratio >= 0.95, same ? "a copy between two logical devices is within 5% of cudaMemcpyAsync on the GPU" : peer,
          text(ratio, "of the bare rate"));
}

}  // namespace

int main(int count, char** arguments) {
  for (int i = 1; i < count; ++i) small = small || std::string_view(arguments[i]) == "--small";
  if (device_count<Cuda>() == 0) {
    std::printf("SKIPPED\tno GPU\n");
    return 77;
  }
  int failed = 0;
  // What fails costs none of the others.
  for (void (*part)() : {&rates, &latencies, &overlap, &loading_beside_item, &exercise_1, &exercise_3, &two_gpus}) {
    try {
      part();
    } catch (const std::exception& error) {
      std::printf("FAILED\t%s\n", error.what());
      ++failed;
    }
  }
  return failed == 0 ? 0 : 1;
}
