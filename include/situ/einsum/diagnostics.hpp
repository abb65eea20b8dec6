// SPDX-License-Identifier: Apache-2.0
// The compile errors of `einsum`. See device/diagnostics.hpp for how they work.
#pragma once

#include <concepts>
#include <string_view>

#include <situ/device/diagnostics.hpp>

namespace situ {

/// `einsum("ij->ji", x)`: "subscripts of einsum are a template argument: fix: write them in angle brackets".
struct subscripts_of_einsum_are_a_template_argument {
  struct fix_write_them_in_angle_brackets {
    template <class Text>
      requires std::convertible_to<const Text&, std::string_view>
    fix_write_them_in_angle_brackets(const Text&) = delete;
  };
};

/// "einsum takes no spread values: fix: call matmul", or `gather` them.
struct einsum_takes_no_spread_values {
  struct fix_call_matmul {
    template <class T>
    fix_call_matmul(const spread_elements<T>&) = delete;
  };
};

/// "einsum cannot read a character: fix: write letters, commas and an arrow, as in ij,jk->ik". The character is a space
/// if the subscripts end too early. A term has at most `max_rank` labels, and there are at most ten operands.
template <char Character>
struct einsum_cannot_read {
  struct fix_write_labels_commas_and_an_arrow_as_in_ij_jk_to_ik {
    template <class Operand>
    fix_write_labels_commas_and_an_arrow_as_in_ij_jk_to_ik(const Operand&) = delete;
  };
};

/// "the output of einsum repeats a label: fix: write it once".
template <char Label>
struct the_output_of_einsum_repeats_label {
  struct fix_write_it_once {
    template <class Operand>
    fix_write_it_once(const Operand&) = delete;
  };
};

/// "the output of einsum has a label that no operand has: fix: write it in an operand, too". `.` is the ellipsis.
template <char Label>
struct no_operand_of_einsum_has_output_label {
  struct fix_write_it_in_an_operand {
    template <class Operand>
    fix_write_it_in_an_operand(const Operand&) = delete;
  };
};

/// "the output of einsum lacks the ellipsis: fix: write ... in it". To sum over those axes, name them and omit them.
struct the_output_of_einsum_lacks_the_ellipsis {
  struct fix_write_three_dots_in_it {
    template <class Operand>
    fix_write_three_dots_in_it(const Operand&) = delete;
  };
};

/// "einsum has subscripts of so many operands: fix: pass as many, not ...".
template <int Expected>
struct einsum_has_subscripts_for {
  template <int Passed>
  struct fix_pass_as_many_operands_not {
    template <class Operand>
    fix_pass_as_many_operands_not(const Operand&) = delete;
  };
};

}  // namespace situ
