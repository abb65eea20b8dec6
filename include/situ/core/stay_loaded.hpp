// SPDX-License-Identifier: Apache-2.0
// A shared library that uses situ stays in the memory when it is closed, as soon as something outside of it knows
// functions of its own: what runs when a thread ends or forks, threads, observers.
#pragma once

#include <dlfcn.h>

#include <atomic>

#if defined(__GLIBC__)  // that of others takes no library out of the memory
#include <link.h>
#endif

namespace situ::internal {

// Hidden: of this library, or the program, alone.
[[gnu::visibility("hidden")]] inline constinit std::atomic<bool> told_to_stay{false};

#if defined(__GLIBC__) && defined(__USE_GNU)
// Weak references, as libstdc++ has them to POSIX's threads: glibc before 2.34 has these functions in libdl, which a
// program need not link, and a static program has none.
[[gnu::weakref("dladdr1")]] static int dladdr1_if_there(const void*, Dl_info*, void**, int);
[[gnu::weakref("dlopen")]] static void* dlopen_if_there(const char*, int);
#endif

/// To be called where the library hands out a function of its own. From then on the shared library that this code is in
/// is not taken out of the memory: the destructor of a `thread_local` would run in memory that is gone, where a thread
/// first came here while the library was closed. (g++ marks the variables of templates so that their library stays, too;
/// clang++ does not, nor g++ by -fno-gnu-unique.) Its static objects live until the program ends.
[[gnu::visibility("hidden"), gnu::noinline, gnu::cold]] inline void stay_loaded() noexcept {
  if (told_to_stay.load(std::memory_order_relaxed) || told_to_stay.exchange(true)) return;
#if defined(__GLIBC__) && defined(__USE_GNU)
  if (&dladdr1_if_there == nullptr || &dlopen_if_there == nullptr) return;
  Dl_info place;
  link_map* library = nullptr;
  if (dladdr1_if_there(&told_to_stay, &place, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0) return;
  if (library == nullptr || library->l_name == nullptr || library->l_name[0] == '\0') return;  // the program itself
  static_cast<void>(dlopen_if_there(library->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE));
#endif
}

}  // namespace situ::internal
