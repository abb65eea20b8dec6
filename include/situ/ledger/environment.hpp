// SPDX-License-Identifier: Apache-2.0
// `SITU_LEDGER=report ./program`, `SITU_LEDGER=trace=FILE`, or both with a comma: a ledger of the whole program, which
// prints its report to standard error, or saves its trace, when the program ends. In a job of several processes each
// names its rank: "trace.rank3.json", not one file that all of them write.
#pragma once

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <situ/ledger/ledger.hpp>

namespace situ::internal::ledger {

/// ".rank3" for one of several processes that MPI or Slurm started, from the launcher's variables; works even if the
/// program never asks for its rank.
[[nodiscard]] inline std::string rank_of_environment() {
  struct Names {
    const char* rank;
    const char* size;
  };
  for (const Names names : {Names{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, Names{"PMI_RANK", "PMI_SIZE"},
                            Names{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}}) {
    const char* const rank = std::getenv(names.rank);
    const char* const size = std::getenv(names.size);
    if (rank != nullptr && size != nullptr && std::string_view(size) != "1") return std::string(".rank") + rank;
  }
  return {};
}
/// Inserts the rank: "runs/trace.json" becomes "runs/trace.rank3.json".
[[nodiscard]] inline std::string with_rank(std::string path, const std::string& rank) {
  const std::size_t name = path.find_last_of('/') + 1;  // 0 where there is no folder
  const std::size_t dot = path.find_last_of('.');
  return path.insert(dot == std::string::npos || dot <= name ? path.size() : dot, rank);
}

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
      // Registered once CUDA has started: CUDA's own exit handler then runs after this one, so times can still be read.
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
    if (ledger == nullptr || getpid() != process_) return;  // in a child of fork: the parent reports
    try {
      const std::string rank = rank_of_environment();
      const std::string of = rank.empty() ? "" : rank.substr(1) + ": ";
      if (report_) std::fputs((of + ledger->report()).c_str(), stderr);
      if (!trace_.empty()) ledger->save(with_rank(trace_, rank));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "SITU_LEDGER: %s\n", error.what());
    }
  }

  const pid_t process_ = getpid();
  bool report_ = false;
  std::string trace_;
  std::unique_ptr<MovementLedger> ledger_;
};

/// Before `main`.
inline const FromEnvironment& from_environment = FromEnvironment::instance();

}  // namespace situ::internal::ledger
