// SPDX-License-Identifier: Apache-2.0
// The subscripts of `einsum`, parsed at compile time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include <situ/core/config.hpp>

namespace situ {

namespace internal {

/// Subscripts of `einsum` as a template argument: `einsum<"ij,jk->ik">`.
template <std::size_t Size>
struct Subscripts {
  char text[Size]{};

  consteval Subscripts(const char (&from)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) text[i] = from[i];
  }
  /// The text as written.
  [[nodiscard]] constexpr std::string_view view() const { return {text, Size - 1}; }
};

}  // namespace internal

namespace internal::subscripts {

/// For more operands, call `einsum` twice: finding the order of contraction looks at all 3^n ways.
inline constexpr int max_operands = 10;
/// Letters, and the axes that an ellipsis represents.
inline constexpr int letter_count = 52;
inline constexpr int label_count = letter_count + max_rank;

/// A set of labels, bit `i` for label `i`.
using LabelSet = std::uint64_t;
static_assert(label_count <= 64);

[[nodiscard]] constexpr LabelSet bit(int label) noexcept { return LabelSet{1} << label; }

/// The labels of axes, in their order.
struct LabelList {
  std::array<std::int8_t, max_rank> at{};
  int count = 0;

  constexpr void push_back(int label) noexcept {
    at[static_cast<std::size_t>(count++)] = static_cast<std::int8_t>(label);
  }
  constexpr void erase(int axis) noexcept {
    --count;
    for (int i = axis; i < count; ++i) at[static_cast<std::size_t>(i)] = at[static_cast<std::size_t>(i) + 1];
  }
  [[nodiscard]] constexpr int operator[](int axis) const noexcept { return at[static_cast<std::size_t>(axis)]; }
  /// The first axis with this label from `begin` on; `count` if there is none.
  [[nodiscard]] constexpr int find(int label, int begin = 0) const noexcept {
    while (begin < count && (*this)[begin] != label) ++begin;
    return begin;
  }
  [[nodiscard]] constexpr LabelSet set() const noexcept {
    LabelSet result = 0;
    for (int i = 0; i < count; ++i) result |= bit((*this)[i]);
    return result;
  }
};

/// The subscripts of one operand, or of the result: letters, and how many of them precede the ellipsis.
struct Term {
  LabelList letters;
  int ellipsis = -1;

  [[nodiscard]] constexpr bool has_ellipsis() const noexcept { return ellipsis >= 0; }
};

enum class Mistake { none, character, repeated_in_output, not_in_operands, output_without_ellipsis };

/// The parsed subscripts, or the first mistake in them and the character that is wrong.
struct Form {
  std::array<Term, max_operands> operands{};
  int count = 0;
  Term output{};
  Mistake mistake = Mistake::none;
  char wrong = ' ';
};

[[nodiscard]] constexpr bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
/// Capitals first, so that the order of labels is that of NumPy.
[[nodiscard]] constexpr int label_of(char c) noexcept { return c <= 'Z' ? c - 'A' : c - 'a' + 26; }
[[nodiscard]] constexpr char letter_of(int label) noexcept {
  return static_cast<char>(label < 26 ? 'A' + label : 'a' + label - 26);
}

/// Reads one term after the other.
class Reader {
 public:
  constexpr explicit Reader(std::string_view text) : text_(text) {}

  [[nodiscard]] constexpr Form read() {
    bool named_output = false;
    Form form = read_operands(named_output);
    if (form.mistake == Mistake::none) {
      if (named_output) read_output(form);
      else infer_output(form);
    }
    return form;
  }

 private:
  [[nodiscard]] constexpr bool at_end() const noexcept { return position_ == text_.size(); }
  [[nodiscard]] constexpr bool next_is(std::string_view wanted) const noexcept {
    return text_.substr(position_, wanted.size()) == wanted;
  }
  constexpr bool skip(std::string_view wanted) noexcept {
    if (!next_is(wanted)) return false;
    position_ += wanted.size();
    return true;
  }

  /// Letters and at most one ellipsis, up to any other character; spaces between them are skipped.
  [[nodiscard]] constexpr Term read_term(bool& fits) {
    Term term;
    for (; !at_end();) {
      if (skip(" ")) continue;
      if (!term.has_ellipsis() && skip("...")) {
        term.ellipsis = term.letters.count;
      } else if (is_letter(text_[position_])) {
        if (term.letters.count == max_rank) fits = false;
        if (!fits) break;
        term.letters.push_back(label_of(text_[position_++]));
      } else {
        break;
      }
    }
    return term;
  }

  [[nodiscard]] constexpr Form wrong_here(Form form) const {
    form.mistake = Mistake::character;
    form.wrong = at_end() ? ' ' : text_[position_];
    return form;
  }

  [[nodiscard]] constexpr Form read_operands(bool& named_output) {
    Form form;
    bool fits = true;
    for (;;) {
      if (form.count == max_operands) {
        --position_;  // the comma before it
        return wrong_here(form);
      }
      form.operands[static_cast<std::size_t>(form.count++)] = read_term(fits);
      if (!fits) return wrong_here(form);
      if (at_end()) return form;
      if (skip("->")) {
        named_output = true;
        return form;
      }
      if (!skip(",")) return wrong_here(form);
    }
  }

  constexpr void read_output(Form& form) {
    bool fits = true;
    form.output = read_term(fits);
    if (!fits || !at_end()) {
      form = wrong_here(form);
      return;
    }
    LabelSet known = 0;
    bool ellipsis = false;
    for (int i = 0; i < form.count; ++i) {
      known |= operand(form, i).letters.set();
      ellipsis = ellipsis || operand(form, i).has_ellipsis();
    }
    const LabelList& output = form.output.letters;
    for (int i = 0; i < output.count && form.mistake == Mistake::none; ++i) {
      form.wrong = letter_of(output[i]);
      if (output.find(output[i]) < i) form.mistake = Mistake::repeated_in_output;
      else if ((known & bit(output[i])) == 0) form.mistake = Mistake::not_in_operands;
    }
    if (form.mistake != Mistake::none || ellipsis == form.output.has_ellipsis()) return;
    form.wrong = '.';
    form.mistake = ellipsis ? Mistake::output_without_ellipsis : Mistake::not_in_operands;
  }

  /// As in NumPy: the axes of the ellipsis, then the labels that occur once, in alphabetical order.
  static constexpr void infer_output(Form& form) {
    std::array<int, letter_count> times{};
    for (int i = 0; i < form.count; ++i) {
      const Term& term = operand(form, i);
      if (term.has_ellipsis()) form.output.ellipsis = 0;
      for (int axis = 0; axis < term.letters.count; ++axis) ++times[static_cast<std::size_t>(term.letters[axis])];
    }
    for (int label = 0; label < letter_count; ++label) {
      if (times[static_cast<std::size_t>(label)] != 1) continue;
      if (form.output.letters.count == max_rank) {
        form.mistake = Mistake::character;
        form.wrong = letter_of(label);
        return;
      }
      form.output.letters.push_back(label);
    }
  }

  [[nodiscard]] static constexpr const Term& operand(const Form& form, int i) {
    return form.operands[static_cast<std::size_t>(i)];
  }

  std::string_view text_;
  std::size_t position_ = 0;
};

/// The parsed form of subscripts, for as many operands as they have.
template <Subscripts S>
inline constexpr Form form = Reader(S.view()).read();

}  // namespace internal::subscripts

}  // namespace situ
