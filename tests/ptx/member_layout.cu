// SPDX-License-Identifier: Apache-2.0
// Where nvcc looks for members that share bytes, docs/decisions/kernels-as-structs.md. The PTX of `probe` says it:
//   nvcc -std=c++20 -arch=sm_90 -ptx tests/ptx/member_layout.cu -o - | grep add.s64
// clang-format off
// [nvcc]
#include <cstddef>
#include <utility>
template <std::size_t I, class T> struct Slot { T value; };
template <class Indices, class... T> struct Base;
template <std::size_t... I, class... T> struct Base<std::index_sequence<I...>, T...> : Slot<I, T>... {};
template <class... T> struct Pack : Base<std::index_sequence_for<T...>, T...> {};
template <std::size_t I, class T> __host__ __device__ constexpr const T& get(const Slot<I, T>& s) { return s.value; }
template <class... T> constexpr Pack<T...> make_pack(T... v) { return Pack<T...>{{{std::move(v)}...}}; }
template <int I> struct Leaf {};
struct Constant { float value; };
template <class F, class... N> struct Call { [[no_unique_address]] F function; [[no_unique_address]] Pack<N...> nodes; };
struct Multiply {}; struct Subtract {};
using C0 = Call<Multiply, Constant, Leaf<0>>;
using C1 = Call<Multiply, Constant, Leaf<1>>;
using P = Call<Subtract, C0, C1>;
#ifdef MADE
P made(float a, float b) { return P{{}, make_pack(C0{{}, make_pack(Constant{a}, Leaf<0>{})}, C1{{}, make_pack(Constant{b}, Leaf<1>{})})}; }
#endif
extern "C" __global__ void probe(long* out, const P* c) {
  out[0] = (const char*)&get<0>(get<1>(c->nodes).nodes).value - (const char*)c;
}
// [nvcc-end]
