// SPDX-License-Identifier: Apache-2.0
// A progress bar over losses on a GPU: they are copied to the host when the line is drawn, and only then.
#include <doctest/doctest.h>

#include <cstdio>
#include <string>

#include <situ/autograd/variable.hpp>
#include <situ/ops/creation.hpp>
#include <situ/train.hpp>
#include <situ/train/device_log.hpp>

TEST_CASE("progress: losses on a GPU, and their curve") {
  using namespace situ;
  std::FILE* const out = std::tmpfile();
  REQUIRE(out != nullptr);
  DeviceLog<float, Cuda<0>> log;
  {
    ProgressBar bar(3, {.output = out, .terminal = true, .interval = 1e9});
    for (int step = 1; step <= 3; ++step) {
      const Variable loss(full<float>({1}, 0.5f * static_cast<float>(step), Cuda<0>{}));
      log.append(loss.value());
      bar.advance(1, "loss", loss);  // the last one is read: the bar is full
    }
    bar.show("norm", full<double>({}, 2.0, Cuda<0>{}));
    bar.finish();
  }
  std::rewind(out);
  char text[256] = {};
  REQUIRE(std::fgets(text, sizeof text, out) != nullptr);
  std::fclose(out);
  CHECK(std::string(text).find("3/3 steps") != std::string::npos);
  CHECK(std::string(text).ends_with("  loss 1.5  norm 2\n"));

  TrainingCurve curve;
  curve.add("loss", log.flush());
  CHECK(curve.svg().find("points=\"250.0,251.4 436.0,148.9 622.0,46.3 \"") != std::string::npos);
}
