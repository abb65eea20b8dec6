// SPDX-License-Identifier: Apache-2.0
// Text of arrays as NumPy writes it: one width and precision for all elements, rows under each other, summaries of
// large arrays. Works on what `tensor/print.hpp` collects. Functions are `cold`, hence compiled for size, which takes a
// tenth off the compile time of a program that prints. They are templates, so that a program that does not print does
// not compile what they use: 0.05 of the time of Eigen/Core. The rules are those of `numpy.core.arrayprint` (NumPy
// 1.24, floatmode "maxprec").
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <situ/core/print_options.hpp>
#include <situ/core/print_words.hpp>
#include <situ/core/shape.hpp>

namespace situ::internal::print_format {

/// Words of one width, right-aligned.
template <class Words>
[[nodiscard, gnu::cold]] Words aligned(Words words) {
  std::size_t width = 0;
  for (const auto& word : words) width = std::max(width, word.size());
  for (auto& word : words) word = padded(word, width);
  return words;
}

/// The positions shown along an axis, and whether a gap follows the first half of them.
template <class Positions>
struct AxisView {
  Positions positions;
  bool summarised;
};
template <class Positions = std::vector<std::int64_t>>
[[nodiscard, gnu::cold]] AxisView<Positions> axis_view(std::int64_t extent, bool summarise, std::int64_t edge_items) {
  AxisView<Positions> view{{}, summarise && 2 * edge_items < extent};
  for (std::int64_t i = 0; i < extent; ++i) {
    if (view.summarised && i == edge_items) i = extent - edge_items;
    if (i < extent) view.positions.push_back(i);
  }
  return view;
}

/// Lays out words as NumPy prints an array: rows under each other, lines broken at the width.
template <class Words>
class Picture {
 public:
  Picture(const Shape& shape, Words words, bool summarise, const PrintOptions& options, int indent, int suffix)
      : shape_(shape),
        words_(std::move(words)),
        summarise_(summarise),
        options_(options),
        width_(options.line_width - suffix),
        indent_(static_cast<std::size_t>(indent)) {}

  [[nodiscard]] std::string text() {
    next_ = 0;
    return draw(0, std::string(indent_, ' '), width_);
  }

 private:
  [[gnu::cold]] static void extend(std::string& text, std::string& line, const std::string& word, int width,
                                   const std::string& indent) {
    if (static_cast<int>(line.size() + word.size()) > width && line.size() > indent.size()) {
      line.erase(line.find_last_not_of(' ') + 1);
      text += line + "\n";
      line = indent;
    }
    line += word;
  }

  [[gnu::cold]] std::string draw(int axis, const std::string& indent, int width) {
    const int axes_left = shape_.rank() - axis;
    if (axes_left == 0) return words_[next_++];
    const auto view = axis_view(shape_[axis], summarise_, options_.edge_items);
    const std::size_t gap = view.summarised ? static_cast<std::size_t>(options_.edge_items) : view.positions.size();
    std::string text;
    std::string line = indent;
    for (std::size_t i = 0; i < view.positions.size() || (view.summarised && i == gap); ++i) {
      const bool last = i + 1 == view.positions.size();
      if (view.summarised && i == gap) {
        const bool gap_is_last = view.positions.size() == gap;
        if (axes_left == 1) {
          extend(text, line, "...", width - 1, indent);
          if (!gap_is_last) line += ", ";
        } else {
          text +=
              indent + "..." + (gap_is_last ? "" : "," + std::string(static_cast<std::size_t>(axes_left - 1), '\n'));
        }
        if (gap_is_last) break;
      }
      const std::string item = draw(axis + 1, indent + " ", width - 1);
      if (axes_left == 1) {
        extend(text, line, item, width - 1, indent);
        if (!last) line += ", ";
      } else {
        text += indent + item;
        if (!last) text += "," + std::string(static_cast<std::size_t>(axes_left - 1), '\n');
      }
    }
    if (axes_left == 1) text += line;
    return "[" + text.substr(std::min(indent.size(), text.size())) + "]";
  }

  const Shape& shape_;
  Words words_;
  bool summarise_;
  const PrintOptions& options_;
  int width_;
  std::size_t indent_;
  std::size_t next_ = 0;
};

/// The words of complex elements, `1.-2.j`, from those of the real parts and the unsigned imaginary parts, whose sign
/// is inserted before the first digit.
template <class Words>
[[nodiscard, gnu::cold]] Words complex_words(Words real, const Words& imaginary, const std::vector<bool>& negative) {
  for (std::size_t i = 0; i < real.size(); ++i) {
    std::string word = imaginary[i];
    word.insert(word.find_first_not_of(' '), negative[i] ? "-" : "+");
    word.insert(word.find_last_not_of(' ') + 1, "j");
    real[i] += word;
  }
  return real;
}

/// The whole text: `tensor([[1., 2.]], shape=(1, 2), dtype=float32, device='cpu')`.
template <class Words>
[[nodiscard, gnu::cold]] std::string describe(const Shape& shape, Words words, bool summarise,
                                              const PrintOptions& options, std::string_view dtype,
                                              const std::string& device) {
  const std::string body =
      shape.count() == 0 ? "[]" : Picture(shape, std::move(words), summarise, options, 8, 1).text();
  return "tensor(" + body + ", shape=" + shape.to_string() + ", dtype=" + std::string(dtype) + ", device='" + device +
         "')";
}

/// What `tensor/print.hpp` calls, through variables: compilers treat a function that always calls a `cold` one as
/// `cold` too, which would include a user's function that prints somewhere.
template <class Words, class Numbers = std::vector<Number>>
struct Format {
  decltype(&floating_words<Numbers>) floating = floating_words<Numbers>;
  decltype(&aligned<Words>) others = aligned<Words>;
  decltype(&describe<Words>) whole = describe<Words>;
};
template <class Words>
inline constinit Format<Words> format{};

}  // namespace situ::internal::print_format
