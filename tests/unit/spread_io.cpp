// SPDX-License-Identifier: Apache-2.0
// Checkpoints of spread values: what any number of devices wrote in any layout, any other reads, and what is malformed is
// named and changes nothing.
// labels: spread
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <situ/parallel.hpp>
#include <situ/situ.hpp>
#include <situ/spread_io.hpp>

#include "../reference.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using reference::contains;
using reference::message_of;

namespace {

using temporary_files::TemporaryFolder;
using temporary_files::content_of;

void write(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}
void replace_in(const std::filesystem::path& path, const std::string& old, const std::string& by) {
  std::string text = content_of(path);
  REQUIRE(contains(text, old));
  write(path, text.replace(text.find(old), old.size(), by));
}

Tensor<float> numbers(const Shape& shape) { return reshape(arange<float>(shape.count()), shape); }
bool same(const Tensor<float>& a, const Tensor<float>& b) { return a.shape() == b.shape() && max(abs(a - b)).item() == 0; }

const char* const index_name = "model.safetensors.index.json";

std::string number_of_save(const TemporaryFolder& folder) {
  const std::string text = content_of(folder / index_name), key = "\"situ_save\": \"";
  REQUIRE(contains(text, key));
  const std::size_t at = text.find(key) + key.size();
  return text.substr(at, text.find('"', at) - at);
}
/// The file of a part, counted from 1, of the save that the index is of.
std::filesystem::path shard_in(const TemporaryFolder& folder, int part) {
  for (const std::string& name : folder.names()) {
    if (contains(name, number_of_save(folder) + "-0000" + std::to_string(part) + "-of-")) return folder / name;
  }
  FAIL("no such shard");
  return {};
}
/// With a buffer that does not lie with the parameters.
template <Device D = Cpu>
struct Keeping {
  nn::Linear<float, D> linear{2, 3, {}, D{}};
  Tensor<float> beside = zeros<float>({2});
  std::vector<Tensor<float, D>> more;
  static constexpr auto members() {
    return nn::members("linear", &Keeping::linear, "beside", &Keeping::beside, "more", &Keeping::more);
  }
};

}  // namespace

TEST_CASE("buffers of replicas come back wherever they lie") {
  const TemporaryFolder folder;
  Replicas<Keeping<Pinned>, Pinned, Cpu> net({}, {Keeping<Pinned>{}, Keeping<>{}});
  net.module().beside += 2.f;
  net.share_buffers();
  save(folder / index_name, "net", net);
  Replicas<Keeping<>, Cpu, Pinned> other({}, {Keeping<>{}, Keeping<Pinned>{}});
  load(folder / index_name, "net", other);
  CHECK(same(other.module().beside, net.module().beside));
  CHECK(same(other.replica<1>().beside, net.module().beside));
  net.module().more.push_back(ones<float>({2}, Pinned{}));
  CHECK_THROWS_WITH_AS(save(folder / index_name, "net", net),
                       doctest::Contains("replica 0 has 'more.0', and replica 1 has another entry there, or none"), ValueError);
}

TEST_CASE("a value comes back on other devices, in other layouts") {
  const TemporaryFolder folder;
  for (const Shape& shape : {Shape{5, 7}, Shape{1, 4}, Shape{3, 2}}) {
    const Tensor<float> whole = numbers(shape);
    const auto load_all = [&] {
      CHECK(same(load(folder / index_name).at("x").get<float>(), whole));
      Tensor<float> one = zeros<float>(shape);
      load(folder / index_name, "x", one);
      CHECK(same(one, whole));
      Spread rows = shard<0>(zeros<float>(shape), cpu, pinned);
      load(folder / index_name, "x", rows);
      CHECK(same(gather(rows, cpu), whole));
      Spread columns = shard<1>(zeros<float>(shape), cpu, cpu, pinned);
      load(folder / index_name, "x", columns);
      CHECK(same(gather(columns, cpu), whole));
      Spread all_of_it = replicate(zeros<float>(shape), pinned, cpu);
      load(folder / index_name, "x", all_of_it);
      CHECK(same(gather(all_of_it, cpu), whole));
      CHECK(same(std::get<1>(all_of_it.parts()), whole));
    };
    save(folder / index_name, "x", shard<0>(whole, cpu, pinned));
    load_all();
    save(folder / index_name, "x", shard<1>(whole, cpu, cpu, pinned));
    load_all();
    save(folder / index_name, "x", replicate(whole, cpu, cpu));
    load_all();
    for (const char* name : {"x.safetensors", "x.npz"}) {  // what was not spread
      save(folder / name, "x", whole);
      Spread columns = shard<1>(zeros<float>(shape), cpu, cpu, pinned);
      load(folder / name, "x", columns);
      CHECK(same(gather(columns, cpu), whole));
    }
  }
  Spread none = shard<0>(zeros<float>({0, 3}), cpu, cpu);
  save(folder / index_name, none);
  load(folder / index_name, none);
  CHECK(none.shape() == Shape{0, 3});
}

