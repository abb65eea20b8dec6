// SPDX-License-Identifier: Apache-2.0
// Graphs: a captured function gives what the function gives, for tensors that remain values, from any stream and
// thread; what cannot be captured is refused, and leaves everything as it was.
// labels: threads
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/graph.hpp>
#include <situ/situ.hpp>

namespace {

using situ::capture;
using situ::Cpu;
using situ::Cuda;
using situ::Element;
using situ::Pinned;
using situ::Shape;
using situ::Stream;
using situ::StreamScope;
using situ::Tensor;
using Gpu = Cuda<0>;
using Ints = Tensor<std::int64_t, Gpu>;

constexpr std::int64_t rows = 5;
constexpr std::int64_t columns = 7;

/// Different for each `k`. In place, so that each takes one block only.
Ints numbers(std::int64_t k, const Shape& shape = {rows, columns}) {
  Ints x = situ::reshape(situ::arange<std::int64_t>(0, shape.count(), 1, Gpu()), shape);
  x *= k % 5 + 1;
  x -= k;
  return x;
}

template <Element T, situ::Device D>
bool same(const Tensor<T, D>& a, const Tensor<T, D>& b) {
  if (a.shape() != b.shape()) return false;
  const Tensor<T, Cpu> x = a.template to<Cpu>();
  const Tensor<T, Cpu> y = b.template to<Cpu>();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    if (x.data()[i] != y.data()[i]) return false;
  }
  return true;
}

/// The message of the exception, which must be an `E`.
template <class E = situ::CaptureError, class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// Takes blocks of the pool and fills them, as work between two calls of a graph does.
void disturb() {
  std::vector<Ints> taken;
  for (std::int64_t k = 0; k < 6; ++k) taken.push_back(numbers(k * 1000));
}

/// Tensors that take most of the memory that is free, and have been computed; what else writes that memory shows.
class Bystanders {
 public:
  explicit Bystanders(const std::vector<std::int64_t>& sizes) {
    for (const std::int64_t count : sizes) {
      for (std::int64_t k = 0; k < 24; ++k) tensors_.push_back(numbers(k, {count}));
    }
    synchronize(Stream<Gpu>::current());
  }
  [[nodiscard]] bool intact() const {
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (!same(tensors_[i], numbers(static_cast<std::int64_t>(i % 24), tensors_[i].shape()))) return false;
    }
    return true;
  }

 private:
  std::vector<Ints> tensors_;
};

// A function with temporaries, views, a reduction with a grid of its own, a product and a sort; two results.
std::pair<Ints, Ints> layer(const Ints& x, const Ints& w) {
  Ints h = x * w + 1;
  h.at(0, situ::all) = h(1, situ::all) - h(2, situ::all);
  h += situ::sum(x, 1, situ::keepdims);
  Ints y = situ::matmul(h, situ::transpose(w));
  return {situ::sort(y), situ::sum(y * y)};
}

}  // namespace

TEST_CASE("graph: gives what the function gives, for arguments of any layout, and changes nothing else") {
  const Ints w = numbers(3);
  situ::Graph graph = capture<Gpu>([&](const auto& x) { return layer(x, w); }, numbers(0));
  CHECK(graph.nodes() > 5);
  CHECK(graph.memory() > 0);
  std::vector<std::pair<Ints, Ints>> results;
  for (std::int64_t k = 0; k < 4; ++k) {
    results.push_back(graph(numbers(k)));
    disturb();
  }
  for (std::int64_t k = 0; k < 4; ++k) {
    const auto [y, s] = layer(numbers(k), w);
    CHECK(same(results[static_cast<std::size_t>(k)].first, y));
    CHECK(same(results[static_cast<std::size_t>(k)].second, s));
  }
  const Ints wide = numbers(9, {columns, 2 * rows});
  const Ints strided = situ::transpose(wide)(situ::range(1, 2 * rows, 2), situ::all);
  CHECK(same(graph(strided).first, layer(strided, w).first));
  CHECK(same(graph(strided * 2 + 1).first, layer(situ::eval(strided * 2 + 1), w).first));  // an expression
  const std::string wrong = refusal<situ::ShapeError>([&] { static_cast<void>(graph(wide)); });
  CHECK(contains(wrong, "argument 0"));
  CHECK(contains(wrong, "(7, 10)"));
  CHECK(contains(wrong, "(5, 7)"));
}

