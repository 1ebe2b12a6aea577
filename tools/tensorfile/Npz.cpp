//===- Npz.cpp - Archives of numpy's array files --------------------------===//

#include "TensorFile.h"

#include <filesystem>
#include <memory>
#include <zip.h>

using namespace ampc;

namespace {

struct Discard {
  void operator()(zip_t *archive) const { zip_discard(archive); }
  void operator()(zip_file_t *file) const { zip_fclose(file); }
};

/// Whether a member can have the size that it claims, which is what memory is
/// taken for. Deflate makes a byte of at most 1032.
bool isPossible(const zip_stat_t &status, uintmax_t archiveSize) {
  return status.comp_size <= archiveSize &&
         (status.comp_method == ZIP_CM_STORE
              ? status.size == status.comp_size
              : status.comp_method == ZIP_CM_DEFLATE &&
                    status.size / 1032 <= status.comp_size);
}

/// The content of a member; the archive's checksum is compared.
std::optional<std::string> readMember(zip_t *archive, zip_uint64_t index,
                                      zip_uint64_t size, std::string &reason) {
  std::unique_ptr<zip_file_t, Discard> file(zip_fopen_index(archive, index, 0));
  if (!file) {
    reason = zip_strerror(archive);
    return std::nullopt;
  }
  std::string content(size, '\0');
  for (size_t used = 0; used < size;) {
    zip_int64_t got = zip_fread(file.get(), &content[used], size - used);
    if (got <= 0) {
      reason = got ? zip_file_strerror(file.get()) : "truncated";
      return std::nullopt;
    }
    used += size_t(got);
  }
  char more;
  if (zip_fread(file.get(), &more, 1) != 0) {
    reason = zip_file_strerror(file.get());
    return std::nullopt;
  }
  return content;
}

} // namespace

std::optional<std::vector<NamedTensor>> ampc::readNpz(const std::string &path,
                                                      std::string &error) {
  int code = 0;
  std::unique_ptr<zip_t, Discard> archive(
      zip_open(path.c_str(), ZIP_RDONLY, &code));
  if (!archive) {
    zip_error_t reason;
    zip_error_init_with_code(&reason, code);
    error = path + ": " + zip_error_strerror(&reason);
    zip_error_fini(&reason);
    return std::nullopt;
  }
  std::error_code unknown;
  uintmax_t archiveSize = std::filesystem::file_size(path, unknown);
  std::vector<NamedTensor> tensors;
  zip_int64_t count = zip_get_num_entries(archive.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t status;
    constexpr zip_uint64_t needed = ZIP_STAT_NAME | ZIP_STAT_SIZE |
                                    ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    if (zip_stat_index(archive.get(), zip_uint64_t(i), 0, &status) ||
        (status.valid & needed) != needed) {
      error = path + ": member " + std::to_string(i) + " has no name or size";
      return std::nullopt;
    }
    std::string name = status.name, what = path + "(" + name + ")", reason;
    std::optional<std::string> content;
    if (isPossible(status, archiveSize))
      content = readMember(archive.get(), zip_uint64_t(i), status.size, reason);
    else
      reason = "is neither stored nor deflated, or too large for its archive";
    if (!content) {
      error = what + ": " + reason;
      return std::nullopt;
    }
    std::optional<HostTensor> tensor =
        parseNpy(what, content->data(), content->size(), error);
    if (!tensor)
      return std::nullopt;
    if (name.size() > 4 && !name.compare(name.size() - 4, 4, ".npy"))
      name.resize(name.size() - 4);
    tensors.push_back({name, std::move(*tensor)});
  }
  return tensors;
}