TEST_CASE("what lies where: the layout of hubs, and pieces as torch.distributed.checkpoint has them") {
  const TemporaryFolder folder;
  const Spread cut = shard<0>(numbers({5, 2}), cpu, cpu, cpu);
  const std::int64_t steps = 7;
  save(folder / index_name, "w", cut, "a", replicate(numbers({2}), cpu, cpu, cpu), "steps", steps,
       "b", replicate(numbers({3}), cpu, cpu, cpu), "t", numbers({4}));
  const std::string number = number_of_save(folder);
  CHECK(number.find_first_not_of("0123456789abcdef") == number.npos);
  CHECK(number.size() == 16);
  CHECK(folder.names() == std::vector<std::string>{"model-" + number + "-00001-of-00003.safetensors",
                                                    "model-" + number + "-00002-of-00003.safetensors",
                                                    "model-" + number + "-00003-of-00003.safetensors", index_name});
  // 16, 16 and 8 bytes of w; then each where there is least: a, steps and t, b
  std::string index = content_of(folder / index_name);
  while (contains(index, "-" + number)) index.erase(index.find("-" + number), 17);
  CHECK(index == R"({
  "metadata": {
    "pieces": {
      "w": [
        "model-00001-of-00003.safetensors",
        "model-00002-of-00003.safetensors",
        "model-00003-of-00003.safetensors"
      ]
    },
    "situ_save": ")" + number + R"(",
    "total_size": 84
  },
  "weight_map": {
    "a": "model-00003-of-00003.safetensors",
    "b": "model-00002-of-00003.safetensors",
    "steps": "model-00001-of-00003.safetensors",
    "t": "model-00003-of-00003.safetensors",
    "w": "model-00001-of-00003.safetensors"
  }
}
)");
  internal::io::SafetensorsArchive second{internal::io::Input(shard_in(folder, 2))};
  CHECK(second.metadata().at("format") == "pt");
  CHECK(second.metadata().at("situ_save") == number);
  CHECK(second.metadata().at("DCP_SHARDING_INFO") == R"({"b":{"saved_offsets":[0]},"w":{"saved_offsets":[2,0]}})");
  CHECK(second.entries().at("w").shape == Shape{2, 2});

  // Without pieces it is what hubs have: each file is read alone.
  save(folder / index_name, "a", replicate(numbers({2}), cpu, cpu), "b", replicate(numbers({3}), cpu, cpu));
  CHECK(!contains(content_of(folder / index_name), "pieces"));
  CHECK(same(load(shard_in(folder, 2)).at("b").get<float>(), numbers({3})));
}

