// SPDX-License-Identifier: Apache-2.0
// Reads cases from standard input until it ends and writes the results of each to standard output. Started by compare.py.
#define DOCTEST_CONFIG_IMPLEMENT  // the precompiled headers, which all tests share, have doctest's
#include <doctest/doctest.h>

#include "case.hpp"

#include <exception>
#include <iostream>
#include <sstream>

namespace {

using namespace numpy;

/// A line "in DTYPE RANK EXTENTS... VIEWS (KIND COUNT NUMBERS...)...", then the bytes.
Input read_input(std::istream& stream, const std::string& line) {
  std::istringstream words(line);
  Input input;
  std::string word;
  std::size_t count = 0, bytes = 0;
  const auto number_list = [&words] {
    std::size_t size = 0;
    words >> size;
    std::vector<Index> numbers(size);
    for (Index& number : numbers) words >> number;
    return numbers;
  };
  words >> word >> input.dtype;
  input.extents = number_list();
  words >> count;
  for (std::size_t i = 0; i < count; ++i) {
    View view;
    words >> view.kind;
    view.numbers = number_list();
    input.views.push_back(view);
  }
  words >> bytes;
  if (!words || word != "in") throw std::invalid_argument("no operand: " + line);
  input.bytes.resize(bytes);
  stream.read(input.bytes.data(), static_cast<std::streamsize>(bytes));
  return input;
}

/// Gives nothing where this program leaves the element type out.
void run(const Case& c, Results& give) {
  for (const auto group : {run_structure, run_places, run_windows, run_algebra, run_order, run_function, run_two_operands, run_reduction}) {
    if (group(c, give)) return;
  }
  if (!every_type) return give.left_out();
  throw std::invalid_argument("no operation " + c.op + " of " + (c.inputs.empty() ? "nothing" : c.dtype()) + " in this program");
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {  // "case NUMBER OPERATION INPUTS ARGUMENTS..."
    std::istringstream words(line);
    std::string word, number;
    std::size_t inputs = 0;
    Case c;
    words >> word >> number >> c.op >> inputs;
    for (double argument = 0; words >> argument;) c.args.push_back(argument);
    for (; inputs > 0 && std::getline(std::cin, line); --inputs) c.inputs.push_back(read_input(std::cin, line));
    std::ostringstream results;
    std::string error;
    try {
      Results give(results);
      run(c, give);
    } catch (const std::exception& thrown) {
      error = thrown.what();
    }
    std::cout << "case " << number << '\n';
    if (error.empty()) {
      std::cout << results.str();
    } else {
      for (char& character : error) character = character == '\n' ? ' ' : character;
      std::cout << "error " << error << '\n';
    }
    std::cout << "end\n";
  }
  std::cout.flush();
  return std::cout.good() ? 0 : 1;
}
