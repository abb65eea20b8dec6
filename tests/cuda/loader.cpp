// SPDX-License-Identifier: Apache-2.0
// Batches on GPUs: the right elements whatever the streams do, memory of batches that are used no more, and errors.
// labels: threads
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/data/loader.hpp>
#include <situ/situ.hpp>

namespace {

using namespace situ;
using std::int64_t;

constexpr int64_t samples = 22;
constexpr int64_t width = 300;

Tensor<float> table() { return reshape(arange<float>(samples * width), {samples, width}); }

/// Samples made one by one; that at `bad` cannot be.
struct Listed {
  Tensor<float> rows = table();
  int64_t bad = -1;
  int64_t size() const { return rows.extent(0); }
  std::pair<Tensor<float>, int64_t> get(int64_t i) const {
    if (i == bad) throw std::out_of_range("bad");
    return {rows(i, all), i};
  }
};

/// Batches made in pageable memory.
struct Batches {
  Tensor<float> rows = table();
  int64_t size() const { return rows.extent(0); }
  Tensor<float> get_batch(std::span<const int64_t> indices) const {
    return TensorDataset(rows).get_batch(indices, cpu);
  }
};

/// Whether row `i` of what a batch became is that of sample `index(i)`, times `factor`.
bool right(const Tensor<float>& rows, const Tensor<int64_t>& index, float factor) {
  bool good = rows.shape() == Shape{index.size(), width};
  for (int64_t i = 0; good && i < index.size(); ++i) {
    for (int64_t j = 0; good && j < width; ++j) good = rows(i, j) == factor * static_cast<float>(index(i) * width + j);
  }
  return good;
}

/// Computes with each batch, writes it in place, and keeps what came of it until the end.
template <class Data, int N>
bool computes(const Data& data, Cuda<N> device, int workers, int64_t epoch) {
  const DataLoader loader(data, {.batch_size = 4, .shuffle = true, .workers = workers, .prefetch = 2}, device);
  std::vector<std::pair<Tensor<float, Cuda<N>>, Tensor<int64_t, Cuda<N>>>> results;
  for (auto& [rows, index] : loader.epoch(epoch)) {
    const Tensor before = rows;
    rows *= 2.f;
    rows += before;
    results.emplace_back(rows, std::move(index));
  }
  bool good = results.size() == 6;
  for (const auto& [rows, index] : results) good = good && right(rows.template to<Cpu>(), index.template to<Cpu>(), 3);
  return good;
}

}  // namespace

TEST_CASE("batches on GPUs have the elements of their samples") {
  const TensorDataset tensors(table(), arange<int64_t>(samples));
  for (const int workers : {0, 1, 3}) {
    CHECK(computes(Listed{}, gpu<0>, workers, 1));
    CHECK(computes(tensors, gpu<1>, workers, 2));
  }
  const Stream<Cuda<0>> side;
  const StreamScope scope(side);
  CHECK(computes(tensors, gpu<0>, 2, 3));
}

TEST_CASE("epochs on two devices run beside each other") {
  const auto data = std::make_shared<const Listed>();
  auto first = DataLoader(data, {.batch_size = 5, .workers = 2}, gpu<0>).epoch();
  auto second = DataLoader(data, {.batch_size = 5}, gpu<1>).epoch();
  int64_t begin = 0;
  while (auto a = first.next()) {
    const auto b = second.next();
    REQUIRE(b);
    const Tensor sums = std::get<0>(*a) + std::get<0>(*b).to<Cuda<0>>();
    CHECK(right(sums.to<Cpu>(), std::get<1>(*a).to<Cpu>(), 2));
    CHECK(std::get<1>(*b).to<Cpu>()(0) == begin);
    begin += 5;
  }
  CHECK(begin == 25);
}

