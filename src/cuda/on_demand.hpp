// SPDX-License-Identifier: Apache-2.0
// Libraries of NVIDIA's that are loaded when a program first asks for them, and never required.
#pragma once

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace situ::internal::cuda {

/// A library that stays loaded, or none: `setting`=0 is in the environment, or none of the files can be loaded.
class OnDemand {
 public:
  OnDemand(const char* setting, std::initializer_list<const char*> files) {
    const char* const wanted = std::getenv(setting);
    if (wanted != nullptr && std::string_view(wanted) == "0") return;
    for (const char* const file : files) {
      if (handle_ == nullptr) handle_ = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    }
  }

  /// Sets pointers to functions, each after its name: `find("cudnnCreate", library.create, ...)`. Whether it has all of
  /// them.
  template <class Function, class... More>
  [[nodiscard]] bool find(const char* name, Function& place, More&&... more) const {
    if (handle_ != nullptr) place = reinterpret_cast<Function>(dlsym(handle_, name));
    if (handle_ == nullptr || place == nullptr) return false;
    if constexpr (sizeof...(more) == 0) return true;
    else return find(more...);
  }

 private:
  void* handle_ = nullptr;
};

/// Whether an enumerator of ours has the value of theirs, for `static_assert`.
template <class Ours, class Theirs>
constexpr bool same(Ours ours, Theirs theirs) {
  return static_cast<int>(ours) == static_cast<int>(theirs);
}

}  // namespace situ::internal::cuda
