// SPDX-License-Identifier: Apache-2.0
// Batches of data sets: which samples in which order, from every form of data set; errors and the end at any point.
// labels: threads
#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <ranges>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/cpu/elementwise.hpp>
#include <situ/data/loader.hpp>
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#include <situ/ops/creation.hpp>
#include <situ/ops/reduce.hpp>
#include <situ/threads/thread_pool.hpp>

#include "../comes_true.hpp"

namespace {

using namespace situ;
using std::int64_t;
using Indices = std::vector<int64_t>;

/// What `get` does is given by a function, which the threads that call it share.
template <class F>
struct Made {
  int64_t count;
  F f;
  int64_t size() const { return count; }
  auto get(int64_t i) const { return f(i); }
};
template <class F>
Made(int64_t, F) -> Made<F>;

Indices counting(int64_t from, int64_t to) {
  Indices list(static_cast<std::size_t>(to - from));
  std::iota(list.begin(), list.end(), from);
  return list;
}

/// The samples of an epoch, which are their own indices, and the sizes of its batches behind them.
template <class Epoch>
Indices visited(Epoch epoch) {
  Indices samples;
  Indices sizes;
  while (auto batch = epoch.next()) {
    samples.insert(samples.end(), batch->begin(), batch->end());
    sizes.push_back(batch->size());
  }
  samples.insert(samples.end(), sizes.begin(), sizes.end());
  return samples;
}

Indices with_sizes(Indices samples, const Indices& sizes) {
  samples.insert(samples.end(), sizes.begin(), sizes.end());
  return samples;
}

const auto numbers = [](int64_t count) { return Made{count, [](int64_t i) { return i; }}; };

/// Threads wait here until `count` of them do; false when they do not come.
class Meeting {
 public:
  explicit Meeting(int count) : missing_(count) {}
  bool arrive() {
    --missing_;
    return comes_true([this] { return missing_ <= 0; });
  }

 private:
  std::atomic<int> missing_;
};

struct Unreadable : std::runtime_error {
  int64_t sample;
  explicit Unreadable(int64_t i) : std::runtime_error("unreadable"), sample(i) {}
};

}  // namespace

TEST_CASE("every sample comes once, in order, whatever the workers") {
  for (const int workers : {0, 1, 3}) {
    for (const int64_t prefetch : {1, 2, 7}) {
      const DataLoaderOptions options{.batch_size = 4, .workers = workers, .prefetch = prefetch};
      CHECK(visited(DataLoader(numbers(10), options).epoch()) == with_sizes(counting(0, 10), {4, 4, 2}));
      CHECK(visited(DataLoader(numbers(8), options).epoch()) == with_sizes(counting(0, 8), {4, 4}));
      CHECK(visited(DataLoader(numbers(0), options).epoch()).empty());
      const DataLoaderOptions whole{.batch_size = 4, .drop_last = true, .workers = workers};
      CHECK(visited(DataLoader(numbers(10), whole).epoch()) == with_sizes(counting(0, 8), {4, 4}));
      CHECK(visited(DataLoader(numbers(3), whole).epoch()).empty());
    }
  }
  CHECK(DataLoader(numbers(10), {.batch_size = 4}).batch_count() == 3);
  CHECK(DataLoader(numbers(10), {.batch_size = 4, .drop_last = true}).batch_count() == 2);
  CHECK(DataLoader(numbers(10)).batch_count() == 10);
}

TEST_CASE("the order of an epoch is a function of the seed and the epoch's number") {
  const auto order = [](std::uint64_t seed, int64_t epoch, int workers) {
    Indices samples = visited(
        DataLoader(numbers(50), {.batch_size = 7, .shuffle = true, .seed = seed, .workers = workers}).epoch(epoch));
    samples.resize(50);
    return samples;
  };
  std::set<Indices> orders;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (int64_t epoch = 0; epoch < 3; ++epoch) {
      Indices samples = order(seed, epoch, 1);
      CHECK(samples == order(seed, epoch, 0));
      CHECK(samples == order(seed, epoch, 3));
      orders.insert(samples);
      std::sort(samples.begin(), samples.end());
      CHECK(samples == counting(0, 50));
    }
  }
  CHECK(orders.size() == 9);

  // every sample is as likely as any other to come first: a fixed draw, within 4 standard deviations
  std::vector<int> first(5);
  const DataLoader loader(numbers(5), {.shuffle = true, .workers = 0});
  for (int64_t epoch = 0; epoch < 1000; ++epoch) ++first[static_cast<std::size_t>(loader.epoch(epoch).next()->item())];
  for (const int count : first) CHECK(std::abs(count - 200) < 51);
}

