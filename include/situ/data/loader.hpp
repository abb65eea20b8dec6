// SPDX-License-Identifier: Apache-2.0
// `DataLoader`: batches of a data set, made by worker threads and moved to a device while the program computes. Outside
// situ.hpp, because it starts threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/data/batch_maker.hpp>
#include <situ/data/dataset.hpp>
#include <situ/data/prefetch.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/device.hpp>

namespace situ {

/// How a `DataLoader` makes batches: `{.batch_size = 64, .shuffle = true}`.
struct DataLoaderOptions {
  /// Samples in a batch; the last one of an epoch may have fewer.
  std::int64_t batch_size = 1;
  /// Visits the samples in a new random order in every epoch; the order is a function of `seed` and the epoch's number.
  bool shuffle = false;
  std::uint64_t seed = 0;
  /// Drops the last batch if it has fewer samples.
  bool drop_last = false;
  /// Threads that make batches. With 0, the thread that asks for a batch makes it.
  int workers = 1;
  /// Batches made ahead, or in transit, before they are requested: memory for one more than that is used. Without a
  /// value, two for each worker.
  std::optional<std::int64_t> prefetch = {};
  /// Only one part of the rows of every batch, for training on several ranks: `{.part = rank, .parts = ranks}`. The
  /// batches are those of a single loader, divided as by `shard<0>`, so that all ranks have equally many batches and
  /// the parts together are the whole. With fewer rows than parts, the last parts are empty.
  std::int64_t part = 0;
  std::int64_t parts = 1;
};

/// The batches of one epoch, in order, each once, as `DataLoader::epoch` returns them. While the program uses a batch,
/// worker threads make the next ones. It may be destroyed at any point, also by an exception; it then stops the workers
/// and waits for the samples (or the `get_batch`) they are reading. One thread at a time may use it.
template <class Data, Device D>
class Epoch {
  using Maker = internal::BatchMaker<Data, D>;
  using Prefetcher = internal::Prefetcher<Maker>;

 public:
  /// A tensor on `D`, or a tuple of tensors.
  using Batch = decltype(internal::arrived(std::declval<typename Prefetcher::Item>()));

  Epoch(Maker maker, std::int64_t first, std::int64_t end, int workers, std::int64_t ahead)
      : prefetcher_(std::make_unique<Prefetcher>(std::move(maker), first, end, workers, ahead)) {}

  /// The next batch, or none after the last one. Waits until it is made, but not until it has arrived on a GPU: the
  /// current stream waits for that.
  ///
  /// Rethrows the data set's exception for a sample of this batch with its original type, and `OutOfMemory` of the
  /// device. The batch is then lost; after catching, the caller may continue with the next one.
  ///
  ///     while (auto batch = epoch.next()) train(*batch);
  [[nodiscard]] std::optional<Batch> next() {
    if (prefetcher_ == nullptr || prefetcher_->done()) return std::nullopt;
    return internal::arrived(prefetcher_->take());
  }

  /// Visits the batches: `for (auto& [images, labels] : loader.epoch(3))`. A batch is released before the wait for the
  /// next. `begin` and `++` throw the errors.
  class Iterator {
   public:
    using value_type = Batch;
    using difference_type = std::ptrdiff_t;

    Iterator() = default;
    explicit Iterator(Epoch& epoch) : epoch_(&epoch) {}

    [[nodiscard]] Batch& operator*() const noexcept { return *epoch_->current_; }
    [[nodiscard]] Batch* operator->() const noexcept { return &*epoch_->current_; }
    Iterator& operator++() {
      epoch_->current_.reset();
      epoch_->current_ = epoch_->next();
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const Iterator& at, std::default_sentinel_t) noexcept { return at.over(); }

   private:
    [[nodiscard]] bool over() const noexcept { return !epoch_->current_.has_value(); }

    Epoch* epoch_ = nullptr;
  };

  [[nodiscard]] Iterator begin() { return ++Iterator(*this); }
  [[nodiscard]] std::default_sentinel_t end() const noexcept { return {}; }

 private:
  std::unique_ptr<Prefetcher> prefetcher_;
  std::optional<Batch> current_;
};

namespace internal {

/// Not the concept itself, since compilers would print every part of it.
template <class Data>
inline constexpr bool is_dataset = Dataset<Data>;

template <class Data, Device D>
struct EpochOf {
  using Batch = void;  // so that the error comes from `DataLoader`
};
template <Dataset Data, Device D>
struct EpochOf<Data, D> {
  using Batch = typename Epoch<Data, D>::Batch;
};

}  // namespace internal

/// Batches of a data set on a device. Worker threads read and collate the samples; for a GPU, in pinned memory, from
/// which batches are copied while the program computes with an earlier one.
///
///     DataLoader loader(TensorDataset(images, labels), {.batch_size = 64, .shuffle = true, .seed = 1}, gpu<0>);
///     for (std::int64_t epoch = 0; epoch < 10; ++epoch) {
///       for (auto& [x, y] : loader.epoch(epoch)) train(x, y);  // Tensor<float, Cuda<0>>, Tensor<int64_t, Cuda<0>>
///     }
///
/// The batches depend on the data set, the options except `workers` and `prefetch`, and the epoch's number; never on
/// the number of workers or on timing. Operations of a worker run in its own thread only, so that the program keeps the
/// cores.
///
/// A loader is immutable: its epochs may run concurrently, and outlive it. It holds the data set by value, or by the
/// `std::shared_ptr` that it is given. A tensor alone stands for its `TensorDataset`.
template <class Data, Device D = Cpu>
class DataLoader {
  // Asserted rather than required: the errors of deduction guides bury the reason under the list of all guides.
  static_assert(
      internal::is_dataset<Data>,
      "DataLoader: not a data set; fix: give it size() and, all const, get(i), get(i, generator), "
      "operator[] or get_batch(indices); samples are numbers, tensors on the host (.to<Cpu>()), or tuples of them");

