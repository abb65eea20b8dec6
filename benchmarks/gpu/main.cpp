// SPDX-License-Identifier: Apache-2.0
// Times rows on demand. `rows [--small]` reads commands from standard input, one a line, and answers each with one line
// of JSON; ../run asks it and the peers in turn.
//   list             the names of all rows
//   prepare NAME     makes the operands of a row; answers with who can do it
//   time WHO COUNT   COUNT times, in milliseconds
//   profile WHO      one call between the marks that a profiler looks for, after two others
//   release          frees the operands
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

#include "rows.hpp"

#include <situ/cuda/runtime/stream.hpp>

namespace rows {

namespace api = situ::internal::cuda::api;

void check(api::Error error, const char* what) {
  if (error == api::success) return;
  throw std::runtime_error(std::string(what) + ": " + api::error_name(error) + ": " + api::error_text(error));
}

api::Stream stream() { return situ::internal::cuda::stream_of(Gpu::queue()); }

void wait() { check(api::stream_synchronize(stream()), "stream_synchronize"); }

std::function<void()> copy_of(double bytes) {
  const auto half = static_cast<std::int64_t>(bytes / 2);
  return [from = situ::ones<std::uint8_t>({half}, gpu<0>), to = situ::zeros<std::uint8_t>({half}, gpu<0>), half] {
    check(api::copy_on_device(to.storage().data(), from.storage().data(), static_cast<std::size_t>(half), stream()),
          "copy_on_device");
  };
}

std::function<void()> fill_of(double bytes) {
  const auto count = static_cast<std::int64_t>(bytes);
  return [to = situ::zeros<std::uint8_t>({count}, gpu<0>), count] {
    check(api::set_bytes(to.storage().data(), 1, static_cast<std::size_t>(count), stream()), "set_bytes");
  };
}

namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Two events, destroyed with the object.
struct Span {
  api::Event start{}, end{};
  Span() {
    check(api::event_create_timed(&start), "event_create_timed");
    check(api::event_create_timed(&end), "event_create_timed");
  }
  Span(const Span&) = delete;
  Span& operator=(const Span&) = delete;
  ~Span() {
    static_cast<void>(api::event_destroy(start));
    static_cast<void>(api::event_destroy(end));
  }
};

std::vector<double> timed(const std::function<void()>& work, Clock clock, int count) {
  std::vector<double> times;
  work();  // after the other peers: caches and clocks
  work();
  if (clock == Clock::gpu) {
    std::vector<Span> spans(static_cast<std::size_t>(count));
    for (Span& span : spans) {
      check(api::event_record(span.start, stream()), "event_record");
      work();
      check(api::event_record(span.end, stream()), "event_record");
    }
    wait();
    for (Span& span : spans) {
      float ms = 0;
      check(api::event_elapsed(&ms, span.start, span.end), "event_elapsed");
      times.push_back(ms);
    }
  } else {
    // A batch is shorter than a stream's queue, so that no call waits for room in it.
    const int batch = clock == Clock::host ? (small_sizes ? 5 : 200) : 1;
    for (int i = 0; i < count; ++i) {
      wait();
      const double start = now_ms();
      for (int j = 0; j < batch; ++j) work();
      if (clock == Clock::wall) wait();
      times.push_back((now_ms() - start) / batch);
    }
    wait();
  }
  return times;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + '"';
}

const char* name_of(Clock clock) { return clock == Clock::gpu ? "gpu" : clock == Clock::host ? "host" : "wall"; }

/// Answers the commands on standard input.
class Server {
 public:
  std::string answer(const std::string& command) {
    std::istringstream words(command);
    std::string verb;
    words >> verb;
    if (verb == "list") return list();
    if (verb == "prepare") return prepare(command.substr(verb.size() + 1));
    if (verb == "release") {
      peers_.clear();
      wait();
      situ::empty_cache<Gpu>();  // the next row wants blocks of other sizes
      return "{}";
    }
    if (verb == "time") {
      // WHO may have blanks: the count is the last word.
      const std::size_t last = command.rfind(' ');
      return time(command.substr(verb.size() + 1, last - verb.size() - 1), std::atoi(command.c_str() + last));
    }
    if (verb == "profile") {
      const std::function<void()>& work = peer(command.substr(verb.size() + 1));
      work();
      work();
      wait();
      profile(work);
      return "{}";
    }
    throw std::runtime_error("no such command: " + command);
  }

 private:
  std::string list() const {
    std::string out = "{\"rows\": [";
    for (const Row& row : all_rows()) out += (&row == &all_rows().front() ? "" : ", ") + quoted(row.name);
    return out + "]}";
  }
  std::string prepare(const std::string& name) {
    for (const Row& row : all_rows()) {
      if (row.name != name) continue;
      peers_ = row.make();
      clock_ = row.clock;
      std::ostringstream out;
      out << "{\"clock\": \"" << name_of(clock_) << "\", \"bytes\": " << row.bytes << ", \"flops\": " << row.flops
          << ", \"peers\": [";
      bool first = true;
      for (const auto& [who, work] : peers_) {
        out << (first ? "" : ", ") << quoted(who);
        first = false;
      }
      out << "]}";
      return out.str();
    }
    throw std::runtime_error("no such row: " + name);
  }
  const std::function<void()>& peer(const std::string& who) const {
    const auto found = peers_.find(who);
    if (found == peers_.end()) throw std::runtime_error("nobody prepared: " + who);
    return found->second;
  }
  std::string time(const std::string& who, int count) {
    std::ostringstream out;
    out << "{\"ms\": [";
    bool first = true;
    for (const double ms : timed(peer(who), clock_, count)) {
      out << (first ? "" : ", ") << ms;
      first = false;
    }
    out << "]}";
    return out.str();
  }

  Peers peers_;
  Clock clock_ = Clock::gpu;
};

}  // namespace

}  // namespace rows

int main(int argc, char** argv) {
  rows::small_sizes = argc > 1 && std::string(argv[1]) == "--small";
  if (!situ::is_available<rows::Gpu>()) {
    std::cout << "{\"error\": " << rows::quoted(situ::internal::cuda::unavailable_reason()) << "}" << std::endl;
    return 77;
  }
  for (void (*add)() : rows::Registered::list()) add();
  std::cout << "{\"device\": " << rows::quoted(situ::device_name(situ::gpu<0>)) << "}" << std::endl;
  rows::Server server;
  for (std::string command; std::getline(std::cin, command) && command != "quit";) {
    try {
      std::cout << server.answer(command) << std::endl;
    } catch (const std::exception& error) {
      std::cout << "{\"error\": " << rows::quoted(error.what()) << "}" << std::endl;
    }
  }
  return 0;
}