TEST_CASE("data sets in pageable memory, and on the GPU itself") {
  auto epoch = DataLoader(Batches{}, {.batch_size = 4}, gpu<0>).epoch(0, 2);
  CHECK((*epoch.next()).to<Cpu>()(0, 0) == 8 * width);

  const Tensor rows = table().to<Cuda<1>>();
  const TensorDataset data(rows, arange<int64_t>(samples));
  auto shuffled = DataLoader(data, {.batch_size = 4, .shuffle = true}, gpu<1>).epoch();
  while (auto batch = shuffled.next()) {
    CHECK(right(std::get<0>(*batch).to<Cpu>(), std::get<1>(*batch).to<Cpu>(), 1));
  }
  auto ordered = DataLoader(data, {.batch_size = 4}, gpu<1>).epoch();
  CHECK(std::get<0>(*ordered.next()).storage() == rows.storage());
  auto elsewhere = DataLoader(data, {.batch_size = 4}, gpu<0>).epoch(0, 1);
  CHECK(std::get<0>(*elsewhere.next()).to<Cpu>()(1, 0) == 5 * width);
}

TEST_CASE("it can end at any point, and leaves no memory behind") {
  const auto in_use = [] {
    return std::pair(memory_stats<Cuda<0>>().in_use, memory_stats<Pinned>().in_use);
  };
  const auto before = in_use();
  for (int64_t taken = 0; taken <= 6; ++taken) {
    for (const int workers : {0, 1, 3}) {
      const DataLoader loader(Listed{.bad = 17},
                              {.batch_size = 4, .workers = workers, .prefetch = 1 + taken % 3}, gpu<0>);
      auto epoch = loader.epoch();
      for (int64_t i = 0; i < taken; ++i) {
        try {
          const auto batch = epoch.next();
          const Tensor doubled = std::get<0>(*batch) * 2.f;
          CHECK(i != 4);
        } catch (const std::out_of_range&) {
          CHECK(i == 4);
        }
      }
    }
  }
  CHECK(in_use() == before);
}

TEST_CASE("a device that is full says so where the batch is taken; what comes later is as if nothing had been") {
  auto epoch = [] {
    synchronize(gpu<0>);
    empty_cache<Cuda<0>>();
    const MemoryStats stats = memory_stats<Cuda<0>>();
    set_memory_limit<Cuda<0>>(stats.in_use + stats.cached);
    return DataLoader(Listed{}, {.batch_size = 4, .prefetch = 1}, gpu<0>).epoch();
  }();
  CHECK_THROWS_AS(static_cast<void>(epoch.next()), OutOfMemory);
  set_memory_limit<Cuda<0>>(std::numeric_limits<std::size_t>::max());
  try {
    static_cast<void>(epoch.next());
  } catch (const OutOfMemory&) {  // it may have been tried before the limit was taken away
  }
  const auto third = epoch.next();
  REQUIRE(third);
  CHECK(right(std::get<0>(*third).to<Cpu>(), std::get<1>(*third).to<Cpu>(), 1));
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("a copy that a worker cannot begin is an error where the batch is taken") {
  namespace emulated = situ::internal::cuda::emulated;
  emulated::fail_after(emulated::Call::copy, 2, emulated::ErrorCode::invalid_value);  // of the rows of the second batch
  auto epoch = DataLoader(Listed{}, {.batch_size = 4}, gpu<0>).epoch();
  const auto first = epoch.next();
  CHECK_THROWS_AS(static_cast<void>(epoch.next()), CudaError);
  CHECK(right(std::get<0>(*first).to<Cpu>(), arange<int64_t>(4), 1));
  CHECK(std::get<1>(*epoch.next()).to<Cpu>()(0) == 8);
}

TEST_CASE("batches do not wait for what the program computes") {
  namespace emulated = situ::internal::cuda::emulated;
  emulated::set_order(emulated::Order::late);
  Tensor x = ones<float>({100}, gpu<0>);
  for (int i = 0; i < 4; ++i) x = x * 2.f;  // waits in the compute stream for somebody to ask
  const Stream<Cuda<0>> side;
  {
    const StreamScope scope(side);
    auto epoch = DataLoader(Listed{}, {.batch_size = samples}, gpu<0>).epoch();
    CHECK(std::get<0>(*epoch.next()).to<Cpu>()(1, 2) == width + 2);
  }
  CHECK_FALSE(Stream<Cuda<0>>::compute().idle());
  CHECK(x.to<Cpu>()(0) == 16);
}
#endif
