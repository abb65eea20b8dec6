// SPDX-License-Identifier: Apache-2.0
// The processor's rounding mode, for as long as an object lives. What is rounded must be read from and written to
// memory meanwhile, so that compilers, which think that there is one mode only, leave it in between.
#pragma once

#include <cfenv>

namespace ptx {

class RoundingMode {
 public:
  explicit RoundingMode(int mode) : changes_(mode != FE_TONEAREST) {
    if (changes_) std::fesetround(mode);
  }
  ~RoundingMode() {
    if (changes_) std::fesetround(FE_TONEAREST);
  }
  RoundingMode(const RoundingMode&) = delete;
  RoundingMode& operator=(const RoundingMode&) = delete;

 private:
  bool changes_;
};

}  // namespace ptx
