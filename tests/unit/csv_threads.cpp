// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Several threads read a CSV file together: wherever it is cut, the result is that of one thread.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <situ/csv.hpp>
#include <situ/situ.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;

namespace {

/// Cuts the text every few bytes, and into so many chunks that threads are used.
struct ChunksOf {
  explicit ChunksOf(std::int64_t bytes) { internal::io::csv::chunk_bytes = bytes; }
  ChunksOf(const ChunksOf&) = delete;
  ChunksOf& operator=(const ChunksOf&) = delete;
  ~ChunksOf() { internal::io::csv::chunk_bytes = std::int64_t{1} << 20; }
};

}  // namespace

TEST_CASE("csv threads: cuts within quotes, line ends, comments") {
  const int threads = num_threads();
  set_num_threads(4);
  const std::string texts[] = {
      "t,n\n\"a\nb\",1\nc,2\n\"\"\"\n\",3\nlast,4\n",
      "t,n\r\n\"a\r\nb\",1\r\n\r\n\r\nc,2\r\n",
      "t,n\r\"a\rb\",1\rc,2\rd,3\r",
      "t,n\n5\" pipe,1\n\"q\n\",2\n6\" pipe,3\nx,4\n",  // the parity of quotes is wrong from the first pipe on
      "t,n\n# it's \"one\na,1\n# \"\n\"b\nc\",2\n\n\n\n\n\n\nd,3\n",
      "t,n\ra,1\rb,2\r",
      "t,n\n" + std::string(100, '\n') + "a,1\n" + std::string(100, '\n'),
  };
  for (const std::string& text : texts) {
    CAPTURE(text);
    const auto bytes = std::as_bytes(std::span(text));
    const CsvTable whole = load_csv(bytes, {.comment = '#'});
    for (std::int64_t size = 1; size < 40; ++size) {
      const ChunksOf chunks(size);
      const CsvTable table = load_csv(bytes, {.comment = '#'});
      REQUIRE(table.rows() == whole.rows());
      CHECK(table.column<std::string>("t") == whole.column<std::string>("t"));
      const Tensor n = load_csv<int>(bytes, {.columns = {"n"}, .comment = '#'});
      for (std::int64_t i = 0; i != n.size(); ++i) CHECK(n.span()[static_cast<std::size_t>(i)] == i + 1);
    }
  }
  set_num_threads(threads);
}

TEST_CASE("csv threads: the first error, and the progress") {
  const int threads = num_threads();
  set_num_threads(4);
  const ChunksOf chunks(16);
  std::string text = "n,m\n";
  for (int i = 0; i < 5000; ++i) text += i == 1234 || i > 3000 ? "x,1\n" : std::to_string(i) + ",1\n";
  const auto bytes = std::as_bytes(std::span(text));
  for (int i = 0; i < 20; ++i) {
    CHECK(reference::contains(reference::message_of([&] { static_cast<void>(load_csv<float>(bytes)); }), "line 1236 (row 1234)"));
  }
  std::vector<std::int64_t> steps;
  std::int64_t all_bytes = 0;
  const Tensor x = load_csv<std::int64_t>(bytes, {.max_rows = 1000, .progress = [&](std::int64_t done, std::int64_t of) {
                                                    steps.push_back(done);
                                                    all_bytes = of;
                                                  }});
  CHECK(x.extent(0) == 1000);
  REQUIRE(steps.size() > 2);
  CHECK(steps.back() == all_bytes);
  CHECK(std::is_sorted(steps.begin(), steps.end()));
  set_num_threads(threads);
}

TEST_CASE("csv threads: a long file is written and read in parts") {
  const temporary_files::TemporaryFile file(".csv");
  const Tensor x = randn<double>({60000, 3}, Generator(3));
  save_csv(file.path, x);
  CHECK(all(load_csv<double>(file.path) == x).item());
  const CsvTable table = load_csv(file.path);
  CHECK(all(table.to_tensor<double>() == x).item());
  CHECK(table.type(2) == CsvType::float64);
  CHECK(table.column<std::string>(0).size() == 60000);
}
