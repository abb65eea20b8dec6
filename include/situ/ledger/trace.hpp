// SPDX-License-Identifier: Apache-2.0
// A ledger as a file for Perfetto (https://ui.perfetto.dev) and chrome://tracing: trace events in JSON,
// https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include <situ/io/output_file.hpp>
#include <situ/ledger/book.hpp>
#include <situ/ledger/entry.hpp>
#include <situ/ledger/recorder.hpp>

namespace situ::internal::ledger {

/// A text as a JSON string; non-ASCII text is already UTF-8.
[[nodiscard]] inline std::string json(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      quoted += code.data();
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

/// Nanoseconds as microseconds, independent of the locale's decimal point.
[[nodiscard]] inline std::string microseconds(std::int64_t time) {
  const bool negative = time < 0;  // possible: the GPU's clock is only close to the host's
  const std::int64_t size = negative ? -time : time;
  std::string fraction = std::to_string(size % 1000);
  fraction.insert(0, 3 - fraction.size(), '0');
  return (negative ? "-" : "") + std::to_string(size / 1000) + "." + fraction;
}

/// Numbers start at 1, and no thread number is used twice: Perfetto (52) treats thread 0 of a process as its first
/// thread, and draws both in one row.
[[nodiscard]] inline std::string on(Track track) {
  constexpr int most_threads = 100'000;
  return "\"pid\":" + std::to_string(track.process + 1) +
         ",\"tid\":" + std::to_string(track.process * most_threads + track.number + 1);
}

[[nodiscard]] inline std::string named(const char* what, Track track, const std::string& name) {
  return std::string("{\"ph\":\"M\",\"name\":\"") + what + "\"," + on(track) + ",\"args\":{\"name\":" + json(name) +
         "}}";
}

[[nodiscard]] inline std::string event_text(const TraceEvent& event, std::int64_t origin, const Recorder& recorder) {
  const std::string time = "\"ts\":" + microseconds(event.begin - origin) + "," + on(event.track);
  if (event.kind == TraceEvent::Kind::memory) {
    return "{\"ph\":\"C\",\"name\":" + json("pool of " + recorder.device(event.place)) + "," + time +
           ",\"args\":{\"bytes\":" + std::to_string(event.bytes) + "}}";
  }
  static constexpr std::array<const char*, 4> categories{"call", "wait", "copy", "kernel"};
  const MovementPlace place = event.place < 0 ? MovementPlace{} : recorder.place(event.place);
  const std::string name = event.name != nullptr ? event.name : place.operation + ", " + place.way();
  std::string text = "{\"ph\":\"X\",\"name\":" + json(name) + ",\"cat\":\"" +
                     categories.at(static_cast<std::size_t>(event.kind)) + "\"," + time +
                     ",\"dur\":" + microseconds(event.duration) + ",\"args\":{\"bytes\":" + std::to_string(event.bytes);
  if (event.place >= 0) text += ",\"at\":" + json(place.where());
  return text + "}}";
}

/// Writes the file in one step, see io/output_file.hpp. Throws `FileError`.
inline void write_trace(const std::string& path, const Book& book, const Recorder& recorder) {
  io::OutputFile file(path);
  const auto write = [&](const std::string& text) { file.write(std::as_bytes(std::span(text))); };
  write("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"dropped_events\":\"" + std::to_string(book.dropped) +
        "\"},\"traceEvents\":[\n" + named("process_name", {}, "host"));
  for (int thread = 0; thread < recorder.threads(); ++thread)
    write(",\n" + named("thread_name", {0, thread}, "thread " + std::to_string(thread)));
  int process = 0;
  for (const auto& [track, name] : recorder.streams()) {
    if (track.process != process) {
      process = track.process;
      write(",\n" + named("process_name", {process, 0}, "cuda:" + std::to_string(process - 1)));
    }
    write(",\n" + named("thread_name", track, name));
  }
  for (const TraceEvent& event : book.events) write(",\n" + event_text(event, book.opened, recorder));
  write("\n]}\n");
  file.finish();
}

}  // namespace situ::internal::ledger
