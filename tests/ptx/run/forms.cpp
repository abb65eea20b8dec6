// SPDX-License-Identifier: Apache-2.0
#include <deque>
#include <string>
#include <unordered_map>

#include "code.hpp"
#include "machine.hpp"

namespace ptx {
namespace {

struct Counted {
  std::unordered_map<std::string, int> numbers;
  std::deque<Form> forms;
};
Counted& counted() {
  static Counted& all = *new Counted;  // for as long as there is a process: statistics are printed at its end
  return all;
}

}  // namespace

int form_number(const std::string& name) {
  Counted& all = counted();
  const auto [at, fresh] = all.numbers.emplace(name, static_cast<int>(all.forms.size()));
  if (fresh) all.forms.push_back({name, 0});
  return at->second;
}
void count_runs(int form, std::uint64_t runs) { counted().forms[static_cast<std::size_t>(form)].runs += runs; }
std::vector<Form> forms() { return {counted().forms.begin(), counted().forms.end()}; }

}  // namespace ptx
