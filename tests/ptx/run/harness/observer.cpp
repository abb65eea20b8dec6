// SPDX-License-Identifier: Apache-2.0
// Linked into an emulated program: each launch runs from PTX before the host runs it, and what both made of memory is
// compared. The program goes on with what the host made. README.md has the variables of the environment.
#include <cxxabi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <situ/emulation/observed.hpp>

#include "report.hpp"

namespace ptx::harness {
namespace {

using situ::internal::cuda::emulated::LaunchObserver;
using situ::internal::cuda::emulated::ObservedLaunch;
using situ::internal::cuda::emulated::ObservedMemory;

/// Of a program with something to complain of, so that it differs from what the program itself gives.
constexpr int exit_code = 86;

[[nodiscard]] std::string variable(const char* name, const char* otherwise = "") {
  const char* const value = std::getenv(name);
  return value == nullptr ? otherwise : value;
}

[[nodiscard]] std::string demangled(const char* name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
  return status == 0 && text != nullptr ? text.get() : name;
}

class Harness final : public LaunchObserver {
 public:
  Harness() {
    options_.seed = std::strtoull(variable("SITU_PTX_SEED", "0").c_str(), nullptr, 10);
    options_.races = variable("SITU_PTX_RACES") != "0";
    most_blocks_ = std::strtoll(variable("SITU_PTX_BLOCKS", "300000").c_str(), nullptr, 10);
    try {
      rows_ = read_allowed_file(variable("SITU_PTX_ALLOWED"));
      const std::string files = variable("SITU_PTX_FILES");
      for (std::size_t at = 0; at < files.size();) {
        const std::size_t end = std::min(files.find(':', at), files.size());
        library_.add(files.substr(at, end - at));
        at = end + 1;
      }
      entries_ = library_.entries().size();
      if (entries_ == 0) complain("nothing to run", "", "SITU_PTX_FILES names no PTX with a kernel");
    } catch (const std::exception& error) {
      complain("nothing to run", "", error.what());
    }
  }

  void before(const ObservedLaunch& launch) override {
    outcome_.reset();
    ++report_.launches;
    Known& known = known_[launch.type];
    if (known.type.empty()) {
      known.type = demangled(launch.type);
      known.names = names_in(known.type);
      known.names.insert(variable("SITU_PTX_PROGRAM"));
      known.rows = rows_for(rows_, known.names);
      known.program = library_.find(known.type);
    }
    if (known.program == nullptr)
      return not_run(report_.missing, known, launch, &Allowance::missing, "no PTX of the kernel");
    if (launch.blocks * launch.blocks_y > most_blocks_)
      return not_run(report_.large, known, launch, &Allowance::large, "more blocks than are run");
    regions_.clear();
    for (const ObservedMemory& part : memory_of(launch)) regions_.push_back({part.start, part.bytes, part.pinned});
    const std::span bytes(static_cast<const std::byte*>(launch.kernel), launch.kernel_bytes);
    const std::vector<std::byte> holes = holes_of(launch);
    const auto begin = std::chrono::steady_clock::now();
    outcome_ = run(*known.program, known.type, {launch.blocks, launch.blocks_y, launch.threads, launch.dynamic_bytes},
                   {bytes, holes}, regions_, options_, report_.complaints);
    report_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report_.instructions += outcome_->instructions;
    if (!outcome_->finished) outcome_.reset();
  }

  void after(const ObservedLaunch& launch, const std::string& failure) override {
    if (!failure.empty()) {
      ++report_.failed_on_host;
      return;
    }
    if (!outcome_) return;
    ++report_.compared;
    report_.blocks += static_cast<std::uint64_t>(launch.blocks * launch.blocks_y);
    const Known& known = known_[launch.type];
    Kernel& kernel = report_.kernels[known.type];
    if (kernel.launches++ == 0) {
      kernel.type = known.type;
      kernel.name = launch.name;
      kernel.names = known.names;
      kernel.rows = known.rows;
    }
    for (std::size_t i = 0; i < regions_.size(); ++i) {
      compare(kernel, where(launch, regions_[i]), {regions_[i].start, regions_[i].bytes}, outcome_->regions[i],
              report_.complaints);
    }
    outcome_.reset();
  }

  /// Whether there was nothing to complain of.
  [[nodiscard]] bool finish() {
    if (const std::string file = variable("SITU_PTX_REPORT"); !file.empty()) {
      std::ofstream out(file);
      write(out, report_, entries_);
      out.close();
      if (!out) complain("no report", "", "cannot write " + file);
    }
    for (const Complaint& one : report_.complaints.all()) {
      std::cerr << "PTX: " << one.kind << ", " << one.count << " times: " << one.kernel << ": " << one.text << '\n';
    }
    return report_.complaints.all().empty();
  }

 private:
  struct Known {
    std::string type;
    Names names;
    std::vector<const Allowance*> rows;
    Program* program = nullptr;
  };

  void complain(std::string_view kind, std::string_view kernel, std::string text) {
    report_.complaints.add(kind, kernel, 0, [&] { return text; });
  }

  void not_run(std::map<std::string, NotRun>& list, const Known& known, const ObservedLaunch& launch,
               bool Allowance::*excused, std::string_view kind) {
    NotRun& entry = list[known.type];
    entry.name = launch.name;
    ++entry.launches;
    for (const Allowance* row : known.rows) {
      if (row->*excused) entry.excuse = row;
    }
    if (entry.excuse == nullptr) complain(kind, known.type, where(launch));
  }

  [[nodiscard]] static std::string where(const ObservedLaunch& launch) {
    return std::string(launch.name) + ", grid " + std::to_string(launch.blocks) + " x " +
           std::to_string(launch.blocks_y) + " of " + std::to_string(launch.threads) + " threads";
  }
  [[nodiscard]] static std::string where(const ObservedLaunch& launch, const Region& region) {
    return where(launch) + (region.host ? ", pinned memory" : "");
  }

  Library library_;
  std::vector<Allowance> rows_;
  Options options_;
  std::int64_t most_blocks_ = 0;
  std::size_t entries_ = 0;
  std::map<std::string_view, Known> known_;  // by what typeid calls it
  std::vector<Region> regions_;
  std::optional<Outcome> outcome_;
  Report report_;
};

/// Never destroyed: launches may come until the process ends, and are reported behind all of them.
Harness* harness = nullptr;

[[maybe_unused]] const bool started = [] {
  harness = new Harness;
  situ::internal::cuda::emulated::set_launch_observer(harness);
  // What is registered first is called last, behind what the program's own objects do when they are destroyed; and the
  // interpreter's, which the report reads, are to be older.
  static_cast<void>(forms());
  std::atexit([] {
    situ::internal::cuda::emulated::set_launch_observer(nullptr);
    if (harness->finish()) return;
    std::cerr.flush();
    std::fflush(nullptr);
    std::_Exit(exit_code);
  });
  return true;
}();

}  // namespace
}  // namespace ptx::harness
