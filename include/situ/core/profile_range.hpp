// SPDX-License-Identifier: Apache-2.0
// `ProfileRange`: names a part of a program in the timeline of a profiler, through NVTX. Does nothing unless enabled.
#pragma once

#include <concepts>
#include <string>

#if defined(SITU_NVTX)
#include <nvtx3/nvToolsExt.h>
#endif

namespace situ {

#if defined(SITU_NVTX)
inline namespace with_nvtx {

/// A named range in the timeline of Nsight Systems (`nsys profile --trace=cuda,nvtx ./program`), from here to the end
/// of the scope. Ranges of a thread nest; an object belongs to the thread that made it.
///
///     {
///       ProfileRange range("forward");
///       loss = net(x);               // its launches and waits appear below "forward"
///     }
///
/// To enable it, compile all files of a program with `-DSITU_NVTX`, which needs NVTX 3 (headers that come with CUDA;
/// there is no library to link). The library then names its own calls too: kernel launches, transfers, and waits of the
/// host. Without the definition a range is an empty object, and no NVTX header is included.
class [[nodiscard]] ProfileRange {
 public:
  [[nodiscard]] explicit ProfileRange(const char* name) noexcept { nvtxRangePushA(name); }
  [[nodiscard]] explicit ProfileRange(const std::string& name) noexcept : ProfileRange(name.c_str()) {}
  /// Takes the name from `name()`, so that a costly name is built only if ranges are enabled.
  template <std::invocable Name>
  [[nodiscard]] explicit ProfileRange(Name&& name) : ProfileRange(std::string(name())) {}
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;
  ~ProfileRange() { nvtxRangePop(); }
};

}  // namespace with_nvtx
#else
inline namespace without_nvtx {

/// See above: does nothing in this build, without `-DSITU_NVTX`.
class [[nodiscard]] ProfileRange {
 public:
  constexpr explicit ProfileRange(const char*) noexcept {}
  constexpr explicit ProfileRange(const std::string&) noexcept {}
  template <std::invocable Name>
  constexpr explicit ProfileRange(Name&&) noexcept {}
  ProfileRange(const ProfileRange&) = delete;
  ProfileRange& operator=(const ProfileRange&) = delete;
  // Not trivial, so that a scope that only names a range causes no unused-variable warning.
  constexpr ~ProfileRange() {}  // NOLINT(modernize-use-equals-default)
};

}  // namespace without_nvtx
#endif

}  // namespace situ