TEST_CASE("graph: arguments and results are values, and what else it reads is constant") {
  Ints w = numbers(1);
  Ints x = numbers(2);
  auto graph = capture<Gpu>([&](const Ints& a) { return a + w; }, x);
  const Ints expected = x + w;
  const Ints y = graph(x);
  x += 100;  // in place, after the call
  Ints z = graph(x);
  z *= 0;
  CHECK(same(y, expected));
  CHECK(same(graph(x), situ::eval(expected + 100)));
  w *= 7;
  disturb();
  CHECK(same(graph(x), situ::eval(expected + 100)));
  w = Ints();
  disturb();
  auto copy = graph;
  CHECK(same(copy(x), situ::eval(expected + 100)));
  const auto moved = std::move(copy);
  CHECK(same(moved(x), situ::eval(expected + 100)));
  CHECK_THROWS_AS(static_cast<void>(copy(x)), situ::ValueError);  // NOLINT(bugprone-use-after-move)
}

TEST_CASE("graph: results may be expressions, arguments, constants, views, repeated, empty, in any container") {
  const Ints w = numbers(4);
  const Ints x = numbers(5);
  const auto f = [&](const Ints& a, const Ints& nothing) {
    const Ints h = a * 2;
    return std::tuple{a + 1, a, w, std::pair{situ::transpose(h), h}, std::vector{h, a}, std::array{nothing, nothing}};
  };
  const Ints none = numbers(0, {0, 3});
  auto graph = capture<Gpu>(f, x, none);
  const Ints z = numbers(6);
  const auto [sum, argument, constant, views, list, empties] = graph(z, none);
  CHECK(same(sum, situ::eval(z + 1)));
  CHECK(same(argument, z));
  CHECK(same(constant, w));
  CHECK(same(views.first, situ::eval(situ::transpose(z) * 2)));
  CHECK(same(views.second, situ::eval(z * 2)));
  CHECK(views.first.layout().is_row_major());
  REQUIRE(list.size() == 2);
  CHECK(same(list[0], views.second));
  CHECK(same(list[1], z));
  CHECK(empties[1].shape() == Shape{0, 3});
  auto without_arguments = capture<Cuda<1>>([] { return situ::full({3}, 2.5f, Cuda<1>()) * 2.f; });
  CHECK(same(without_arguments(), situ::full({3}, 5.f, Cuda<1>())));
}

TEST_CASE("graph: work that was pending on arguments and constants, in any stream, is waited for") {
  const std::array<Stream<Gpu>, 3> streams{Stream<Gpu>(), Stream<Gpu>(), Stream<Gpu>::compute()};
  std::optional<Ints> x, w;
  {
    const StreamScope scope(streams[0]);
    x = numbers(1);
    w = numbers(2);
  }
  auto graph = capture<Gpu>([&](const Ints& a) { return a * *w; }, *x);
  std::vector<Ints> results;
  for (std::int64_t k = 0; k < 12; ++k) {
    std::optional<Ints> argument;
    {
      const StreamScope scope(streams[static_cast<std::size_t>(k % 2)]);
      argument = numbers(k);
    }
    const StreamScope scope(streams[static_cast<std::size_t>(k % 3)]);
    results.push_back(graph(*argument));
    *argument += 1000;
    disturb();
  }
  for (std::int64_t k = 0; k < 12; ++k) CHECK(same(results[static_cast<std::size_t>(k)], situ::eval(numbers(k) * *w)));
}

