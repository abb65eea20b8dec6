// SPDX-License-Identifier: Apache-2.0
// The compile errors of `interop/eigen.hpp`: arguments that have no map, and an Eigen expression on the left of a
// tensor that is on another device or has other elements. (On the right, the guards of the operators handle it, except
// for `==` and `!=`, which C++20 also tries with the operands swapped.) See device/diagnostics.hpp for how they work.
#pragma once

#include <concepts>
#include <type_traits>

#include <situ/core/dtype.hpp>
#include <situ/device/cpu.hpp>
#include <situ/device/diagnostics.hpp>
#include <situ/device/foreign.hpp>
#include <situ/device/placed.hpp>
#include <situ/interop/eigen_map.hpp>
#include <situ/tensor/tensor.hpp>

namespace situ {

/// "the elements of a temporary are gone when the map is read: fix: give the tensor a name". For a tensor that a call
/// returns, or an expression: `eigen(a + b)`.
struct an_Eigen_map_of_a_temporary_dangles {
  struct fix_give_the_tensor_a_name {
    template <class X>
      requires(TensorLike<X> && !(TensorType<X> && std::is_lvalue_reference_v<X>) && !Recorded<X>)
    fix_give_the_tensor_a_name(X&&) = delete;
  };
};

/// "an Eigen matrix takes no tensor: fix: call eigen(x)", as in `m += eigen(x)`.
struct an_Eigen_matrix_takes_no_tensor {
  struct fix_call_eigen {
    template <class T, class D>
    fix_call_eigen(const placed<T, D>&) = delete;
  };
};

/// "Eigen does not compute with 16-bit floats: fix: cast<float>(x)".
struct Eigen_does_not_compute_with_these_elements {
  struct fix_call_cast {
    template <class T, HostDevice D>
      requires(!EigenElement<T>)
    fix_call_cast(const Tensor<T, D>&) = delete;
  };
};

EigenMap<float> eigen(an_Eigen_map_of_a_temporary_dangles::fix_give_the_tensor_a_name);
EigenMap<float> eigen(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
EigenMap<float> eigen(a_spread_value_is_on_no_one_device::fix_call_gather);
EigenMap<float> eigen(Eigen_does_not_compute_with_these_elements::fix_call_cast);
template <int Rows, int Columns>
EigenMap<float, Rows, Columns> eigen(an_Eigen_map_of_a_temporary_dangles::fix_give_the_tensor_a_name);
template <int Rows, int Columns>
EigenMap<float, Rows, Columns> eigen(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
template <int Rows, int Columns>
EigenMap<float, Rows, Columns> eigen(Eigen_does_not_compute_with_these_elements::fix_call_cast);
EigenVectorMap<float> eigen_vector(an_Eigen_map_of_a_temporary_dangles::fix_give_the_tensor_a_name);
EigenVectorMap<float> eigen_vector(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
EigenVectorMap<float> eigen_vector(Eigen_does_not_compute_with_these_elements::fix_call_cast);
EigenArrayMap<float> eigen_array(an_Eigen_map_of_a_temporary_dangles::fix_give_the_tensor_a_name);
EigenArrayMap<float> eigen_array(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
EigenArrayMap<float> eigen_array(Eigen_does_not_compute_with_these_elements::fix_call_cast);
EigenBatch<float> eigen_batch(an_Eigen_map_of_a_temporary_dangles::fix_give_the_tensor_a_name);
EigenBatch<float> eigen_batch(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
EigenBatch<float> eigen_batch(Eigen_does_not_compute_with_these_elements::fix_call_cast);
EigenRowsMap<float> eigen_rows(an_Eigen_map_of_a_temporary_dangles::fix_give_the_tensor_a_name);
EigenRowsMap<float> eigen_rows(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
EigenRowsMap<float> eigen_rows(Eigen_does_not_compute_with_these_elements::fix_call_cast);
EigenStridedMap<float> eigen_strided(an_Eigen_map_of_a_temporary_dangles::fix_give_the_tensor_a_name);
EigenStridedMap<float> eigen_strided(pointer_into_a_temporary_lease::fix_give_the_lease_a_name);
EigenStridedMap<float> eigen_strided(Eigen_does_not_compute_with_these_elements::fix_call_cast);

// Each returns a tensor with the element type of the Eigen expression.
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator+(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator+(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator-(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator-(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator*(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator*(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator/(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator/(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator%(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator%(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator<(const E&, tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator<(const E&,
                            typename element_types_differ<internal::foreign_element_t<E>,
                                                          Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator<=(const E&, tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator<=(const E&,
                             typename element_types_differ<internal::foreign_element_t<E>, Cpu>::template fix_call_cast<
                                 internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator>(const E&, tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator>(const E&,
                            typename element_types_differ<internal::foreign_element_t<E>,
                                                          Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator>=(const E&, tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator>=(const E&,
                             typename element_types_differ<internal::foreign_element_t<E>, Cpu>::template fix_call_cast<
                                 internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator&(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator&(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator|(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator|(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator^(const E&,
                                                      tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator^(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator&&(const E&,
                                                       tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator&&(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator||(const E&,
                                                       tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<internal::foreign_element_t<E>, Cpu> operator||(
    const E&, typename element_types_differ<internal::foreign_element_t<E>,
                                            Cpu>::template fix_call_cast<internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator==(const E&, tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator==(tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>, const E&);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator==(const E&,
                             typename element_types_differ<internal::foreign_element_t<E>, Cpu>::template fix_call_cast<
                                 internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator==(typename element_types_differ<internal::foreign_element_t<E>,
                                                           Cpu>::template fix_call_cast<internal::foreign_element_t<E>>,
                             const E&);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator!=(const E&, tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator!=(tensors_live_on_different_devices<Cpu>::fix_call_dot_to<Cpu>, const E&);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator!=(const E&,
                             typename element_types_differ<internal::foreign_element_t<E>, Cpu>::template fix_call_cast<
                                 internal::foreign_element_t<E>>);
template <internal::ForeignOperand E>
Tensor<bool, Cpu> operator!=(typename element_types_differ<internal::foreign_element_t<E>,
                                                           Cpu>::template fix_call_cast<internal::foreign_element_t<E>>,
                             const E&);

template <internal::ForeignOperand E>
E& operator+=(E&, an_Eigen_matrix_takes_no_tensor::fix_call_eigen);
template <internal::ForeignOperand E>
E& operator-=(E&, an_Eigen_matrix_takes_no_tensor::fix_call_eigen);
template <internal::ForeignOperand E>
E& operator*=(E&, an_Eigen_matrix_takes_no_tensor::fix_call_eigen);
template <internal::ForeignOperand E>
E& operator/=(E&, an_Eigen_matrix_takes_no_tensor::fix_call_eigen);

}  // namespace situ
