// SPDX-License-Identifier: Apache-2.0
// Keeps a shared library that uses situ in memory after `dlclose`, once something outside holds pointers to its
// functions: handlers of a thread's end or of fork, threads, observers.
#pragma once

#include <dlfcn.h>

#include <atomic>

#if defined(__GLIBC__)  // other C libraries never unload one
#include <link.h>
#endif

namespace situ::internal {

// Hidden: each shared library, or the program, has its own.
[[gnu::visibility("hidden")]] inline constinit std::atomic<bool> told_to_stay{false};

#if defined(__GLIBC__) && defined(__USE_GNU)
// Weak references, as libstdc++ uses for POSIX threads: before 2.34, glibc has these functions in libdl, which a
// program need not link, and a static program does not have them.
[[gnu::weakref("dladdr1")]] static int dladdr1_if_there(const void*, Dl_info*, void**, int);
[[gnu::weakref("dlopen")]] static void* dlopen_if_there(const char*, int);
#endif

/// To be called wherever the library hands out a pointer to one of its functions. From then on the shared library that
/// contains this code is never unloaded: otherwise the destructor of a `thread_local` could run in unmapped memory.
/// (g++ marks the variables of templates so that their library stays loaded; clang++ does not, and neither does g++
/// -fno-gnu-unique.) Its static objects live until the program ends.
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