TEST_CASE("graph: its memory is not used again before its last call is done") {
  situ::empty_cache<Gpu>();
  const Stream<Gpu> side;
  const Ints x = numbers(1);
  std::optional graph(capture<Gpu>([&](const Ints& a) { return layer(a, a).first; }, x));
  Ints y;
  {
    const StreamScope scope(side);
    y = (*graph)(x);
  }
  graph.reset();
  const Bystanders bystanders({8, 25, 35, 64, 128, 256});
  CHECK(same(y, layer(x, x).first));
  CHECK(bystanders.intact());
}

TEST_CASE("graph: a constant that only the graph had is not used again before its last call is done") {
  situ::empty_cache<Gpu>();
  const Stream<Gpu> side;
  const Ints x = numbers(1);
  std::optional<Ints> w(numbers(3, {100}));  // of a size that nothing else here has
  const Ints expected = x + situ::sum(*w);
  std::optional graph(capture<Gpu>([&](const Ints& a) { return a + situ::sum(*w); }, x));
  Ints y;
  {
    const StreamScope scope(side);
    y = (*graph)(x);
  }
  graph.reset();
  w.reset();
  const Bystanders bystanders({100});
  CHECK(same(y, expected));
}

TEST_CASE("graph: an argument that the first call of the function read in another stream is not written before") {
  situ::empty_cache<Gpu>();  // a reused block might be waited for
  const Stream<Gpu> side;
  const Ints x = numbers(1);
  std::optional<Ints> first;
  const auto graph = capture<Gpu>(
      [&](const Ints& a) {
        if (!first) {
          const StreamScope scope(side);
          first = a * 3;
        }
        return a + 1;
      },
      x);
  const Ints y = graph(numbers(2));
  CHECK(same(y, situ::eval(numbers(2) + 1)));
  CHECK(same(*first, situ::eval(x * 3)));
}

TEST_CASE("graph: what kernels compute with belongs to the graph") {
  situ::empty_cache<Gpu>();
  const Ints large = numbers(2, {100000});  // for scans in parts, and sums by many blocks, the last of which counts
  const auto f = [](const Ints& a) { return situ::cumsum(a)(situ::range(99000, 100000)) + situ::sum(a); };
  static_cast<void>(capture<Gpu>(f, large));
  const auto graph = capture<Gpu>(f, large);  // in the same stream as the last
  const Bystanders bystanders({64, 128, 256, 512, 2048});
  for (int call = 0; call < 2; ++call) CHECK(same(graph(large), situ::eval(f(large))));
  CHECK(bystanders.intact());
}

TEST_CASE("graph: called by several threads while others capture, allocate and wait") {
  const Ints w = numbers(2);
  const auto f = [&](const Ints& a) { return layer(a, w).first; };
  const auto graph = capture<Gpu>(f, numbers(0));
  std::vector<Ints> expected;
  for (std::int64_t k = 0; k < 8; ++k) expected.push_back(f(numbers(k)));
  std::vector<std::thread> threads;
  for (std::int64_t t = 0; t < 3; ++t) {
    threads.emplace_back([&, t] {
      std::optional<Stream<Gpu>> own;
      std::optional<StreamScope<Gpu>> scope;
      if (t > 0) scope.emplace(own.emplace());
      std::vector<std::pair<std::int64_t, Ints>> results;
      for (std::int64_t k = t; k < 8; ++k) {
        if (t == 2 && k % 3 == 0) {
          const auto mine = capture<Gpu>(f, numbers(k));
          results.emplace_back(k, mine(numbers(k)));
        }
        results.emplace_back(k, graph(numbers(k)));
        if (t == 1) situ::synchronize<Gpu>();
        if (t == 0) situ::empty_cache<Gpu>();
      }
      for (const auto& [k, result] : results) CHECK(same(result, expected[static_cast<std::size_t>(k)]));
    });
  }
  for (std::thread& thread : threads) thread.join();
}

