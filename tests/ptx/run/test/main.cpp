// SPDX-License-Identifier: Apache-2.0
// After all tests: each form that the decoder knows was run by one of them.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <string>
#include <unordered_set>

#include "../code.hpp"
#include "../machine.hpp"

int main(int argc, char** argv) {
  doctest::Context context(argc, argv);
  const int failed = context.run();
  if (failed != 0 || context.shouldExit() || argc > 2) return failed;  // with a filter, only some tests were run

  std::unordered_set<std::string> run;
  for (const ptx::Form& form : ptx::forms()) {
    if (form.runs != 0) run.insert(form.name);
  }
  std::size_t missing = 0;
  for (const std::string& form : ptx::known_forms()) {
    if (run.contains(form)) continue;
    if (missing++ == 0) std::printf("known forms that no test runs:\n");
    if (missing <= 50) std::printf("  %s\n", form.c_str());
  }
  if (missing != 0) {
    std::printf("%zu of %zu known forms are not run by any test\n", missing, ptx::known_forms().size());
    return 1;
  }
  std::printf("all %zu known forms were run\n", ptx::known_forms().size());
  return 0;
}