TEST_CASE("what does not fit changes nothing") {
  const TemporaryFolder folder;
  save(folder / index_name, "w", shard<0>(numbers({5, 2}), cpu, cpu), "v", numbers({2}));
  Spread w = shard<1>(ones<float>({5, 2}), cpu, cpu);
  Spread small = shard<1>(ones<float>({4, 2}), cpu, cpu);
  Tensor<float> v = ones<float>({2});
  const auto error = [&](auto&... parts) {
    try {
      load(folder / index_name, parts...);
    } catch (const FileError& thrown) {
      CHECK(thrown.kind() == FileErrorKind::wrong_entries);
      return std::string(thrown.what());
    }
    return std::string("none");
  };
  const std::string wn = "w", vn = "v", un = "u";
  CHECK(contains(error(wn, small, vn, v), "'w' is float32 (5, 2) in the file and must be float32 (4, 2)"));
  CHECK(contains(error(wn, w), "only in the file: 'v'"));
  CHECK(contains(error(wn, w, un, v), "missing in the file: 'u'"));
  CHECK(same(gather(w, cpu), ones<float>({5, 2})));
  CHECK(load_matching(folder / index_name, "w", w).extra == std::vector<std::string>{"v"});
  CHECK(same(gather(w, cpu), numbers({5, 2})));
  CHECK_THROWS_WITH_AS(save(folder / "w.safetensors", "w", w),
                       ("save: " + (folder / "w.safetensors").string() +
                        ": spread values are written into several files; name their index, which ends in "
                        ".safetensors.index.json").c_str(), ValueError);
  CHECK_THROWS_AS(save(folder / index_name, "w", w, "w", v), ValueError);
  CHECK_THROWS_AS(save(folder / "no folder" / index_name, "w", w), FileError);
  CHECK(same(load(folder / index_name).at("w").get<float>(), numbers({5, 2})));  // as it was
}

TEST_CASE("files of two saves are not one checkpoint, and those of others have no number") {
  const TemporaryFolder folder;
  const NoFileSync fast;
  save(folder / index_name, "w", shard<0>(numbers({4, 2}), cpu, cpu));
  const std::string older = number_of_save(folder);
  const std::string older_shard = content_of(shard_in(folder, 2));
  save(folder / index_name, "w", shard<0>(numbers({4, 2}), cpu, cpu));
  const std::string number = number_of_save(folder), own = shard_in(folder, 2).filename().string();
  CHECK(number != older);
  CHECK(folder.names().size() == 3);  // those of the older one are gone
  const auto error = [&] { return message_of([&] { static_cast<void>(load(folder / index_name)); }); };
  write(folder / own, older_shard);
  CHECK(error() == (folder / index_name).string() + ": " + own + ": is of the save '" + older + "', and the index of the save '" +
                       number + "'");
  save_safetensors(folder / own, NamedTensors<>{{"w", numbers({2, 2})}}, {{"DCP_SHARDING_INFO", R"({"w":{"saved_offsets":[2,0]}})"}});
  CHECK(contains(error(), ": is of no save that has a number, and the index of the save '" + number + "'"));

  // As other programs write them: names without a number, and an index without one, whatever the shards say.
  const auto as_of_hubs = [&] {
    save(folder / index_name, "w", replicate(numbers({4, 2}), cpu, cpu), "v", replicate(numbers({3}), cpu, cpu));
    const std::string of_save = number_of_save(folder);
    std::string text = content_of(folder / index_name);
    for (const std::string& part : {std::string("    \"situ_save\": \"" + of_save + "\",\n"), "-" + of_save, "-" + of_save}) {
      REQUIRE(contains(text, part));
      text.erase(text.find(part), part.size());
    }
    for (int part = 1; part <= 2; ++part) {
      const std::filesystem::path shard = shard_in(folder, part);
      std::filesystem::rename(shard, folder / ("model-0000" + std::to_string(part) + "-of-00002.safetensors"));
    }
    write(folder / index_name, text);
  };
  as_of_hubs();
  CHECK(same(load(folder / index_name).at("w").get<float>(), numbers({4, 2})));
  // They are the older checkpoint of this name, and go when it is replaced; nothing else does, but what a killed save
  // left long ago.
  const std::string killed = "model-0123456789abcdef-00001-of-00002.safetensors";
  const std::string writing = "model-0123456789abcdee-00001-of-00002.safetensors";
  const std::vector<std::string> others{"model.safetensors", "model-head-00001-of-00002.safetensors", "model-00001-of-00002.txt",
                                        "mode-0123456789abcdef-00001-of-00002.safetensors",
                                        "model-00001-of-00003.safetensors", "model-0123456789abcdeg-00001-of-00002.safetensors",
                                        "model-0123456789abcdef-1-of-2.safetensors"};
  for (const std::string& name : others) write(folder / name, "x");
  for (const std::string& name : {killed, writing}) write(folder / name, "x");
  const auto now = std::filesystem::file_time_type::clock::now();
  for (const std::string& name : others) std::filesystem::last_write_time(folder / name, now - std::chrono::hours(48));
  std::filesystem::last_write_time(folder / killed, now - std::chrono::hours(25));
  std::filesystem::last_write_time(folder / writing, now - std::chrono::hours(23));
  save(folder / index_name, "w", shard<0>(numbers({4, 2}), cpu, cpu));
  std::vector<std::string> left = folder.names();
  for (const std::string& name : others) CHECK(std::erase(left, name) == 1);
  CHECK(std::erase(left, writing) == 1);
  CHECK(left.size() == 3);
  // A file that an index names, and that is no shard of this name, is somebody else's.
  write(folder / index_name, R"({"weight_map": {"w": "model.safetensors"}})");
  save(folder / index_name, "w", shard<0>(numbers({4, 2}), cpu, cpu));
  CHECK(std::filesystem::exists(folder / "model.safetensors"));
  // What is no index at all is replaced like one.
  write(folder / index_name, "{");
  save(folder / index_name, "w", shard<0>(numbers({4, 2}), cpu, cpu));
  CHECK(load(folder / index_name).contains("w"));
}

