//===- File.cpp - Input for what reads files ------------------------------===//

#include "tests/fuzz/File.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace {

/// A folder in memory if there is one, gone with the process.
struct Folder {
  std::string path;
  Folder() {
    const char *parent = std::filesystem::is_directory("/dev/shm")
                             ? "/dev/shm"
                             : std::getenv("TMPDIR");
    std::string pattern =
        std::string(parent ? parent : "/tmp") + "/ampc-fuzz-XXXXXX";
    if (!mkdtemp(pattern.data()))
      abort();
    path = pattern;
  }
  ~Folder() { std::filesystem::remove_all(path); }
};

} // namespace

std::string ampc::fuzz::write(const uint8_t *data, size_t size,
                              const char *suffix) {
  static const Folder folder;
  std::string path = folder.path + "/input" + suffix;
  FILE *file = fopen(path.c_str(), "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file))
    abort();
  return path;
}
