// SPDX-License-Identifier: Apache-2.0
// `TrainingCurve`: a plot of losses over steps, an SVG file of a few kilobytes. Outside situ.hpp.
#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <situ/core/error.hpp>
#include <situ/core/shape.hpp>
#include <situ/device/cpu.hpp>
#include <situ/io/output_file.hpp>
#include <situ/tensor/tensor.hpp>
#include <situ/train/ticks.hpp>

namespace situ {

/// How a `TrainingCurve` looks: `{.title = "Digits", .y_label = "loss", .logarithmic = true}`.
struct TrainingCurveOptions {
  std::string title = {};
  std::string x_label = "step";
  std::string y_label = "loss";
  /// Whether the vertical axis is logarithmic. Values that are not positive are then left out.
  bool logarithmic = false;
  /// In pixels.
  int width = 640;
  int height = 400;
};

/// A plot of one or more sequences of numbers. A sequence too long for the width is drawn as its mean, with a band from
/// the smallest to the largest value behind it, so that the file stays small and no spike is lost.
///
///     TrainingCurve curve({.title = "Digits", .logarithmic = true});
///     curve.add("training", log.flush());                        // Tensor<float, Cpu> of shape (n,), at steps 1 to n
///     curve.add("held out", held_out_losses, {.every = 14});     // at steps 14, 28, ...
///     curve.save("digits.svg");
///
/// NaN and infinities leave gaps, as do numbers beyond 1e300.
class TrainingCurve {
 public:
  /// The steps of a sequence: number i, from 0, is at `every` * (i + 1).
  struct Steps {
    std::int64_t every = 1;
  };

  /// Throws `ValueError` for a picture smaller than 200 by 120 pixels.
  explicit TrainingCurve(TrainingCurveOptions options = {}) : options_(std::move(options)) {
    if (options_.width < 200 || options_.height < 120) {
      throw ValueError("TrainingCurve: a picture of " + std::to_string(options_.width) + " by " +
                       std::to_string(options_.height) + " pixels; the minimum is 200 by 120");
    }
  }

  /// Adds a sequence, with its own color and its name in the legend. Throws `ShapeError` unless it has one axis,
  /// `ValueError` for steps that are not positive.
  template <class T>
    requires(std::is_arithmetic_v<T>)
  void add(std::string name, const Tensor<T, Cpu>& values, Steps steps = {1}) {
    if (values.rank() != 1) {
      throw ShapeError("TrainingCurve::add: numbers of shape " + values.shape().to_string() + "; one axis is needed");
    }
    std::vector<double> numbers;
    numbers.reserve(static_cast<std::size_t>(values.size()));
    for (std::int64_t i = 0; i < values.size(); ++i) numbers.push_back(static_cast<double>(values(i)));
    add(std::move(name), std::move(numbers), steps);
  }
  /// The same for numbers on the host, of any type.
  template <class T>
    requires(std::is_arithmetic_v<T> && !std::same_as<T, double>)
  void add(std::string name, const std::vector<T>& values, Steps steps = {1}) {
    add(std::move(name), std::vector<double>(values.begin(), values.end()), steps);
  }
  void add(std::string name, std::vector<double> values, Steps steps = {1}) {
    if (steps.every < 1)
      throw ValueError("TrainingCurve::add: every " + std::to_string(steps.every) + " steps; the minimum is 1");
    lines_.push_back({std::move(name), std::move(values), steps.every});
  }

  /// The picture as text.
  [[nodiscard]] std::string svg() const {
    Frame frame = measured();
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + std::to_string(options_.width) +
                      "\" height=\"" + std::to_string(options_.height) + "\" viewBox=\"0 0 " +
                      std::to_string(options_.width) + " " + std::to_string(options_.height) +
                      "\" font-family=\"sans-serif\" font-size=\"12\">\n" +
                      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
    out += label((frame.left + frame.right) / 2, 20, "middle", options_.title, " font-size=\"15\"");
    draw_axes(out, frame);
    for (std::size_t i = 0; i < lines_.size(); ++i) draw_line(out, frame, lines_[i], colours[i % std::size(colours)]);
    draw_legend(out, frame);
    return out + "</svg>\n";
  }

