// SPDX-License-Identifier: Apache-2.0
// situ's rows of selecting and counting.
#include "selection.hpp"

#include <situ/indexing.hpp>
#include <situ/order.hpp>
#include <situ/situ.hpp>

namespace rows {

namespace {

using situ::Tensor;
namespace data = selection;

template <class X>
void keep(const X& x) {
  benchmark::DoNotOptimize(x.storage_elements());
}

Tensor<float> floats() { return situ::from_span<float>(random(data::count, 1), {data::count}); }
Tensor<std::int64_t> integers(std::int64_t n, std::int64_t below) {
  return situ::from_span<std::int64_t>(data::integers(n, below, 5), {n});
}

}  // namespace

void add_situ_selection() {
  for (const int percent : data::percents) {
    const auto operands = [=] { return std::pair(floats(), situ::eval(floats() > data::limit(percent))); };
    add(data::selected("x(mask)", percent), "situ", [=] {
      return [operands = operands()] { keep(operands.first(operands.second)); };
    });
    add(data::selected("nonzero", percent), "situ", [=] {
      return [operands = operands()] { keep(nonzero(operands.second)); };
    });
  }
  add(data::unique_floats, "situ", [] { return [x = floats()] { keep(unique(x)); }; });
  add(data::unique_integers, "situ",
      [] { return [x = integers(data::count, data::different)] { keep(unique(x)); }; });
  add(data::histogram, "situ", [] {
    return [x = floats()] { keep(histogram(x, data::bins, {-2, 2}).hist); };
  });
  add(data::bincount, "situ", [] { return [x = integers(data::count, data::different)] { keep(bincount(x)); }; });
  add(data::index_add, "situ", [] {
    return [x = situ::zeros<float>({data::table, data::width}), places = integers(data::added, data::table),
            rows = situ::from_span<float>(random(data::added * data::width, 2), {data::added, data::width})] {
      keep(index_add(x, 0, places, rows));
    };
  });
}

}  // namespace rows
