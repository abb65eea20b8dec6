// SPDX-License-Identifier: Apache-2.0
// How tensors are printed: `PrintOptions`, and those of a thread.
#pragma once

#include <cstdint>

namespace situ {

/// How tensors are printed; NumPy's names, meanings and defaults.
struct PrintOptions {
  /// The most digits after the point; fewer if those distinguish the elements.
  int precision = 8;
  /// Larger tensors are summarized by `edge_items` at each end of every axis.
  std::int64_t threshold = 1000;
  std::int64_t edge_items = 3;
  /// Characters in a line.
  int line_width = 75;
  /// Never use scientific notation.
  bool suppress_small = false;
};

/// The options that `print`, `to_string` and `<<` use in this thread when none are given; may be changed.
[[nodiscard]] inline PrintOptions& print_options() noexcept {
  static thread_local PrintOptions options;
  return options;
}

}  // namespace situ
