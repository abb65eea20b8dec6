// SPDX-License-Identifier: Apache-2.0
// Conformance: what rests on sorted values and on counts. Those of the CPU are compared with NumPy's and with loops.
#pragma once

#include <situ/order.hpp>

#include "support.hpp"

namespace conformance {

TEST_CASE_TEMPLATE_DEFINE("order and counts", D, order) {
  check_same<D>(0, [](const auto& a) { return unique(a, 0); }, round(numbers<float>({300, 3}, -1, 1)));
  for (const Shape& shape : {Shape{0}, Shape{1}, Shape{70, 67}, Shape{9001}}) {
    const Tensor<float, Cpu> x = round(numbers<float>(shape, -40, 40));
    const Tensor<std::int32_t, Cpu> n = cast<std::int32_t>(x);
    const Tensor<float, Cpu> ends = sort(numbers<float>({29}, -50, 50, 3));
    check_same<D>(0, [](const auto& a) { return unique_all(a).values; }, x);
    check_same<D>(0, [](const auto& a) { return unique_all(a).inverse_indices; }, x);
    check_same<D>(0, [](const auto& a) { return unique_all(a, {.size = 60, .fill = 9.f}).indices; }, x);
    check_same<D>(0, [](const auto& a) { return unique_counts(a).counts; }, x);
    check_same<D>(0, [](const auto& a) { return unique(a, {.size = 100, .fill = 9.f}); }, x);
    check_same<D>(0, [](const auto& e, const auto& a) { return searchsorted(e, a, SearchSide::right); }, ends, x);
    check_same<D>(0, [](const auto& e, const auto& a) { return isin(a, e(range(3, 20))); }, ends, x);
    check_same<D>(4, [](const auto& e, const auto& a) { return interp(a, e, flip(e, 0)); }, ends, x);
    check_same<D>(4, [](const auto& e, const auto& a) { return interp(a, e, flip(e, 0), {.left = -1, .right = 1}); }, ends, x);
    check_same<D>(0, [](const auto& a) { return bincount(a + 40); }, n);
    check_same<D>(0, [](const auto& a) { return bincount(a, {.size = 5000}); }, n);  // more than a block has places for
    check_same<D>(0, [](const auto& a, const auto& w) { return bincount(a, w, {.size = 30}); }, n, x);
    check_same<D>(0, [](const auto& a) { return histogram(a, 7).hist; }, x);
    check_same<D>(0, [](const auto& a) { return histogram(a, 9, {-11, 30}).hist; }, n);
    check_same<D>(0, [](const auto& a, const auto& w) { return histogram(a, 9, {-11, 30}, w).hist; }, n, x);
    check_same<D>(0, [](const auto& e, const auto& a) { return histogram(a, e).hist; }, ends, x);
    check_same<D>(0, [](const auto& a) { return cummax(a, 0).values; }, x);
    check_same<D>(0, [](const auto& a) { return cummin(a, 0).indices; }, n);
    if (shape.count() == 0) continue;
    check_same<D>(0, [](const auto& w) { return multinomial(w, 300, Replacement::yes, Generator(3)); }, abs(x) + 1.f);
    check_same<D>(4, [](const auto& a) { return quantile(a, {0.1, 0.5}, 0, keepdims); }, x);
    check_same<D>(0, [](const auto& a) { return kthvalue(a, 1, 0).indices; }, x);
    check_same<D>(0, [](const auto& w) { return multinomial(w, 1, Generator(3)); }, abs(x) + 1.f);
  }
  check_same<D>(0, [](const auto& a) { return cummax(a, 1).indices; }, numbers<float>({3, 20011}));
  check_same<D>(0, [](const auto& w) { return multinomial(w, 300, Replacement::yes, Generator(3)); },
                maximum(numbers<float>({3, 501}), 0.f));
}

}  // namespace conformance
