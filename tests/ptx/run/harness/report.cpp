// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <ostream>

#include <nlohmann/json.hpp>

namespace ptx::harness {
namespace {

using nlohmann::json;

[[nodiscard]] json of(const Kernel& kernel) {
  json differences = json::array();
  for (const auto& [row, by_element] : kernel.largest) {
    for (const auto& [element, largest] : by_element) {
      // Infinity is no number of JSON's.
      differences.push_back({{"row", row->line},
                             {"element", type_of(element).name},
                             {"count", largest.count},
                             {"ulps", largest.ulps},
                             {"host", std::to_string(largest.host)},
                             {"ptx", std::to_string(largest.ptx)}});
    }
  }
  return {{"type", kernel.type},
          {"name", kernel.name},
          {"launches", kernel.launches},
          {"bytes", kernel.compared_bytes},
          {"nan_bits", kernel.nan_bits},
          {"zero_signs", kernel.zero_signs},
          {"hole_bytes", kernel.hole_bytes},
          {"differences", differences}};
}

[[nodiscard]] json of(const std::map<std::string, NotRun>& kernels) {
  json list = json::array();
  for (const auto& [type, kernel] : kernels) {
    list.push_back({{"type", type},
                    {"name", kernel.name},
                    {"launches", kernel.launches},
                    {"row", kernel.excuse == nullptr ? 0 : kernel.excuse->line}});
  }
  return list;
}

[[nodiscard]] json of(const std::vector<Complaint>& complaints) {
  json list = json::array();
  for (const Complaint& one : complaints) {
    list.push_back(
        {{"kind", one.kind}, {"kernel", one.kernel}, {"line", one.line}, {"text", one.text}, {"count", one.count}});
  }
  return list;
}

}  // namespace

void write(std::ostream& out, const Report& report, std::size_t entries) {
  json kernels = json::array(), all_forms = json::array();
  for (const auto& [type, kernel] : report.kernels) kernels.push_back(of(kernel));
  for (const Form& form : forms()) all_forms.push_back({{"name", form.name}, {"runs", form.runs}});
  const json all{{"launches", report.launches},
                 {"compared", report.compared},
                 {"failed_on_host", report.failed_on_host},
                 {"blocks", report.blocks},
                 {"instructions", report.instructions},
                 {"seconds", report.seconds},
                 {"entries", entries},
                 {"kernels", kernels},
                 {"missing", of(report.missing)},
                 {"large", of(report.large)},
                 {"forms", all_forms},
                 {"complaints", of(report.complaints.all())},
                 {"notes", of(report.complaints.notes())}};
  out << all.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
}

}  // namespace ptx::harness
