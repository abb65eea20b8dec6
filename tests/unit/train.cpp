// SPDX-License-Identifier: Apache-2.0
// The progress bar, at times that the test decides, on a file and on a terminal; and the picture of losses.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <situ/autograd/variable.hpp>
#include <situ/device/pinned.hpp>
#include <situ/io/file_error.hpp>
#include <situ/ops/creation.hpp>
#include <situ/train.hpp>

namespace {

using namespace situ;

struct TestClock {
  using duration = std::chrono::duration<double>;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<TestClock>;
  static inline double seconds = 0;
  static time_point now() { return time_point(duration(seconds)); }
};
using Bar = BasicProgressBar<TestClock>;

/// A stream into memory.
class Text {
 public:
  Text() : file_(open_memstream(&bytes_, &size_)) { TestClock::seconds = 0; }
  Text(const Text&) = delete;
  Text& operator=(const Text&) = delete;
  ~Text() {
    std::fclose(file_);
    std::free(bytes_);
  }
  std::FILE* file() const { return file_; }
  std::string str() const {
    std::fflush(file_);
    return {bytes_, size_};
  }

 private:
  char* bytes_ = nullptr;
  std::size_t size_ = 0;
  std::FILE* file_;
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

TEST_CASE("progress: a terminal's line is overwritten, not at every step") {
  Text out;
  {
    Bar bar(1000, {.label = "epoch 1", .unit = "images", .output = out.file(), .terminal = true});
    for (int step = 0; step < 10; ++step) {
      TestClock::seconds += 0.0625;
      bar.advance(100);
    }
    CHECK(out.str() ==
          "\repoch 1 [####----------------]  200/1000 images  1.60k images/s  0:01 left"
          "\repoch 1 [########------------]  400/1000 images  1.60k images/s  0:00 left"
          "\repoch 1 [############--------]  600/1000 images  1.60k images/s  0:00 left"
          "\repoch 1 [################----]  800/1000 images  1.60k images/s  0:00 left"
          "\repoch 1 [####################] 1000/1000 images  1.60k images/s           ");
    bar.finish();
    bar.finish();
  }
  CHECK(out.str().ends_with("\repoch 1 [####################] 1000/1000 images  1.60k images/s  in 0:01\n"));
}

TEST_CASE("progress: of several ranks one shows it, and the others read no values") {
  Text out;
  Bar bar(2, {.output = out.file(), .terminal = true, .shown = false});
  TestClock::seconds = 1;
  bar.advance(1, "loss", []() -> float { throw ValueError("read"); });
  bar.show("loss", []() -> float { throw ValueError("read"); });
  bar.advance(1);
  bar.finish();
  CHECK(bar.done() == 2);
  CHECK(out.str().empty());
}

TEST_CASE("progress: where there is no terminal, whole lines, few of them") {
  Text out;
  Bar bar(7200, {.output = out.file()});
  for (int step = 0; step < 7200; ++step) {
    TestClock::seconds += 1.0;
    if (step % 100 == 0) bar.advance(100, "loss", 0.25);
  }
  bar.finish();
  const std::string text = out.str();
  CHECK(count(text, "\r") == 0);
  CHECK(count(text, "[") == 0);
  CHECK(count(text, "\n") == 72);  // not at once, every 100 s of the test's clock, and the end
  CHECK(text.starts_with(" 200/7200 steps  "));
  CHECK(text.ends_with("\n7200/7200 steps  1.00 steps/s  in 2:00:00  loss 0.25\n"));
}

TEST_CASE("progress: the rate follows the last seconds, the final one is of all") {
  Text out;
  Bar bar(1000, {.output = out.file(), .terminal = true});
  TestClock::seconds = 100;  // a first step that takes long
  bar.advance(1);
  CHECK(out.str().ends_with("0.01 steps/s  27:45:00 left"));
  for (int step = 0; step < 300; ++step) {
    TestClock::seconds += 0.1;
    bar.advance(1);
  }
  CHECK(out.str().find("9.98 steps/s  1:10 left") != std::string::npos);
  bar.finish();
  CHECK(out.str().find(" 301/1000 steps  2.32 steps/s  in 2:10") != std::string::npos);
}

TEST_CASE("progress: values are read when they are drawn, and at the end") {
  Text out;
  Bar bar(100, {.output = out.file(), .terminal = true});
  int read = 0;
  const auto loss = [&] { return ++read; };
  for (int step = 0; step < 100; ++step) {
    TestClock::seconds += 0.01;
    bar.advance(1, "loss", loss);
  }
  CHECK(read >= 9);
  CHECK(read <= 11);
  bar.show("accuracy", Tensor<float, Pinned>(ones<float>({1, 1}, Pinned{})));
  bar.show("loss", Variable(full<double>({}, 0.1234567)));
  bar.finish();
  CHECK(out.str().ends_with("  loss 0.1235  accuracy 1\n"));
  CHECK_THROWS_AS(bar.show("all", ones<float>({2})), ShapeError);

  // What cannot be read is no reason to leave the terminal's line half written.
  Text other;
  try {
    Bar failing(10, {.output = other.file(), .terminal = true, .interval = 0.0});
    failing.advance(1);
    failing.advance(1, "loss", ones<float>({2}));
  } catch (const ShapeError&) {
    std::fputs("error", other.file());
  }
  CHECK(other.str().ends_with("\nerror"));
}

TEST_CASE("progress: nothing to do, more than expected, numbers that are none") {
  CHECK_THROWS_AS(Bar(-1), ValueError);
  Text out;
  Bar none(0, {.output = out.file(), .terminal = true});
  none.finish();
  CHECK(out.str() == "\r0 steps  in 0:00\n");
  Bar more(2, {.output = out.file(), .terminal = true});
  more.advance(3, "loss", std::nan(""));
  more.finish();
  CHECK(out.str().find("[####################] 3/2 steps  in 0:00  loss nan") != std::string::npos);
}

TEST_CASE("progress: a terminal is found, and its width is kept") {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) {
    MESSAGE("no pseudo terminal can be had here");
    return;
  }
  std::FILE* const slave = fdopen(open(ptsname(master), O_RDWR | O_NOCTTY), "w");
  REQUIRE(slave != nullptr);
  const winsize size{24, 20, 0, 0};
  REQUIRE(ioctl(master, TIOCSWINSZ, &size) == 0);
  {
    Bar bar(100, {.output = slave});
    TestClock::seconds += 1;
    bar.advance(50);
    bar.finish();
  }
  std::string text;
  char part[256];  // what was written in two goes may arrive in two
  for (ssize_t length = 1; length > 0 && !text.ends_with('\n');) {
    length = read(master, part, sizeof part);
    if (length > 0) text.append(part, static_cast<std::size_t>(length));
  }
  std::fclose(slave);
  close(master);
  CHECK(text == "\r[##########--------\r[##########--------\r\n");
}

TEST_CASE("curve: axes, lines and legend are where the numbers say") {
  TrainingCurve curve({.title = "a < b & c"});
  curve.add("training", Tensor<float>(4 - arange<float>(5)));
  curve.add("held out", std::vector<double>{4, 2}, {.every = 2});
  const std::string text = curve.svg();
  CHECK(text.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"400\""));
  CHECK(text.ends_with("</svg>\n"));
  CHECK(count(text, ">a &lt; b &amp; c</text>") == 1);
  CHECK(count(text, "<polyline") == 2);
  CHECK(count(text, "<polygon") == 0);
  for (const char* label : {"training", "held out", "step", "loss"}) {
    CHECK_MESSAGE(count(text, std::string(">") + label + "</text>") == 1, label);
  }
  CHECK(count(text, ">0</text>") == 2);
  CHECK(count(text, ">-0</text>") == 0);
  // steps 1 to 5 of 0 to 5 between pixels 64 and 622; values 4 to 0, with a margin above, between 34 and 354
  CHECK(count(text, "points=\"175.6,46.3 287.2,123.2 398.8,200.2 510.4,277.1 622.0,354.0 \"") == 1);
  CHECK(count(text, "points=\"287.2,46.3 510.4,200.2 \"") == 1);
}

