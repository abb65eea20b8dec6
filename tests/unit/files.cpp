// SPDX-License-Identifier: Apache-2.0
// Files that are replaced and opened: whoever writes and reads at once, in threads or processes, and whatever fails or is
// killed on the way, a name stands for one whole save. And links, modes, and what is no regular file.
// labels: threads
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <situ/distributed.hpp>
#include <situ/situ.hpp>
#include <situ/spread_io/checkpoint.hpp>
#include <situ/train.hpp>

#include "../reference.hpp"
#include "../sanitizers.hpp"
#include "../temporary_files.hpp"

using namespace situ;
using internal::io::FileStep;
using reference::contains;
using reference::message_of;

namespace {

using temporary_files::TemporaryFolder;

/// A kind of file: a save of one value everywhere, large enough for several writes, and the value that a whole one has.
struct Format {
  std::string name;
  void (*save)(const std::filesystem::path&, float);
  NamedTensors<> (*load)(const std::filesystem::path&);
};
Tensor<float> filled(float value) { return full<float>({20'000}, value); }

const Format formats[] = {
    {"x.npy", [](const std::filesystem::path& path, float value) { save_npy(path, filled(value)); },
     [](const std::filesystem::path& path) { return NamedTensors<>{{"x", load_npy<float>(path)}}; }},
    {"x.npz",
     [](const std::filesystem::path& path, float value) {
       save_npz(path, NamedTensors<>{{"x", filled(value)}, {"y", full<float>({3}, value)}});
     },
     [](const std::filesystem::path& path) { return load(path); }},
    {"x.safetensors",
     [](const std::filesystem::path& path, float value) { save(path, "x", filled(value), "y", full<float>({3}, value)); },
     [](const std::filesystem::path& path) { return load(path); }},
    {"x.safetensors.index.json",
     [](const std::filesystem::path& path, float value) {
       save(path, "x", shard<0>(filled(value), cpu, cpu), "y", full<float>({3}, value));
     },
     [](const std::filesystem::path& path) { return load(path); }},
};
bool is_index(const Format& format) { return format.name.ends_with(".index.json"); }

/// The value of a save; -1 if it is not one alone.
float value_of(const NamedTensors<>& tensors) {
  const float value = tensors.at("x").get<float>()(0);
  for (const auto& [name, any] : tensors) {
    const Tensor<float>& x = any.get<float>();
    for (const float each : x.span()) {
      if (each != value) return -1;
    }
  }
  return value;
}
float value_at(const Format& format, const std::filesystem::path& path) { return value_of(format.load(path)); }

/// While it lives, a step of this thread fails the `number`-th time, from 1 on.
class Failing {
 public:
  Failing(FileStep step, int error, int number = 1) {
    wanted = {step, error, number};
    count = syncs = 0;
    internal::io::before_file_step = [](FileStep now) {
      if (now == FileStep::sync) ++syncs;
      return now == wanted.step && ++count == wanted.number ? wanted.error : 0;
    };
  }
  Failing(const Failing&) = delete;
  Failing& operator=(const Failing&) = delete;
  ~Failing() { internal::io::before_file_step = nullptr; }

  static inline int syncs = 0;

 private:
  struct Wanted {
    FileStep step;
    int error;
    int number;
  };
  static inline Wanted wanted{};
  static inline int count = 0;
};

/// What a child says by its status that runs `f`; where it hangs, an alarm ends it.
int status_of_child(const std::function<int()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(3600);
    int status = 99;
    try {
      status = f();
    } catch (...) {
    }
    std::_Exit(status);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

TEST_CASE("threads that write one name, and threads that read it: each read is one whole save") {
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / format.name;
    format.save(path, 100);
    constexpr int writers = 3, readers = 2, saves = 5;
    std::atomic<int> writing{writers};
    std::vector<std::string> said(writers + readers);
    std::vector<int> reads(readers);
    std::vector<std::thread> threads;
    for (int i = 0; i < writers; ++i) {
      threads.emplace_back([&, i] {
        const NoFileSync fast;
        try {
          for (int save = 1; save <= saves; ++save) format.save(path, static_cast<float>(100 * i + save));
        } catch (const std::exception& error) {
          said[static_cast<std::size_t>(i)] = error.what();
        }
        --writing;
      });
    }
    for (int i = 0; i < readers; ++i) {
      threads.emplace_back([&, i] {
        try {
          do {
            if (value_at(format, path) < 0) throw Error("two saves in one");
            ++reads[static_cast<std::size_t>(i)];
          } while (writing != 0);
        } catch (const std::exception& error) {
          said[static_cast<std::size_t>(writers + i)] = error.what();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : said) CHECK(text == "");
    for (const int count : reads) CHECK(count > 0);
    CHECK(static_cast<int>(value_at(format, path)) % 100 == saves);
    if (is_index(format)) {
      for (const std::string& name : folder.names()) CHECK(!contains(name, ".partial"));
    } else {
      CHECK(folder.names() == std::vector<std::string>{format.name});
    }
  }
}

TEST_CASE("processes that write one name, and are killed at any time, leave one whole save" *
          doctest::skip(under_thread_sanitizer)) {
  std::mt19937 random(7);
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / format.name;
    format.save(path, 1);
    for (int round = 0; round < 4; ++round) {
      pid_t children[2];
      for (pid_t& child : children) {
        child = ::fork();
        if (child == 0) {
          ::alarm(3600);
          try {
            const NoFileSync fast;
            for (int i = 0;; ++i) format.save(path, static_cast<float>(i % 1000));
          } catch (...) {
          }
          std::_Exit(1);
        }
      }
      for (const pid_t child : children) {
        CHECK(value_at(format, path) >= 0);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
        CHECK(::kill(child, SIGKILL) == 0);
        int status = 0;
        CHECK(::waitpid(child, &status, 0) == child);
        CHECK(WIFSIGNALED(status));
        CHECK(value_at(format, path) >= 0);
      }
    }
    format.save(path, 5000);  // what they left is in nobody's way
    CHECK(value_at(format, path) == 5000);
  }
}

TEST_CASE("a step that fails says why, leaves the older save, and nothing beside it") {
  for (const Format& format : formats) {
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / format.name;
    format.save(path, 1);
    const std::vector<std::string> before = folder.names();
    // Of an index the last of the three files too, for which nothing of the others may stay.
    for (const int number : is_index(format) ? std::vector{1, 2, 3} : std::vector{1}) {
      for (const FileStep step : {FileStep::create, FileStep::write, FileStep::sync, FileStep::close, FileStep::replace}) {
        CAPTURE(format.name);
        CAPTURE(static_cast<int>(step));
        CAPTURE(number);
        const Failing failing(step, ENOSPC, number);
        const std::string said = message_of([&] { format.save(path, 2); });
        CHECK(contains(said, ": cannot be "));
        CHECK(contains(said, internal::io::reason(ENOSPC)));
        if (!is_index(format) || number == 3) CHECK(contains(said, "; the older file is what it was"));
        if (step == FileStep::sync) CHECK(failing.syncs == number);  // never a second time
        CHECK(folder.names() == before);
        CHECK(value_at(format, path) == 1);
      }
    }
  }
}

TEST_CASE("what passes is tried again, and what comes between is not replaced") {
  static std::filesystem::path path;
  const NoFileSync fast;
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    path = folder / format.name;
    format.save(path, 1);
    for (const auto& [step, error] : {std::pair(FileStep::create, EEXIST), std::pair(FileStep::write, EINTR)}) {
      const Failing failing(step, error);  // another name, and the same bytes once more
      format.save(path, 2);
      CHECK(value_at(format, path) == 2);
    }
    internal::io::before_file_step = [](FileStep step) { return step == FileStep::create ? EEXIST : 0; };
    CHECK(contains(message_of([&] { format.save(path, 3); }), "cannot be opened to write: " + internal::io::reason(EEXIST)));
    CHECK(value_at(format, path) == 2);
    internal::io::before_file_step = [](FileStep step) {
      if (step == FileStep::close) {
        std::filesystem::remove(path);
        CHECK(::mkfifo(path.c_str(), 0600) == 0);
      }
      return 0;
    };
    CHECK(contains(message_of([&] { format.save(path, 3); }), "cannot be opened to write: it is a FIFO"));
    internal::io::before_file_step = nullptr;
    CHECK(std::filesystem::is_fifo(path));
  }
}

TEST_CASE("a folder that cannot be put on the disk is told, and the new save is there") {
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / format.name;
    format.save(path, 1);
    const std::vector<std::string> before = folder.names();
    {
      const Failing failing(FileStep::sync_folder, EIO, is_index(format) ? 3 : 1);
      CHECK(contains(message_of([&] { format.save(path, 2); }),
                     "x" + format.name.substr(1) + ": is written and in its place, but its folder cannot be put "
                     "on the disk: " + internal::io::reason(EIO) + "; after a power failure an older file may be there"));
    }
    CHECK(value_at(format, path) == 2);
    for (const std::string& name : before) CHECK(std::filesystem::exists(folder / name));  // what may come back is whole
    {
      const Failing failing(FileStep::sync_folder, EINVAL);  // a file system to which folders are no files
      CHECK_NOTHROW(format.save(path, 3));
    }
    const NoFileSync fast;
    const Failing failing(FileStep::sync, EIO);
    CHECK_NOTHROW(format.save(path, 4));
    CHECK(failing.syncs == 0);
    CHECK(value_at(format, path) == 4);
  }
}

TEST_CASE("a reader at each step of a writer: the older save until the last is done") {
  static const Format* format;
  static std::filesystem::path path;
  static std::vector<float> seen;
  for (const Format& each : formats) {
    CAPTURE(each.name);
    const TemporaryFolder folder;
    format = &each;
    path = folder / each.name;
    seen.clear();
    each.save(path, 1);
    internal::io::before_file_step = [](FileStep step) {
      const auto look = std::exchange(internal::io::before_file_step, nullptr);
      if (step != FileStep::open) seen.push_back(value_at(*format, path));
      internal::io::before_file_step = look;
      return 0;
    };
    each.save(path, 2);
    internal::io::before_file_step = nullptr;
    CHECK(seen.size() > 4);
    CHECK(seen.back() == 2);  // at the folder's turn
    seen.pop_back();
    CHECK(seen == std::vector<float>(seen.size(), 1.f));
    CHECK(value_at(each, path) == 2);
  }
}

TEST_CASE("a save between the files that a reader opens: it has the newer one, whole") {
  static const Format& format = formats[3];
  static std::filesystem::path path;
  static int opened, saved_at;
  const TemporaryFolder folder;
  path = folder / format.name;
  const NoFileSync fast;
  for (saved_at = 1; saved_at <= 4; ++saved_at) {  // before the index, each of two shards, and not at all
    format.save(path, 1);
    opened = 0;
    internal::io::before_file_step = [](FileStep) {
      if (++opened != saved_at) return 0;
      const auto look = std::exchange(internal::io::before_file_step, nullptr);
      format.save(path, 2);
      internal::io::before_file_step = look;
      return 0;
    };
    const float value = value_at(format, path);
    internal::io::before_file_step = nullptr;
    CHECK(value == (saved_at < 4 ? 2 : 1));
    CHECK(folder.names().size() == 3);
  }
}

TEST_CASE("a disk that is full, as the system says it" * doctest::skip(under_thread_sanitizer)) {
  const NoFileSync fast;
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    format.save(folder / format.name, 1);
    const std::vector<std::string> before = folder.names();
    const int status = status_of_child([&] {
      if (::chdir(folder.path.c_str()) != 0) return 1;  // a name without a folder, too
      ::signal(SIGXFSZ, SIG_IGN);
      const rlimit small{40'000, 40'000};
      if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return 2;
      const std::string said = message_of([&] { format.save(format.name, 2); });
      return contains(said, "cannot be written: " + internal::io::reason(EFBIG)) ? 0 : 3;
    });
    CHECK(status == 0);
    CHECK(folder.names() == before);
    CHECK(value_at(format, folder / format.name) == 1);
  }
}

TEST_CASE("a link is written through, one to nothing too, and one laid for the file that is written does not matter") {
  const NoFileSync fast;
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "runs");
    const std::filesystem::path target = folder / "runs" / format.name, link = folder / format.name;
    std::filesystem::create_symlink("runs/" + format.name, folder / "between");
    std::filesystem::create_symlink("between", link);
    for (const float value : {1.f, 2.f}) {
      format.save(link, value);
      CHECK(std::filesystem::is_symlink(link));
      CHECK(std::filesystem::is_regular_file(std::filesystem::symlink_status(target)));
      CHECK(value_at(format, link) == value);
      CHECK(value_at(format, target) == value);
      CHECK(folder.names().size() == 3);
    }
    // What an older version, which wrote under one fixed name, would have followed.
    std::ofstream(folder / "victim") << "mine";
    std::filesystem::create_symlink(folder / "victim", target.string() + ".partial");
    format.save(link, 3);
    CHECK(std::filesystem::file_size(folder / "victim") == 4);
    CHECK(value_at(format, link) == 3);

    std::filesystem::create_symlink("b", folder / "a");
    std::filesystem::create_symlink("a", folder / "b");
    CHECK(contains(message_of([&] { save_npy(folder / "a", ones<float>({1})); }),
                   "cannot be opened to write: " + internal::io::reason(ELOOP)));
  }
}

TEST_CASE("mode and owner of the older file stay; a new one has what the program gives new files") {
  const NoFileSync fast;
  const auto mode = [](const std::filesystem::path& path) {
    struct stat found{};
    CHECK(::stat(path.c_str(), &found) == 0);
    return found.st_mode & 0777;
  };
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    const std::filesystem::path path = folder / format.name;
    std::ofstream(folder / "plain") << "new";
    format.save(path, 1);
    CHECK(mode(path) == mode(folder / "plain"));
    for (const mode_t kept : {0600u, 0640u, 0664u, 0700u}) {
      CHECK(::chmod(path.c_str(), kept) == 0);
      format.save(path, 2);
      CHECK(mode(path) == kept);
    }
    if (::geteuid() != 0) continue;
    CHECK(::chown(path.c_str(), 4321, 1234) == 0);
    format.save(path, 3);
    struct stat found{};
    CHECK(::stat(path.c_str(), &found) == 0);
    CHECK(found.st_uid == 4321);
    CHECK(found.st_gid == 1234);
    CHECK(mode(path) == 0700);
  }
}

