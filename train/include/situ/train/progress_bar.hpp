// SPDX-License-Identifier: Apache-2.0
// `ProgressBar`: one line with the progress of a loop, its rate, the time left, and values that it computes. Outside
// situ.hpp.
#pragma once

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/call_site.hpp>
#include <situ/core/error.hpp>
#include <situ/core/movement.hpp>
#include <situ/device/cpu.hpp>

namespace situ {

/// How a `ProgressBar` looks: `{.label = "epoch 3/10", .unit = "images"}`.
struct ProgressBarOptions {
  /// Text at the start of the line.
  std::string label = {};
  /// What is counted.
  std::string unit = "steps";
  /// The output stream: by default standard error, so that the results of a program can be piped without it.
  std::FILE* output = stderr;
  /// Whether `output` is a terminal, on which the line is overwritten; without a value, the system is asked. Elsewhere
  /// a line is written when the bar is finished, and occasionally before that if it takes long.
  std::optional<bool> terminal = {};
  /// Seconds between two drawings; without a value, a tenth of a second on a terminal, ten seconds elsewhere.
  std::optional<double> interval = {};
  /// Whether it is shown at all: with several ranks, one reports for all, `{.shown = world.rank() == Rank{0}}`. A value
  /// is read only where it is shown, so it must not need another rank.
  bool shown = true;
};

namespace internal {

/// "0:07", "12:34", "1:02:03".
[[nodiscard]] inline std::string duration_text(double seconds) {
  const auto whole = static_cast<long long>(std::clamp(std::round(seconds), 0.0, 3.6e8));
  char text[48];
  if (whole >= 3600) std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", whole / 3600, whole / 60 % 60, whole % 60);
  else std::snprintf(text, sizeof text, "%lld:%02lld", whole / 60, whole % 60);
  return text;
}

/// Three digits with a suffix: "8.42", "312", "45.1k", "2.05M".
[[nodiscard]] inline std::string rate_text(double rate) {
  const char* suffix = "";
  for (const char* larger : {"k", "M", "G"}) {
    if (rate < 999.5) break;
    rate /= 1000;
    suffix = larger;
  }
  char text[48];
  std::snprintf(text, sizeof text, "%.*f%s", rate < 9.995 ? 2 : rate < 99.95 ? 1 : 0, rate, suffix);
  return text;
}

/// A number on the host, from a number, a tensor or variable of one element on any device, or a function that returns
/// one.
template <class V>
[[nodiscard]] double shown_number(const V& value) {
  if constexpr (std::is_arithmetic_v<V>) return static_cast<double>(value);
  else if constexpr (requires { value.value(); }) return shown_number(value.value());
  else if constexpr (requires { value.template to<Cpu>().item(); })
    return static_cast<double>(value.template to<Cpu>().item());
  else return shown_number(value());
}

template <class V>
concept ShownNumber = requires(const V& value) {
  requires std::is_arithmetic_v<V> || requires { value(); } || requires { value.value(); } ||
               requires { value.template to<Cpu>().item(); };
};

}  // namespace internal

/// A line such as `epoch 3/10 [########------------]  1280/3000 images  2.05k images/s  0:01 left  loss 0.2314`.
///
///     ProgressBar bar(loader.dataset().size(), {.label = "epoch 1", .unit = "images"});
///     for (auto& [x, y] : loader.epoch(0)) {
///       const Variable loss = cross_entropy(net(x), y);
///       optimizer.step(net, backward(loss));
///       bar.advance(y.size(), "loss", loss);
///     }
///     bar.finish();
///
/// A loss on a GPU is copied to the host only when the line is drawn, at most ten times a second; otherwise nothing
/// waits. To keep the loss of every step, use a `DeviceLog`.
///
/// Used by one thread at a time. `Clock` is for tests.
template <class Clock = std::chrono::steady_clock>
class BasicProgressBar {
 public:
  /// A bar for `total` units, whose clock starts now. Throws `ValueError` for a negative total.
  explicit BasicProgressBar(std::int64_t total, ProgressBarOptions options = {})
      : total_(total),
        options_(std::move(options)),
        terminal_(is_terminal(options_)),
        begin_(Clock::now()),
        drawn_(begin_) {
    if (total < 0) throw ValueError("ProgressBar: the total is " + std::to_string(total) + "; it must be 0 or more");
    interval_ = options_.interval.value_or(terminal_ ? 0.1 : 10.0);
  }
  BasicProgressBar(const BasicProgressBar&) = delete;
  BasicProgressBar& operator=(const BasicProgressBar&) = delete;
  /// Ends the line of a bar that was not finished, so that later output, perhaps an error, starts on a line of its own.
  ~BasicProgressBar() {
    if (finished_ || width_ == 0) return;
    std::fputc('\n', options_.output);
    std::fflush(options_.output);
  }