namespace {

/// A random program on registers: as it is, or captured. It never writes what is not its own.
std::vector<Ints> run_program(std::uint64_t seed, const Ints& a, const Ints& b, const Ints& constant) {
  std::mt19937_64 random(seed);
  const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  std::vector<Ints> own{a + 0, b * 1};
  const auto any = [&]() -> Ints {
    const std::size_t at = pick(own.size() + 3);
    return at < own.size() ? own[at] : at == own.size() ? a : at == own.size() + 1 ? b : constant;
  };
  for (std::size_t step = 6 + pick(10); step > 0; --step) {
    const auto k = static_cast<std::int64_t>(random() % 9);
    Ints& to = own[pick(own.size())];
    switch (pick(8)) {
      case 0:
        to = any();
        break;  // shares
      case 1:
        to += any() * k;
        break;  // in place if it can
      case 2:
        to.at(k % rows, situ::all) = any()(1, situ::all);
        break;
      case 3:
        to = situ::sum(any(), 0, situ::keepdims) + any();
        break;
      case 4:
        own.push_back(any() - any());
        break;
      case 5:
        if (own.size() > 1) own.erase(own.begin() + static_cast<std::ptrdiff_t>(pick(own.size())));
        break;
      case 6:
        to = situ::flip(any(), 1);
        break;
      default:
        to = situ::cumsum(any(), 1) + k;
    }
  }
  return own;
}

}  // namespace

TEST_CASE("graph: random programs, captured, give what they give as they are") {
  const Stream<Gpu> side;
  std::mt19937_64 random(20260307);
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed ", seed);
    const Ints constant = numbers(static_cast<std::int64_t>(seed));
    const auto f = [&](const Ints& a, const Ints& b) { return run_program(seed, a, b, constant); };
    const auto graph = capture<Gpu>(f, numbers(1), numbers(2));
    std::vector<std::vector<Ints>> results;
    for (std::int64_t call = 0; call < 3; ++call) {
      std::optional<StreamScope<Gpu>> scope;
      if (random() % 2 == 0) scope.emplace(side);
      results.push_back(graph(numbers(call), numbers(call + 10)));
      if (random() % 2 == 0) disturb();
    }
    for (std::int64_t call = 0; call < 3; ++call) {
      const std::vector<Ints> expected = f(numbers(call), numbers(call + 10));
      const std::vector<Ints>& result = results[static_cast<std::size_t>(call)];
      REQUIRE(result.size() == expected.size());
      for (std::size_t i = 0; i < result.size(); ++i) REQUIRE(same(result[i], expected[i]));
    }
  }
}

TEST_CASE("graph: its memory is its own, counted, and given back") {
  situ::synchronize<Gpu>();
  situ::empty_cache<Gpu>();
  const std::size_t before = situ::memory_stats<Gpu>().in_use;
  {
    const Ints x = numbers(1);
    auto graph = capture<Gpu>([&](const Ints& a) { return layer(a, a).first; }, x);
    CHECK(situ::memory_stats<Gpu>().in_use >= before + graph.memory());
    const Ints y = graph(x);
    graph = capture<Gpu>([&](const Ints& a) { return layer(a, a).first; }, x);  // while the last call is pending
    disturb();
    CHECK(same(y, layer(x, x).first));
  }
  CHECK(situ::memory_stats<Gpu>().in_use == before);
}

