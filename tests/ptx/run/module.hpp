// SPDX-License-Identifier: Apache-2.0
// A file of PTX: its functions, still as text, and its variables.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "types.hpp"

namespace ptx {

struct Variable {
  std::string name;
  Type type = Type::b8;
  std::size_t alignment = 1;
  std::size_t bytes = 0;
  bool external = false;  // of no size: dynamic shared memory
  std::string space;      // ".global", ".const", ".shared"; empty: another
  std::string initializer;
  std::string problem;     // an initializer that is not understood
  char* memory = nullptr;  // of variables in global and constant memory
};

struct Function {
  std::string name;
  bool is_entry = false;
  std::string_view parameters;  // between the brackets
  std::string_view results;
  std::string_view body;
  int line = 1;          // of the body
  int threads_most = 0;  // .maxntid; 0: not said
};

struct Module {
  std::string name;
  std::string text;  // without comments; functions view it
  std::map<std::string, Function, std::less<>> functions;
  std::map<std::string, Variable, std::less<>> globals;  // and constants
  std::map<std::string, Variable, std::less<>> shared;
  std::vector<std::unique_ptr<char[]>> memory;  // of globals
};

/// ".param .align 8 .b8 name[16]" or ".b32 name": without an initializer's value being read.
[[nodiscard]] Variable parse_variable(std::string_view declaration);

/// Throws std::runtime_error for what is no PTX.
[[nodiscard]] std::unique_ptr<Module> scan_module(std::string name, std::string text);

}  // namespace ptx