  /// Writes the picture; replaces a file of that name in one step. Throws `FileError`.
  void save(const std::filesystem::path& path) const {
    const std::string text = svg();
    internal::io::OutputFile file(path);
    file.write(std::as_bytes(std::span(text)));
    file.finish();
  }

 private:
  struct Line {
    std::string name;
    std::vector<double> values;
    std::int64_t every;
  };

  static constexpr const char* colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf"};
  static constexpr std::size_t most_points = 300;  // of one line

  /// The rectangle of the axes in pixels, and the numbers at its edges: logarithms on a logarithmic axis.
  struct Frame {
    double left = 64, right = 0, top = 34, bottom = 0;
    double x_most = 1, y_low = 0, y_high = 1;

    [[nodiscard]] double x(double step) const { return left + (right - left) * step / x_most; }
    [[nodiscard]] double y(double height) const {
      return bottom - (bottom - top) * (height - y_low) / (y_high - y_low);
    }
  };

  /// The height of a value: itself, its logarithm, or NaN for a gap.
  [[nodiscard]] double height_of(double value) const {
    constexpr double largest = 1e300;  // so that differences do not overflow
    if (!(std::abs(value) <= largest) || (options_.logarithmic && value <= 0))
      return std::numeric_limits<double>::quiet_NaN();
    return options_.logarithmic ? std::log10(value) : value;
  }

  [[nodiscard]] Frame measured() const {
    Frame frame;
    frame.right = options_.width - 18;
    frame.bottom = options_.height - 46;
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const Line& line : lines_) {
      frame.x_most = std::max(frame.x_most, static_cast<double>(line.values.size()) * static_cast<double>(line.every));
      for (const double value : line.values) {
        const double height = height_of(value);
        if (std::isnan(height)) continue;
        low = std::min(low, height);
        high = std::max(high, height);
      }
    }
    if (low > high) return frame;
    if (!options_.logarithmic && low > 0 && low < 0.5 * high) low = 0;  // show a loss relative to 0
    const double margin = high > low ? 0.04 * (high - low) : std::max(0.5 * std::abs(high), 0.1);
    frame.y_low = low == 0 && !options_.logarithmic ? 0 : low - margin;
    frame.y_high = high + margin;
    return frame;
  }

  /// Pixels to a tenth, which is all that the eye sees; numbers of an axis to six digits. Never with a decimal comma.
  static std::string pixels(double value) { return text_of(value, std::chars_format::fixed, 1); }
  static std::string number(double value) { return text_of(value, std::chars_format::general, 6); }
  static std::string text_of(double value, std::chars_format format, int precision) {
    char text[512];  // the largest double has 309 digits before the point
    const auto result = std::to_chars(text, text + sizeof text, value, format, precision);
    return {text, result.ptr};
  }

