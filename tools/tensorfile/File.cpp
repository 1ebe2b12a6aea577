//===- File.cpp - Whole files ---------------------------------------------===//

#include "TensorFile.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc;

namespace {

std::string failure(const std::string &path) {
  return path + ": " + std::strerror(errno);
}

bool writeAll(int fd, const char *data, size_t size) {
  while (size) {
    ssize_t written = write(fd, data, size);
    if (written < 0 && errno == EINTR)
      continue;
    if (written < 0)
      return false;
    data += written;
    size -= size_t(written);
  }
  return true;
}

} // namespace

std::optional<std::string> ampc::readFile(const std::string &path,
                                          std::string &error) {
  int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (fd < 0 || fstat(fd, &status)) {
    error = failure(path);
    if (fd >= 0)
      close(fd);
    return std::nullopt;
  }
  // A pipe has no size; then the buffer grows.
  std::string content;
  content.resize(S_ISREG(status.st_mode) ? size_t(status.st_size) + 1 : 65536);
  size_t used = 0;
  for (;;) {
    if (used == content.size())
      content.resize(2 * used);
    ssize_t got = read(fd, &content[used], content.size() - used);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0) {
      error = failure(path);
      close(fd);
      return std::nullopt;
    }
    if (got == 0)
      break;
    used += size_t(got);
  }
  close(fd);
  content.resize(used);
  return content;
}

bool ampc::writeFile(const std::string &path, const std::string &header,
                     const void *data, size_t size, std::string &error) {
  std::string temporary = path + ".tmp" + std::to_string(getpid());
  int fd =
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) {
    error = failure(path);
    return false;
  }
  bool good = writeAll(fd, header.data(), header.size()) &&
              writeAll(fd, static_cast<const char *>(data), size);
  if (!good)
    error = failure(path);
  if (close(fd) && good) {
    error = failure(path);
    good = false;
  }
  if (good && rename(temporary.c_str(), path.c_str())) {
    error = failure(path);
    good = false;
  }
  if (!good)
    unlink(temporary.c_str());
  return good;
}

std::optional<std::vector<NamedTensor>>
ampc::readTensorFile(const std::string &path, std::string &error) {
  auto hasSuffix = [&](const char *suffix) {
    size_t length = std::strlen(suffix);
    return path.size() > length &&
           !path.compare(path.size() - length, length, suffix);
  };
  if (hasSuffix(".npz"))
    return readNpz(path, error);
  std::vector<NamedTensor> one;
  if (hasSuffix(".npy")) {
    std::optional<HostTensor> tensor = readNpy(path, error);
    if (!tensor)
      return std::nullopt;
    one.push_back({"", std::move(*tensor)});
    return one;
  }
  if (hasSuffix(".pb")) {
    std::optional<NamedTensor> tensor = readTensorProto(path, error);
    if (!tensor)
      return std::nullopt;
    one.push_back(std::move(*tensor));
    return one;
  }
  error = path + ": unknown kind of file, expected .npy, .npz or .pb";
  return std::nullopt;
}
