// SPDX-License-Identifier: Apache-2.0
// The call site of the current collective, for code far below it: a mesh of ranks prints it in messages.
#pragma once

#include <utility>

#include <situ/core/call_site.hpp>

namespace situ::internal {

/// The call site of this thread's collective; empty if the signature had no room for one.
inline CallSite& current_site() noexcept {
  thread_local CallSite site;
  return site;
}

/// While it lives, `site` is the call site of this thread's collectives.
class AtSite {
 public:
  explicit AtSite(CallSite site) noexcept : before_(std::exchange(current_site(), site)) {}
  AtSite(const AtSite&) = delete;
  AtSite& operator=(const AtSite&) = delete;
  ~AtSite() { current_site() = before_; }

 private:
  CallSite before_;
};

}  // namespace situ::internal