TEST_CASE("who may not write a file does not replace it, and another group gets no more than all" *
          doctest::skip(under_thread_sanitizer || ::geteuid() != 0)) {
  const TemporaryFolder folder;
  std::filesystem::permissions(folder.path, std::filesystem::perms::all);
  save_npy(folder / "protected.npy", ones<float>({1}));
  save_npy(folder / "group.npy", ones<float>({1}));
  CHECK(::chmod((folder / "protected.npy").c_str(), 0444) == 0);
  CHECK(::chmod((folder / "group.npy").c_str(), 0672) == 0);
  CHECK(::chown((folder / "group.npy").c_str(), 0, 1234) == 0);
  const int status = status_of_child([&] {
    const gid_t none = 4321;
    if (::setgroups(1, &none) != 0 || ::setresgid(4321, 4321, 4321) != 0 || ::setresuid(4321, 4321, 4321) != 0) return 1;
    const std::string said = message_of([&] { save_npy(folder / "protected.npy", zeros<float>({1})); });
    if (!contains(said, "cannot be opened to write: " + internal::io::reason(EACCES))) return 2;
    save_npy(folder / "group.npy", zeros<float>({1}));
    return 0;
  });
  CHECK(status == 0);
  CHECK(load_npy<float>(folder / "protected.npy")(0) == 1);
  CHECK(load_npy<float>(folder / "group.npy")(0) == 0);
  struct stat found{};
  CHECK(::stat((folder / "group.npy").c_str(), &found) == 0);
  CHECK(found.st_uid == 4321);
  CHECK((found.st_mode & 0777) == 0622);
}

