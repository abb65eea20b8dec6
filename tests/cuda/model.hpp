// SPDX-License-Identifier: Apache-2.0
// Random programs of reads, writes, views, moves, frees and transfers, as data: how they are drawn from a seed and how
// they read. model_values.hpp says what they compute, model_run.hpp runs them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace model {

using T = std::int64_t;
inline constexpr std::int64_t extent = 9;  // of both axes of every tensor; rows of 8 are copied as such by CUDA
inline constexpr std::size_t elements = extent * extent;
inline constexpr std::size_t variables = 3;    // on each device
inline constexpr std::size_t flights = 2;      // to each device at a time
inline constexpr std::size_t cells = 2;        // on each device, where threads exchange tensors
inline constexpr std::size_t stream_count = 3;  // on each GPU: the compute stream, and two others
inline constexpr std::array<const char*, 4> device_names{"gpu0", "gpu1", "pinned", "cpu"};

enum class Op : std::uint8_t {
  make,         // out = new values, from the host
  window,       // out = the middle of a larger tensor
  fill,         // out.at(box) = k
  combine,      // out = a * 3 + b + k
  mirror,       // out = a * 3 + permute(out, {1, 0}) + k
  add,          // out += a
  part,         // out.at(box) = a(other box) + k
  part_copy,    // out.at(box) = a(other box)
  held,         // e = a * 3 + b + k; a.at(box) = k; out = e
  lease,        // out.write(), and then through the pointer: on a GPU a kernel
  share,        // out = a
  transpose,    // out = permute(a, {1, 0})
  row,          // out = broadcast_to(a(one row), {4, 4})
  move,         // out = std::move(a)
  free,         // out = Tensor()
  to,           // out = a.to<device of out>()
  copy_to,      // out = a.copy_to<device of out>()
  copy,         // copy(a(other box), out.at(box)), or one row of it
  burst,        // all variables of the device, from pinned tensors that die at once
  send,         // flight = a.to_async<device of out>()
  arrive,       // out = std::move(flight).wait()
  ready,        // whether a flight has arrived
  drop,         // flight = nothing
  check,        // read a on the host
  post,         // cell = a
  fetch,        // out = cell
  swap_flights, // with those of the cell
  constant,     // out = the tensor that all threads read * 3 + a + k
  synchronize,  // the device, or one stream
  query,        // whether a stream is idle
  event,        // one stream waits for another
  renew,        // another stream takes the place of this one
  empty_cache,  // of the device
  count
};

/// How often each is drawn.
inline constexpr std::array<std::uint8_t, static_cast<std::size_t>(Op::count)> weights{
    6, 2, 5, 16, 3, 6, 8, 6, 3, 6, 8, 3, 3, 5, 6, 10, 5, 10, 2, 14, 12, 1, 2, 5, 4, 4, 2, 3, 1, 1, 1, 1, 1};

/// A call of CUDA that fails, of the emulation's kinds; or an allocation from the pool of the step's device.
enum class Fails : std::uint8_t {
  nothing, allocation, create, synchronize, query, record, wait, allocate, allocate_host, copy, launch, count
};
inline constexpr std::array<const char*, static_cast<std::size_t>(Fails::count)> failure_names{
    "", "allocation", "create", "synchronize", "query", "record", "wait", "allocate", "allocate_host", "copy",
    "launch"};

/// Any field means something or nothing, depending on `op`; a step that uses an empty tensor does nothing. So a program
/// without some of its steps is a program too, which is what makes it easy to shrink.
struct Step {
  Op op;
  std::uint8_t device, from;                      // of `out`, and of `a` in a transfer
  std::uint8_t a, b, out;                         // variables
  std::array<std::uint8_t, 2> streams;            // in which work goes, on each GPU
  std::uint8_t row, column, height, width;        // the box
  std::uint8_t from_row, from_column;             // the other box, as large
  T k;
  Fails fails;               // while the step runs: what fails,
  std::uint8_t fails_after;  // after as many that do not
};
using Program = std::vector<Step>;

