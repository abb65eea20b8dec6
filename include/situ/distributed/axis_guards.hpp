// SPDX-License-Identifier: Apache-2.0
// Guards of the axes of spread values. Axes decide the layout: they are template arguments, not in parentheses as those
// of tensors, and count from the front, since the type does not know the rank. Where one guard of a function can say so
// beside other mistakes, it is in the file with its layout rule (`WrongAxis` in layout_rule.hpp). A guard reads
// `Anything` by a conversion, so that it never competes with the function.
#pragma once

#include <situ/distributed/diagnostics.hpp>
#include <situ/distributed/layout.hpp>
#include <situ/ops/axes_of.hpp>
#include <situ/ops/gather.hpp>  // first: after these `take`, nvcc reads `take<T>(...)` of a contract as a comparison

namespace situ {

/// `sum<-1>(x)`: "axes of a spread value count from the front: fix: write 0 for the first".
template <auto... How>
struct axes_of_a_spread_value_count_from_the_front {
  struct fix_write_0_for_the_first {
    template <class T, class Layout, class Mesh>
      requires((internal::is_negative_axis<How>() || ...) && !internal::is_partial<Layout>)
    fix_write_0_for_the_first(const spread_over<T, Layout, Mesh>&) = delete;
  };
  struct fix_write_0_for_the_first_axis {  // also of a `Partial`, where it has no guard of its own
    template <class T, class Layout, class Mesh>
    fix_write_0_for_the_first_axis(const spread_over<T, Layout, Mesh>&) = delete;
  };
};

namespace internal {
using AxesInParentheses = axes_of_a_spread_value_are_template_arguments::fix_write_them_in_angle_brackets;
}  // namespace internal

template <auto... How>
never_made sum(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made mean(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made min(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made max(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made any(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made all(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made prod(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made var(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made stddev(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made norm(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made argmin(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made argmax(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made logsumexp(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {});
never_made softmax(internal::AxesInParentheses, internal::Anything = {});
never_made log_softmax(internal::AxesInParentheses, internal::Anything = {});
never_made diff(internal::AxesInParentheses, internal::Anything = {}, internal::Anything = {});
never_made unsqueeze(internal::AxesInParentheses, internal::Anything);
never_made transpose(internal::AxesInParentheses, internal::Anything, internal::Anything);
never_made permute(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {},
                   internal::Anything = {}, internal::Anything = {}, internal::Anything = {});
never_made split(internal::AxesInParentheses, internal::Anything, internal::Anything = {});
never_made take(internal::AxesInParentheses, internal::Anything, internal::Anything = {});
never_made gather(internal::AxesInParentheses, internal::Anything, internal::Anything);
never_made concat(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {},
                  internal::Anything = {}, internal::Anything = {}, internal::Anything = {});
never_made stack(internal::AxesInParentheses, internal::Anything, internal::Anything = {}, internal::Anything = {},
                 internal::Anything = {}, internal::Anything = {}, internal::Anything = {});

template <auto... How>
never_made concat(typename axes_of_a_spread_value_count_from_the_front<How...>::fix_write_0_for_the_first,
                  internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made stack(typename axes_of_a_spread_value_count_from_the_front<How...>::fix_write_0_for_the_first,
                 internal::Anything = {}, internal::Anything = {});
template <auto... How>
never_made transpose(typename axes_of_a_spread_value_count_from_the_front<How...>::fix_write_0_for_the_first);
template <auto... How>
never_made unsqueeze(typename axes_of_a_spread_value_count_from_the_front<How...>::fix_write_0_for_the_first);

}  // namespace situ
