// SPDX-License-Identifier: Apache-2.0
// Shows an example like a notebook: the lines of its source that have just run, and below them what they give. The
// lines are read from the source file, so that what is shown is what ran.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <situ/situ.hpp>

class Notebook {
 public:
  /// The source of the caller is read from where the compiler found it, or else from the working directory. (clang 14
  /// has no `std::source_location` with the library of GCC 12, but what that is made of.)
  explicit Notebook(const std::string& path = __builtin_FILE(), std::size_t line = __builtin_LINE()) : previous_(line) {
    std::ifstream file(path);
    if (!file) file.open(path.substr(path.find_last_of('/') + 1));
    for (std::string code; std::getline(file, code);) lines_.push_back(code);
    if (lines_.empty()) std::printf("(the source file is not here; what follows are results only)\n");
  }

  /// A heading. The next cell starts below it.
  void section(const std::string& title, std::size_t line = __builtin_LINE()) {
    std::printf("\n%s\n%s\n", title.c_str(), std::string(title.size(), '-').c_str());
    previous_ = line;
  }

  /// The code since the last result, and the value of the expression in this line.
  template <class Value>
  void show(const Value& value, std::size_t line = __builtin_LINE()) {
    show_code(line);
    situ::print(value);
  }
  template <class Item>
  void show(const std::vector<Item>& items, std::size_t line = __builtin_LINE()) {
    show_code(line);
    for (const Item& item : items) situ::print(item);
  }

  /// The code since the last result, which gives nothing to show.
  void done(std::size_t line = __builtin_LINE()) { show_code(line); }

 private:
  static std::size_t indent_of(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

  void show_code(std::size_t line) {
    std::size_t indent = std::string::npos;
    for (std::size_t i = previous_; i < line && i < lines_.size(); ++i) {
      if (!lines_[i].empty()) indent = std::min(indent, indent_of(lines_[i]));
    }
    std::printf("\n");
    for (std::size_t i = previous_; i < line && i < lines_.size(); ++i) {
      std::string code = lines_[i].empty() ? "" : lines_[i].substr(indent);
      // of `notebook.show(x);` only x is of interest, as in a notebook
      constexpr std::string_view call = "notebook.show(";
      if (code.starts_with(call)) code = code.substr(call.size(), code.rfind(");") - call.size());
      if (code.empty() || code.starts_with("notebook.")) continue;
      const bool words = code.starts_with("// ");
      std::printf("%s%s\n", words ? "" : ">>> ", code.c_str() + (words ? 3 : 0));
    }
    previous_ = line;
  }

  std::vector<std::string> lines_;
  std::size_t previous_;  // the last line shown, counted from 1
};
