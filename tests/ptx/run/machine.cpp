// SPDX-License-Identifier: Apache-2.0
#include "machine.hpp"

#include <algorithm>
#include <utility>

#include "code.hpp"
#include "launch.hpp"
#include "text.hpp"

namespace ptx {

bool Complaints::has(std::string_view kind) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Complaint& each) { return each.kind == kind; });
}
void Complaints::clear() {
  all_.clear();
  notes_.clear();
}
void Complaints::count(std::vector<Complaint>& list, std::string_view kind, std::string_view kernel, int line,
                       const Text& text) {
  // From the end: what repeats is what was said last.
  const auto same = std::find_if(list.rbegin(), list.rend(), [&](const Complaint& each) {
    return each.line == line && each.kind == kind && each.kernel == kernel;
  });
  if (same != list.rend()) {
    ++same->count;
  } else {
    list.push_back({std::string(kind), std::string(kernel), line, text(), 1});
  }
}

Program::Program(std::unique_ptr<Code> code) : code_(std::move(code)) {}
Program::~Program() = default;
const std::string& Program::name() const { return code_->name; }
const std::string& Program::kernel_type() const { return code_->kernel_type; }
std::size_t Program::parameter_bytes() const { return code_->parameter.bytes; }
int Program::threads_most() const { return code_->threads_most; }
const std::vector<std::string>& Program::problems() const { return code_->problems; }
std::uint64_t Program::launches() const { return code_->launches; }
std::uint64_t Program::blocks() const { return code_->blocks; }
std::uint64_t Program::instructions() const { return code_->thread_instructions; }

namespace {

/// Why a launch cannot begin; empty when it can.
std::pair<const char*, std::string> refusal(const Code& code, const Grid& grid, const Parameter& parameter) {
  if (!code.problems.empty()) return {"cannot run", code.problems.front()};
  if (parameter.bytes.size() != code.parameter.bytes) {
    return {"another size of the parameter",
            formatted("%zu bytes of the host, %zu by PTX", parameter.bytes.size(), code.parameter.bytes)};
  }
  if (code.threads_most != 0 && grid.threads > code.threads_most) {
    return {"more threads than .maxntid", formatted("%d of %d", grid.threads, code.threads_most)};
  }
  if (grid.blocks < 1 || grid.blocks_y < 1 || grid.threads < 1 || grid.threads > 1024) {
    return {"no grid",
            formatted("%lld x %d blocks of %d", static_cast<long long>(grid.blocks), grid.blocks_y, grid.threads)};
  }
  return {};
}

}  // namespace

Outcome run(Program& program, std::string_view kernel_name, const Grid& grid, const Parameter& parameter,
            std::span<const Region> regions, const Options& options, Complaints& complaints) {
  Code& code = program.code();
  if (const auto [kind, why] = refusal(code, grid, parameter); kind != nullptr) {
    complaints.add(kind, kernel_name, 0, [&why = why] { return why; });
    return {};
  }
  Launch launch(code, kernel_name, grid, options, complaints);
  launch.place_parameter(parameter);
  launch.place_memory(regions);
  launch.run();
  return launch.finish();
}

}  // namespace ptx