TEST_CASE("an epoch can begin at any batch, and visit given samples") {
  const DataLoader loader(numbers(10), {.batch_size = 3, .shuffle = true, .workers = 2});
  const Indices all_samples = visited(loader.epoch(2));
  CHECK(visited(loader.epoch(2, 1)) == with_sizes({all_samples.begin() + 3, all_samples.begin() + 10}, {3, 3, 1}));
  CHECK(visited(loader.epoch(2, 4)).empty());
  CHECK(visited(loader.epoch_over({9, 0, 0, 5})) == Indices{9, 0, 0, 5, 3, 1});
  CHECK(visited(loader.epoch_over({})).empty());
  CHECK_THROWS_WITH_AS(static_cast<void>(loader.epoch_over({1, 10})),
                       "DataLoader::epoch_over: sample 10 of a data set of 10; samples are counted from 0", IndexError);
  CHECK_THROWS_AS(static_cast<void>(loader.epoch_over({-1})), IndexError);
  CHECK_THROWS_WITH_AS(static_cast<void>(loader.epoch(0, 5)), "DataLoader: the first batch is 5 of 4 in the epoch",
                       ValueError);
  CHECK_THROWS_AS(static_cast<void>(loader.epoch(-1)), ValueError);
  CHECK_THROWS_AS(DataLoader(numbers(1), {.batch_size = 0}), ValueError);
  CHECK_THROWS_AS(DataLoader(numbers(1), {.workers = -1}), ValueError);
  CHECK_THROWS_AS(DataLoader(numbers(1), {.prefetch = 0}), ValueError);
}

TEST_CASE("samples are numbers, tensors, expressions, and tuples of them") {
  const Tensor x = reshape(arange<float>(12), {4, 3});
  const Made data{4, [&](int64_t i) {
                    return std::tuple(static_cast<std::int32_t>(i), x(i, all),
                                      std::pair(x(i, range(0, 2)) * 2.f, i % 2 == 0),
                                      transpose(x)(range(0, 2), range(0, 3)));
                  }};
  const DataLoader loader(data, {.batch_size = 2}, pinned);
  auto epoch = loader.epoch(0, 1);
  const auto [index, row, nested, table] = *epoch.next();
  static_assert(std::is_same_v<decltype(index), const Tensor<std::int32_t, Pinned>>);
  CHECK(index(1) == 3);
  CHECK(row.shape() == Shape{2, 3});
  CHECK(row(0, 1) == 7);
  CHECK(std::get<0>(nested).shape() == Shape{2, 2});
  CHECK(std::get<0>(nested)(1, 1) == 20);
  CHECK(std::get<1>(nested)(0));
  CHECK_FALSE(std::get<1>(nested)(1));
  CHECK(table.shape() == Shape{2, 2, 3});
  CHECK(table(1, 1, 2) == 7);

  std::vector<Tensor<float>> list{x(0, all), x(1, all), x(2, range(0, 2))};
  auto batches = DataLoader(list, {.batch_size = 2}).epoch();
  CHECK((*batches.next())(1, 2) == 5);
  auto uneven = DataLoader(list, {.batch_size = 3}).epoch();
  CHECK_THROWS_WITH_AS(
      static_cast<void>(uneven.next()),
      "DataLoader: sample 2 has shape (2,), the first of its batch (3,); a batch needs one shape: pad or "
      "crop the samples, or batch_size = 1",
      ShapeError);
}