TEST_CASE("graph: what cannot be captured is refused with the reason, and everything goes on") {
  const Ints x = numbers(1);
  Ints w = numbers(2);
  const Tensor<std::int64_t, Pinned> pinned = w.to<Pinned>();
  const Tensor<std::int64_t, Cpu> pageable = w.to<Cpu>();
  const Tensor<std::int64_t, Cuda<1>> elsewhere = w.to<Cuda<1>>();
  situ::StreamEvent<Gpu> event;
  event.record();
  const Stream<Gpu> side;
  int calls = 0;
  // Whatever a program does the first time, its second call is refused.
  const auto refused = [&](auto&& f, const char* what, const char* advice) {
    calls = 0;
    const std::string text = refusal([&] {
      static_cast<void>(capture<Gpu>(
          [&](const Ints& a) {
            ++calls;
            f(a);
            return a + 1;
          },
          x));
    });
    INFO(text);
    CHECK(contains(text, what));
    CHECK(contains(text, advice));
    CHECK(calls == 2);
    // the thread, the stream and the device are as before
    CHECK(same(capture<Gpu>([](const Ints& a) { return a * 3; }, x)(x), situ::eval(x * 3)));
  };
  refused([](const Ints& a) { static_cast<void>(a.to<Cpu>()); }, "a copy to the host", "return the tensor");
  refused([](const Ints& a) { static_cast<void>(a.to<Pinned>()); }, "a copy to the host", "return the tensor");
  refused([](const Ints& a) { situ::print(a(0, situ::all)); }, "print", "return the tensor");
  refused([&](const Ints&) { static_cast<void>(pageable.to<Gpu>()); }, "a copy from the host", "an input");
  refused([&](const Ints&) { static_cast<void>(pinned.to<Gpu>()); }, "a copy from the host", "an input");
  refused([&](const Ints&) { static_cast<void>(pinned.to_async<Gpu>()); }, "to_async", "before");
  refused([&](const Ints& a) { static_cast<void>(a.to_async<Pinned>()); }, "to_async", "after");
  refused([&](const Ints& a) { static_cast<void>(a.to<Cuda<1>>()); }, "another GPU", "one for each");
  refused([&](const Ints&) { static_cast<void>(elsewhere.to<Gpu>()); }, "another GPU", "one for each");
  refused([](const Ints&) { situ::synchronize<Gpu>(); }, "synchronize", "the graph returns");
  refused([](const Ints&) { situ::synchronize(Stream<Gpu>::current()); }, "synchronize", "the graph returns");
  refused([&](const Ints&) { static_cast<void>(side.idle()); }, "idle", "the graph returns");
  refused([&](const Ints&) { event.record(); }, "event", "before or after");
  refused([&](const Ints&) { event.synchronize(); }, "StreamEvent::synchronize", "the graph returns");
  refused([&](const Ints&) { static_cast<void>(event.over()); }, "StreamEvent::over", "the graph returns");
  refused([&](const Ints&) { side.wait(event); }, "event", "calls the graph");
  refused([&](const Ints&) { const StreamScope scope(side); }, "another stream", "one stream");
  refused([](const Ints&) { static_cast<void>(situ::rand<float>({3}, Gpu())); }, "random", "an input");
  refused([](const Ints&) { static_cast<void>(situ::exponential({3}, Gpu())); }, "random", "an input");
  refused([](const Ints&) { static_cast<void>(situ::poisson(3, {3}, Gpu())); }, "random", "an input");
}

TEST_CASE("graph: tensors from outside are read only, and named when they are written") {
  const Ints x = numbers(1);
  Ints w = numbers(2);
  const auto in_place = [&] {
    return capture<Gpu>(
        [&](const Ints& a) {
          w -= a;
          return a + 0;
        },
        x);
  };
  std::string text = refusal([&] { static_cast<void>(in_place()); });
  CHECK(contains(text, "writes the int64 tensor of shape (5, 7) on cuda:0"));
  CHECK(contains(text, "return the new value"));
  CHECK(same(w, numbers(2)));
  text = refusal([&] {
    static_cast<void>(capture<Gpu>(
        [&](const Ints& a) {
          w.at(0, situ::all) = a(0, situ::all);
          return a + 0;
        },
        x));
  });
  CHECK(contains(text, "writes the int64 tensor"));
  CHECK(same(w, numbers(2)));
  // read by the second call only
  int calls = 0;
  text = refusal([&] {
    const auto f = [&](const Ints& a) { return ++calls == 1 ? situ::eval(a * 1) : situ::eval(a * w); };
    static_cast<void>(capture<Gpu>(f, x));
  });
  CHECK(contains(text, "reads the int64 tensor of shape (5, 7) on cuda:0"));
  CHECK(contains(text, "make the tensor an input"));
  // made by the first call, for all later ones
  std::optional<Ints> table;
  const auto graph = capture<Gpu>(
      [&](const Ints& a) {
        if (!table) table = numbers(8);
        return a + *table;
      },
      x);
  CHECK(same(graph(x), situ::eval(x + numbers(8))));
}

