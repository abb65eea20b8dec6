// SPDX-License-Identifier: Apache-2.0
// The compile errors of single operations. See device/diagnostics.hpp for how they work.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <type_traits>

#include <situ/core/scalar.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/expression/diagnostics.hpp>

namespace situ {

/// "dropout takes a probability: fix: write it before training", `dropout(x, 0.5, training)`.
struct dropout_takes_a_probability {
  struct fix_write_it_before_training {};
};

/// "clamp takes two limits: fix: call maximum(x, low), or minimum(x, high)".
struct clamp_takes_two_limits {
  struct fix_call_maximum_or_minimum {
    template <class Limit>
    fix_call_maximum_or_minimum(const Limit&) = delete;
  };
};

/// "the second argument of gradient could be a spacing or an axis: fix: write which in braces", of `gradient(x, 1)`:
/// write `gradient(x, {.axis = 1})`.
struct the_second_argument_of_gradient_could_be_a_spacing_or_an_axis {
  struct fix_write_which_in_braces {
    template <internal::ScalarOperand Scalar>
    fix_write_which_in_braces(Scalar) = delete;
  };
};

/// "the weight of prelu is a tensor, which is learned: fix: call leaky_relu(x, slope), or full({1}, slope) for one".
struct the_weight_of_prelu_is_a_tensor {
  struct fix_call_leaky_relu_or_full {
    template <internal::ScalarOperand Scalar>
    fix_call_leaky_relu_or_full(Scalar) = delete;
  };
};

/// "the third argument of pad could be a value or a mode: fix: leave it out, or write which", of `pad(x, widths, {})`.
struct the_third_argument_of_pad_could_be_a_value_or_a_mode {
  struct fix_leave_it_out_or_write_which {
    // called by `{}`; nvcc ignores a deleted constructor without parameters
    fix_leave_it_out_or_write_which(std::initializer_list<int>) = delete;
  };
};

/// "the mode of pad is a PadMode: fix: write PadMode::reflect, edge, symmetric or wrap", of `pad(x, widths, "reflect")`.
struct the_mode_of_pad_is_a_PadMode {
  struct fix_write_PadMode_reflect_edge_symmetric_or_wrap {
    template <std::same_as<char> Character>
    fix_write_PadMode_reflect_edge_symmetric_or_wrap(const Character*) = delete;
  };
};

/// "operands in braces have different types: fix: write them without braces, concat(a, b + 1)".
struct operands_in_braces_have_different_types {
  struct fix_write_them_without_braces {
    template <class FirstDevice, class SecondDevice, class... Rest>
    fix_write_them_without_braces(const on_device<FirstDevice>&, const on_device<SecondDevice>&,
                                  const Rest&...) = delete;
  };
};

/// "the mask of `where` is not bool: fix: compare (x != 0), or call cast<bool>(x)".
struct the_mask_is_not_bool {
  struct fix_compare_or_call_cast_bool {
    template <class T, class D>
      requires(!std::same_as<T, bool>)
    fix_compare_or_call_cast_bool(const placed<T, D>&) = delete;
  };
};

/// "two scalars beside a mask have no element type: fix: call full({}, value) for one".
struct two_scalars_beside_a_mask {
  struct fix_call_full {
    template <internal::ScalarOperand Scalar>
    fix_call_full(Scalar) = delete;
  };
};

/// "indices are not integers: fix: cast<std::int64_t>(indices)".
template <class Device>
struct indices_are_not_integers {
  struct fix_call_cast {
    template <class Index>
      requires(!IntegerElement<Index>)
    fix_call_cast(const placed<Index, Device>&) = delete;
  };
};

/// `one_hot` of floats: "labels are not integers: fix: call cast".
struct labels_are_not_integers {
  struct fix_call_cast {
    template <class Label, class Device>
      requires(!IntegerElement<Label>)
    fix_call_cast(const placed<Label, Device>&) = delete;
  };
};

/// "labels are not int64: fix: cast<std::int64_t>(labels)".
template <class Device>
struct labels_are_not_int64 {
  struct fix_call_cast {
    template <class Label>
      requires(!std::same_as<Label, std::int64_t>)
    fix_call_cast(const placed<Label, Device>&) = delete;
  };
};

/// `saturate_cast<std::int8_t>(x)`: "saturate_cast is for 8-bit floats: fix: call clamp, and cast",
/// `cast<std::int8_t>(clamp(x, -128.f, 127.f))`.
template <class To>
struct saturate_cast_is_for_8_bit_floats {
  struct fix_call_clamp_and_cast {
    template <class T, class D>
      requires(!StorageElement<To>)
    fix_call_clamp_and_cast(const placed<T, D>&) = delete;
  };
};

/// `layer_norm(x, {3})`: "layer_norm takes a weight and a bias: fix: write ones and zeros", of the shape of an element
/// of the batch.
struct layer_norm_takes_a_weight_and_a_bias {
  struct fix_write_ones_and_zeros {
    template <class T, class D>
    fix_write_ones_and_zeros(const placed<T, D>&) = delete;
    fix_write_ones_and_zeros(const spread_value&) = delete;
  };
};

/// `reshape(x, 4, 3)`, `permute(x, 1, 0)`: "several numbers are one argument: fix: write them in braces".
struct several_numbers_are_one_argument {
  struct fix_write_them_in_braces {
    template <class D>
    fix_write_them_in_braces(const on_device<D>&) = delete;
  };
};
/// `transpose(x, {1, 0, 2})`: "transpose exchanges two axes: fix: call permute".
struct transpose_exchanges_two_axes {
  struct fix_call_permute {
    template <class D>
    fix_call_permute(const on_device<D>&) = delete;
  };
};

/// "the cast would drop imaginary parts: fix: call real or abs".
struct the_cast_would_drop_imaginary_parts {
  struct fix_call_real_or_abs {
    template <ComplexElement T, class Device>
    fix_call_real_or_abs(const placed<T, Device>&) = delete;
  };
};

/// "the functor of `map` has no derivative, and an operand records gradients: fix: give it a member `derivative`, or
/// call no_grad for the operands".
struct the_functor_of_map_has_no_derivative {
  struct fix_add_a_member_derivative {
    template <class Functor>
      requires std::is_class_v<Functor>
    fix_add_a_member_derivative(const Functor&) = delete;
  };
};

}  // namespace situ
