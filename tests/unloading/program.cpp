// SPDX-License-Identifier: Apache-2.0
// Loads a library, uses it, closes it, and ends: by which threads, says the second argument. For check.py.
#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace {

void* file = nullptr;

void load(const char* path) {
  file = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) std::fprintf(stderr, "%s\n", dlerror());
}
void call() { std::printf("%g\n", reinterpret_cast<double (*)()>(dlsym(file, "use"))()); }
void unload() { dlclose(file); }

}  // namespace

int main(int, char** given) {
  alarm(3600);  // a deadlock ends the program, with another status
  const char* const path = given[1];
  const auto is = [&](const char* how) { return std::strcmp(given[2], how) == 0; };
  if (is("closed by the program")) {  // which never used it
    std::thread([&] { load(path), call(); }).join();
    unload();
  } else if (is("closed by a thread")) {
    load(path), call();
    std::thread(unload).join();
  } else if (is("only opened by a thread")) {
    std::thread([&] { load(path); }).join();
    unload();
  } else if (is("used by a thread that lives on")) {
    load(path);
    std::thread user([] { call(), usleep(200000); });
    usleep(100000);
    unload();
    user.join();
  } else {  // "opened twice"
    for (int round = 0; round < 2; ++round) load(path), call(), unload();
  }
  std::printf("done\n");
}