TEST_CASE("graph: a tensor of its own that the function keeps is refused, and has no value") {
  const Ints x = numbers(1);
  std::optional<Ints> kept;
  const auto capture_keeping = [&](bool argument) {
    return refusal([&] {
      static_cast<void>(capture<Gpu>(
          [&](const Ints& a) {
            Ints h = a * 2;
            kept = argument ? a : h;
            return h + 1;
          },
          x));
    });
  };
  CHECK(contains(capture_keeping(true), "keeps a tensor of 280 bytes"));
  CHECK(same(*kept, x));  // a copy that nobody writes any more
  CHECK(contains(capture_keeping(false), "let the function return it"));
  const auto has_no_value = [&](auto&& use) { CHECK(contains(refusal(use), "has no value")); };
  has_no_value([&] { static_cast<void>(kept->to<Cpu>()); });
  has_no_value([&] { static_cast<void>(situ::eval(*kept + 1)); });
  has_no_value([&] { *kept += 1; });
  has_no_value([&] { static_cast<void>(kept->to_async<Pinned>()); });
  has_no_value([&] { static_cast<void>(capture<Gpu>([&](const Ints& a) { return a + *kept; }, x)); });
  kept = numbers(5);
  CHECK(same(*kept, numbers(5)));
}

TEST_CASE("graph: what it carries changes from call to call, and only there") {
  const Ints start = numbers(3);
  Ints x = numbers(1);
  const auto f = [](auto& total, const auto& a) {
    const Ints before = total;  // shares the place until the next line
    total += a;
    return std::pair{before, total * 2};
  };
  auto graph = capture<Gpu>(f, situ::carry(start), x);
  CHECK(same(graph.carried(), start));  // to capture calls the function, and carries nothing on
  const Stream<Gpu> side;
  Ints total = start + 0;
  std::vector<Ints> snapshots;
  for (std::int64_t k = 0; k < 4; ++k) {
    std::optional<StreamScope<Gpu>> scope;
    if (k % 2 == 1) scope.emplace(side);
    const auto [before, twice] = graph(numbers(k));
    snapshots.push_back(graph.carried());
    disturb();
    CHECK(same(before, total));
    total += numbers(k);
    CHECK(same(twice, situ::eval(total * 2)));
  }
  for (std::int64_t k = 3; k >= 0; --k) {
    CHECK(same(snapshots[static_cast<std::size_t>(k)], total));
    total -= numbers(k);
  }
  snapshots[3] *= 0;
  CHECK(same(graph.carried(), situ::eval(start + numbers(0) + numbers(1) + numbers(2) + numbers(3))));
  CHECK(same(start, numbers(3)));
  auto fresh = capture<Gpu>(f, situ::carry(graph.carried()), x);  // goes on from there
  CHECK(same(fresh(x).first, graph.carried()));
}

namespace {

/// Carries several tensors, and does with them what a graph must bring back to their places.
struct Registers {
  std::vector<Ints> all;