TEST_CASE("curve: a logarithmic axis leaves out what has no logarithm, and gaps are gaps") {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  TrainingCurve curve({.logarithmic = true});
  curve.add("loss", std::vector<double>{10, 1, nan, 0.1, 0.01, 0, 0.1, infinity, -1});
  const std::string text = curve.svg();
  CHECK(count(text, "<polyline") == 2);
  CHECK(count(text, "<circle") == 1);
  CHECK(count(text, "nan") == 0);
  CHECK(count(text, "inf") == 0);
  for (const char* tick : {"0.01", "0.1", "1", "10"}) {
    CHECK_MESSAGE(count(text, std::string("text-anchor=\"end\">") + tick + "</text>") == 1, tick);
  }
}

TEST_CASE("curve: many steps are few points with a band, and a spike stays") {
  std::vector<double> values(100000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = 1.0 / (1.0 + 1e-3 * static_cast<double>(i));
  values[50000] = 2;
  TrainingCurve curve;
  curve.add("loss", values);
  const std::string text = curve.svg();
  CHECK(text.size() < 16000);
  CHECK(count(text, "<polygon") == 1);
  const std::size_t band = text.find("<polygon");
  CHECK(text.find("," + std::string("46.3 "), band) != std::string::npos);  // the top of the picture less the margin

  // The mean is that of the numbers, on a logarithmic axis too: 600 of 1 and 100 in turn lie at 50.5, above the middle.
  std::vector<double> alternating(600, 1);
  for (std::size_t i = 0; i < alternating.size(); i += 2) alternating[i] = 100;
  TrainingCurve logarithmic({.logarithmic = true});
  logarithmic.add("loss", alternating);
  const std::string mean = logarithmic.svg();
  CHECK(mean.find(",89.8 ", mean.find("<polyline")) != std::string::npos);
}

TEST_CASE("curve: numbers of any type") {
  TrainingCurve doubles, floats, integers;
  doubles.add("loss", {1.0, 2.0, 4.0});
  floats.add("loss", std::vector<float>{1, 2, 4});
  integers.add("loss", std::vector<int>{1, 2, 4});
  CHECK(floats.svg() == doubles.svg());
  CHECK(integers.svg() == doubles.svg());
}

TEST_CASE("curve: no number, one number, equal numbers") {
  for (const std::vector<double>& values :
       {std::vector<double>{}, {7}, {3, 3, 3}, {0}, {-2, -2}, {1e300, -1e300}, {1.7e308, -1.7e308, 1}}) {
    for (const bool logarithmic : {false, true}) {
      TrainingCurve curve({.logarithmic = logarithmic});
      curve.add("a", values);
      const std::string text = curve.svg();
      CHECK(text.ends_with("</svg>\n"));
      CHECK(count(text, "nan") == 0);
      CHECK(count(text, "\"inf") == 0);
    }
  }
  CHECK(TrainingCurve().svg().size() > 200);
}

TEST_CASE("curve: errors and files") {
  TrainingCurve curve;
  CHECK_THROWS_AS(curve.add("a", ones<float>({2, 2})), ShapeError);
  CHECK_THROWS_AS(curve.add("a", std::vector<double>{1}, {.every = 0}), ValueError);
  CHECK_THROWS_AS(TrainingCurve({.width = 10}), ValueError);
  CHECK_THROWS_AS(curve.save("/no/such/folder/curve.svg"), FileError);
  curve.add("a", ones<float>({3}));
  const std::filesystem::path path = std::filesystem::temp_directory_path() / "situ_test_curve.svg";
  curve.save(path);
  std::ifstream file(path);
  CHECK(std::string(std::istreambuf_iterator<char>(file), {}) == curve.svg());
  std::filesystem::remove(path);
}

}  // namespace