TEST_CASE("malformed checkpoints of several files") {
  const TemporaryFolder folder;
  const NoFileSync fast;
  const std::filesystem::path index = folder / index_name;
  const auto first = [&] { return shard_in(folder, 1); };
  const auto second = [&] { return shard_in(folder, 2); };
  const auto third = [&] { return shard_in(folder, 3); };
  const auto second_is = [&](const NamedTensors<>& tensors, const std::map<std::string, std::string>& metadata = {}) {
    std::map<std::string, std::string> all = metadata;
    all["situ_save"] = number_of_save(folder);
    save_safetensors(second(), tensors, all);
  };
  Spread w = shard<1>(ones<float>({5, 2}), cpu, cpu);
  const auto refused = [&](FileErrorKind kind, const std::string& part, const std::function<void()>& break_it) {
    CAPTURE(part);
    save(index, "w", shard<0>(numbers({5, 2}), cpu, cpu, cpu));
    break_it();
    try {
      load(index, "w", w);
      FAIL_CHECK("loaded");
    } catch (const FileError& error) {
      CHECK(error.kind() == kind);
      CHECK_MESSAGE(contains(error.what(), part), error.what());
    }
  };
  using Kind = FileErrorKind;
  refused(Kind::unreadable, "-00002-of-00003.safetensors: cannot be opened", [&] { std::filesystem::remove(second()); });
  refused(Kind::unreadable, "cannot be opened", [&] { std::filesystem::remove(index); });
  refused(Kind::truncated, "-00003-of", [&] { std::filesystem::resize_file(third(), std::filesystem::file_size(third()) - 1); });
  refused(Kind::malformed, "-00002-of-00003.safetensors' is float64",
          [&] { second_is(NamedTensors<>{{"w", ones<double>({2, 2})}},
                                 {{"DCP_SHARDING_INFO", R"({"w":{"saved_offsets":[2,0]}})"}}); });
  refused(Kind::malformed, "differ in shape",
          [&] { second_is(NamedTensors<>{{"w", ones<float>({2, 3})}},
                                 {{"DCP_SHARDING_INFO", R"({"w":{"saved_offsets":[2,0]}})"}}); });
  refused(Kind::malformed, "does not say where its piece begins",
          [&] { second_is(NamedTensors<>{{"w", ones<float>({2, 2})}}); });
  refused(Kind::malformed, "has none of this name", [&] { second_is(NamedTensors<>{{"u", ones<float>({2, 2})}}); });
  refused(Kind::malformed, "a piece begins at 3 of axis 0, where those before it end at 2",
          [&] { replace_in(second(), "[2,0]", "[3,0]"); });
  refused(Kind::malformed, "begins at 1 of axis 0", [&] { replace_in(second(), "[2,0]", "[1,0]"); });
  refused(Kind::unsupported, "cut along two axes", [&] { replace_in(second(), "[2,0]", "[0,2]"); });
  refused(Kind::malformed, "not one offset for each axis", [&] { replace_in(second(), "[2,0]", "[222]"); });
  refused(Kind::malformed, "no offsets of tensors", [&] { replace_in(second(), "[2,0]", "[ -2]"); });
  refused(Kind::malformed, "not JSON", [&] { replace_in(second(), "[2,0]", "[2,0,"); });
  refused(Kind::malformed, "where those before it end at 0", [&] {  // in another order
    const std::string last = third().filename().string();
    write(index, R"({"metadata": {"pieces": {"w": [")" + last + "\", \"" + first().filename().string() +
                     R"("]}}, "weight_map": {"w": ")" + last + "\"}}");
  });
  refused(Kind::wrong_entries, "(2, 2)", [&] {  // a reader that knows of no pieces sees another shape
    write(index, R"({"metadata": {}, "weight_map": {"w": ")" + first().filename().string() + "\"}}");
  });
  refused(Kind::malformed, "begins at 4 of axis 0",
          [&] { write(index, R"({"weight_map": {"w": ")" + third().filename().string() + "\"}}"); });
  refused(Kind::malformed, "an object 'weight_map'", [&] { write(index, "{}"); });
  refused(Kind::malformed, "an object 'weight_map'", [&] { write(index, "[]"); });
  refused(Kind::malformed, "not JSON", [&] { write(index, "{"); });
  refused(Kind::malformed, "the name 'w' twice", [&] { write(index, R"({"weight_map": {"w": "a", "w": "b"}})"); });
  refused(Kind::malformed, "nested deeper", [&] { write(index, R"({"a": )" + std::string(30, '[') + std::string(30, ']') + "}"); });
  for (const char* name : {"", ".", "..", "/etc/passwd", "../a.safetensors", "a/b", "a\\\\b"}) {
    refused(Kind::malformed, "is not the name of a file in the folder of the index",
            [&] { write(index, R"({"weight_map": {"w": ")" + std::string(name) + "\"}}"); });
  }
  refused(Kind::malformed, "a file's name that is not a string", [&] { write(index, R"({"weight_map": {"w": 1}})"); });
  refused(Kind::malformed, "'metadata' is not an object",
          [&] { write(index, R"({"metadata": 1, "weight_map": {}})"); });
  for (const char* number : {"1", "\"\"", "{}"}) {
    refused(Kind::malformed, "'metadata.situ_save' is not text",
            [&] { write(index, R"({"metadata": {"situ_save": )" + std::string(number) + R"(}, "weight_map": {}})"); });
  }
  refused(Kind::malformed, "which 'weight_map' does not have",
          [&] { write(index, R"({"metadata": {"pieces": {"w": ["a", "b"]}}, "weight_map": {}})"); });
  for (const char* pieces : {"1", "[]", R"(["a"])"}) {
    refused(Kind::malformed, "are not a list of files", [&] {
      write(index, R"({"metadata": {"pieces": {"w": )" + std::string(pieces) + R"(}}, "weight_map": {"w": "a"}})");
    });
  }
  for (const char* pieces : {R"(["a", "a"])", R"(["b", "a"])"}) {
    refused(Kind::malformed, "are in different files", [&] {
      write(index, R"({"metadata": {"pieces": {"w": )" + std::string(pieces) + R"(}}, "weight_map": {"w": "a"}})");
    });
  }
  CHECK(same(gather(w, cpu), ones<float>({5, 2})));
}