  struct Visit {
    static void each(const Registers& registers, auto&& f) {
      for (const Ints& each : registers.all) f(each);
    }
    static void change(Registers& registers, auto&& f) {
      for (Ints& each : registers.all) each = f(std::as_const(each));
    }
  };
};

void run_step(Registers& registers, const Ints& a, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Ints>& own = registers.all;
  for (int step = 0; step < 8; ++step) {
    Ints& x = own[random() % own.size()];
    Ints& y = own[random() % own.size()];
    switch (random() % 8) {
      case 0:
        std::swap(x, y);
        break;
      case 1:
        x = situ::transpose(y);  // a view of another's place
        break;
      case 2:
        x = y;
        break;
      case 3:
        x = a;
        break;
      case 4:
        x -= 3 * y;
        break;
      case 5:
        x = situ::flip(x, 0) + a;
        break;
      case 6:
        x.at(0, situ::all) = y(1, situ::all);
        break;
      default:
        x = situ::transpose(x);  // of its own
    }
  }
}

}  // namespace

TEST_CASE("graph: random steps on what it carries, captured, give what they give as they are") {
  const Shape square{4, 4};
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed ", seed);
    Registers registers{{numbers(1, square), numbers(2, square), numbers(3, square)}};
    const situ::internal::Carried<Registers, Registers::Visit> carried{registers};
    auto graph = capture<Gpu>(
        [&](Registers& own, const Ints& a) {
          run_step(own, a, seed);
          return own.all[0] + own.all[1];
        },
        carried, numbers(0, square));
    for (std::int64_t call = 0; call < 3; ++call) {
      const Ints y = graph(numbers(call, square));
      if (seed % 2 == 0) disturb();
      run_step(registers, numbers(call, square), seed);
      REQUIRE(same(y, situ::eval(registers.all[0] + registers.all[1])));
    }
    const Registers after = graph.carried();
    for (std::size_t i = 0; i < after.all.size(); ++i) REQUIRE(same(after.all[i], registers.all[i]));
  }
}

TEST_CASE("graph: what is carried keeps its shapes, and is not kept outside") {
  const Ints x = numbers(1);
  const auto refused = [&](auto&& change) {
    return refusal([&] {
      static_cast<void>(capture<Gpu>(
          [&](Ints& own, const Ints& a) {
            change(own);
            return a + 1;
          },
          situ::carry(numbers(2)), x));
    });
  };
  CHECK(contains(refused([](Ints& own) { own = situ::eval(own(0, situ::all)); }), "the shape of one"));
  std::optional<Ints> kept;
  CHECK(contains(refused([&](Ints& own) { kept = own; }), "keeps a tensor of 280 bytes"));
  CHECK(same(capture<Gpu>([](const Ints& a) { return a * 3; }, x)(x), situ::eval(x * 3)));
}

TEST_CASE("graph: no graph in a graph; exceptions of the function pass") {
  const Ints x = numbers(1);
  const auto inner = capture<Gpu>([](const Ints& a) { return a + 1; }, x);
  CHECK(contains(refusal([&] { static_cast<void>(capture<Gpu>([&](const Ints& a) { return inner(a); }, x)); }),
                 "a graph holds no other graph"));
  const auto capturing = [](const Ints& a) { return capture<Gpu>([](const Ints& b) { return b + 1; }, a)(a); };
  CHECK(contains(refusal([&] { static_cast<void>(capture<Gpu>(capturing, x)); }), "a graph holds no other graph"));
  for (int failing = 1; failing <= 2; ++failing) {
    int calls = 0;
    const auto f = [&](const Ints& a) {
      const Ints h = a * 2;
      if (++calls == failing) throw std::string("mine");
      return h + 1;
    };
    CHECK_THROWS_AS(static_cast<void>(capture<Gpu>(f, x)), std::string);
    CHECK(same(inner(x), situ::eval(x + 1)));
  }
}