TEST_CASE("a sample's random numbers belong to the sample and the epoch") {
  struct Noisy {
    int64_t size() const { return 9; }
    auto get(int64_t i, Generator& generator) const { return std::pair(rand<float>({2}, generator), 1.0L * i); }
  };
  static_assert(Dataset<Noisy> == false);  // long double is no element type
  struct Random {
    int64_t size() const { return 9; }
    auto get(int64_t i, Generator& generator) const { return std::pair(i, rand<double>({2}, generator)); }
  };
  const auto drawn = [](int workers, std::uint64_t seed, int64_t number, int64_t batch_size) {
    std::vector<double> values(9);
    const DataLoader loader(
        Random{}, {.batch_size = batch_size, .shuffle = true, .seed = seed, .workers = workers});
    for (auto& [index, noise] : loader.epoch(number)) {
      for (int64_t i = 0; i < index.size(); ++i) values[static_cast<std::size_t>(index(i))] = noise(i, 0) + noise(i, 1);
    }
    return values;
  };
  const std::vector<double> one = drawn(0, 1, 0, 2);
  CHECK(std::set<double>(one.begin(), one.end()).size() == 9);
  CHECK(drawn(3, 1, 0, 4) == one);
  CHECK(drawn(1, 1, 1, 2) != one);
  CHECK(drawn(1, 2, 0, 2) != one);
}

TEST_CASE("rows of tensors") {
  const Tensor x = reshape(arange<float>(20), {10, 2});
  const Tensor labels = arange<int64_t>(10);
  const Tensor wide = transpose(reshape(arange<float>(40), {4, 10}));  // rows with gaps
  const DataLoader loader(TensorDataset(x, labels.to<Pinned>(), wide, x(range(0, 10), range(1, 2))),
                          {.batch_size = 4, .shuffle = true, .workers = 2}, pinned);
  int64_t seen = 0;
  for (auto& [a, b, c, d] : loader.epoch(1)) {
    for (int64_t i = 0; i < b.size(); ++i, ++seen) {
      CHECK(a(i, 1) == x(b(i), 1));
      CHECK(c(i, 3) == wide(b(i), 3));
      CHECK(d(i, 0) == x(b(i), 1));
    }
  }
  CHECK(seen == 10);

  // an ascending run of rows shares the storage of the data set
  const TensorDataset data(x);
  auto epoch = DataLoader(x, {.batch_size = 4, .workers = 0}).epoch(0, 1);
  Tensor batch = *epoch.next();
  CHECK(batch.storage() == x.storage());
  batch.at(0, 0) = -1.f;  // and is a value nevertheless
  CHECK(x(4, 0) == 8);
  const Tensor some = data.get_batch(Indices{3, 4, 9, 1}, cpu);
  CHECK_FALSE(some.storage() == x.storage());
  CHECK(some(1, 0) == 8);
  CHECK(some(2, 1) == 19);
  CHECK(some(3, 0) == 2);
  CHECK(TensorDataset(x(all, range(1, 2))).get_batch(Indices{3, 4, 5}, pinned)(2, 0) == 11);
  CHECK(data.get_batch(Indices{}, cpu).shape() == Shape{0, 2});
  CHECK(data.get_batch(Indices{5, 6}, pinned)(1, 0) == 12);
  CHECK_THROWS_AS(static_cast<void>(data.get_batch(Indices{10}, cpu)), IndexError);
  CHECK_THROWS_WITH_AS(
      TensorDataset(x, labels(range(0, 9))),
      "TensorDataset: a tensor of shape (9,) beside one of shape (10, 2); the first axis is that of the "
      "samples, and needs the same extent in all",
      ShapeError);
  CHECK_THROWS_AS(TensorDataset(sum(x)), ShapeError);
}

TEST_CASE("a data set may make batches itself") {
  struct Squares {
    int64_t size() const { return 6; }
    std::pair<Tensor<int64_t>, Tensor<float, Pinned>> get_batch(std::span<const int64_t> indices) const {
      Tensor<int64_t> squares = zeros<int64_t>({static_cast<int64_t>(indices.size())});
      for (std::size_t i = 0; i < indices.size(); ++i) squares.at(static_cast<int64_t>(i)) = indices[i] * indices[i];
      return {squares, ones<float>({1}, pinned)};
    }
  };
  const auto data = std::make_shared<Squares>();
  const DataLoader loader(data, {.batch_size = 4});
  CHECK(&loader.dataset() == data.get());
  auto epoch = loader.epoch();
  static_assert(std::is_same_v<decltype(loader)::Batch, std::tuple<Tensor<int64_t>, Tensor<float>>>);
  CHECK(std::get<0>(*epoch.next())(3) == 9);
  CHECK(std::get<0>(*epoch.next())(1) == 25);
  CHECK_FALSE(epoch.next());
  CHECK_FALSE(epoch.next());
}

