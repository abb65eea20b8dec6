// SPDX-License-Identifier: Apache-2.0
// Reads files of cases.
#include "folder.hpp"
#include "golden.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace golden {

namespace {

Array read_array(std::istringstream& line, bool has_view) {
  Array array;
  line >> array.dtype;
  if (has_view) line >> array.view;
  int rank = 0;
  line >> rank;
  for (int axis = 0; axis < rank; ++axis) {
    std::int64_t extent = 0;
    line >> extent;
    array.shape.push_back(extent);
  }
  std::string word;  // `>>` into a double reads no "nan" and no "inf"
  const bool floating = array.dtype.starts_with("float");
  while (line >> word) {
    if (floating) array.numbers.push_back(std::strtod(word.c_str(), nullptr));
    else array.integers.push_back(std::strtoll(word.c_str(), nullptr, 10));
  }
  const auto count = static_cast<std::size_t>(array.shape.count());
  REQUIRE((floating ? array.numbers.size() : array.integers.size()) == count);
  return array;
}

}  // namespace

std::vector<Case> read_cases(const std::string& name) {
  std::ifstream file(folder() / name);
  REQUIRE(file.is_open());
  std::vector<Case> result;
  std::string text;
  while (std::getline(file, text)) {
    std::istringstream line(text);
    std::string key;
    line >> key;
    if (key == "case") {
      result.emplace_back();
      line >> result.back().name;
    } else if (key == "op") {
      line >> result.back().op;
      double value = 0;
      while (line >> value) result.back().args.push_back(value);
    } else if (key == "in") {
      result.back().inputs.push_back(read_array(line, true));
    } else if (key == "out") {
      result.back().outputs.push_back(read_array(line, false));
    } else if (key == "throws") {
      result.back().throws = true;
    } else {
      REQUIRE(key == "tol");
      line >> result.back().outputs.back().relative >> result.back().outputs.back().absolute;
    }
  }
  return result;
}

}  // namespace golden
