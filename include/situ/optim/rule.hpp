// SPDX-License-Identifier: Apache-2.0
// How an optimizer changes a parameter and its states is its rule, a struct without data:
//
//     struct SignRule {
//       using Options = SignOptions;                                     // with a learning_rate and a weight_decay
//       template <class T, class D>
//       using optimizer = Sign<T, D>;                                    // what users call it
//       static constexpr const char* name = "Sign";                      // for messages
//       static constexpr std::array<const char*, 1> states{"momentum"};  // kept for each parameter
//       static bool keeps_states(const Options&) { return true; }
//       static void check(const Options& options);                       // throws `ValueError`; see require_setting
//       template <class F>                                               // optional: its own settings,
//       static void settings(const Options& options, F&& f);             // f("beta1", options.beta1), to be compared
//       template <class W, class F>                                      // W: the type that elements compute in
//       static void step(const Options& options, F&& make) {
//         make(SignSettings<W>{...});
//       }
//     };
//     template <FloatingElement T, Device D>
//     class Sign : public Optimizer<SignRule, T, D> {
//      public:
//       using Optimizer<SignRule, T, D>::Optimizer;
//     };
//
// and a deduction guide. `SignSettings{...}(rate, made)`, trivially copyable and constexpr, gives the `SignStep<W>` of a
// learning rate and of a parameter's step `made`, from 1: on the host, or on a GPU that has read the two. It must give
// the same bits there, see optim/step_numbers.hpp. `SignStep`, on lanes, returns the new values of a parameter and of
// its first `SignStep::states` states, computed from them and the gradient, as a `Pack`; see expression/update_several.hpp.
#pragma once

#include <cmath>
#include <string>

#include <situ/core/error.hpp>
#include <situ/core/number_text.hpp>

namespace situ::optim::detail {

/// Throws `ValueError` for an invalid setting.
inline void require_setting(bool holds, const char* optimizer, const char* what) {
  if (!holds) throw ValueError(std::string(optimizer) + ": " + what);
}
inline void require_not_negative(double value, const char* optimizer, const char* setting) {
  if (value >= 0 && std::isfinite(value)) return;
  throw ValueError(std::string(optimizer) + ": the " + setting + " is " + internal::number_text(value) +
                   "; it must be 0 or positive, and finite");
}

}  // namespace situ::optim::detail