namespace {

/// A network of all kinds of parameters, with its optimiser.
template <class... D>
struct Training {
  struct Net : nn::Module<Net> {
    nn::ColumnParallelLinear<float, D...> up;
    nn::RowParallelLinear<float, D...> down;
    nn::LayerNorm<float> norm{3};  // on one device, beside what is spread
    static constexpr auto members() { return nn::members("up", &Net::up, "down", &Net::down, "norm", &Net::norm); }
  };
  Net net;
  SpreadOptimizer<internal::rule_t<optim::Adam<float, Cpu>>, float, internal::mesh_t<D...>> optimizer;

  explicit Training(std::uint64_t seed, D... where) : Training(Generator(seed), where...) {}
  explicit Training(Generator generator, D... where)
      : net{{}, nn::column_parallel(nn::Linear(4, 5, generator), where...),
            nn::row_parallel(nn::Linear(5, 3, nn::LinearOptions{.bias = false}, generator), where...), nn::LayerNorm<float>(3)},
        optimizer(net, {.learning_rate = 0.1}) {}

  void step() {
    const SpreadVariable y = all_reduce(net.down(net.up(replicate(numbers({2, 4}), D{}...))));
    optimizer.step(net, all_reduce(backward(sum(y * y))));
  }
  [[nodiscard]] Tensor<float> result() const {
    return gather(all_reduce(net.down(net.up(replicate(numbers({2, 4}), D{}...)))).value(), cpu);
  }
};

}  // namespace