/// Small and the same everywhere.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15u + 1) {}
  std::uint8_t below(std::size_t n) {
    state_ += 0x9E3779B97F4A7C15u;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return static_cast<std::uint8_t>((z >> 31) % n);
  }

 private:
  std::uint64_t state_;
};

/// What the steps of one program are drawn from: about half of the operations, few devices and variables. A program
/// that does a little of everything seldom does one thing often enough for a rare mistake.
struct Flavour {
  std::array<std::uint8_t, weights.size()> weight = weights;
  std::size_t total = 0;
  std::array<std::uint8_t, 3> devices{};  // most of the work is the GPUs'
  std::uint8_t variables_used = 0;

  explicit Flavour(Random& random) {
    for (std::size_t op = 0; op < weight.size(); ++op) {
      if (static_cast<Op>(op) != Op::combine && random.below(2) == 0) weight[op] = 0;
      total += weight[op];
    }
    constexpr std::array<std::uint8_t, 8> likely{0, 0, 0, 1, 1, 2, 2, 3};
    for (std::uint8_t& device : devices) device = likely[random.below(likely.size())];
    variables_used = static_cast<std::uint8_t>(1 + random.below(variables));
  }

  [[nodiscard]] Op draw(Random& random) const {
    std::size_t left = random.below(total);
    std::size_t op = 0;
    while (left >= weight[op]) left -= weight[op++];
    return static_cast<Op>(op);
  }
};

inline Step random_step(Random& random, const Flavour& flavour) {
  Step step{};
  step.op = flavour.draw(random);
  step.device = flavour.devices[random.below(flavour.devices.size())];
  step.from = flavour.devices[random.below(flavour.devices.size())];
  step.a = random.below(flavour.variables_used);
  step.b = random.below(flavour.variables_used);
  step.out = random.below(flavour.variables_used);
  for (std::uint8_t& stream : step.streams) stream = random.below(stream_count);
  const auto size = static_cast<std::size_t>(extent);
  const auto one_axis = [&](std::uint8_t& begin, std::uint8_t& from, std::uint8_t& length) {
    length = static_cast<std::uint8_t>(1 + random.below(size));
    begin = random.below(size + 1 - length);
    from = random.below(size + 1 - length);
  };
  one_axis(step.row, step.from_row, step.height);
  one_axis(step.column, step.from_column, step.width);
  step.k = random.below(200);
  return step;
}

/// The calls that most steps make come most often.
inline constexpr std::array<Fails, 16> likely_failures{
    Fails::allocation, Fails::allocation, Fails::allocation,  Fails::launch,      Fails::launch,   Fails::copy,
    Fails::copy,       Fails::record,     Fails::record,      Fails::wait,        Fails::wait,     Fails::create,
    Fails::query,      Fails::allocate,   Fails::synchronize, Fails::allocate_host};

/// With failures, every second step is to fail, if it makes such a call; half of them are then tried again.
inline Program random_program(std::uint64_t seed, bool with_failures = false) {
  Random random(seed);
  const Flavour flavour(random);
  Program program(8 + random.below(20));
  for (Step& step : program) {
    step = random_step(random, flavour);
    if (!with_failures || random.below(2) != 0) continue;
    step.fails = likely_failures[random.below(likely_failures.size())];
    step.fails_after = random.below(3) == 0 ? random.below(4) : std::uint8_t{0};
  }
  return program;
}

// --- text ------------------------------------------------------------------------------------------------------------

