// SPDX-License-Identifier: Apache-2.0
// Runs the rows of all peers: `cpu --threads=2 --rows=linalg --benchmark_out=result.json ...`, or, with `--check`, compares
// their results; see ../run.
#include "harness.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <map>
#include <regex>
#include <thread>

namespace rows {

int threads = 1;

namespace {

struct Entry {
  std::string row, peer;
  std::function<Prepared()> make;
  double tolerance;
};

std::vector<Entry>& entries() {
  static std::vector<Entry> all;
  return all;
}
std::vector<std::pair<const char*, void (*)()>>& registrations() {
  static std::vector<std::pair<const char*, void (*)()>> all;
  return all;
}

/// Peers that are shared libraries lie beside the program. Each is given its own libraries before those of the program and of
/// others: two of them may have a function of one name, as every BLAS has `sgemm_`, and LibTorch would call OpenBLAS's.
void load_peers() {
  std::vector<std::filesystem::path> files;
  const auto folder = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "cpu_peers";
  if (!std::filesystem::is_directory(folder)) return;
  for (const auto& file : std::filesystem::directory_iterator(folder)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND) == nullptr) {
      std::fprintf(stderr, "without a peer: %s\n", dlerror());
    }
  }
}

/// The largest difference over the largest element; infinity where there is no comparing.
double difference(const std::vector<double>& found, const std::vector<double>& expected) {
  double scale = 0, most = 0;
  if (found.size() != expected.size()) return INFINITY;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found[i] == expected[i] && std::isinf(found[i])) continue;  // determinants that overflow
    if (!std::isfinite(found[i]) || !std::isfinite(expected[i])) return INFINITY;
    scale = std::max(scale, std::abs(expected[i]));
    most = std::max(most, std::abs(found[i] - expected[i]));
  }
  return most == 0 ? 0 : most / scale;
}

/// Adds the rows of `group`, or of all. All peers are set up in any case: they say their versions.
void add_rows_of(const std::string& group) {
  for (const auto& [of, add_rows] : registrations()) {
    const std::size_t before = entries().size();
    add_rows();
    if (!group.empty() && group != of) entries().resize(before);
  }
}

/// Whether the results of all peers agree, with situ's or else the first's, in every row that the filter of Google Benchmark
/// would time.
bool check(std::string filter) {
  const bool others = filter.starts_with('-');
  const std::regex pattern(others ? filter.substr(1) : filter);
  std::map<std::string, std::vector<const Entry*>> by_row;
  for (const Entry& entry : entries()) {
    if (std::regex_search(entry.row + "|" + entry.peer + "/real_time", pattern) != others)
      by_row[entry.row].push_back(&entry);
  }
  std::size_t compared = 0, wrong = 0, without = 0;
  for (auto& [row, peers] : by_row) {
    std::stable_partition(peers.begin(), peers.end(), [](const Entry* entry) { return entry->peer == "situ"; });
    const Prepared first = peers[0]->make();
    if (!first.values) {
      without += peers.size() - 1;
      continue;
    }
    const std::vector<double> expected = first.values();
    for (std::size_t i = 1; i < peers.size(); ++i) {
      const Prepared other = peers[i]->make();
      const double error = other.values ? difference(other.values(), expected) : INFINITY;
      ++compared;
      if (error > peers[i]->tolerance) ++wrong;
      if (error <= std::min(peers[i]->tolerance, tolerance_of<float>)) continue;
      std::printf("%s: %s and %s differ by %.2g of the largest element\n", row.c_str(), peers[i]->peer.c_str(),
                  peers[0]->peer.c_str(), error);
    }
  }
  std::printf("%zu results of peers compared, %zu wrong; %zu have nothing to compare\n", compared, wrong, without);
  if (by_row.empty()) std::fprintf(stderr, "no row matches %s\n", filter.c_str());
  return wrong == 0 && !by_row.empty();
}

/// Waits until no thread of the program is busy, a second at most. Those of some peers spin for tens of milliseconds after
/// their work, and would take a processor from the peer that is next.
void wait_until_idle() {
  using namespace std::chrono_literals;
  for (int i = 0; i < 500; ++i) {
    const std::clock_t before = std::clock();  // of all threads
    std::this_thread::sleep_for(2ms);
    if (std::clock() - before < CLOCKS_PER_SEC / 5000) return;
  }
}

}  // namespace

void add(const std::string& row, const std::string& peer, std::function<Prepared()> make, double tolerance) {
  entries().push_back({row, peer, std::move(make), tolerance});
}

void describe(const std::string& peer, const std::string& version) {
  benchmark::AddCustomContext("peer " + peer, version);
}

Registration::Registration(const char* group, void (*add_rows)()) { registrations().emplace_back(group, add_rows); }

}  // namespace rows

int main(int argc, char** argv) {
  bool check = false;
  std::string filter, group;
  const char* const filtered = "--benchmark_filter=";
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], filtered, std::strlen(filtered)) == 0) filter = argv[i] + std::strlen(filtered);
    if (std::strncmp(argv[i], "--threads=", 10) == 0) {
      rows::threads = std::atoi(argv[i] + 10);
    } else if (std::strncmp(argv[i], "--rows=", 7) == 0) {
      group = argv[i] + 7;
    } else if (std::strcmp(argv[i], "--check") == 0) {
      check = true;
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  rows::load_peers();
  rows::add_rows_of(group);
  if (check) return rows::check(filter) ? 0 : 1;
  for (const auto& entry : rows::entries()) {
    benchmark::RegisterBenchmark((entry.row + "|" + entry.peer).c_str(),
                                 [&entry](benchmark::State& state) {
                                   const rows::Prepared prepared = entry.make();
                                   if (rows::threads > 1) rows::wait_until_idle();
                                   prepared.work();  // warm caches, pools and thread pools
                                   for (auto _ : state) prepared.work();
                                 })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
