// SPDX-License-Identifier: Apache-2.0
// Branches and ends. Calls are in calls.cpp.
#include <stdexcept>

#include "builder.hpp"

namespace ptx {

void build_control(Builder& b) {
  const Statement& s = b.statement;
  if (s.name == "bra") {
    b.made.control = Control::branch;
    b.references.branches.emplace_back(b.number(), s.operand(0));
  } else if (s.name == "brx") {
    b.made.control = Control::branch_indexed;
    b.source(s.operand(0));
    b.references.tables.emplace_back(b.number(), s.operand(1));
  } else if (s.name == "ret") {
    b.made.control = Control::ret;
  } else if (s.name == "exit") {
    b.made.control = Control::exit;
  } else {
    b.made.control = Control::stop;
  }
}

}  // namespace ptx
