// SPDX-License-Identifier: Apache-2.0
// Twenty unrelated operators in scope: the message grows by nothing.
// first: (?=.*tensors_live_on_different_devices)(?=.*fix_call_dot_to)(?=.*\bCpu\b)(?=.*Cuda<1>)
#ifdef SITU_CONTROL
#include <situ/situ.hpp>
#else
#include <situ/device/runtime.hpp>
#include <situ/expression/operators.hpp>
#endif

using namespace situ;

// Other people's operators, found like the library's.
namespace others {
template <int N>
struct Vector1 {
  double at[N];
};
template <int N>
Vector1<N> operator+(const Vector1<N>&, const Vector1<N>&);
template <int N>
struct Vector2 {
  double at[N];
};
template <int N>
Vector2<N> operator+(const Vector2<N>&, const Vector2<N>&);
template <int N>
struct Vector3 {
  double at[N];
};
template <int N>
Vector3<N> operator+(const Vector3<N>&, const Vector3<N>&);
template <int N>
struct Vector4 {
  double at[N];
};
template <int N>
Vector4<N> operator+(const Vector4<N>&, const Vector4<N>&);
template <int N>
struct Vector5 {
  double at[N];
};
template <int N>
Vector5<N> operator+(const Vector5<N>&, const Vector5<N>&);
template <int N>
struct Vector6 {
  double at[N];
};
template <int N>
Vector6<N> operator+(const Vector6<N>&, const Vector6<N>&);
template <int N>
struct Vector7 {
  double at[N];
};
template <int N>
Vector7<N> operator+(const Vector7<N>&, const Vector7<N>&);
template <int N>
struct Vector8 {
  double at[N];
};
template <int N>
Vector8<N> operator+(const Vector8<N>&, const Vector8<N>&);
template <int N>
struct Vector9 {
  double at[N];
};
template <int N>
Vector9<N> operator+(const Vector9<N>&, const Vector9<N>&);
template <int N>
struct Vector10 {
  double at[N];
};
template <int N>
Vector10<N> operator+(const Vector10<N>&, const Vector10<N>&);
}  // namespace others
struct Length1 {
  double meters;
};
Length1 operator+(Length1, Length1);
struct Length2 {
  double meters;
};
Length2 operator+(Length2, Length2);
struct Length3 {
  double meters;
};
Length3 operator+(Length3, Length3);
struct Length4 {
  double meters;
};
Length4 operator+(Length4, Length4);
struct Length5 {
  double meters;
};
Length5 operator+(Length5, Length5);
struct Length6 {
  double meters;
};
Length6 operator+(Length6, Length6);
struct Length7 {
  double meters;
};
Length7 operator+(Length7, Length7);
struct Length8 {
  double meters;
};
Length8 operator+(Length8, Length8);
struct Length9 {
  double meters;
};
Length9 operator+(Length9, Length9);
struct Length10 {
  double meters;
};
Length10 operator+(Length10, Length10);
using namespace others;

#ifdef SITU_CONTROL
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return x + w.to<Cpu>();
}
#else
auto mistake(const Tensor<float, Cpu>& x, const Tensor<float, Cuda<1>>& w) {
  return x + w;
}
#endif
