// SPDX-License-Identifier: Apache-2.0
// Rows: what a small operation costs the host, and transfers.
#include "rows.hpp"

#include <situ/cuda/runtime/launch.hpp>
#include <situ/graph.hpp>

namespace rows {

namespace {

/// A kernel that does next to nothing: what a launch through situ's own function costs.
struct Nothing {
  static constexpr int threads = 32;
  static constexpr const char* name = "nothing";
  std::int64_t unused[4] = {};
  SITU_DEVICE void operator()() const {}
};

/// Ten times a sum and what uses it.
struct Chain {
  Tensor<float> operator()(const Tensor<float>& x) const {
    Tensor<float> h = x;
    for (int i = 0; i < 10; ++i) h = h * 0.5f + situ::sum(h);
    return h;
  }
};

void add() {
  const std::int64_t n = 1024;
  const auto add_host = [](const char* name, std::function<std::function<void()>()> make) {
    all_rows().push_back({name, Clock::host, 0, 0, [make = std::move(make)] {
                            Peers peers{{"situ", make()}};
                            peers["situ's launch"] = [] {
                              situ::internal::cuda::launch(Gpu::queue(), situ::internal::cuda::Grid{1}, Nothing{});
                            };
                            if (auto bare = bare_launch()) peers["bare launch"] = std::move(bare);
                            return peers;
                          }});
  };
  add_host("a small operation, new tensor, host", [n] {
    return [a = situ::rand<float>({n}, gpu<0>), b = situ::rand<float>({n}, gpu<0>)] { const Tensor<float> z = a + b; };
  });
  add_host("a small operation, existing tensor, host", [n] {
    return [a = situ::rand<float>({n}, gpu<0>), b = situ::rand<float>({n}, gpu<0>),
            z = situ::zeros<float>({n}, gpu<0>)]() mutable { z = a + b; };
  });
  add_host("10 fusable small operations, host", [n] {
    return [a = situ::rand<float>({n}, gpu<0>), b = situ::rand<float>({n}, gpu<0>)] {
      const Tensor<float> z = relu((((a * b + a) * 0.5f - b) * a + 1) * b - a);
    };
  });
  add_host("20 small operations that do not fuse, host",
           [n] { return [step = Chain(), a = situ::rand<float>({n}, gpu<0>)] { const Tensor<float> z = step(a); }; });
  add_host("the same as a graph, host", [n] {
    const Tensor<float> a = situ::rand<float>({n}, gpu<0>);
    return [step = situ::capture<Gpu>(Chain(), a), a] { const Tensor<float> z = step(a); };
  });
  add_host("sum of a small tensor, host",
           [n] { return [a = situ::rand<float>({n}, gpu<0>)] { const Tensor<float> z = situ::sum(a); }; });

  const std::int64_t floats = size(std::int64_t{1} << 28, 1 << 16);
  const double bytes = 4.0 * static_cast<double>(floats);
  all_rows().push_back({"pinned to GPU", Clock::wall, bytes, 0, [floats] {
                          const auto from = situ::ones<float>({floats}, situ::pinned);
                          const Tensor<float> into = situ::zeros<float>({floats}, gpu<0>);
                          const std::size_t count = static_cast<std::size_t>(floats) * sizeof(float);
                          return Peers{{"situ", [from] { const Tensor<float> there = from.to(gpu<0>); }},
                                       {"bare copy", [from, into, count] {
                                          check(situ::internal::cuda::api::copy_to_device(into.storage().data(),
                                                                                          from.data(), count, stream()),
                                                "copy_to_device");
                                        }}};
                        }});
  all_rows().push_back({"GPU to pinned", Clock::wall, bytes, 0, [floats] {
                          const Tensor<float> from = situ::ones<float>({floats}, gpu<0>);
                          return Peers{{"situ", [from] { const auto here = from.to(situ::pinned); }}};
                        }});
  all_rows().push_back({"pageable to GPU", Clock::wall, bytes, 0, [floats] {
                          const auto from = situ::ones<float>({floats});
                          return Peers{{"situ", [from] { const Tensor<float> there = from.to(gpu<0>); }}};
                        }});
  all_rows().push_back({"GPU to pageable", Clock::wall, bytes, 0, [floats] {
                          const Tensor<float> from = situ::ones<float>({floats}, gpu<0>);
                          return Peers{{"situ", [from] { const auto here = from.to(situ::cpu); }}};
                        }});
}

const Registered registered{&add};

}  // namespace

}  // namespace rows