TEST_CASE("graph: the function may compute on the host, with memory that is being copied") {
  const Ints x = numbers(1);
  std::vector<Tensor<std::int64_t, Pinned>> pinned;
  std::vector<Ints> copies;
  for (int i = 0; i < 4; ++i) {
    pinned.push_back(x.to<Pinned>());
    copies.push_back(pinned.back().to<Gpu>());
  }
  std::size_t calls = 0;
  const auto graph = capture<Gpu>(
      [&](const Ints& a) {
        pinned[calls].at(0, 0) = 77;                         // asks whether copies of it are over
        pinned[calls + 2] = decltype(pinned)::value_type();  // frees it, then takes memory
        ++calls;
        const std::int64_t count = calls == 2 ? 1 << 20 : 8;
        return a + situ::sum(situ::ones<std::int64_t>({count}, Pinned())).item();
      },
      x);
  CHECK(same(graph(x), situ::eval(x + (1 << 20))));
  for (const Ints& copy : copies) CHECK(same(copy, x));
}

TEST_CASE("graph: when memory runs out nothing is changed, neither by a capture nor by a call") {
  const Ints x = numbers(1);
  const Ints w = numbers(2);
  const auto f = [&](const Ints& a) { return layer(a, w); };
  std::optional<situ::Graph<Gpu, std::pair<Ints, Ints>(Ints)>> graph;
  int failures = 0;
  for (std::int64_t n = 0; !graph; ++n) {
    const auto failure = situ::internal::memory::fail_allocation_after<Gpu>(n);
    try {
      graph = capture<Gpu>(f, x);
    } catch (const situ::OutOfMemory&) {
      ++failures;
    }
    REQUIRE(n < 100);
  }
  CHECK(failures > 8);
  const Ints start = numbers(3);
  std::optional<std::pair<Ints, Ints>> done;
  for (std::int64_t n = 0; !done; ++n) {
    const auto failure = situ::internal::memory::fail_allocation_after<Gpu>(n);
    try {
      auto carrying = capture<Gpu>([](Ints& own, const Ints& a) { return own = own * 2 + a; }, situ::carry(start), x);
      Ints y = carrying(x);
      done.emplace(y, carrying.carried());
    } catch (const situ::OutOfMemory&) {
      ++failures;
    }
    REQUIRE(n < 100);
  }
  CHECK(failures > 14);
  CHECK(same(done->first, situ::eval(numbers(3) * 2 + x)));
  CHECK(same(done->first, done->second));
  CHECK(same(start, numbers(3)));
  for (std::int64_t n = 0; n < 2; ++n) {
    const auto failure = situ::internal::memory::fail_allocation_after<Gpu>(n);
    CHECK_THROWS_AS(static_cast<void>((*graph)(x)), situ::OutOfMemory);
  }
  CHECK(same((*graph)(x).first, f(x).first));
}

TEST_CASE("graph: an index that a kernel of the graph finds bad is reported at the next wait, for each call") {
  const Ints table = numbers(1, {10});
  const Ints good = numbers(0, {4});
  const auto graph = capture<Gpu>([&](const Ints& i) { return situ::take(table, i, 0); }, good);
  CHECK(same(graph(good), situ::take(table, good, 0)));
  for (int repeat = 0; repeat < 2; ++repeat) {
    const Ints y = graph(good + 20);
    CHECK_THROWS_AS(static_cast<void>(y.to<Cpu>()), situ::IndexError);
  }
  CHECK(same(graph(good), situ::take(table, good, 0)));
}

#if defined(SITU_CUDA_EMULATED)
TEST_CASE("graph: calls of CUDA that fail leave no capture behind") {
  namespace emulated = situ::internal::cuda::emulated;
  const Ints x = numbers(1);
  const auto f = [](const Ints& a) { return a * 2 + situ::sum(a); };
  for (const emulated::Call kind : {emulated::Call::graph, emulated::Call::launch}) {
    bool done = false;
    for (std::int64_t n = 0; !done; ++n) {
      emulated::fail_after(kind, n, situ::internal::cuda::api::invalid_value);
      try {
        const Ints y = capture<Gpu>(f, x)(x);
        emulated::fail_after(kind, -1);
        CHECK(same(y, situ::eval(f(x))));
        done = true;
        CHECK(n >= 3);
      } catch (const situ::CudaError&) {
      }
      REQUIRE(n < 100);
    }
  }
}
#endif
