// SPDX-License-Identifier: Apache-2.0
// Both namespaces: std::empty of the list {2.f, 3.f} would be a bool. The other names that both have are told apart.
// first: ambiguous
// within: Empty|situ::empty|situ/ops/creation.hpp
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/ops/creation.hpp>
#endif
#include <algorithm>
#include <any>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <vector>

using namespace std;
using namespace situ;

#ifdef SITU_CONTROL
void mistake() {
  Tensor<float> e = situ::empty<float>({2, 3});
  e = exp(full({2, 3}, 1.f)) + abs(e) + pow(e, 2) + min(e) + sum(max(e, 0)) + floor(e) + clamp(e, 0, 1);
  Tensor<float> s = sort(e(0, range(0, 2))) + take(e, argmax(e, 0), 0) + round(e) + fmod(2.0, 1.0) + std::max(1.f, 2.f);
  Tensor<bool> a = any(e > 0, 0) || isnan(s) || isinf(s);
  vector<int> v(static_cast<size_t>(size(vector<int>(3))), 1);
  sort(v.begin(), v.end());
  static_cast<void>(data(v));
}
#else
void mistake() {
  auto e = empty<float>({2, 3});
}
#endif
