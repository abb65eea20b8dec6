// SPDX-License-Identifier: Apache-2.0
#include <cxxabi.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <unordered_map>

#include "code.hpp"
#include "machine.hpp"
#include "module.hpp"
#include "text.hpp"

namespace ptx {
namespace {

std::string demangled(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text != nullptr ? text : name;
  std::free(text);
  return result;
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
}

/// K of "void ...run_kernel<K>(K)". Empty: no such entry.
std::string kernel_of(const std::string& entry) {
  const std::string name = demangled(entry);
  constexpr std::string_view function = "run_kernel<";
  const std::size_t at = name.find(function);
  if (at == std::string::npos) return {};
  const std::size_t start = at + function.size();
  int depth = 1;
  for (std::size_t end = start; end < name.size(); ++end) {
    if (name[end] == '<') ++depth;
    if (name[end] == '>' && --depth == 0) return normalized(name.substr(start, end - start));
  }
  return {};
}

}  // namespace

std::string normalized(std::string type_name) {
  constexpr std::string_view of_nvcc = "_GLOBAL__N__";  // an unnamed namespace, with the file's name
  for (std::size_t at = 0; (at = type_name.find(of_nvcc, at)) != std::string::npos;) {
    std::size_t end = at;
    while (end < type_name.size() && is_name(type_name[end])) ++end;
    type_name.replace(at, end - at, "(anonymous namespace)");
  }
  replace_all(type_name, " ", "");
  replace_all(type_name, "compiled_as_cuda::", "");
  replace_all(type_name, "compiled_as_cpp::", "");
  return type_name;
}

struct Library::Content {
  struct Entry {
    Module* module = nullptr;
    std::unique_ptr<Program> program;
  };
  std::vector<std::unique_ptr<Module>> modules;
  std::map<std::string, Entry, std::less<>> entries;
  std::unordered_map<std::string, Entry*> of_kernel;

  Program* program(const std::string& name, Entry& entry) const {
    if (!entry.program) {
      std::unique_ptr<Code> code = decode(*entry.module, name);
      const std::string kernel = kernel_of(name);
      code->kernel_type = kernel.empty() ? name : kernel;
      entry.program = std::make_unique<Program>(std::move(code));
    }
    return entry.program.get();
  }
};

Library::Library() : content_(std::make_unique<Content>()) {}
Library::~Library() = default;

void Library::add(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  std::stringstream text;
  text << in.rdbuf();
  add_text(file.string(), text.str());
}

void Library::add_text(std::string_view name, std::string text) {
  std::unique_ptr<Module> module = scan_module(std::string(name), std::move(text));
  for (const auto& [function_name, function] : module->functions) {
    if (!function.is_entry) continue;
    const auto [at, fresh] = content_->entries.try_emplace(function_name);
    if (!fresh) continue;
    at->second.module = module.get();
    if (const std::string kernel = kernel_of(function_name); !kernel.empty()) {
      content_->of_kernel.try_emplace(kernel, &at->second);
    }
  }
  content_->modules.push_back(std::move(module));
}

Program* Library::find(std::string_view kernel_type) {
  const auto found = content_->of_kernel.find(normalized(std::string(kernel_type)));
  if (found == content_->of_kernel.end()) return nullptr;
  if (found->second->program) return found->second->program.get();
  for (auto& [name, entry] : content_->entries) {
    if (&entry == found->second) return content_->program(name, entry);
  }
  return nullptr;
}

Program* Library::entry(std::string_view name) {
  const auto found = content_->entries.find(name);
  return found == content_->entries.end() ? nullptr : content_->program(found->first, found->second);
}

std::vector<std::string> Library::entries() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : content_->entries) names.push_back(name);
  return names;
}

}  // namespace ptx
