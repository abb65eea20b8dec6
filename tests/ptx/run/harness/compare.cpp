// SPDX-License-Identifier: Apache-2.0
#include "compare.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

namespace ptx::harness {
namespace {

[[nodiscard]] std::size_t stored_bytes(Stored stored) {
  switch (stored) {
    case Stored::bits16:
    case Stored::float16:
    case Stored::bfloat16:
      return 2;
    case Stored::bits32:
    case Stored::float32:
      return 4;
    case Stored::bits64:
    case Stored::float64:
      return 8;
    case Stored::bits128:
      return 16;
    default:
      return 1;
  }
}

[[nodiscard]] std::optional<Element> element_of(Stored stored) {
  switch (stored) {
    case Stored::float16:
      return Element::float16;
    case Stored::bfloat16:
      return Element::bfloat16;
    case Stored::float32:
      return Element::float32;
    case Stored::float64:
      return Element::float64;
    default:
      return std::nullopt;
  }
}

class Comparison {
 public:
  Comparison(Kernel& kernel, std::string_view where, std::span<const char> host, const Written& written,
             Complaints& complaints)
      : kernel_(kernel),
        where_(where),
        host_(host),
        ptx_(written.bytes),
        stored_(written.stored),
        complaints_(complaints) {}

  void run() {
    kernel_.compared_bytes += host_.size();
    constexpr std::size_t chunk = 4096;
    for (std::size_t at = 0; at < host_.size();) {
      const std::size_t bytes = std::min(chunk, host_.size() - at);
      if (std::memcmp(&host_[at], &ptx_[at], bytes) == 0) {
        at += bytes;
        continue;
      }
      const std::size_t end = at + bytes;
      while (at < end) at = host_[at] == ptx_[at] ? at + 1 : judge(at);
    }
  }

 private:
  /// Of a byte that differs; gives where to go on.
  [[nodiscard]] std::size_t judge(std::size_t at) {
    const Stored stored = stored_[at];
    if (stored == Stored::by_nobody || stored == Stored::undefined) return judge_hole(at);
    if (const auto element = element_of(stored))
      return judge_float(*element, start_of(at, type_of(*element).bytes), true);
    // Bits may be floats that a row allows for: those that the kernel's type names.
    const std::size_t bytes = stored_bytes(stored);
    for (const ElementType& type : element_types) {
      if (type.bytes > bytes || !kernel_.names.contains(type.in_types) || !has_row(type.element)) continue;
      const std::size_t first = start_of(at, type.bytes);
      if (within(first, type.bytes, type.element, false)) return judge_float(type.element, first, false);
    }
    return complain("another value", start_of(at, bytes), bytes, "");
  }

  [[nodiscard]] std::size_t judge_hole(std::size_t at) {
    const auto is_open = [&](std::size_t i) {
      return stored_[i] == Stored::by_nobody || stored_[i] == Stored::undefined;
    };
    std::size_t first = at, end = at;
    while (first > 0 && at - first < 8 && is_open(first - 1)) --first;
    while (end < host_.size() && end - first < 8 && is_open(end)) ++end;
    // A hole of a struct: fewer than eight bytes behind one that was stored, up to where a member or the next may
    // begin.
    if (allows(&Allowance::holes) && end - first < 8 && first > 0 && end % 2 == 0) {
      kernel_.hole_bytes += end - at;
      return end;
    }
    const bool undefined = stored_[at] == Stored::undefined;
    return complain(undefined ? "stored what is undefined" : "the host wrote what PTX did not", at, 1, "");
  }

  [[nodiscard]] std::size_t judge_float(Element element, std::size_t first, bool known) {
    const std::size_t bytes = type_of(element).bytes;
    if (first + bytes > host_.size()) return complain("another value", first, host_.size() - first, "");
    const Float host(element, &host_[first]), ptx(element, &ptx_[first]);
    if (within(first, bytes, element, known)) {
      note(element, host, ptx);
      return first + bytes;
    }
    char text[160];
    std::snprintf(text, sizeof text, "; %s: %.9g by the host, %.9g from PTX, %.4g ulp",
                  std::string(type_of(element).name).c_str(), host.value(), ptx.value(), ulps_between(host, ptx));
    return complain(host.is_nan() != ptx.is_nan()     ? "NaN and a number"
                    : host.is_zero() && ptx.is_zero() ? "another sign of zero"
                    : has_row(element)                ? "more than may differ"
                                                      : "another float, and no row allows it",
                    first, bytes, text);
  }