TEST_CASE("an epoch is a range, and outlives its loader") {
  auto epoch = DataLoader(numbers(10), {.batch_size = 4}).epoch();
  static_assert(std::ranges::input_range<decltype(epoch)>);
  auto moved = std::move(epoch);
  CHECK_FALSE(epoch.next());  // NOLINT(bugprone-use-after-move)
  int64_t total = 0;
  for (const Tensor<int64_t>& batch : moved) total += batch.size();
  CHECK(total == 10);
}

TEST_CASE("a batch is let go of before the next is made") {
  const Made data{3, [](int64_t) { return zeros<float>({100000}); }};
  reset_peak_memory<Pinned>();
  const std::size_t before = memory_stats<Pinned>().in_use;
  for (auto& batch : DataLoader(data, {.workers = 0}, pinned).epoch()) CHECK(batch.size() == 100000);
  CHECK(memory_stats<Pinned>().peak < before + 800000);
}

TEST_CASE("without a GPU, that is the error") {
  auto epoch = DataLoader(numbers(4), {}, gpu<0>).epoch();
  CHECK_THROWS_AS(static_cast<void>(epoch.next()), DeviceUnavailable);
}

TEST_CASE("an error in a worker arrives with its type at its batch, and the next batch is there") {
  for (const int workers : {0, 1, 3}) {
    const DataLoader loader(Made{12, [](int64_t i) {
                              if (i == 4) throw Unreadable(i);
                              if (i == 9) throw 7;  // NOLINT: anything can be thrown
                              return i;
                            }},
                            {.batch_size = 3, .workers = workers});
    auto epoch = loader.epoch();
    CHECK(epoch.next()->size() == 3);
    try {
      static_cast<void>(epoch.next());
      FAIL("no error");
    } catch (const Unreadable& error) {
      CHECK(error.sample == 4);
    }
    CHECK((*epoch.next())(0) == 6);
    CHECK_THROWS_AS(static_cast<void>(epoch.next()), int);
    CHECK_FALSE(epoch.next());
    int64_t before = 0;
    CHECK_THROWS_AS(for (auto& batch : loader.epoch()) before += batch.size(), Unreadable);
    CHECK(before == 3);
  }
}

TEST_CASE("it can end at any point, and leaves nothing behind") {
  const std::size_t in_use = memory_stats<Pinned>().in_use;
  const auto alive = std::make_shared<int>(1);
  for (int round = 0; round < 20; ++round) {
    for (int64_t taken = 0; taken <= 6; ++taken) {
      const Made data{20, [alive](int64_t i) {
                        if (i == 13) throw Unreadable(i);
                        return full<float>({10000}, static_cast<float>(i));
                      }};
      const DataLoaderOptions options{.batch_size = 3, .workers = 1 + round % 3, .prefetch = 1 + round % 4};
      auto epoch = DataLoader(data, options, pinned).epoch();
      for (int64_t i = 0; i < taken; ++i) {
        try {
          const auto batch = epoch.next();
          CHECK((*batch)(0, 9999) == static_cast<float>(3 * i));
        } catch (const Unreadable&) {
          CHECK(i == 4);
        }
      }
    }
  }
  CHECK(alive.use_count() == 1);
  CHECK(memory_stats<Pinned>().in_use == in_use);
}

TEST_CASE("at its end it waits for the sample that a worker is at, not for the batch") {
  std::atomic<int64_t> asked = 0;
  std::atomic<int64_t> answered = 0;
  Meeting begun(2);
  {
    auto epoch = DataLoader(Made{200000, [&](int64_t i) {
                              if (asked++ == 0) begun.arrive();
                              std::this_thread::sleep_for(std::chrono::milliseconds(1));  // a slow file
                              ++answered;
                              return i;
                            }},
                            {.batch_size = 200000})
                     .epoch();
    CHECK(begun.arrive());
  }
  CHECK(asked == answered);
  CHECK(asked < 200000);
}

