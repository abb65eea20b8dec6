// SPDX-License-Identifier: Apache-2.0
// Small modules of PTX, run.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "../machine.hpp"
#include "../statement.hpp"
#include "../types.hpp"

namespace ptx::test {

/// A module with declarations and one kernel `k`, whose parameters are as given: ".param .u64 out".
[[nodiscard]] std::string module_of(std::string_view declarations, std::string_view parameters, std::string_view body);

/// What a run of a kernel `k(out, in)` left. Both are regions; `body` has %out and %in as their addresses, and %i, the
/// thread's number in the grid, with registers %r<9>, %rd<9>, %f<9>, %d<9>, %h<9> and %p<9> to use.
struct Result {
  Outcome outcome;
  Complaints complaints;
  std::vector<std::string> problems;
  std::vector<char> out_before;
  [[nodiscard]] const Written& out() const { return outcome.regions.at(0); }
  [[nodiscard]] const Written& in() const { return outcome.regions.at(1); }
  template <class T>
  [[nodiscard]] T get(std::size_t number) const {
    T value;
    std::memcpy(&value, out().bytes.data() + number * sizeof(T), sizeof(T));
    return value;
  }
  /// All is well: it finished and complained of nothing. Says what was wrong.
  void is_clean() const;
  /// There is a complaint of this kind and of no other.
  void complains(std::string_view kind) const;
};
struct Setting {
  std::string declarations = "";  // before the kernel
  Grid grid = {1, 1, 32, 0};
  std::size_t out_bytes = 1024;
  std::vector<char> in = std::vector<char>(1024);
  Options options = {};
};
[[nodiscard]] Result run_body(std::string_view body, const Setting& setting = {});

/// The bytes of some values.
template <class T>
[[nodiscard]] std::vector<char> bytes_of_all(const std::vector<T>& values) {
  const char* const start = reinterpret_cast<const char*>(values.data());
  return {start, start + values.size() * sizeof(T)};
}

/// Words of operands %a, %b, %c and %e, one row for each time that an instruction is run.
using Row = std::vector<Word>;
struct Bits {
  int result;
  std::vector<int> operands;
};
/// What `text` makes of each row, in register %d; its predicates are %p and %q.
[[nodiscard]] std::vector<Word> computed(const std::string& text, const Bits& bits, const std::vector<Row>& rows);

[[nodiscard]] std::string hexadecimal(Word word);

/// The known forms of an opcode's name.
[[nodiscard]] std::vector<Statement> forms_of(std::string_view name);

/// Values of a type worth trying: ends of its range, and others; floats with zeros, denormals, infinities and NaN.
[[nodiscard]] std::vector<Word> samples(Type type);
/// All pairs and, of triples, those with a few of the third.
[[nodiscard]] std::vector<Row> pairs(Type a, Type b);
[[nodiscard]] std::vector<Row> triples(Type a, Type b, Type c);

/// Of a form whose result and operands have these types: `wrong(row, found)` says what is wrong with a result, or
/// nothing.
template <class F>
void check_form_by(const std::string& opcode, Type result, const std::vector<Type>& operands,
                   const std::vector<Row>& rows, F wrong) {
  std::string text = opcode + " %d";
  const char* const names[] = {", %a", ", %b", ", %c", ", %e"};
  Bits bits{bits_of(result), {}};
  for (std::size_t k = 0; k < operands.size(); ++k) {
    text += names[k];
    bits.operands.push_back(bits_of(operands[k]));
  }
  const std::vector<Word> found = computed(text + ";", bits, rows);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const std::string why = wrong(rows[k], found[k]);
    if (why.empty()) continue;
    std::string row;
    for (const Word word : rows[k]) row += " " + hexadecimal(word);
    FAIL_CHECK(opcode << " of" << row << ": " << hexadecimal(found[k]) << ", not " << why);
    return;
  }
}
/// The same where just one word is right: `expected(row)`.
template <class F>
void check_form(const std::string& opcode, Type result, const std::vector<Type>& operands, const std::vector<Row>& rows,
                F expected) {
  check_form_by(opcode, result, operands, rows, [&](const Row& row, Word found) {
    const Word wanted = static_cast<Word>(expected(row));
    return found == wanted ? std::string() : hexadecimal(wanted);
  });
}

}  // namespace ptx::test
