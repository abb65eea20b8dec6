// SPDX-License-Identifier: Apache-2.0
// Operations that compute each lane from the same lane of their operands.
//
// What has an undefined operand is undefined: compilers compute what nobody will use. Stores, addresses, comparisons
// and branches complain.
#pragma once

#include <type_traits>

#include "warp.hpp"

namespace ptx {

/// d = f(a), with values of type V.
template <class V, class F>
void map1(Warp& w, const Instruction& i, Lanes lanes, F f) {
  using R = decltype(f(V{}));
  const Word* const a = w.words(i.source[0]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]));
  each_lane(lanes, [&](int lane) { d[lane] = word_of<R>(f(value_of<V>(a[lane]))); });
}

template <class V, class F>
void map2(Warp& w, const Instruction& i, Lanes lanes, F f) {
  using R = decltype(f(V{}, V{}));
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.words(i.source[1]);
  Word* const d = w.result(i.destination[0], lanes, w.defined(i.source[0]) & w.defined(i.source[1]));
  each_lane(lanes, [&](int lane) { d[lane] = word_of<R>(f(value_of<V>(a[lane]), value_of<V>(b[lane]))); });
}

/// d = f(a, b, c); c may be of another type, as that of a product's sum is.
template <class V, class C, class F>
void map3(Warp& w, const Instruction& i, Lanes lanes, F f) {
  using R = decltype(f(V{}, V{}, C{}));
  const Word* const a = w.words(i.source[0]);
  const Word* const b = w.words(i.source[1]);
  const Word* const c = w.words(i.source[2]);
  const Lanes sound = w.defined(i.source[0]) & w.defined(i.source[1]) & w.defined(i.source[2]);
  Word* const d = w.result(i.destination[0], lanes, sound);
  each_lane(lanes, [&](int lane) {
    d[lane] = word_of<R>(f(value_of<V>(a[lane]), value_of<V>(b[lane]), value_of<C>(c[lane])));
  });
}

/// An operation from a type without state: F{} is called with as many values of type V as it takes.
template <class V, class F, class C = V>
Operation operation() {
  return [](Warp& w, const Instruction& i, Lanes lanes) {
    if constexpr (std::is_invocable_v<F, V>) {
      map1<V>(w, i, lanes, F{});
    } else if constexpr (std::is_invocable_v<F, V, V>) {
      map2<V>(w, i, lanes, F{});
    } else {
      map3<V, C>(w, i, lanes, F{});
    }
  };
}

}  // namespace ptx
