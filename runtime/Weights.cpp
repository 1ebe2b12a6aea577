//===- Weights.cpp - Weights in a file beside the library -----------------===//

#include "Weights.h"
#include "XXH64.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace ampc::rt;

namespace {

/// Long enough for a working directory and a path relative to it.
constexpr size_t pathSize = 3 * PATH_MAX;

/// Cuts `path` after its last slash; a bare name becomes "".
void keepFolder(char *path) {
  char *slash = strrchr(path, '/');
  path[slash ? slash + 1 - path : 0] = 0;
}

/// Writes the folder of the object that holds `address`, with a slash.
bool folderOf(const void *address, char *folder) {
  Dl_info info;
  struct link_map *map = nullptr;
  if (!dladdr1(address, &info, reinterpret_cast<void **>(&map),
               RTLD_DL_LINKMAP) ||
      !map)
    return false;
  if (!map->l_name[0]) { // The program itself: dli_fname is only argv[0].
    ssize_t length = readlink("/proc/self/exe", folder, pathSize - 1);
    if (length < 0)
      return false;
    folder[length] = 0;
    keepFolder(folder);
    return true;
  }
  if (map->l_name[0] == '/') {
    if (strlen(map->l_name) >= pathSize)
      return false;
    strcpy(folder, map->l_name);
    keepFolder(folder);
    return true;
  }
  // A relative name was meant from the directory at the time of loading, which
  // the dynamic linker noted. A link map is what glibc calls a handle.
  if (dlinfo(map, RTLD_DI_ORIGIN, folder))
    return false;
  strcat(folder, "/");
  return true;
}

/// Closes at the end of a scope.
struct File {
  int fd;
  ~File() {
    if (fd >= 0)
      close(fd);
  }
};

} // namespace

ampc_status ampc::rt::mapWeights(const ampc_model_desc &desc,
                                 const char *directory, bool verify,
                                 const void **data, Message &message) {
  char path[pathSize + NAME_MAX];
  const char *name = desc.weights_file;
  if (directory) {
    if (size_t(snprintf(path, sizeof(path), "%s/%s", directory, name)) >=
        sizeof(path))
      return message.fail(AMPC_BAD_WEIGHTS, "%s: name too long", name);
  } else {
    if (!folderOf(&desc, path))
      return message.fail(AMPC_BAD_WEIGHTS,
                          "%s: cannot tell the folder of the model library; "
                          "give weights_dir",
                          name);
    size_t used = strlen(path);
    if (size_t(snprintf(path + used, sizeof(path) - used, "%s", name)) >=
        sizeof(path) - used)
      return message.fail(AMPC_BAD_WEIGHTS, "%s: name too long", name);
  }

  File file = {open(path, O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.fd < 0 || fstat(file.fd, &status))
    return message.fail(AMPC_BAD_WEIGHTS, "weights file %s: %s", path,
                        strerrordesc_np(errno));
  if (!S_ISREG(status.st_mode))
    return message.fail(AMPC_BAD_WEIGHTS, "weights file %s: not a regular file",
                        path);
  if (uint64_t(status.st_size) != desc.weights_size)
    return message.fail(
        AMPC_BAD_WEIGHTS, "weights file %s: has %lld bytes, expected %llu",
        path, (long long)status.st_size, (unsigned long long)desc.weights_size);
  if (desc.weights_size == 0) {
    *data = nullptr;
    return AMPC_OK;
  }
  void *mapping =
      mmap(nullptr, desc.weights_size, PROT_READ, MAP_SHARED, file.fd, 0);
  if (mapping == MAP_FAILED)
    return message.fail(AMPC_BAD_WEIGHTS, "weights file %s: cannot map: %s",
                        path, strerrordesc_np(errno));
  if (verify) {
    uint64_t hash = xxh64(mapping, desc.weights_size);
    if (hash != desc.weights_hash) {
      munmap(mapping, desc.weights_size);
      return message.fail(AMPC_BAD_WEIGHTS,
                          "weights file %s: has hash %016llx, expected %016llx;"
                          " it is not the one this model was compiled with",
                          path, (unsigned long long)hash,
                          (unsigned long long)desc.weights_hash);
    }
  }
  *data = mapping;
  return AMPC_OK;
}

void ampc::rt::unmapWeights(const void *data, uint64_t size) {
  if (data)
    munmap(const_cast<void *>(data), size);
}