TEST_CASE("workers go no further ahead than they may, and as far") {
  constexpr int64_t ahead = 3;
  std::atomic<int64_t> started = 0;
  Meeting full(static_cast<int>(ahead) + 1);
  auto epoch = DataLoader(Made{10, [&](int64_t i) {
                            ++started;
                            if (i < ahead) full.arrive();
                            return i;
                          }},
                          {.workers = 3, .prefetch = ahead})
                   .epoch();
  CHECK(full.arrive());  // three workers at three batches, none of which was asked for
  int64_t taken = 0;
  while (auto batch = epoch.next()) {
    ++taken;
    CHECK(started <= taken + ahead);
  }
  CHECK(taken == 10);
}

TEST_CASE("a worker's operations run in its thread, and signals go to the program's") {
  const auto consumer = std::this_thread::get_id();
  const int threads = num_threads();
  set_num_threads(4);
  std::atomic<int> elsewhere = 0;
  std::atomic<int> unblocked = 0;
  auto epoch = DataLoader(Made{4, [&](int64_t i) {
                            const auto me = std::this_thread::get_id();
                            elsewhere += me == consumer;
                            internal::cpu::parallel_for(0, 64, 1, [&](int64_t from, int64_t to) {
                              elsewhere += std::this_thread::get_id() != me || to - from != 64;
                            }, 1);
                            sigset_t blocked;
                            pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
                            unblocked += sigismember(&blocked, SIGINT) == 0;
                            unblocked += sigismember(&blocked, SIGSEGV) == 1;
                            return i;
                          }},
                          {.batch_size = 2, .workers = 2})
                   .epoch();
  while (epoch.next()) {
  }
  set_num_threads(threads);
  CHECK(elsewhere == 0);
  CHECK(unblocked == 0);
  sigset_t mine;
  pthread_sigmask(SIG_BLOCK, nullptr, &mine);
  CHECK(sigismember(&mine, SIGINT) == 0);
}

TEST_CASE("parts of batches: of several loaders, each has its rows of every batch, and all together are those of one") {
  auto samples = Made{11, [](int64_t i) { return std::tuple(full<float>({2}, static_cast<float>(i)), i); }};
  const DataLoader whole(samples, {.batch_size = 4, .shuffle = true, .seed = 3});
  for (const int64_t parts : {1, 2, 3, 5}) {
    std::vector<Epoch<decltype(samples), Cpu>> epochs;
    for (int64_t part = 0; part < parts; ++part) {
      const DataLoader loader(samples, {.batch_size = 4, .shuffle = true, .seed = 3, .part = part, .parts = parts});
      CHECK(loader.batch_count() == whole.batch_count());
      epochs.push_back(loader.epoch(7));
    }
    for (auto& [rows, labels] : whole.epoch(7)) {
      int64_t at = 0;
      for (auto& epoch : epochs) {
        const auto batch = epoch.next();
        REQUIRE(batch.has_value());
        const auto& [own_rows, own_labels] = *batch;
        // as numpy.array_split: no part has two rows more than another, the first have more
        const int64_t part = &epoch - epochs.data();
        REQUIRE(own_rows.shape() == Shape{labels.size() / parts + (part < labels.size() % parts ? 1 : 0), 2});
        REQUIRE(own_labels.size() == own_rows.extent(0));
        for (int64_t i = 0; i < own_labels.size(); ++i, ++at) {
          CHECK(own_labels(i) == labels(at));
          CHECK(own_rows(i, 1) == rows(at, 1));
        }
      }
      CHECK(at == labels.size());
    }
    for (auto& epoch : epochs) CHECK(!epoch.next().has_value());
  }
  CHECK_THROWS_WITH_AS(DataLoader(samples, {.part = 2, .parts = 2}),
                       "DataLoader: part 2 of 2; parts are counted from 0", ValueError);
  CHECK_THROWS_AS(DataLoader(samples, {.part = -1, .parts = 2}), ValueError);
  CHECK_THROWS_AS(DataLoader(samples, {.parts = 0}), ValueError);
}
