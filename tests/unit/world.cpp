// SPDX-License-Identifier: Apache-2.0
// labels: threads
// Ranks without MPI: the world of one, and threads as the ranks of a job. tests/world has the same by MPI.
#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <situ/ledger.hpp>
#include <situ/parallel.hpp>
#include <situ/spread_io.hpp>
#include <situ/world.hpp>

#include "../comes_true.hpp"
#include "../world/suite.hpp"
#include "../world/thread_job.hpp"

namespace {

using situ::CallSite;
using situ::Cpu;
using situ::Group;
using situ::Rank;
using situ::World;
using situ::internal::io::before_file_step;
using situ::internal::io::FileStep;
using State = std::shared_ptr<situ::internal::world::GroupState>;

/// What a collective does that only passes on, and whose reverse tells that the walk has come to it.
struct Passed {
  static inline thread_local std::atomic<bool>* told = nullptr;

  template <class Mesh, class Parts>
  static Parts forward(const Mesh&, const Parts& parts, const situ::Shape&) {
    return parts;
  }
  template <class Mesh, class Parts>
  static Parts reverse(const Mesh&, const Parts& gradients, const situ::Shape&) {
    if (told != nullptr) *told = true;
    return gradients;
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Group<Cpu> of(const State& state) { return Group<Cpu>(state); }

}  // namespace

TEST_CASE("a launcher that started several processes of a program without MPI is an error") {
  using situ::internal::world::OneRank;
  CHECK_NOTHROW(OneRank::require_alone());
  setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
  CHECK_THROWS_WITH_AS(OneRank::require_alone(), doctest::Contains("a launcher started 4 processes (OMPI_COMM_WORLD_SIZE)"),
                       situ::CollectiveError);
  setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  CHECK_NOTHROW(OneRank::require_alone());
  unsetenv("OMPI_COMM_WORLD_SIZE");
  setenv("PMI_SIZE", "2", 1);
  CHECK_THROWS_AS(OneRank::require_alone(), situ::CollectiveError);
  unsetenv("PMI_SIZE");
}

TEST_CASE("a deadline that is none is an error") {
  using situ::internal::world::deadline_of_environment;
  CHECK(deadline_of_environment() == 600);
  setenv("SITU_COLLECTIVE_TIMEOUT", "2.5", 1);
  CHECK(deadline_of_environment() == 2.5);
  for (const char* const wrong : {"0", "-1", "ten", "5s"}) {
    setenv("SITU_COLLECTIVE_TIMEOUT", wrong, 1);
    CHECK_THROWS_AS(static_cast<void>(deadline_of_environment()), situ::ValueError);
  }
  unsetenv("SITU_COLLECTIVE_TIMEOUT");
}

TEST_CASE("a world of one") {
  std::optional<Group<Cpu>> kept;
  {
    World first;
    World world = std::move(first);
    CHECK_THROWS_AS(World(), situ::ValueError);
    CHECK(world.rank() == Rank{0});
    CHECK(Rank() == Rank{0});
    CHECK(world.size() == 1);
    CHECK(world.only(Rank{0}, [] { return 3; }) == 3);
    CHECK_THROWS_AS(world.only(Rank{1}, [] {}), situ::IndexError);
    CHECK_THROWS_WITH_AS(world.only(Rank{0}, [&] { world.barrier(); }), doctest::Contains("within World::only"),
                         situ::CollectiveError);
    world.barrier();
    CHECK_THROWS_AS(world.set_deadline(std::chrono::seconds(0)), situ::ValueError);
    world.set_deadline(std::chrono::seconds(5));
    CHECK(world.deadline().count() == 5);
    kept = world.on(Cpu{});
    const Group part = kept->split(7);
    part.barrier();
    CHECK(part.size() == 1);
    CHECK(part != *kept);
    const pid_t child = fork();
    if (child == 0) {
      std::string said;
      try {
        kept->barrier();
      } catch (const situ::CollectiveError& error) {
        said = error.what();
      }
      { const World ended = std::move(world); }
      std::_Exit(has(said, "barrier") && has(said, "called in a child of fork, which is not a rank") ? 7 : 8);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    CHECK(WEXITSTATUS(status) == 7);
    kept->barrier();
  }
  CHECK_THROWS_WITH_AS(kept->barrier(), doctest::Contains("the World of this group is gone"), situ::CollectiveError);
}

TEST_CASE("ranks that call different collectives are all told what each called") {
  const auto said = threads_as_ranks::run(3, [](const State& state) {
    of(state).barrier({"a.cpp", 1});
    if (state->rank() == 1) of(state).barrier({"a.cpp", 2});
    else static_cast<void>(of(state).split(0, {"a.cpp", 3}));
  });
  for (const std::string& text : said) {
    CHECK(has(text, "collective 2 of 3 ranks"));
    CHECK(has(text, "rank 0: split at a.cpp:3"));
    CHECK(has(text, "rank 1: barrier at a.cpp:2"));
    CHECK(has(text, "rank 2: split at a.cpp:3"));
  }
  CHECK(has(said[1], "rank 1 of 3, collective 2"));
}

TEST_CASE("a scope is a part of what is compared") {
  const auto said = threads_as_ranks::run(2, [](const State& state) {
    const situ::NamedScope outer("step");
    const situ::NamedScope inner(state->rank() == 0 ? "forward" : "backward");
    of(state).barrier({"a.cpp", 1});
  });
  CHECK(has(said[0], "rank 1: barrier at a.cpp:1, in step/backward"));
  CHECK(has(said[1], "rank 0: barrier at a.cpp:1, in step/forward"));
}

TEST_CASE("a ledger has the collectives of ranks: place, bytes of the whole, and the wait") {
  const situ::MovementLedger ledger;
  threads_as_ranks::run(2, [](const State& state) {
    of(state).barrier({"a.cpp", 1});
    static_cast<void>(of(state).replicate(situ::ones<float>({3}), Rank{0}, {"a.cpp", 2}));
  });
  const auto at = [entries = ledger.entries()](const std::string& where) {
    for (const situ::MovementEntry& entry : entries) {
      if (entry.where() == where) return entry;
    }
    return situ::MovementEntry{};
  };
  CHECK(at("a.cpp:1").way() == "this rank -> other ranks");
  CHECK(at("a.cpp:1").operation == "barrier");
  CHECK(at("a.cpp:1").count == 2);
  CHECK(at("a.cpp:1").waited.count() > 0);
  CHECK(at("a.cpp:2").count == 2);
  CHECK(at("a.cpp:2").bytes == 2 * 12);
}

TEST_CASE("a collective beside the program is told and promised where it is called; who waits for it waits once") {
  const situ::MovementLedger ledger;
  const auto said = threads_as_ranks::run(2, [](const State& state) {
    const Group<Cpu> group = of(state);
    const situ::Spread p = group.as<situ::Partial<>>(situ::ones<float>({4}), {"a.cpp", 1});
    {
      const situ::MovementBudget nothing({.bytes = 0});
      CHECK_THROWS_AS(static_cast<void>(group.all_reduce_async(p, {"a.cpp", 2})), situ::MovementBudgetExceeded);
    }
    const situ::MovementBudget one_wait({.waits = 1});
    situ::Pending sum = group.all_reduce_async(p, {"a.cpp", 3});
    CHECK(one_wait.left().waits == 1);
    CHECK(situ::local(std::move(sum).wait({"a.cpp", 4}))(3) == 2);
    CHECK(one_wait.left().waits == 0);
  });
  for (const std::string& text : said) CHECK(text == "");
  const auto entries = ledger.entries();
  const auto at = [&](const std::string& where) {
    for (const situ::MovementEntry& entry : entries) {
      if (entry.where() == where) return entry;
    }
    return situ::MovementEntry{};
  };
  CHECK(at("a.cpp:2").count == 0);
  CHECK(at("a.cpp:3").operation == "all_reduce");
  CHECK(at("a.cpp:3").count == 2);
  CHECK(at("a.cpp:3").bytes == 2 * 16);
  CHECK(at("a.cpp:3").waited.count() == 0);
  CHECK(at("a.cpp:4").count == 2);
  CHECK(at("a.cpp:4").waited.count() > 0);
}

TEST_CASE("functions of spread values are compared by the place of their call, and what is below them by that of theirs") {
  using namespace situ;
  const auto mismatch = [](const auto& call) {
    try {
      static_cast<void>(call());
    } catch (const CollectiveMismatch& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  const auto said = threads_as_ranks::run(2, [&mismatch](const State& state) {
    const Group<Cpu> group = of(state);
    const bool first = group.rank() == Rank{0};
    const Spread p = group.as<Partial<>>(ones<float>({4}), {"a.cpp", 1});
    std::string text = mismatch([&] { return first ? all_reduce(p, {"a.cpp", 2}) : all_reduce(p); });
    CHECK(has(text, "rank 0: all_reduce of Partial<sum> float32 (4,) at a.cpp:2"));
    CHECK(has(text, "unit/world.cpp:" + std::to_string(__LINE__ - 2)));
    const SpreadVariable s(group.shard<0>(ones<float>({4})));
    const SpreadVariable whole = all_gather(s, {"a.cpp", 3});
    const SpreadVariable r(group.replicate(ones<float>({4}), Rank{0}, {"a.cpp", 4}));
    PendingGradients pending = backward(sum(r * r));
    text = mismatch([&] {
      if (first) return backward(sum(whole * whole)).size();
      return all_reduce(std::move(pending), {}, {"a.cpp", 5}).size();
    });
    CHECK(has(text, "rank 0: reduce_scatter<0> of Partial<sum> float32 (4,) at a.cpp:3"));
    CHECK(has(text, "rank 1: all_reduce of Partial<sum> float32 (4,) at a.cpp:5"));
    const nn::Linear layer(2, 1);
    text = mismatch([&] { return replicas(layer, group, {"a.cpp", first ? 6 : 7}); });
    CHECK(has(text, "rank 0: replicate from rank 0 of float32 (1, 2) at a.cpp:6"));
  });
  for (const std::string& text : said) CHECK(text == "");
}

TEST_CASE("a rank that left is named by those that wait for it, and only then") {
  const auto said = threads_as_ranks::run(3, [](const State& state) {
    of(state).barrier({"a.cpp", 1});
    if (state->rank() == 1) return;  // it is past the barrier, and the others may be in it still
    of(state).barrier({"a.cpp", 2});
  });
  CHECK(said[1].empty());
  for (const std::size_t rank : {0u, 2u}) {
    CHECK(has(said[rank], "barrier at a.cpp:2"));
    CHECK(has(said[rank], "rank 1 left before it"));
  }
}

TEST_CASE("a rank that does not come is named when the time is over, and the group is of no more use") {
  std::atomic<int> given_up{0};
  const auto said = threads_as_ranks::run(3, [&given_up](const State& state) {
    state->job->deadline = std::chrono::milliseconds(100);
    if (state->rank() == 2) {
      while (given_up < 2) std::this_thread::yield();
      return;
    }
    CHECK_THROWS_WITH_AS(of(state).barrier({"a.cpp", 1}), doctest::Contains("not over after 0.1 s"), situ::CollectiveTimeout);
    ++given_up;
    of(state).barrier({"a.cpp", 2});
  });
  for (const std::size_t rank : {0u, 1u}) CHECK(has(said[rank], "a collective of this group failed before"));
  CHECK((has(said[0], "not known to wait in it: rank 2;") || has(said[1], "not known to wait in it: rank 2;")));
}

TEST_CASE("groups are split by colors, and numbered as before") {
  const auto said = threads_as_ranks::run(4, [](const State& state) {
    const Group<Cpu> all = of(state);
    const Group part = all.split(all.rank().number % 2);
    if (part.size() != 2 || part.rank() != Rank{all.rank().number / 2}) throw std::runtime_error("wrong numbers");
    const Group alone = part.split(part.rank().number);
    if (alone.size() != 1) throw std::runtime_error("not alone");
    part.barrier();
    // What one part does, the other may leave.
    if (all.rank().number % 2 == 0) part.barrier();
    const auto here = situ::internal::world::on_this_machine(*state);
    if (here.all != 2 || here.before != all.rank().number % 2) throw std::runtime_error("wrong machines");
  });
  for (const std::string& text : said) CHECK(text == "");
}

TEST_CASE("collectives give what one process with as many devices gives") {
  for (const int ranks : {1, 2, 3, 4}) {
    CAPTURE(ranks);
    const auto said = threads_as_ranks::run(ranks, [](const State& state) {
      suite::collectives(of(state));
      suite::two_levels(of(state));
    });
    for (const std::string& text : said) CHECK(text == "");
  }
}

TEST_CASE("shapes that parts cannot have are an error on all ranks") {
  const auto said = threads_as_ranks::run(2, [](const State& state) {
    const Group<Cpu> group = of(state);
    const int rank = group.rank().number;
    CHECK_THROWS_AS(static_cast<void>(group.as<situ::Sharded<0>>(situ::ones<float>(situ::Shape{1 + rank}))), situ::ShapeError);
    CHECK_THROWS_AS(static_cast<void>(group.as<situ::Partial<>>(situ::ones<float>(situ::Shape{1 + rank}))), situ::ShapeError);
    CHECK_THROWS_AS(static_cast<void>(group.shard<1>(situ::ones<float>({3}))), situ::ShapeError);
    CHECK_THROWS_AS(static_cast<void>(group.replicate(situ::ones<float>({3}), Rank{2})), situ::IndexError);
    CHECK(group.as<situ::Sharded<0>>(situ::ones<float>(situ::Shape{2 - rank})).shape() == situ::Shape{3});
    const situ::Spread mine = group.as<situ::Local>(situ::ones<float>(situ::Shape{1 + rank}));
    CHECK(mine.shape() == situ::Shape{1 + rank});
  });
  for (const std::string& text : said) CHECK(text == "");
}

#if defined(SITU_CHECKED)
TEST_CASE("replicas that differ are an error on all ranks of a checked build") {
  const auto said = threads_as_ranks::run(3, [](const State& state) {
    const Group<Cpu> group = of(state);
    const situ::Tensor<float> mine = situ::full<float>({2}, group.rank().number == 2 ? 1 : 0);
    CHECK_THROWS_WITH_AS(static_cast<void>(group.as<situ::Replicated>(mine)), doctest::Contains("that of rank 2 cpu is not equal"),
                         situ::ValueError);
    CHECK_NOTHROW(static_cast<void>(group.as<situ::Replicated>(mine * 0)));
  });
  for (const std::string& text : said) CHECK(text == "");
}
#endif

TEST_CASE("a collective that fails beside the program is told where it is waited for") {
  const auto said = threads_as_ranks::run(2, [](const State& state) {
    const Group<Cpu> group = of(state);
    const situ::Spread x = group.shard<0>(situ::ones<float>({4}));
    const situ::Spread p = group.as<situ::Partial<>>(situ::ones<float>({4}));
    situ::Pending a = group.rank() == Rank{0} ? group.all_gather_async(x, {"a.cpp", 1}) : group.all_reduce_async(p, {"a.cpp", 2});
    CHECK(a.valid());
    CHECK(a.shape() == situ::Shape{4});
    CHECK_THROWS_WITH_AS(static_cast<void>(std::move(a).wait()), doctest::Contains("rank 1: all_reduce of Partial<sum> float32 (4,)"),
                         situ::CollectiveMismatch);
    CHECK(state->job->queue.take_failure().empty());
    CHECK_THROWS_AS(static_cast<void>(std::move(a).wait()), situ::PendingError);
    // Nobody waits for this one, and its failure is kept for the end of the World.
    if (group.rank() == Rank{0}) static_cast<void>(group.all_gather_async(x));
    else static_cast<void>(group.all_reduce_async(p));
    state->job->queue.run([] {});
    CHECK(has(state->job->queue.take_failure(), "called different collectives"));
  });
  for (const std::string& text : said) CHECK(text == "");
}

TEST_CASE("NCCL adds where all ranks have it and no two share a GPU") {
  using situ::internal::world::GpuOfRank;
  std::vector<GpuOfRank> gpus{{1, 10, {1}}, {1, 10, {2}}, {1, 11, {1}}};
  CHECK(situ::internal::world::nccl_can_add(gpus).possible);
  gpus[2].machine = 10;
  const auto shared = situ::internal::world::nccl_can_add(gpus);
  CHECK(!shared.possible);
  CHECK(has(shared.reason, "ranks 0 and 2 of a group share a GPU"));
  gpus[1].has_nccl = 0;
  CHECK(!situ::internal::world::nccl_can_add(gpus).possible);
}

TEST_CASE("gradients of ranks, several in one sum, are those of one process") {
  using situ::Replicated, situ::SpreadVariable, situ::Tensor, situ::Variable;
  const Tensor<float> x = reshape(situ::arange<float>(15), {5, 3}) / 15;
  const Tensor<float> y = reshape(situ::arange<float>(10), {5, 2}) / 10;
  const Variable<float> weight(situ::ones<float>({3, 2}));
  const Variable<float> bias(situ::ones<float>({2}));
  const situ::Gradients alone = backward(mean(square(matmul(x, weight) + bias - y)));
  for (const int ranks : {1, 3}) {
    const auto said = threads_as_ranks::run(ranks, [&](const State& state) {
      const Group<Cpu> group = of(state);
      const SpreadVariable<float, Replicated, situ::Ranks<Cpu>> w(group.replicate(weight.value()));
      const SpreadVariable<float, Replicated, situ::Ranks<Cpu>> b(group.replicate(bias.value()));
      const auto gradients =
          all_reduce(backward(mean(square(matmul(group.shard<0>(x), w) + b - group.shard<0>(y)))));
      CHECK(allclose(local(gradients[w]), alone[weight]).item());
      CHECK(allclose(local(gradients[b]), alone[bias]).item());
    });
    for (const std::string& text : said) CHECK(text.empty());
  }
}

namespace {

/// A checkpoint of two ranks of ones in a folder of its own, which is to be replaced by one of twos.
struct Checkpoint {
  std::filesystem::path folder;
  explicit Checkpoint(const std::string& name) : folder(std::filesystem::temp_directory_path() / ("situ_world_" + name + "_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    CHECK(write(1) == std::vector<std::string>{"", ""});
  }
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint() { std::filesystem::remove_all(folder); }

  [[nodiscard]] std::filesystem::path index() const { return folder / "m.safetensors.index.json"; }
  [[nodiscard]] std::filesystem::path shard(int part) const {
    const std::string end = "-0000" + std::to_string(part) + "-of-00002.safetensors";
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      if (entry.path().string().ends_with(end)) return entry.path();
    }
    return folder / "none";
  }
  /// What the ranks say to which `before` happens first.
  std::vector<std::string> write(float value, const std::function<void(const Group<Cpu>&)>& before = {}) const {
    return threads_as_ranks::run(2, [&](const State& state) {
      const Group<Cpu> group = of(state);
      const situ::Spread x = group.shard<0>(situ::full<float>({4}, value));
      if (before) before(group);
      save(index(), "x", x, "of_rank_0", value);
    });
  }
  /// The values that are there, all of them equal.
  [[nodiscard]] float value() const {
    const auto all = situ::load(index());
    const situ::Tensor x = all.at("x").get<float>();
    const float own = all.at("of_rank_0").get<float>().item();
    return x.shape() == situ::Shape{4} && situ::min(x).item() == own && situ::max(x).item() == own ? own : -1;
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
  }
};

}  // namespace

TEST_CASE("a rank that cannot write its shard is told on all, and the older checkpoint is what it was") {
  const Checkpoint checkpoint("write");
  const auto said = checkpoint.write(2, [](const Group<Cpu>& group) {
    if (group.rank() == Rank{1}) before_file_step = [](FileStep step) { return step == FileStep::write ? ENOSPC : 0; };
  });
  CHECK(has(said[0], "save: " + checkpoint.index().string() + ": another rank failed; see its error"));
  CHECK(has(said[1], "-00002-of-00002.safetensors: cannot be written: " + situ::internal::io::reason(ENOSPC)));
  CHECK(checkpoint.value() == 1);
  CHECK(checkpoint.files() == 3);  // what rank 0 had written is gone
}

TEST_CASE("a shard that the first rank does not see is told, and the older checkpoint is what it was") {
  const Checkpoint checkpoint("unseen");
  static std::filesystem::path folder, kept;
  folder = checkpoint.folder / "elsewhere";
  kept = checkpoint.shard(2);
  std::filesystem::create_directory(folder);
  const auto said = checkpoint.write(2, [](const Group<Cpu>& group) {
    if (group.rank() != Rank{1}) return;
    before_file_step = [](FileStep step) {  // its shard is written, and moved to where a disk of its own would be
      if (step != FileStep::sync_folder) return 0;
      for (const auto& entry : std::filesystem::directory_iterator(kept.parent_path())) {
        const std::string name = entry.path().filename().string();
        if (has(name, "-00002-of-00002.safetensors") && entry.path() != kept && !has(name, ".partial")) {
          std::filesystem::rename(entry.path(), folder / name);
        }
      }
      return 0;
    };
  });
  CHECK(has(said[0], "-00002-of-00002.safetensors: cannot be opened to read: "));
  CHECK(has(said[0], "; all ranks write into one folder, which each of them must see"));
  CHECK(has(said[1], "another rank failed"));
  CHECK(checkpoint.value() == 1);
  CHECK(checkpoint.files() == 4);  // with the folder
}

TEST_CASE("an index that cannot be written leaves the older checkpoint what it was") {
  const Checkpoint checkpoint("index");
  auto said = checkpoint.write(2, [](const Group<Cpu>& group) {
    if (group.rank() != Rank{0}) return;
    before_file_step = [](FileStep step) {
      static int files = 0;
      return step == FileStep::create && ++files == 2 ? ENOSPC : 0;  // after its shard
    };
  });
  CHECK(has(said[0], "m.safetensors.index.json: cannot be opened to write: " + situ::internal::io::reason(ENOSPC)));
  CHECK(has(said[1], "another rank failed"));
  CHECK(checkpoint.value() == 1);
  CHECK(checkpoint.files() == 3);

  std::filesystem::rename(checkpoint.index(), checkpoint.folder / "elsewhere");
  std::filesystem::create_directory(checkpoint.index());
  said = checkpoint.write(2);
  for (const std::string& text : said) CHECK(has(text, "m.safetensors.index.json: cannot be opened to write: it is a folder"));
  std::filesystem::remove(checkpoint.index());
  std::filesystem::rename(checkpoint.folder / "elsewhere", checkpoint.index());
  CHECK(checkpoint.value() == 1);
  CHECK(checkpoint.files() == 3);
}

TEST_CASE("an index whose folder cannot be put on the disk is told on all; the new checkpoint is whole, and the older one stays") {
  const Checkpoint checkpoint("published");
  const auto said = checkpoint.write(2, [](const Group<Cpu>& group) {
    if (group.rank() != Rank{0}) return;
    before_file_step = [](FileStep step) {
      static int folders = 0;
      return step == FileStep::sync_folder && ++folders == 2 ? EIO : 0;  // after that of its shard
    };
  });
  CHECK(has(said[0], "m.safetensors.index.json: is written and in its place, but its folder cannot be put on the disk"));
  CHECK(has(said[1], "another rank failed"));
  CHECK(checkpoint.value() == 2);
  CHECK(checkpoint.files() == 5);
  CHECK(checkpoint.write(3) == std::vector<std::string>{"", ""});
  CHECK(checkpoint.value() == 3);
}

TEST_CASE("ranks that open a checkpoint before and after it is saved anew have the same one") {
  const Checkpoint checkpoint("between");
  static std::filesystem::path path, last;  // of the files of the older one that rank 0 opens
  static const auto save_all = [](float value) {
    const situ::Tensor<float> x = situ::full<float>({4}, value);
    if (path.extension() == ".json") save(path, "x", shard<0>(x, situ::cpu, situ::cpu), "of_rank_0", value);
    else save(path, "x", x, "of_rank_0", value);
  };
  for (const char* name : {"m.safetensors.index.json", "m.safetensors"}) {
    CAPTURE(name);
    path = checkpoint.folder / name;
    save_all(1);
    last = path.extension() == ".json" ? checkpoint.shard(2) : path;
    const auto said = threads_as_ranks::run(2, [&](const State& state) {
      const Group<Cpu> group = of(state);
      situ::Spread x = group.shard<0>(situ::full<float>({4}, 7.f));
      float of_rank_0 = 7;
      if (group.rank() == Rank{1}) {
        before_file_step = [](FileStep) {
          before_file_step = nullptr;
          const auto is_open = [] {
            for (const auto& file : std::filesystem::directory_iterator("/proc/self/fd")) {
              std::error_code closed_since;
              if (std::filesystem::read_symlink(file.path(), closed_since) == last) return true;
            }
            return false;
          };
          if (!comes_true(is_open)) return EIO;
          save_all(2);
          return 0;
        };
      }
      load(path, "x", x, "of_rank_0", of_rank_0);
      CHECK(min(local(x)).item() == 2);
      CHECK(of_rank_0 == 2);
    });
    for (const std::string& text : said) CHECK(text == "");
  }
}

TEST_CASE("a rank that is gone while others write leaves them the older checkpoint") {
  const Checkpoint checkpoint("gone");
  const auto said = checkpoint.write(2, [](const Group<Cpu>& group) {
    if (group.rank() == Rank{1}) throw std::runtime_error("gone");
  });
  CHECK(said[1] == "gone");
  CHECK(has(said[0], "rank 1 left before it"));
  CHECK(checkpoint.value() == 1);
}

TEST_CASE("a checkpoint that is not whole is an error on all ranks, and changes nothing") {
  using situ::FileError;
  const auto load_by_both = [](const Checkpoint& checkpoint, const std::string& text) {
    const auto said = threads_as_ranks::run(2, [&](const State& state) {
      const Group<Cpu> group = of(state);
      situ::Spread x = group.shard<0>(situ::full<float>({4}, 7.f));
      float of_rank_0 = 7;
      std::string error;
      try {
        load(checkpoint.index(), "x", x, "of_rank_0", of_rank_0);
      } catch (const FileError& thrown) {
        error = thrown.what();
      }
      CHECK(has(error, text));
      CHECK(of_rank_0 == 7);
      CHECK(min(local(x)).item() == 7);
    });
    for (const std::string& what : said) CHECK(what == "");
  };
  const Checkpoint checkpoint("missing");
  std::filesystem::rename(checkpoint.shard(2), checkpoint.folder / "elsewhere");
  load_by_both(checkpoint, "-00002-of-00002.safetensors: cannot be opened");
  std::filesystem::remove(checkpoint.index());
  load_by_both(checkpoint, "m.safetensors.index.json: cannot be opened");
}

TEST_CASE("a bucket is reduced beside the rest of the walk") {
  using situ::Replicated, situ::SpreadVariable, situ::Tensor;
  const Tensor<float> x = reshape(situ::arange<float>(12), {4, 3}) / 12;
  // Without gradients of rank 1 the sum of the last layer is not over; rank 0 must come to the first layer all the same.
  std::atomic<bool> at_the_first{false};
  const auto said = threads_as_ranks::run(2, [&](const State& state) {
    const Group<Cpu> group = of(state);
    const SpreadVariable<float, Replicated, situ::Ranks<Cpu>> first(group.replicate(situ::ones<float>({3, 5})));
    const SpreadVariable<float, Replicated, situ::Ranks<Cpu>> last(group.replicate(situ::ones<float>({5, 2}) / 3));
    const auto loss = [&] {
      const auto hidden = tanh(matmul(group.shard<0>(x), first));
      return sum(square(matmul(situ::internal::recorded_collective<Passed, situ::Sharded<0>>(hidden, situ::CallSite::here()), last)));
    };
    const situ::ReducedGradients wanted = all_reduce(backward(loss()));
    if (group.rank() == Rank{0}) {
      Passed::told = &at_the_first;
    } else {
      CHECK(comes_true([&] { return at_the_first.load(); }));
    }
    const situ::ReducedGradients found = backward_and_all_reduce(loss(), {.bytes = 1});
    suite::expect_bits(local(found[first]), local(wanted[first]), "the first layer");
    suite::expect_bits(local(found[last]), local(wanted[last]), "the last layer");
    suite::expect_bits(local(backward_and_all_reduce(loss())[last]), local(wanted[last]), "in one bucket");
  });
  for (const std::string& text : said) CHECK(text == "");
}
