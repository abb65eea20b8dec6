// SPDX-License-Identifier: Apache-2.0
// A reference to a callable, for functions that are not templates.
#pragma once

#include <concepts>
#include <type_traits>
#include <utility>

namespace situ::internal {

template <class Signature>
class FunctionRef;

/// Refers to anything callable with `Args...`, without owning or copying it: two pointers, never an allocation.
/// `std::function` was rejected because it copies the callable and may allocate. The callable must live as long as the
/// reference is used; a lambda written in the argument list of a call does.
///
/// Pointers to members are not accepted: `std::invoke` would bring in <functional>, and three more functions for each
/// callable.
///
///     void repeat(int times, FunctionRef<void(int)> f);
///     repeat(3, [&](int i) { total += i; });
template <class Result, class... Args>
class FunctionRef<Result(Args...)> {
 public:
  template <class F>
    requires(!std::same_as<std::remove_cvref_t<F>, FunctionRef> && std::is_invocable_r_v<Result, F&, Args...> &&
             !std::is_function_v<std::remove_reference_t<F>>)
  // NOLINTNEXTLINE(google-explicit-constructor): a lambda is converted where it is passed.
  FunctionRef(F&& callable) noexcept  // NOLINT(bugprone-forwarding-reference-overload)
      : object_(const_cast<void*>(static_cast<const void*>(&callable))),
        call_([](void* object, Args... args) -> Result {
          return static_cast<Result>((*static_cast<std::remove_reference_t<F>*>(object))(std::forward<Args>(args)...));
        }) {}

  Result operator()(Args... args) const { return call_(object_, std::forward<Args>(args)...); }

 private:
  void* object_;
  Result (*call_)(void*, Args...);
};

}  // namespace situ::internal
