// SPDX-License-Identifier: Apache-2.0
// The fuzzers without libFuzzer, for any compiler: each input of the corpora, and changes of them that are drawn from a seed, with no
// look at what they reach. replay FOLDER [COUNT [SEED]]: FOLDER has a folder for each fuzzer; COUNT changes for each fuzzer.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// CMakeLists.txt gives each fuzzer's functions the name of the fuzzer; SITU_FUZZ_ZLIB is there with zlib.
extern "C" int situ_fuzz_safetensors_index(const std::uint8_t* data, std::size_t size);
extern "C" int situ_fuzz_shards(const std::uint8_t* data, std::size_t size);
extern "C" int situ_fuzz_csv(const std::uint8_t* data, std::size_t size);
#if defined(SITU_FUZZ_ZLIB)
extern "C" int situ_fuzz_npz_compressed(const std::uint8_t* data, std::size_t size);
extern "C" std::size_t situ_fuzz_npz_compressed_mutated(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
#endif

namespace {

using Random = std::mt19937_64;

std::size_t below(Random& random, std::size_t end) { return static_cast<std::size_t>(random() % end); }

/// One change: bytes that go, come, are others, or are those of another input.
void change(std::string& bytes, const std::vector<std::string>& corpus, Random& random) {
  constexpr std::string_view likely = "{}[],:\"\\0123456789-e.\xff\x7f\n";
  const std::size_t at = below(random, bytes.size() + 1);
  const std::size_t count = std::min(bytes.size() - at, 1 + below(random, 8));
  switch (below(random, 6)) {
    case 0:
      bytes.erase(at, count);
      break;
    case 1:
      bytes.insert(at, 1 + below(random, 3), likely[below(random, likely.size())]);
      break;
    case 2:
      if (at < bytes.size()) bytes[at] = static_cast<char>(below(random, 256));
      break;
    case 3:
      if (at < bytes.size()) bytes[at] = likely[below(random, likely.size())];
      break;
    case 4:
      bytes.insert(below(random, bytes.size() + 1), bytes.substr(at, count));
      break;
    default: {
      const std::string& other = corpus[below(random, corpus.size())];
      const std::size_t from = below(random, other.size() + 1);
      bytes.replace(at, count, other.substr(from, 1 + below(random, 40)));
    }
  }
}

/// From one to four changes, with other inputs for some of them.
void change_several(std::string& bytes, const std::vector<std::string>& corpus, Random& random) {
  for (std::size_t changes = 1 + below(random, 4); changes > 0; --changes) change(bytes, corpus, random);
}

/// What the mutators of fuzzers change with, which call `LLVMFuzzerMutate` by its name.
struct Source {
  const std::vector<std::string>* corpus = nullptr;
  Random* random = nullptr;
};
Source source;

struct Fuzzer {
  const char* name;
  int (*run)(const std::uint8_t*, std::size_t);
  std::size_t (*mutate)(std::uint8_t*, std::size_t, std::size_t, unsigned) = nullptr;
};

/// An input with changes, by the fuzzer's own mutator where it has one.
std::string changed(std::string bytes, const Fuzzer& fuzzer, const std::vector<std::string>& corpus, Random& random,
                    unsigned seed) {
  if (fuzzer.mutate == nullptr) {
    change_several(bytes, corpus, random);
    return bytes;
  }
  source = {&corpus, &random};
  std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
  data.resize(bytes.size() + 256);
  const std::size_t size = fuzzer.mutate(data.data(), bytes.size(), data.size(), seed);
  return std::string(data.begin(), data.begin() + static_cast<std::ptrdiff_t>(size));
}

void run(int (*fuzzer)(const std::uint8_t*, std::size_t), const std::string& bytes, const std::string& called) {
  try {
    // A copy of its own size, so that a sanitizer sees who reads behind it.
    const std::vector<std::uint8_t> copy(bytes.begin(), bytes.end());
    fuzzer(copy.data(), copy.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: threw %s\n", called.c_str(), error.what());
    std::abort();
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  std::string bytes(data, data + size);
  change_several(bytes, *source.corpus, *source.random);
  bytes.resize(std::min(bytes.size(), most));
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    std::fprintf(stderr, "use: %s FOLDER [COUNT [SEED]]\n", argv[0]);
    return 2;
  }
  const unsigned long count = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 2000;
  const unsigned long seed = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : 1;
  const Fuzzer fuzzers[] = {
      {"safetensors_index", situ_fuzz_safetensors_index},
      {"shards", situ_fuzz_shards},
      {"csv", situ_fuzz_csv},
#if defined(SITU_FUZZ_ZLIB)
      {"npz_compressed", situ_fuzz_npz_compressed, situ_fuzz_npz_compressed_mutated},
#endif
  };
  for (const Fuzzer& fuzzer : fuzzers) {
    const char* const name = fuzzer.name;
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(argv[1]) / name)) paths.push_back(entry.path());
    std::sort(paths.begin(), paths.end());  // the same everywhere
    std::vector<std::string> corpus;
    for (const std::filesystem::path& path : paths) {
      std::ifstream stream(path, std::ios::binary);
      corpus.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
      run(fuzzer.run, corpus.back(), path.string());
    }
    if (corpus.empty()) {
      std::fprintf(stderr, "%s/%s has no inputs\n", argv[1], name);
      return 1;
    }
    Random random(seed);
    for (unsigned long i = 0; i < count; ++i) {
      const std::string& input = corpus[below(random, corpus.size())];
      run(fuzzer.run, changed(input, fuzzer, corpus, random, static_cast<unsigned>(i)), std::string(name) + ", change " + std::to_string(i) + " of seed " + std::to_string(seed));
    }
    std::printf("%s: %zu inputs, %lu changes\n", name, corpus.size(), count);
  }
  return 0;
}
