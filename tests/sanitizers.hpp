// SPDX-License-Identifier: Apache-2.0
// What a sanitizer keeps tests from.
#pragma once

/// ThreadSanitizer, which refuses threads in the child of a program that had several.
#if defined(__SANITIZE_THREAD__)
inline constexpr bool under_thread_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool under_thread_sanitizer = true;
#else
inline constexpr bool under_thread_sanitizer = false;
#endif
#else
inline constexpr bool under_thread_sanitizer = false;
#endif
