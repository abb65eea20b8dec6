// SPDX-License-Identifier: Apache-2.0
// Functions that are called: where their parameters and results lie, and how deep calls go.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "builder.hpp"
#include "names.hpp"

namespace ptx {

struct Callee {
  const Function* function = nullptr;
  int start = nothing;  // its first instruction
  std::vector<FramePart> parameters, results;
  std::vector<std::pair<std::string, FramePart>> names;
};

class Calls {
 public:
  Calls(Module& module, Names& names) : module_(module), names_(names) {}
  /// Parameters get their names; null: the entry.
  void begin_function(const Callee* callee);
  /// call (result), function, (arguments);
  void build(Builder& b);
  /// A function that was called and is not decoded yet; null: none.
  [[nodiscard]] Callee* next();
  /// When all are decoded: calls get their targets. Throws for recursion, as the frame has each parameter once.
  void connect(Code& code);

 private:
  Callee& callee(const std::string& name);
  [[nodiscard]] int depth(const std::string& name, int above) const;

  Module& module_;
  Names& names_;
  std::map<std::string, Callee> callees_;
  std::vector<std::string> queue_;
  std::size_t decoded_ = 0;
  std::string function_;  // that is decoded now; empty: the entry
  std::map<std::string, std::vector<std::string>> called_by_;
  std::vector<std::pair<std::size_t, std::string>> calls_;  // instruction and function
};

}  // namespace ptx