  /// Reports `count` more units as done.
  void advance(std::int64_t count = 1) {
    done_ += count;
    if (due()) draw();
  }
  /// ... and `value` is shown under `name` from the next drawing on: a number, a tensor or a variable of one element on
  /// any device, or a function that returns one of these and is called when the line is drawn. Throws the exceptions of
  /// reading it.
  template <internal::ShownNumber V>
  void advance(std::int64_t count, const char* name, const V& value, CallSite site = CallSite::here()) {
    done_ += count;
    if (!options_.shown || (!due() && done_ < total_)) return;
    show(name, value, site);
    if (due()) draw();
  }

  /// Shows `value` under `name` from the next drawing on. Several names may be shown.
  template <internal::ShownNumber V>
  void show(const char* name, const V& value, CallSite site = CallSite::here()) {
    if (!options_.shown) return;
    const internal::movement::WholeCall whole("ProgressBar", site);
    char text[64];
    std::snprintf(text, sizeof text, "%.4g", internal::shown_number(value));
    const std::string entry = std::string("  ") + name + " ";
    for (auto& [key, shown] : values_) {
      if (key == entry) {
        shown = text;
        return;
      }
    }
    values_.emplace_back(entry, text);
  }

  /// Draws the line for the last time, with the total time, and ends it.
  void finish() {
    if (finished_) return;
    finished_ = true;
    if (options_.shown) draw();
  }

  /// Units done so far.
  [[nodiscard]] std::int64_t done() const noexcept { return done_; }
  /// Seconds since the bar was made.
  [[nodiscard]] double seconds() const { return between(begin_, Clock::now()); }

 private:
  using Time = typename Clock::time_point;

  static double between(Time from, Time to) { return std::chrono::duration<double>(to - from).count(); }
  static bool is_terminal(const ProgressBarOptions& options) {
    return options.terminal.value_or(isatty(fileno(options.output)) != 0);
  }

  [[nodiscard]] bool due() const { return options_.shown && between(drawn_, Clock::now()) >= interval_; }

  /// Units a second over the last few seconds, in which older drawings have smaller weights. A mean of all would
  /// remember a slow first step for long. `smoothed_ / weight_` is the mean with these weights.
  void measure(Time now) {
    constexpr double memory = 5;  // seconds
    const double passed = between(drawn_, now);
    if (passed <= 0) return;
    const double kept = std::exp(-passed / memory);
    smoothed_ = kept * smoothed_ + (1 - kept) * static_cast<double>(done_ - counted_) / passed;
    weight_ = kept * weight_ + (1 - kept);
    counted_ = done_;
    drawn_ = now;
  }

  void draw() {
    const Time now = Clock::now();
    measure(now);
    const double passed = between(begin_, now);
    const double rate =
        finished_ ? (passed > 0 ? static_cast<double>(done_) / passed : 0) : (weight_ > 0 ? smoothed_ / weight_ : 0);
    std::string line = options_.label.empty() ? "" : options_.label + " ";
    if (terminal_ && total_ > 0) line += picture();
    const std::string total = std::to_string(total_), done = std::to_string(done_);
    line += std::string(total.size() > done.size() ? total.size() - done.size() : 0, ' ') + done;
    if (total_ > 0) line += "/" + total;
    line += " " + options_.unit;
    if (rate > 0) line += "  " + internal::rate_text(rate) + " " + options_.unit + "/s";
    if (finished_) line += "  in " + internal::duration_text(passed);
    else if (rate > 0 && total_ > done_)
      line += "  " + internal::duration_text(static_cast<double>(total_ - done_) / rate) + " left";
    for (const auto& [name, value] : values_) line += name + value;
    put(std::move(line));
  }

  [[nodiscard]] std::string picture() const {
    constexpr std::int64_t cells = 20;
    const auto full = static_cast<std::size_t>(
        static_cast<double>(cells) * std::clamp(static_cast<double>(done_) / static_cast<double>(total_), 0.0, 1.0));
    return "[" + std::string(full, '#') + std::string(static_cast<std::size_t>(cells) - full, '-') + "] ";
  }

  /// A line wider than the terminal would continue in the next row, and could not be overwritten.
  void put(std::string line) {
    if (!terminal_) {
      std::fprintf(options_.output, "%s\n", line.c_str());
    } else {
      winsize size{};
      if (ioctl(fileno(options_.output), TIOCGWINSZ, &size) == 0 && size.ws_col > 1 && line.size() >= size.ws_col) {
        line.resize(size.ws_col - 1u);
      }
      const std::size_t width = line.size();
      if (width < width_) line.append(width_ - width, ' ');  // erase a longer line
      width_ = width;
      std::fprintf(options_.output, "\r%s%s", line.c_str(), finished_ ? "\n" : "");
    }
    std::fflush(options_.output);
  }

  std::int64_t total_;
  ProgressBarOptions options_;
  bool terminal_;
  double interval_ = 0;
  Time begin_;
  Time drawn_;
  std::int64_t done_ = 0;
  std::int64_t counted_ = 0;  // `done_` at the last drawing
  double smoothed_ = 0;
  double weight_ = 0;
  std::size_t width_ = 0;  // of the line on the terminal
  bool finished_ = false;
  std::vector<std::pair<std::string, std::string>> values_;
};

/// The bar with the system's clock.
using ProgressBar = BasicProgressBar<>;

}  // namespace situ
