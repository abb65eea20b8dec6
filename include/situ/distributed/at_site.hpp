// SPDX-License-Identifier: Apache-2.0
// The place of the call that led to a collective, for what is far below it: a mesh of ranks names it in messages.
#pragma once

#include <utility>

#include <situ/core/call_site.hpp>

namespace situ::internal {

/// Where the collective of this thread was called; nowhere, where no signature had room for it.
inline CallSite& current_site() noexcept {
  thread_local CallSite site;
  return site;
}

/// While it lives, collectives of this thread were called at `site`.
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
