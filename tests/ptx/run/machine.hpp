// SPDX-License-Identifier: Apache-2.0
// Runs what nvcc compiled, PTX, without a GPU: what others use of it. README.md says what it checks.
//
//   ptx::Library library;
//   library.add("reduce.ptx");
//   ptx::Complaints complaints;
//   if (ptx::Program* program = library.find("situ::internal::cuda::Reduce<float>")) {
//     const ptx::Outcome outcome = ptx::run(*program, "reduce", grid, {bytes, holes}, regions, {}, complaints);
//   }
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptx {

/// Memory that kernels of a launch may touch: an allocation by its exact bytes. Regions do not overlap.
struct Region {
  char* start = nullptr;
  std::size_t bytes = 0;
  bool host = false;
};

struct Grid {
  std::int64_t blocks = 1;
  int blocks_y = 1;
  int threads = 1;
  std::size_t dynamic_bytes = 0;
};

/// The kernel's members as the host has them. `holes`, when not empty, has as many bytes: nonzero where no member lies.
/// What a thread loads of a hole is undefined whatever its value: copying it is no error, using it is.
struct Parameter {
  std::span<const std::byte> bytes;
  std::span<const std::byte> holes;
};

struct Options {
  /// Draws the order of blocks and, between barriers, of warps (0: in order), and what registers and shared memory
  /// start as.
  std::uint64_t seed = 0;
  /// Whether to look for races; slower, and 16 bytes more for each byte that kernels touch.
  bool races = true;
  /// Of threads. A launch with more is taken for one that does not end.
  std::uint64_t most_instructions = 60'000'000'000;
};

/// How a byte was stored last. The type of a store is the instruction's; of bits, the type of what computed them where
/// the program shows it.
enum class Stored : std::uint8_t {
  by_nobody,
  undefined,  // copied from a hole of the parameter or from memory that was never written
  bits8,
  bits16,
  bits32,
  bits64,
  bits128,
  float16,
  bfloat16,
  float32,
  float64,
};

/// A region after the launch.
struct Written {
  std::vector<char> bytes;
  std::vector<Stored> stored;  // one a byte
};

struct Outcome {
  bool finished = false;  // false: it stopped at a complaint (trap, divergent barrier, too many instructions, ...)
  std::uint64_t instructions = 0;  // of threads
  std::vector<Written> regions;    // in the order given
};

/// What was wrong, once for each kind, kernel and line.
struct Complaint {
  std::string kind;         // "out of bounds"
  std::string kernel;       // its name
  int line = 0;             // of the PTX; 0: of no instruction
  std::string text;         // the first time: grid, block, thread, what, the instruction
  std::uint64_t count = 0;  // how often
};

/// Collects complaints, and notes: what is right but worth a look.
class Complaints {
 public:
  using Text = std::function<std::string()>;
  /// Counts one. `text` is called for the first of its kind, kernel and line.
  void add(std::string_view kind, std::string_view kernel, int line, const Text& text) {
    count(all_, kind, kernel, line, text);
  }
  void note(std::string_view kind, std::string_view kernel, int line, const Text& text) {
    count(notes_, kind, kernel, line, text);
  }
  [[nodiscard]] const std::vector<Complaint>& all() const { return all_; }
  [[nodiscard]] const std::vector<Complaint>& notes() const { return notes_; }
  /// Whether there is a complaint of a kind.
  [[nodiscard]] bool has(std::string_view kind) const;
  void clear();

 private:
  static void count(std::vector<Complaint>& list, std::string_view kind, std::string_view kernel, int line,
                    const Text& text);
  std::vector<Complaint> all_;
  std::vector<Complaint> notes_;
};

struct Code;  // instructions and where their memory lies

/// An entry, decoded with all that it calls.
class Program {
 public:
  explicit Program(std::unique_ptr<Code> code);
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  [[nodiscard]] const std::string& name() const;         // the entry's
  [[nodiscard]] const std::string& kernel_type() const;  // K of `run_kernel<K>`, as it is compared; else the name
  [[nodiscard]] std::size_t parameter_bytes() const;
  [[nodiscard]] int threads_most() const;  // by .maxntid; 0: not said
  /// Why it cannot run: instructions that are not known, each with its line and text. Empty when it can.
  [[nodiscard]] const std::vector<std::string>& problems() const;
  [[nodiscard]] std::uint64_t launches() const;
  [[nodiscard]] std::uint64_t blocks() const;
  [[nodiscard]] std::uint64_t instructions() const;  // of threads, in all launches
  [[nodiscard]] Code& code() { return *code_; }

 private:
  std::unique_ptr<Code> code_;
};

/// A form of an opcode, "fma.rn.f32", and how many warps ran it.
struct Form {
  std::string name;
  std::uint64_t runs = 0;
};
/// All forms that some program of this process has.
[[nodiscard]] std::vector<Form> forms();

/// The kernels of several files of PTX. Programs are decoded when they are asked for.
class Library {
 public:
  Library();
  ~Library();
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  /// Throws std::runtime_error for a file that cannot be read or is no PTX. Of a kernel in two files, the first is
  /// used.
  void add(const std::filesystem::path& file);
  void add_text(std::string_view name, std::string text);
  /// The kernel whose entry is `run_kernel<K>`, by K as abi::__cxa_demangle writes it (what g++ and nvcc write
  /// differently is evened out). Null: none.
  [[nodiscard]] Program* find(std::string_view kernel_type);
  /// By the entry's own name. Null: none.
  [[nodiscard]] Program* entry(std::string_view name);
  /// The names of all entries, decoded or not.
  [[nodiscard]] std::vector<std::string> entries() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// A type's name without what g++ and nvcc write differently: spaces, the unnamed namespace, inline namespaces.
[[nodiscard]] std::string normalized(std::string type_name);

/// Runs a launch on the regions' memory, and puts their bytes back as they were. A launch that the program cannot run
/// (problems, another size of the parameter, more threads than it may have) is a complaint, and is not finished.
[[nodiscard]] Outcome run(Program& program, std::string_view kernel_name, const Grid& grid, const Parameter& parameter,
                          std::span<const Region> regions, const Options& options, Complaints& complaints);

}  // namespace ptx