inline std::string to_string(const Step& step) {
  std::ostringstream text;
  const std::string device = device_names[step.device];
  const auto name = [&](const std::string& where, int number) { return where + "[" + std::to_string(number) + "]"; };
  const std::string out = name(device, step.out);
  const std::string a = name(device, step.a);
  const std::string b = name(device, step.b);
  const std::string source = name(device_names[step.from], step.a);
  const std::string flight = name("flight to " + device, step.b % static_cast<int>(flights));
  const auto box = [&](int row, int column) {
    std::ostringstream at;
    at << "(range(" << row << ", " << row + step.height << "), range(" << column << ", " << column + step.width << "))";
    return at.str();
  };
  const std::string here = ".at" + box(step.row, step.column);
  const std::string there = box(step.from_row, step.from_column);
  text << "  streams " << int{step.streams[0]} << ' ' << int{step.streams[1]} << ": ";
  switch (step.op) {
    case Op::make: text << out << " = series(" << step.k << ")"; break;
    case Op::window: text << out << " = the middle of a larger series(" << step.k << ")"; break;
    case Op::fill: text << out << here << " = " << step.k; break;
    case Op::combine: text << out << " = " << a << " * 3 + " << b << " + " << step.k; break;
    case Op::mirror: text << out << " = " << a << " * 3 + permute(" << out << ", {1, 0}) + " << step.k; break;
    case Op::add: text << out << " += " << a; break;
    case Op::part: text << out << here << " = " << a << there << " + " << step.k; break;
    case Op::part_copy: text << out << here << " = " << a << there; break;
    case Op::held:
      text << "e = " << a << " * 3 + " << b << " + " << step.k << "; " << a << here << " = " << step.k << "; " << out
           << " = e";
      break;
    case Op::lease: text << out << ".write(): each x becomes x * 5 + " << step.k; break;
    case Op::share: text << out << " = " << a; break;
    case Op::transpose: text << out << " = permute(" << a << ", {1, 0})"; break;
    case Op::row: text << out << " = row " << int{step.row} << " of " << a << ", repeated"; break;
    case Op::move: text << out << " = std::move(" << a << ")"; break;
    case Op::free: text << out << " = {}"; break;
    case Op::to: text << out << " = " << source << ".to(" << device << ")"; break;
    case Op::copy_to: text << out << " = " << source << ".copy_to(" << device << ")"; break;
    case Op::copy:
      text << "copy(" << source << there << (step.k % 4 == 0 ? ", its first row" : "") << ", " << out << here << ")";
      break;
    case Op::burst: text << "all of " << device << ", again and again, from new tensors in pinned memory"; break;
    case Op::send:
      text << flight << " = " << source << ".to_async(" << device << ")";
      break;
    case Op::arrive: text << out << " = std::move(" << flight << ").wait()"; break;
    case Op::ready: text << "is " << flight << " ready?"; break;
    case Op::drop: text << flight << " is dropped"; break;
    case Op::check: text << "check " << a; break;
    case Op::post: text << "cell " << step.k % static_cast<T>(cells) << " of " << device << " = " << a; break;
    case Op::swap_flights:
      text << flight << " and that of cell " << step.k % static_cast<T>(cells) << " change places";
      break;
    case Op::fetch: text << out << " = cell " << step.k % static_cast<T>(cells) << " of " << device; break;
    case Op::constant: text << out << " = the constant of " << device << " * 3 + " << a << " + " << step.k; break;
    case Op::synchronize: text << (step.k % 2 == 0 ? "synchronize " + device : "synchronize these streams"); break;
    case Op::query: text << "are these streams idle?"; break;
    case Op::event: text << "these streams wait for an event in stream " << step.a % stream_count; break;
    case Op::renew: text << "new streams instead of these"; break;
    case Op::empty_cache: text << "empty_cache " << device; break;
    case Op::count: break;
  }
  if (step.fails != Fails::nothing) {
    text << "   (after " << int{step.fails_after} << ", " << failure_names[static_cast<std::size_t>(step.fails)]
         << " fails)";
  }
  return text.str();
}

inline std::string to_string(const Program& program) {
  std::string text;
  for (const Step& step : program) text += to_string(step) + "\n";
  return text;
}

}  // namespace model