TEST_CASE("training goes on from a checkpoint on another number of devices") {
  const TemporaryFolder folder;
  Training three(1, cpu, pinned, cpu);
  three.step();
  three.step();
  const std::filesystem::path path = folder / index_name;  // ends in .safetensors.index.json
  auto& [net, optimizer] = three;
  std::int64_t epoch = 2;
  // [save]
  save(path, "net", net, "optimizer", spread_state(net, optimizer), "epoch", epoch);
  load(path, "net", net, "optimizer", spread_state(net, optimizer), "epoch", epoch);
  // [save-end]
  CHECK(load(folder / index_name).at("net.down.weight").shape() == Shape{3, 5});
  CHECK(load(folder / index_name).at("optimizer.exp_avg.down.weight").shape() == Shape{3, 5});
  CHECK(load(folder / index_name).contains("net.norm.weight"));
  CHECK(!load(folder / index_name).contains("net.down.bias"));
  Training two(2, pinned, cpu);
  epoch = 0;
  load(folder / index_name, "net", two.net, "optimizer", spread_state(two.net, two.optimizer), "epoch", epoch);
  CHECK(epoch == 2);
  CHECK(two.optimizer.step_count() == 2);
  three.step();
  two.step();
  CHECK(max(abs(three.result() - two.result())).item() < 1e-5f * max(abs(two.result())).item());

  Training one(3, cpu);
  load_matching(folder / index_name, "net", one.net);
  CHECK(same(gather(one.net.up.weight.value(), cpu), load(folder / index_name).at("net.up.weight").get<float>()));
}

TEST_CASE("replicas: the parameters of each, the statistics of one, an optimiser in pieces") {
  const TemporaryFolder folder;
  Generator generator(5);
  const nn::Sequential plain{nn::Linear(4, 3, generator), nn::BatchNorm(3)};
  const auto step = [](auto& net, auto& optimizer, auto... where) {
    const SpreadVariable y = net(shard<0>(numbers({6, 4}), where...));
    optimizer.step(net, reduce_scatter(backward(sum(y * y))));
  };
  auto two = replicas(plain, cpu, pinned);
  auto of_two = sharded_optimizer<optim::Adam>(two, {.learning_rate = 0.1});
  step(two, of_two, cpu, pinned);
  save(folder / index_name, "net", two, "optimizer", spread_state(two, of_two));
  CHECK(load(folder / index_name).at("optimizer.exp_avg.0.weight").shape() == Shape{12});
  auto three = replicas(plain, cpu, cpu, cpu);
  auto of_three = sharded_optimizer<optim::Adam>(three, {.learning_rate = 0.1});
  load(folder / index_name, "net", three, "optimizer", spread_state(three, of_three));
  const auto weight = [](const auto& module) { return std::get<0>(module.layers()).weight.value().template to<Cpu>(); };
  const auto mean_of = [](const auto& module) { return std::get<1>(module.layers()).running_mean.template to<Cpu>(); };
  CHECK(same(weight(three.template replica<2>()), weight(two.module())));
  CHECK(same(mean_of(three.template replica<2>()), load(folder / index_name).at("net.1.running_mean").get<float>()));
  CHECK(of_three.step_count() == 1);
  nn::Sequential alone = plain;  // what was replicated is an ordinary network
  load_matching(folder / index_name, "net", alone);
  CHECK(same(weight(alone), weight(two.module())));
  step(three, of_three, cpu, cpu, cpu);  // its parameters are still those of one network
  CHECK(same(weight(three.template replica<0>()), weight(three.template replica<1>())));
}
