// SPDX-License-Identifier: Apache-2.0
// situ's rows of selecting and counting.
#include "peer_situ.hpp"
#include "selection.hpp"

#include <situ/indexing.hpp>
#include <situ/order.hpp>

namespace rows {

namespace {

using situ::Tensor;
namespace data = selection;

Tensor<float> floats() { return situ::from_span<float>(random(data::count, 1), {data::count}); }
Tensor<std::int64_t> integers(std::int64_t n, std::int64_t below) {
  return situ::from_span<std::int64_t>(data::integers(n, below, 5), {n});
}

void add_all() {
  for (const int percent : data::percents) {
    const auto operands = [=] { return std::pair(floats(), situ::eval(floats() > data::limit(percent))); };
    add<Situ>(data::selected("x(mask)", percent),
              [=] { return [operands = operands()] { return operands.first(operands.second); }; });
    add<Situ>(data::selected("nonzero", percent),
              [=] { return [operands = operands()] { return nonzero(operands.second); }; });
  }
  add<Situ>(data::unique_floats, [] { return [x = floats()] { return unique(x); }; });
  add<Situ>(data::unique_integers, [] { return [x = integers(data::count, data::different)] { return unique(x); }; });
  add<Situ>(data::histogram, [] { return [x = floats()] { return histogram(x, data::bins, {-2, 2}).hist; }; });
  add<Situ>(data::bincount, [] { return [x = integers(data::count, data::different)] { return bincount(x); }; });
  add<Situ>(data::index_add, [] {
    return [x = situ::zeros<float>({data::table, data::width}), places = integers(data::added, data::table),
            rows = situ::from_span<float>(random(data::added * data::width, 2), {data::added, data::width})] {
      return index_add(x, 0, places, rows);
    };
  });
}

const Registration here("selection", add_all);

}  // namespace

}  // namespace rows
