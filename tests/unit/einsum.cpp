// SPDX-License-Identifier: Apache-2.0
// einsum: what does not compile, what throws, gradients, and what it costs. Values are in tests/golden and tests/conformance.
// labels: gradients
#include <doctest/doctest.h>

#include <string>

#include <situ/autograd.hpp>
#include <situ/einsum.hpp>

#include "gradient_check.hpp"

namespace {

using namespace situ;
using gradient_check::check;
using gradient_check::numbers;
using internal::subscripts::form;
using internal::subscripts::Mistake;

template <internal::Subscripts S, class... X>
concept Compiles = requires(const X&... x) { einsum<S>(x...); };
using M = Tensor<float, Cpu>;

/// Subscripts that say no sum: what is wrong, where, and that no call of them compiles.
template <internal::Subscripts S>
constexpr bool wrong(Mistake mistake, char where) {
  return form<S>.mistake == mistake && form<S>.wrong == where && !Compiles<S, M> && !Compiles<S, M, M>;
}

TEST_CASE("subscripts that do not compile") {
  constexpr auto cannot_read = Mistake::character;
  static_assert(wrong<"ij,j?->i">(cannot_read, '?'));
  static_assert(wrong<"ij;jk->ik">(cannot_read, ';'));
  static_assert(wrong<"ij,jk=ik">(cannot_read, '='));
  static_assert(wrong<"ij,jk-ik">(cannot_read, '-'));
  static_assert(wrong<"ij,jk>ik">(cannot_read, '>'));
  static_assert(wrong<"ij,jk->ik->i">(cannot_read, '-'));
  static_assert(wrong<"ij,jk->i,k">(cannot_read, ','));
  static_assert(wrong<"ij,jk->1">(cannot_read, '1'));
  static_assert(wrong<"i1,1k">(cannot_read, '1'));
  static_assert(wrong<"i_j">(cannot_read, '_'));
  static_assert(wrong<"ij.">(cannot_read, '.'));
  static_assert(wrong<"i..j">(cannot_read, '.'));
  static_assert(wrong<"i....j">(cannot_read, '.'));
  static_assert(wrong<"...i...->i">(cannot_read, '.'));
  static_assert(wrong<"...i->i..">(cannot_read, '.'));
  static_assert(wrong<"...i->...i...">(cannot_read, '.'));
  static_assert(wrong<"ij\n">(cannot_read, '\n'));
  static_assert(wrong<"abcdefghi">(cannot_read, 'i'));            // more labels than a tensor has axes
  static_assert(wrong<"abcdefgh,ijkl->abcdefghi">(cannot_read, 'i'));
  static_assert(wrong<"abcde,fghi">(cannot_read, 'i'));           // so does the result
  static_assert(wrong<"a,a,a,a,a,a,a,a,a,a,a->a">(cannot_read, ','));
  static_assert(wrong<"ij,jk->ikk">(Mistake::repeated_in_output, 'k'));
  static_assert(wrong<"ii->ii">(Mistake::repeated_in_output, 'i'));
  static_assert(wrong<"ij,jk->im">(Mistake::not_in_operands, 'm'));
  static_assert(wrong<"ij->I">(Mistake::not_in_operands, 'I'));
  static_assert(wrong<"->i">(Mistake::not_in_operands, 'i'));
  static_assert(wrong<"ij->...i">(Mistake::not_in_operands, '.'));
  static_assert(wrong<"...ij->ij">(Mistake::output_without_ellipsis, '.'));
  static_assert(wrong<"ij,j...->ij">(Mistake::output_without_ellipsis, '.'));
  static_assert(wrong<"ijj...->">(Mistake::output_without_ellipsis, '.'));

  static_assert(Compiles<"ij,jk->ik", M, M> && Compiles<"ij,jk", M, M> && Compiles<" i j , j k -> i k ", M, M>);
  static_assert(!Compiles<"ij,jk->ik", M> && !Compiles<"ij,jk->ik", M, M, M> && !Compiles<"ij->i", M, M>);
  static_assert(!Compiles<"ij,jk->ik", M, Tensor<double, Cpu>> && !Compiles<"ij,jk->ik", M, Tensor<float, Pinned>>);
  static_assert(!Compiles<"a,a,a->", M, M, Tensor<double, Cpu>> && !Compiles<"a,a,a->", M, M, Tensor<float, Pinned>>);
  static_assert(!Compiles<"ij->i", Tensor<bool, Cpu>> && !Compiles<"i,i->i", M, Tensor<bool, Cpu>>);
}

template <class F>
std::string message(F f) {
  try {
    static_cast<void>(f());
  } catch (const ShapeError& error) {
    return error.what();
  }
  return "no error";
}

TEST_CASE("operands that do not fit") {
  const Tensor<double> a = numbers({3, 4});
  CHECK(message([&] { return einsum<"ij,jk->ik">(a, a); }) ==
        "einsum: label 'j' has extent 4 in operand 0 and 3 in operand 1; they must be equal, or one of them 1");
  CHECK(message([&] { return einsum<"ijk->i">(a); }) ==
        "einsum: operand 0 has shape (3, 4), and its subscripts have 3 labels; write one for each axis");
  CHECK(message([&] { return einsum<"ij,i->j">(a, a); }) ==
        "einsum: operand 1 has shape (3, 4), and its subscripts have 1 label; write one for each axis");
  CHECK(message([&] { return einsum<"...ijk->...i">(a); }) ==
        "einsum: operand 0 has shape (3, 4), and its subscripts have 3 labels beside the ellipsis; write at most one for each axis");
  CHECK(message([&] { return einsum<"ii->">(a); }) ==
        "einsum: operand 0 has shape (3, 4), with extents 3 and 4 for one label, 'i'; they must be equal");
  CHECK(message([&] { return einsum<"iijj->">(ones<double>({3, 3, 2, 4})); }) ==
        "einsum: operand 0 has shape (3, 3, 2, 4), with extents 2 and 4 for one label, 'j'; they must be equal");
  const Tensor<double> wide = ones<double>({2, 1, 1, 1, 1});
  CHECK(message([&] { return einsum<"...abcd,...efgh->...abcdefgh">(wide, wide); }) ==
        "einsum: the result has 9 axes; at most 8 are possible");
  CHECK(message([&] { return einsum<"...abcd,...efgh">(wide, wide); }) ==
        "einsum: the result has 9 axes; at most 8 are possible");
}

TEST_CASE("gradients") {
  const auto bmm = [](const auto& x, const auto& y) { return einsum<"bij,bjk->bik">(x, y); };
  check(bmm, numbers({2, 3, 4}), numbers({2, 4, 2}));
  check(bmm, numbers({1, 3, 4}), numbers({2, 4, 2}));  // broadcast
  check([](const auto& x, const auto& y) { return einsum<"qhd,khd->hqk">(x, y); }, numbers({3, 2, 4}), numbers({5, 2, 4}));
  check([](const auto& x) { return einsum<"iij->ji">(x); }, numbers({3, 3, 2}));
  check([](const auto& x) { return einsum<"ij,ij->">(x, x); }, numbers({3, 2}));
  check([](const auto& x, const auto& y) { return einsum<"i,j->ji">(x, y); }, numbers({3}), numbers({4}));
  const Tensor<double> fixed = numbers({4, 3});
  check([&](const auto& x, const auto& y) { return einsum<"...i,ij,...j->...">(x * 2, fixed, y); }, numbers({2, 4}), numbers({2, 3}));
}

TEST_CASE("the order of contraction is the cheapest") {
  // (a b) c takes 2 * 1000 * 2 and 2 * 2 * 1000 multiplications, a (b c) 250 times as many
  using namespace internal::subscripts;
  Extents extents{};
  extents.fill(1);
  constexpr Form chain = form<"ij,jk,kl->il">;
  const LabelSet sets[] = {chain.operands[0].letters.set(), chain.operands[1].letters.set(), chain.operands[2].letters.set()};
  const auto extent_of = [&](char letter) -> std::int64_t& { return extents[static_cast<std::size_t>(label_of(letter))]; };
  extent_of('i') = extent_of('k') = 2;
  extent_of('j') = extent_of('l') = 1000;
  const ContractionOrder order(sets, chain.output.letters.set(), extents);
  const OperandSet left = order.left(0b111);
  CHECK((left == 0b011 || left == 0b100));
  extent_of('i') = extent_of('k') = 1000;
  extent_of('j') = extent_of('l') = 2;
  const OperandSet other = ContractionOrder(sets, chain.output.letters.set(), extents).left(0b111);
  CHECK((other == 0b110 || other == 0b001));
}

TEST_CASE("no order is chosen that needs more axes than there are") {
  for (const std::int64_t batch : {0, 1, 2}) {
    const Tensor<double> x = ones<double>({batch, 1, 1, 1, 2, 3, 1, 1});
    const Tensor<double> left = ones<double>({batch, 1, 1, 1, 2}), right = ones<double>({3, 1, 1, 1, 1});
    CHECK(einsum<"abcdefgh,abcde,fghij->ij">(x, left, right)(0, 0) == static_cast<double>(batch * 6));
  }
}

TEST_CASE("what is a product already is not copied, and a view stays one") {
  const Tensor<double> x = numbers({3, 4});
  const Tensor<double> y = einsum<"ij->ji">(x);
  CHECK(y.data() == x.data());
  const Tensor<double> q = numbers({2, 5, 3, 4});
  const auto before = memory_stats<Cpu>().allocations;
  const Tensor<double> scores = einsum<"bqhd,bkhd->bhqk">(q, q);
  CHECK(memory_stats<Cpu>().allocations - before == 1);  // the result
  CHECK(scores.shape() == Shape{2, 3, 5, 5});
}

}  // namespace