  /// Whether some row allows the difference. Of what is only taken for a float, small integers look like subnormal
  /// numbers and like NaN of other bits.
  [[nodiscard]] bool within(std::size_t first, std::size_t bytes, Element element, bool known) {
    if (first + bytes > host_.size()) return false;
    const Float host(element, &host_[first]), ptx(element, &ptx_[first]);
    if (!known && (host.is_subnormal() || ptx.is_subnormal())) return false;
    if (host.is_nan() && ptx.is_nan())
      return has_row(element) && (known || bytes == 1 || host.is_canonical_nan() || ptx.is_canonical_nan());
    if (host.is_nan() != ptx.is_nan()) return false;
    return std::ranges::any_of(kernel_.rows, [&](const Allowance* row) { return allows(*row, element, host, ptx); });
  }

  [[nodiscard]] bool allows(const Allowance& row, Element element, const Float& host, const Float& ptx) {
    if (!row.has(element)) return false;
    if (host.is_zero() && ptx.is_zero()) return row.zero_signs;
    if (ulps_between(host, ptx) <= row.ulps) return true;
    const double difference = std::abs(host.value() - ptx.value());
    if (difference <= row.absolute) return true;
    return row.of_largest > 0 && difference <= row.of_largest * largest(element);
  }

  void note(Element element, const Float& host, const Float& ptx) {
    if (host.is_nan()) {
      ++kernel_.nan_bits;
      return;
    }
    if (host.is_zero() && ptx.is_zero()) {
      ++kernel_.zero_signs;
      return;
    }
    const auto by =
        std::ranges::find_if(kernel_.rows, [&](const Allowance* row) { return allows(*row, element, host, ptx); });
    Largest& seen = kernel_.largest[*by][element];
    ++seen.count;
    if (const double ulps = ulps_between(host, ptx); ulps > seen.ulps) {
      seen.ulps = ulps;
      seen.host = host.value();
      seen.ptx = ptx.value();
    }
  }

  /// The largest magnitude that PTX stored as such an element.
  [[nodiscard]] double largest(Element element) {
    auto& found = largest_[element];
    if (found) return *found;
    double most = 0;
    const std::size_t bytes = type_of(element).bytes;
    for (std::size_t at = 0; at + bytes <= ptx_.size(); at += bytes) {
      const auto stored = element_of(stored_[at]);
      if (stored_[at] == Stored::by_nobody || stored_[at] == Stored::undefined || (stored && *stored != element))
        continue;
      const Float value(element, &ptx_[at]);
      if (value.is_finite()) most = std::max(most, std::abs(value.value()));
    }
    found = most;
    return most;
  }

  [[nodiscard]] bool has_row(Element element) const {
    return std::ranges::any_of(kernel_.rows, [&](const Allowance* row) { return row->has(element); });
  }
  [[nodiscard]] bool allows(bool Allowance::*what) const {
    return std::ranges::any_of(kernel_.rows, [&](const Allowance* row) { return row->*what; });
  }

  /// Where the element begins that a byte is of. Views begin where an element may, so that all lie at multiples of
  /// their size.
  [[nodiscard]] std::size_t start_of(std::size_t at, std::size_t bytes) const {
    const std::size_t first = at / bytes * bytes;
    return first + bytes <= host_.size() ? first : at;
  }

  std::size_t complain(std::string_view kind, std::size_t first, std::size_t bytes, const char* more) {
    bytes = std::max<std::size_t>(1, std::min(bytes, host_.size() - first));
    complaints_.add(kind, kernel_.type, 0, [&] {
      const auto hexadecimal = [&](const auto& from) {
        std::string text;
        for (std::size_t i = bytes; i-- > 0;) {
          char two[3];
          std::snprintf(two, sizeof two, "%02x", static_cast<unsigned>(static_cast<unsigned char>(from[first + i])));
          text += two;
        }
        return text;
      };
      return std::string(where_) + ", an allocation of " + std::to_string(host_.size()) + " bytes, at byte " +
             std::to_string(first) + ": " + hexadecimal(host_) + " by the host, " + hexadecimal(ptx_) + " from PTX" +
             more;
    });
    return first + bytes;
  }

  Kernel& kernel_;
  std::string_view where_;
  std::span<const char> host_;
  std::span<const char> ptx_;
  const std::vector<Stored>& stored_;
  Complaints& complaints_;
  std::map<Element, std::optional<double>> largest_;
};

}  // namespace

void compare(Kernel& kernel, std::string_view where, std::span<const char> host, const Written& written,
             Complaints& complaints) {
  Comparison(kernel, where, host, written, complaints).run();
}

}  // namespace ptx::harness
