// SPDX-License-Identifier: Apache-2.0
// Guards of functions that have no form for spread values. One class says so for all of them, and names the call to
// use. The spread value is the first operand, or the second after one that is not spread: a tensor, a file name.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/spread.hpp>
#include <situ/ops/gather.hpp>  // first, as in axis_guards.hpp

namespace situ {

/// "there is no form for spread values: fix: call gather(x, device), or local(x)", for each device's own part.
struct there_is_no_form_for_spread_values {
  struct fix_call_gather_or_local {
    template <class T, class Layout, class Mesh>
    fix_call_gather_or_local(const spread_over<T, Layout, Mesh>&) = delete;
  };
  struct fix_call_matmul {
    template <class T, class Layout, class Mesh>
    fix_call_matmul(const spread_over<T, Layout, Mesh>&) = delete;
  };
  struct fix_call_where {
    template <class T, class Layout, class Mesh>
    fix_call_where(const spread_over<T, Layout, Mesh>&) = delete;
  };
  struct fix_call_isclose_and_all {
    template <class T, class Layout, class Mesh>
    fix_call_isclose_and_all(const spread_over<T, Layout, Mesh>&) = delete;
  };
  struct fix_call_permute_or_transpose {
    template <class T, class Layout, class Mesh>
    fix_call_permute_or_transpose(const spread_over<T, Layout, Mesh>&) = delete;
  };
  struct fix_call_shard_or_replicate {
    template <class T, class Layout, class Mesh>
    fix_call_shard_or_replicate(const spread_over<T, Layout, Mesh>&) = delete;
  };
  struct fix_write_an_index {
    template <class T, class Layout, class Mesh>
    fix_write_an_index(const spread_over<T, Layout, Mesh>&) = delete;
  };
};

namespace internal {
using NoSpreadForm = there_is_no_form_for_spread_values::fix_call_gather_or_local;

/// A first operand that is not spread.
struct NotSpread {
  template <class T>
    requires(!SpreadLike<T>)
  NotSpread(const T&);
};
}  // namespace internal

// One operand.
never_made median(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made quantile(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {}, internal::Anything = {},
                    internal::Anything = {});
never_made kthvalue(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {}, internal::Anything = {});
never_made unique(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made unique_all(internal::NoSpreadForm, internal::Anything = {});
never_made unique_counts(internal::NoSpreadForm, internal::Anything = {});
never_made unique_inverse(internal::NoSpreadForm, internal::Anything = {});
never_made bincount(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made histogram(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {}, internal::Anything = {});
never_made cummax(internal::NoSpreadForm, internal::Anything = {});
never_made cummin(internal::NoSpreadForm, internal::Anything = {});
never_made multinomial(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                       internal::Anything = {});
never_made nonzero(internal::NoSpreadForm);
never_made count_nonzero(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made trace(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made diag(internal::NoSpreadForm, internal::Anything = {});
never_made max_pool1d(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                      internal::Anything = {});
never_made max_pool2d(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                      internal::Anything = {});
never_made max_pool3d(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                      internal::Anything = {});
never_made avg_pool1d(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                      internal::Anything = {});
never_made avg_pool2d(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                      internal::Anything = {});
never_made avg_pool3d(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                      internal::Anything = {});
never_made cholesky(internal::NoSpreadForm, internal::Anything = {});
never_made det(internal::NoSpreadForm);
never_made slogdet(internal::NoSpreadForm);
never_made inv(internal::NoSpreadForm);
never_made eigh(internal::NoSpreadForm, internal::Anything = {});
never_made eigvalsh(internal::NoSpreadForm, internal::Anything = {});
never_made svd(internal::NoSpreadForm, internal::Anything = {});
never_made svdvals(internal::NoSpreadForm);
never_made qr(internal::NoSpreadForm, internal::Anything = {});
never_made lu(internal::NoSpreadForm);
never_made pinv(internal::NoSpreadForm, internal::Anything = {});
never_made matrix_rank(internal::NoSpreadForm, internal::Anything = {});
never_made matrix_power(internal::NoSpreadForm, internal::Anything = {});
never_made matrix_norm(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made expm(internal::NoSpreadForm);
never_made fft(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made ifft(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made rfft(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made irfft(internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {}, internal::Anything = {});
never_made moveaxis(there_is_no_form_for_spread_values::fix_call_permute_or_transpose, internal::Anything,
                    internal::Anything);
never_made swapaxes(there_is_no_form_for_spread_values::fix_call_permute_or_transpose, internal::Anything,
                    internal::Anything);
never_made zeros_like(there_is_no_form_for_spread_values::fix_call_shard_or_replicate);
never_made ones_like(there_is_no_form_for_spread_values::fix_call_shard_or_replicate);
never_made empty_like(there_is_no_form_for_spread_values::fix_call_shard_or_replicate);
never_made full_like(there_is_no_form_for_spread_values::fix_call_shard_or_replicate, internal::Anything = {});
never_made rand_like(there_is_no_form_for_spread_values::fix_call_shard_or_replicate, internal::Anything = {});
never_made randn_like(there_is_no_form_for_spread_values::fix_call_shard_or_replicate, internal::Anything = {});
never_made select(there_is_no_form_for_spread_values::fix_write_an_index, internal::Anything, internal::Anything = {},
                  internal::Anything = {}, internal::Anything = {});
never_made narrow(there_is_no_form_for_spread_values::fix_write_an_index, internal::Anything, internal::Anything = {},
                  internal::Anything = {}, internal::Anything = {});

// Several operands, the first or the second of them spread.
never_made conv1d(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made conv1d(internal::NotSpread, internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made conv2d(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made conv2d(internal::NotSpread, internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made conv3d(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made conv3d(internal::NotSpread, internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made solve(internal::NoSpreadForm, internal::Anything);
never_made solve(internal::NotSpread, internal::NoSpreadForm);
never_made solve_triangular(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made cholesky_solve(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made lstsq(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made cross(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made kron(internal::NoSpreadForm, internal::Anything);
never_made cdist(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made searchsorted(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made isin(internal::NoSpreadForm, internal::Anything);
never_made masked_select(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made masked_select(internal::NotSpread, internal::NoSpreadForm, internal::Anything = {});
never_made prelu(there_is_no_form_for_spread_values::fix_call_where, internal::Anything);
never_made prelu(internal::NotSpread, there_is_no_form_for_spread_values::fix_call_where);
never_made masked_scatter(internal::NoSpreadForm, internal::Anything, internal::Anything = {});
never_made meshgrid(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made index_put(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made index_put(internal::NotSpread, internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {});
never_made index_add(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {},
                     internal::Anything = {});
never_made index_copy(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {},
                      internal::Anything = {});
never_made scatter(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made scatter_add(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made scatter_reduce(internal::NoSpreadForm, internal::Anything, internal::Anything = {}, internal::Anything = {},
                          internal::Anything = {}, internal::Anything = {});
never_made scatter_reduce(internal::NotSpread, internal::NoSpreadForm, internal::Anything = {}, internal::Anything = {},
                          internal::Anything = {}, internal::Anything = {});
never_made gather_nd(internal::NoSpreadForm, internal::Anything);
never_made copy(internal::NoSpreadForm, internal::Anything);
never_made copy(internal::NotSpread, internal::NoSpreadForm);
never_made save_npy(internal::NoSpreadForm, internal::Anything);
never_made save_npy(internal::NotSpread, internal::NoSpreadForm);
never_made masked_fill(there_is_no_form_for_spread_values::fix_call_where, internal::Anything, internal::Anything = {});
never_made masked_fill(internal::NotSpread, there_is_no_form_for_spread_values::fix_call_where,
                       internal::Anything = {});
never_made allclose(there_is_no_form_for_spread_values::fix_call_isclose_and_all, internal::Anything,
                    internal::Anything = {});
never_made allclose(internal::NotSpread, there_is_no_form_for_spread_values::fix_call_isclose_and_all,
                    internal::Anything = {});
never_made array_equal(there_is_no_form_for_spread_values::fix_call_isclose_and_all, internal::Anything);
never_made tensordot(there_is_no_form_for_spread_values::fix_call_matmul, internal::Anything, internal::Anything = {});

}  // namespace situ
