// SPDX-License-Identifier: Apache-2.0
// `SITU_LEDGER=report ./program`, `SITU_LEDGER=trace=FILE`, or both with a comma: a ledger of the whole program, which
// prints its report to the standard error, or saves its trace, when the program ends.
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <situ/ledger/ledger.hpp>

namespace situ::internal::ledger {

class FromEnvironment {
 public:
  explicit FromEnvironment(const char* wanted) {
    if (wanted == nullptr) return;
    for (std::string_view rest = wanted; !rest.empty();) {
      const std::string_view word = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), word.size() + 1));
      if (word == "report") {
        report_ = true;
      } else if (word.starts_with("trace=") && word.size() > 6) {
        trace_ = word.substr(6);
      } else {
        std::fprintf(stderr, "SITU_LEDGER=%s: not understood; it is report, trace=FILE, or both with a comma\n",
                     wanted);
      }
    }
    if (!report_ && trace_.empty()) return;
    ledger_ = std::make_unique<MovementLedger>();
    Recorder::instance().after_first_work([] {
      // When CUDA has begun: its own end, which comes after this then, leaves nobody to ask for times.
      std::atexit([] { instance().finish(); });
    });
  }
  FromEnvironment(const FromEnvironment&) = delete;
  FromEnvironment& operator=(const FromEnvironment&) = delete;
  ~FromEnvironment() { finish(); }

  [[nodiscard]] static FromEnvironment& instance() {
    static FromEnvironment ledger(std::getenv("SITU_LEDGER"));
    return ledger;
  }

 private:
  void finish() noexcept {
    const std::unique_ptr<MovementLedger> ledger = std::move(ledger_);
    if (ledger == nullptr) return;
    try {
      if (report_) std::fputs(ledger->report().c_str(), stderr);
      if (!trace_.empty()) ledger->save(trace_);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "SITU_LEDGER: %s\n", error.what());
    }
  }

  bool report_ = false;
  std::string trace_;
  std::unique_ptr<MovementLedger> ledger_;
};

/// Before `main`.
inline const FromEnvironment& from_environment = FromEnvironment::instance();

}  // namespace situ::internal::ledger
