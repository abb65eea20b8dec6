// SPDX-License-Identifier: Apache-2.0
// LibTorch's rows of selecting and counting.
#include "peer_libtorch.hpp"
#include "selection.hpp"

namespace rows {

namespace {

namespace data = selection;

at::Tensor floats() {
  std::vector<float> values = random(data::count, 1);
  return at::from_blob(values.data(), {data::count}, at::kFloat).clone();
}
at::Tensor integers(std::int64_t n, std::int64_t below) {
  std::vector<std::int64_t> values = data::integers(n, below, 5);
  return at::from_blob(values.data(), {n}, at::kLong).clone();
}

void add_all() {
  for (const int percent : data::percents) {
    const auto operands = [=] { return std::pair(floats(), floats() > data::limit(percent)); };
    add<LibTorch>(data::selected("x(mask)", percent),
                  [=] { return [operands = operands()] { return operands.first.masked_select(operands.second); }; });
    add<LibTorch>(data::selected("nonzero", percent),
                  [=] { return [operands = operands()] { return operands.second.nonzero(); }; });
  }
  add<LibTorch>(data::unique_floats, [] { return [x = floats()] { return std::get<0>(at::_unique2(x)); }; });
  add<LibTorch>(data::unique_integers,
                [] { return [x = integers(data::count, data::different)] { return std::get<0>(at::_unique2(x)); }; });
  add<LibTorch>(data::histogram, [] { return [x = floats()] { return at::histc(x, data::bins, -2, 2); }; });
  add<LibTorch>(data::bincount,
                [] { return [x = integers(data::count, data::different)] { return at::bincount(x); }; });
  add<LibTorch>(data::index_add, [] {
    std::vector<float> rows = random(data::added * data::width, 2);
    return [x = at::zeros({data::table, data::width}), places = integers(data::added, data::table),
            rows = at::from_blob(rows.data(), {data::added, data::width}, at::kFloat).clone()] {
      return at::index_add(x, 0, places, rows);
    };
  });
}

const Registration here("selection", add_all);

}  // namespace

}  // namespace rows