 public:
  /// A tensor on `D`, or a tuple of tensors.
  using Batch = typename internal::EpochOf<Data, D>::Batch;

  /// Throws `ValueError` for a batch size or a prefetch below 1, for fewer than 0 workers, and for an invalid part.
  explicit DataLoader(std::shared_ptr<const Data> data, DataLoaderOptions options = {}, D = {})
      : data_(std::move(data)), options_(options), ahead_(options.prefetch ? *options.prefetch : 2 * options.workers) {
    const auto text = [](std::int64_t number) { return std::to_string(number); };
    require(data_ != nullptr, [] { return std::string("the data set is null"); });
    require(options.batch_size >= 1, [&] { return "batch_size must be 1 or more, not " + text(options.batch_size); });
    require(options.parts >= 1 && options.part >= 0 && options.part < options.parts,
            [&] { return "part " + text(options.part) + " of " + text(options.parts) + "; parts are counted from 0"; });
    require(options.workers >= 0, [&] { return "workers must be 0 or more, not " + text(options.workers); });
    require(ahead_ >= 1 || options.workers == 0, [&] { return "prefetch must be 1 or more, not " + text(ahead_); });
  }
  explicit DataLoader(Data data, DataLoaderOptions options = {}, D device = {})
      : DataLoader(std::make_shared<const Data>(std::move(data)), options, device) {}

  /// The data set.
  [[nodiscard]] const Data& dataset() const noexcept { return *data_; }
  [[nodiscard]] const DataLoaderOptions& options() const noexcept { return options_; }
  /// Batches in an epoch.
  [[nodiscard]] std::int64_t batch_count() const { return batches_of(samples()); }

  /// The batches of epoch `number`, from batch `first` on: to resume from a checkpoint without reading the earlier
  /// batches. Starts the workers. Throws `ValueError` for a negative number, or a first batch beyond the last.
  [[nodiscard]] Epoch<Data, D> epoch(std::int64_t number = 0, std::int64_t first = 0) const {
    require(number >= 0, [&] { return "epochs are counted from 0, not from " + std::to_string(number); });
    const std::int64_t size = samples();
    std::vector<std::int64_t> order;
    if (options_.shuffle) order = internal::shuffled(size, internal::epoch_stream(options_.seed, 0, number));
    return begun(std::move(order), size, number, first);
  }

  /// The samples at `indices` in that order, instead of all of them or a shuffle: a part, a weighted draw, a
  /// curriculum. `number` seeds the generators of samples. Throws `IndexError` for an index out of range.
  [[nodiscard]] Epoch<Data, D> epoch_over(std::vector<std::int64_t> indices, std::int64_t number = 0) const {
    const std::int64_t size = samples();
    for (const std::int64_t index : indices) internal::check_sample_index(index, size, "DataLoader::epoch_over");
    const auto count = static_cast<std::int64_t>(indices.size());
    return begun(std::move(indices), count, number, 0);
  }

 private:
  /// `what()` is the text, which a call that does not fail does not build.
  template <class What>
  static void require(bool right, const What& what) {
    if (!right) throw ValueError("DataLoader: " + what());
  }

  [[nodiscard]] std::int64_t samples() const { return static_cast<std::int64_t>(data_->size()); }
  [[nodiscard]] std::int64_t batches_of(std::int64_t size) const noexcept {
    return size / options_.batch_size + (!options_.drop_last && size % options_.batch_size > 0 ? 1 : 0);
  }

  [[nodiscard]] Epoch<Data, D> begun(std::vector<std::int64_t> order, std::int64_t size, std::int64_t number,
                                     std::int64_t first) const {
    const std::int64_t end = batches_of(size);
    require(first >= 0 && first <= end, [&] {
      return "the first batch is " + std::to_string(first) + " of " + std::to_string(end) + " in the epoch";
    });
    return Epoch<Data, D>({data_, std::move(order), size, options_.batch_size, options_.part, options_.parts,
                           internal::epoch_stream(options_.seed, 1, number)},
                          first, end, options_.workers, ahead_);
  }

  std::shared_ptr<const Data> data_;
  DataLoaderOptions options_;
  std::int64_t ahead_;  // batches that the workers may be ahead of the consumer
};

template <class Data, Device D = Cpu>
DataLoader(std::shared_ptr<Data>, DataLoaderOptions = {}, D = {}) -> DataLoader<std::remove_const_t<Data>, D>;
template <Element T, Device From, Device D = Cpu>
DataLoader(Tensor<T, From>, DataLoaderOptions = {}, D = {}) -> DataLoader<TensorDataset<Tensor<T, From>>, D>;

}  // namespace situ