TEST_CASE("what is no regular file is not replaced, and not read") {
  const NoFileSync fast;
  for (const Format& format : formats) {
    CAPTURE(format.name);
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "folder");
    CHECK(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    std::vector<std::string> kinds{"folder", "fifo"};
    // One that this test may lose; for the superuser's programs could replace /dev/null.
    const bool device = ::geteuid() == 0 ? ::mknod((folder / "device").c_str(), S_IFCHR | 0600, makedev(1, 3)) == 0
                                         : ::symlink("/dev/null", (folder / "device").c_str()) == 0;
    if (device) kinds.push_back("device");
    for (const std::string& kind : kinds) {
      CAPTURE(kind);
      const std::filesystem::path path = folder / format.name;
      std::filesystem::create_symlink(kind, path);
      const std::string is = ": it is a " + (kind == "fifo" ? "FIFO" : kind) + ", and ";
      CHECK(contains(message_of([&] { format.save(path, 1); }), "cannot be opened to write" + is));
      if (is_index(format)) {  // nothing is written first, where the link leads
        const Failing failing(FileStep::create, ENOSPC);
        CHECK(contains(message_of([&] { format.save(path, 1); }), "cannot be opened to write" + is));
      }
      const auto read = [&] { static_cast<void>(format.load(path)); };
      if (under_thread_sanitizer) {
        CHECK(contains(message_of(read), "cannot be opened to read" + is));
      } else {  // in a child, for it could wait forever
        CHECK(status_of_child([&] { return contains(message_of(read), "cannot be opened to read" + is) ? 0 : 1; }) == 0);
      }
      CHECK(std::filesystem::is_symlink(path));
      std::filesystem::remove(path);
      std::ofstream(folder / "y.safetensors.index.json") << R"({"weight_map": {"x": ")" << kind << "\"}}";
      const auto read_shard = [&] { static_cast<void>(load(folder / "y.safetensors.index.json")); };
      if (!under_thread_sanitizer) {
        CHECK(status_of_child([&] { return contains(message_of(read_shard), "cannot be opened to read" + is) ? 0 : 1; }) == 0);
      }
    }
    CHECK(folder.names().size() == kinds.size() + 1);
    CHECK(std::filesystem::is_fifo(folder / "fifo"));
    CHECK((!device || std::filesystem::is_character_file(folder / "device")));
  }
}

TEST_CASE("a name as long as the system takes, and one of letters of several bytes") {
  const TemporaryFolder folder;
  std::string long_name, letters;
  while (long_name.size() < 251) long_name += 'x';
  while (letters.size() < 240) letters += "\xe2\x82\xac";
  for (const std::string& name : {long_name + ".npy", letters + ".npy"}) {
    save_npy(folder / name, ones<float>({1}));
    CHECK(load_npy<float>(folder / name)(0) == 1);
  }
  TrainingCurve curve;
  curve.add("loss", std::vector{1.0, 0.5});
  curve.save(folder / "curve.svg");
  const Failing failing(FileStep::write, ENOSPC);
  CHECK_THROWS_AS(curve.save(folder / "curve.svg"), FileError);
  CHECK(folder.names().size() == 3);
}
