// SPDX-License-Identifier: Apache-2.0
// LibTorch's rows of selecting and counting.
#include "selection.hpp"

#include <ATen/ATen.h>

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

void keep(const at::Tensor& x) { benchmark::DoNotOptimize(x.data_ptr()); }

}  // namespace

void add_libtorch_selection() {
  for (const int percent : data::percents) {
    const auto operands = [=] { return std::pair(floats(), floats() > data::limit(percent)); };
    add(data::selected("x(mask)", percent), "libtorch", [=] {
      return [operands = operands()] { keep(operands.first.masked_select(operands.second)); };
    });
    add(data::selected("nonzero", percent), "libtorch", [=] {
      return [operands = operands()] { keep(operands.second.nonzero()); };
    });
  }
  add(data::unique_floats, "libtorch", [] { return [x = floats()] { keep(std::get<0>(at::_unique2(x))); }; });
  add(data::unique_integers, "libtorch", [] {
    return [x = integers(data::count, data::different)] { keep(std::get<0>(at::_unique2(x))); };
  });
  add(data::histogram, "libtorch", [] { return [x = floats()] { keep(at::histc(x, data::bins, -2, 2)); }; });
  add(data::bincount, "libtorch", [] {
    return [x = integers(data::count, data::different)] { keep(at::bincount(x)); };
  });
  add(data::index_add, "libtorch", [] {
    std::vector<float> rows = random(data::added * data::width, 2);
    return [x = at::zeros({data::table, data::width}), places = integers(data::added, data::table),
            rows = at::from_blob(rows.data(), {data::added, data::width}, at::kFloat).clone()] {
      keep(at::index_add(x, 0, places, rows));
    };
  });
}

}  // namespace rows
