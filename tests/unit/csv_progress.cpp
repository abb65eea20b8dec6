// SPDX-License-Identifier: Apache-2.0
// A progress bar while a CSV file is read.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>

#include <situ/csv.hpp>
#include <situ/situ.hpp>
#include <situ/train/progress_bar.hpp>

#include "../temporary_files.hpp"

using namespace situ;

TEST_CASE("csv: a progress bar") {
  const temporary_files::TemporaryFile file(".csv");
  const std::filesystem::path path = file.path;
  save_csv(path, ones<float>({1000, 3}));
  std::FILE* const output = std::tmpfile();
  const ProgressBarOptions options{.unit = "bytes", .output = output};
  // [progress]
  ProgressBar bar(static_cast<std::int64_t>(std::filesystem::file_size(path)), options);
  const Tensor x = load_csv<float>(path, {.progress = [&](std::int64_t done, std::int64_t) {
                                            bar.advance(done - bar.done());
                                          }});
  bar.finish();
  // [progress-end]
  CHECK(x.shape() == Shape{1000, 3});
  CHECK(bar.done() == static_cast<std::int64_t>(std::filesystem::file_size(path)));
  std::fclose(output);
}