  static std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
      if (c == '&') out += "&amp;";
      else if (c == '<') out += "&lt;";
      else if (c == '>') out += "&gt;";
      else if (static_cast<unsigned char>(c) >= 0x20) out += c;  // XML has no control characters
    }
    return out;
  }

  static std::string label(double x, double y, const char* anchor, std::string_view text, const char* more = "") {
    if (text.empty()) return "";
    return "<text x=\"" + pixels(x) + "\" y=\"" + pixels(y) + "\" text-anchor=\"" + anchor + "\"" + more + ">" +
           escaped(text) + "</text>\n";
  }

  void draw_axes(std::string& out, const Frame& frame) const {
    const auto line = [&](double x0, double y0, double x1, double y1, const char* colour) {
      out += "<line x1=\"" + pixels(x0) + "\" y1=\"" + pixels(y0) + "\" x2=\"" + pixels(x1) + "\" y2=\"" + pixels(y1) +
             "\" stroke=\"" + colour + "\"/>\n";
    };
    for (const double step : internal::train::ticks(0, frame.x_most, options_.width / 90)) {
      if (step != std::floor(step)) continue;  // steps are integers
      line(frame.x(step), frame.bottom, frame.x(step), frame.bottom + 4, "#444");
      out += label(frame.x(step), frame.bottom + 17, "middle", number(step));
    }
    const std::vector<double> heights = options_.logarithmic
                                            ? internal::train::logarithmic_ticks(frame.y_low, frame.y_high)
                                            : internal::train::ticks(frame.y_low, frame.y_high, options_.height / 60);
    for (const double height : heights) {
      line(frame.left, frame.y(height), frame.right, frame.y(height), "#e4e4e4");
      out += label(frame.left - 6, frame.y(height) + 4, "end",
                   number(options_.logarithmic ? std::pow(10.0, height) : height));
    }
    line(frame.left, frame.bottom, frame.right, frame.bottom, "#444");
    line(frame.left, frame.top, frame.left, frame.bottom, "#444");
    out += label((frame.left + frame.right) / 2, frame.bottom + 36, "middle", options_.x_label);
    const std::string middle = pixels((frame.top + frame.bottom) / 2);
    out += label(0, 0, "middle", options_.y_label, (" transform=\"translate(16 " + middle + ") rotate(-90)\"").c_str());
  }

  void draw_line(std::string& out, const Frame& frame, const Line& line, const char* colour) const {
    // Groups of neighbors that share a point of the plot; a group without a number ends a segment of the line.
    const std::size_t size = line.values.size();
    const std::size_t groups = std::min(size, most_points);
    std::string upper, lower, path;
    std::size_t length = 0;
    double last_x = 0, last_y = 0;
    const auto end_piece = [&] {
      if (length == 1) {
        out +=
            "<circle cx=\"" + pixels(last_x) + "\" cy=\"" + pixels(last_y) + "\" r=\"2\" fill=\"" + colour + "\"/>\n";
      } else if (length > 1) {
        if (groups < size) {
          out += "<polygon points=\"" + upper + lower + "\" fill=\"" + colour + "\" fill-opacity=\"0.18\"/>\n";
        }
        out += "<polyline points=\"" + path + "\" fill=\"none\" stroke=\"" + colour + "\" stroke-width=\"1.5\"/>\n";
      }
      upper.clear(), lower.clear(), path.clear();
      length = 0;
    };
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t begin = group * size / groups, end = (group + 1) * size / groups;
      double mean = 0, count = 0, least = 0, most = 0;
      for (std::size_t i = begin; i < end; ++i) {
        const double height = height_of(line.values[i]);
        if (std::isnan(height)) continue;
        least = count == 0 ? height : std::min(least, height);
        most = count == 0 ? height : std::max(most, height);
        ++count;
        mean += (line.values[i] - mean) / count;
      }
      if (count == 0) {
        end_piece();
        continue;
      }
      last_x = frame.x(static_cast<double>(line.every) * (static_cast<double>(begin + end + 1) / 2));
      last_y = frame.y(height_of(mean));
      path += pixels(last_x) + "," + pixels(last_y) + " ";
      upper += pixels(last_x) + "," + pixels(frame.y(most)) + " ";
      lower = pixels(last_x) + "," + pixels(frame.y(least)) + " " + lower;  // on the way back
      ++length;
    }
    end_piece();
  }

  void draw_legend(std::string& out, const Frame& frame) const {
    double y = frame.top + 14;
    for (std::size_t i = 0; i < lines_.size(); ++i, y += 17) {
      out += "<rect x=\"" + pixels(frame.right - 20) + "\" y=\"" + pixels(y - 7) +
             "\" width=\"16\" height=\"3\" fill=\"" + colours[i % std::size(colours)] + "\"/>\n";
      out += label(frame.right - 26, y, "end", lines_[i].name);
    }
  }

  TrainingCurveOptions options_;
  std::vector<Line> lines_;
};

}  // namespace situ
