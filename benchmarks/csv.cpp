// SPDX-License-Identifier: Apache-2.0
// Ten million numbers in CSV files. `csv write FOLDER` writes the files; `csv read FILE TYPE REPETITIONS` prints the
// milliseconds, and those of the processor, of load_csv with all threads and with one, of a loop of std::from_chars over
// the text in memory, of a table and its columns, and of save_csv.
// benchmarks/beside_pandas.py runs it beside pandas.
#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <situ/csv.hpp>
#include <situ/situ.hpp>

using namespace situ;

namespace {

constexpr std::int64_t rows = 1'000'000, columns = 10;

/// Calls `f`, and prints the milliseconds that passed and those of the processor, of all threads.
template <class F>
void measure(const F& f) {
  const auto begin = std::chrono::steady_clock::now();
  const std::clock_t processor = std::clock();
  f();
  const std::chrono::duration<double, std::milli> passed = std::chrono::steady_clock::now() - begin;
  std::printf("%.1f %.1f ", passed.count(), 1e3 * static_cast<double>(std::clock() - processor) / CLOCKS_PER_SEC);
}

/// What a program writes that knows its file: no quotes, no missing values, no checks.
template <class T>
std::vector<T> loop(const std::string& text) {
  std::vector<T> values;
  values.reserve(static_cast<std::size_t>(rows * columns));
  const char* p = text.data();
  const char* const end = p + text.size();
  while (p < end) {
    T value{};
    p = std::from_chars(p, end, value).ptr + 1;
    values.push_back(value);
  }
  return values;
}

template <class T>
int read(const std::filesystem::path& path, int repetitions) {
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  std::vector<T> known;
  Tensor<T> all;
  const int threads = num_threads();
  for (int i = 0; i < repetitions; ++i) {
    measure([&] { all = load_csv<T>(path); });
    set_num_threads(1);
    measure([&] { all = load_csv<T>(path); });
    set_num_threads(threads);
    measure([&] { known = loop<T>(text); });
    CsvTable table = load_csv(std::as_bytes(std::span("1")));
    measure([&] { table = load_csv(path); });
    measure([&] { static_cast<void>(table.to_tensor<T>()); });
    measure([&] { save_csv(path.string() + ".written", all); });
    std::puts("");
  }
  std::filesystem::remove(path.string() + ".written");
  return std::equal(known.begin(), known.end(), all.span().begin(), all.span().end()) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string_view> words(argv, argv + argc);
  if (argc == 3 && words[1] == "write") {
    const std::filesystem::path folder = words[2];
    const Tensor x = randn<double>({rows, columns}, Generator(1)) * 100;
    save_csv(folder / "short.csv", x, {.precision = 6});
    save_csv(folder / "long.csv", x);
    save_csv(folder / "integers.csv", cast<std::int64_t>(x * 1000));
    return 0;
  }
  if (argc != 5 || words[1] != "read") {
    std::fprintf(stderr, "use: csv write FOLDER, or csv read FILE float32|float64|int64 REPETITIONS\n");
    return 2;
  }
  const int repetitions = std::stoi(std::string(words[4]));
  if (words[3] == "float32") return read<float>(words[2], repetitions);
  if (words[3] == "float64") return read<double>(words[2], repetitions);
  return read<std::int64_t>(words[2], repetitions);
}
