// SPDX-License-Identifier: Apache-2.0
// Which classes have members that share bytes, and that no program has, whatever gradients carry to a GPU.
#include <array>
#include <complex>
#include <optional>

#include <situ/autograd/partial.hpp>
#include <situ/core/dtype.hpp>
#include <situ/core/member_layout.hpp>
#include <situ/core/pack.hpp>
#include <situ/core/shape.hpp>
#include <situ/formula/functional/arithmetic.hpp>
#include <situ/plan/program.hpp>

namespace {

using namespace situ;
using situ::internal::members_overlap;

struct Empty {};
struct Plain {
  float x;
  double y;
};
struct Overlapping {
  [[no_unique_address]] Empty e;
  float x;
};
static_assert(!members_overlap<float>() && !members_overlap<Empty>() && !members_overlap<Plain>());
static_assert(members_overlap<Overlapping>());

// In a member, an array, a base.
struct Around {
  Plain plain;
  Overlapping overlapping;
};
struct Arrays {
  float weights[3];
  Plain plain[2];
  std::array<float, 3> more;
  char last;
};
struct ArrayOf {
  std::array<Overlapping, 2> each;
};
struct Derived : Overlapping {
  int more;
};
static_assert(members_overlap<Around>() && members_overlap<ArrayOf>() && members_overlap<Derived>());
static_assert(!members_overlap<Arrays>());

// Bases take up nothing where they are empty; the padding of others may be used, and all compilers do it alike.
struct OfEmpty : Empty {
  float x;
};
struct OfPack : internal::Pack<float, char> {
  char last;
};
static_assert(!members_overlap<OfEmpty>() && !members_overlap<OfPack>());

// More room than members need is none of this.
struct Aligned {
  alignas(16) float x;
  alignas(32) int y;
};
static_assert(!members_overlap<Aligned>());

struct Bits {
  int a : 3;
  int b : 4;
};
static_assert(members_overlap<Bits>());

// What cannot be seen is let through: a class with constructors, and one that has a member of it.
struct Made {
  explicit Made(int) {}
  [[no_unique_address]] Empty e;
  int x = 0;
};
struct OfMade {
  float y;
  Made made;
};
static_assert(!members_overlap<Made>() && !members_overlap<OfMade>());

// Nothing that a functor may well have is taken for it.
template <class T>
struct Converting {
  T value;
  constexpr Converting() : value() {}
  template <class X>
  constexpr Converting(X x) : value(x) {}
};
struct Usual {
  float16 half;
  std::complex<double> factor;
  std::optional<float> limit;
  Shape shape;
  internal::Pack<std::complex<double>, int> pack;
  Converting<float> converting;
  union {
    int i;
    double d;
  };
};
struct Places {
  const float& reference;
  int Plain::*member;
  float (*function)(float);
};
struct Updated {
  float& reference;
  float y;
};
struct Matrices {
  float weights[3][4];
  const volatile int rows;
};
static_assert(!members_overlap<Usual>() && !members_overlap<Places>() && !members_overlap<Updated>());
static_assert(!members_overlap<Matrices>());

// A tree as gradients carry it to the GPU, and what it was when nvcc's kernels read its second constant four bytes behind
// the one that the host had written.
namespace f = situ::internal::functional;
template <class F, class... Nodes>
struct SharingCall {
  [[no_unique_address]] F function;
  [[no_unique_address]] internal::Pack<Nodes...> nodes;
};
using situ::internal::program::Constant;
using situ::internal::program::Leaf;
template <template <class...> class Call>
using Tree = Call<f::Subtract, Call<f::Multiply, Constant<float>, Leaf<float, 0>>, Call<f::Multiply, Constant<float>, Leaf<float, 1>>>;
template <class F, class... Nodes>
using OwnCall = situ::internal::program::Call<F, float, Nodes...>;
static_assert(members_overlap<Tree<SharingCall>>());
static_assert(!members_overlap<Tree<OwnCall>>());
static_assert(!members_overlap<autograd::Partial<Tree<OwnCall>, 0, false>>());

}  // namespace
