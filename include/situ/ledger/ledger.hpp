// SPDX-License-Identifier: Apache-2.0
// `MovementLedger`: a record of the bytes that each line of a program moved, and of how long the host waited for it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <situ/ledger/book.hpp>
#include <situ/ledger/device_clock.hpp>
#include <situ/ledger/entry.hpp>
#include <situ/ledger/recorder.hpp>
#include <situ/ledger/report.hpp>
#include <situ/ledger/trace.hpp>

namespace situ {

/// The settings of a `MovementLedger`.
struct LedgerOptions {
  /// The most events that `save` can write, 48 bytes each; later ones are only counted.
  std::size_t most_events = std::size_t{1} << 18;
};

/// Records, while it lives, what the program's threads move between devices and how long they wait for it: for each
/// line, pair of devices and kind of call the count, the bytes, the time on the device, and the time that the host
/// waited.
///
///     MovementLedger ledger;
///     train();
///     std::cerr << ledger.report();       // a table, the longest wait first
///     ledger.save("trace.json");          // for https://ui.perfetto.dev
///
/// `to`, `copy_to`, `to_async`, `copy`, `print` of one value, `Pending::wait` and `synchronize` know their line; copies
/// by operators and `print` of several values report the innermost `NamedScope`. Each of several ledgers, nested or
/// not, records everything while it lives. Times on the device are those of its events around each copy; a trace also
/// has the times of kernels. A program without a ledger pays a load and a comparison for each transfer and launch.
class [[nodiscard]] MovementLedger {
 public:
  [[nodiscard]] explicit MovementLedger(LedgerOptions options = {}) {
    book_.most_events = options.most_events;
    recorder().open(book_);
  }
  MovementLedger(const MovementLedger&) = delete;
  MovementLedger& operator=(const MovementLedger&) = delete;
  ~MovementLedger() { recorder().close(book_); }

  /// The totals of each place, by file and line. Waits for the work in streams so far, as do the two functions below.
  [[nodiscard]] std::vector<MovementEntry> entries() const {
    return recorder().read([&] {
      std::vector<MovementEntry> entries;
      for (const auto& [number, numbers] : book_.numbers) {
        entries.push_back({recorder().place(number), numbers.count, numbers.bytes,
                           std::chrono::nanoseconds(numbers.on_device), std::chrono::nanoseconds(numbers.waited)});
      }
      std::sort(entries.begin(), entries.end(), [](const MovementPlace& a, const MovementPlace& b) { return a < b; });
      return entries;
    });
  }

  /// A table of the entries, the longest wait first, with suggestions.
  [[nodiscard]] std::string report() const { return internal::ledger::report(entries(), elapsed()); }

  /// Writes the timeline as trace events: calls and waits of each thread, copies and kernels of each stream, and the
  /// memory of the pools. Throws `FileError` if the file cannot be written; an existing file is then kept.
  void save(const std::string& path) const {
    recorder().read([&] { internal::ledger::write_trace(path, book_, recorder()); });
  }

  /// The time since it was made.
  [[nodiscard]] std::chrono::nanoseconds elapsed() const noexcept {
    return std::chrono::nanoseconds(internal::ledger::now() - book_.opened);
  }

 private:
  [[nodiscard]] static internal::ledger::Recorder& recorder() { return internal::ledger::Recorder::instance(); }

  internal::ledger::Book book_;
};

}  // namespace situ
