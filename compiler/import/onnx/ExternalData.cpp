//===- ExternalData.cpp - Weights that lie in other files -----------------===//

#include "compiler/import/onnx/ExternalData.h"

#include "compiler/import/onnx/Model.h"

#include "llvm/Support/MathExtras.h"

#include <cerrno>
#include <cstring>
#include <onnx/onnx_pb.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ampc::onnx_import {

std::shared_ptr<MappedFile> MappedFile::map(int file, std::string &error) {
  struct stat status;
  void *data = nullptr;
  bool mapped = fstat(file, &status) == 0;
  if (mapped && status.st_size > 0) {
    data = mmap(nullptr, status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    mapped = data != MAP_FAILED;
  }
  if (!mapped)
    error = std::string("cannot be mapped: ") + strerror(errno);
  close(file);
  if (!mapped)
    return nullptr;
  return std::shared_ptr<MappedFile>(
      new MappedFile(static_cast<const char *>(data), status.st_size));
}

MappedFile::~MappedFile() {
  if (size)
    munmap(const_cast<char *>(data), size);
}

std::optional<mlir::AsmResourceBlob>
ExternalData::read(const onnx::TensorProto &tensor, uint64_t size,
                   std::string &error) {
  llvm::StringRef location;
  uint64_t offset = 0, length = size;
  for (const auto &entry : tensor.external_data()) {
    llvm::StringRef value = entry.value();
    if (entry.key() == "location")
      location = value;
    else if (entry.key() == "offset" && value.getAsInteger(10, offset))
      error = "external data has offset '" + value.str() + "', not a number";
    else if (entry.key() == "length" && value.getAsInteger(10, length))
      error = "external data has length '" + value.str() + "', not a number";
  }
  if (location.empty() || location.contains('\0'))
    error = "external data has no location, the name of a file";
  if (!error.empty())
    return std::nullopt;
  std::shared_ptr<MappedFile> &file = files[location];
  if (!file) {
    int descriptor =
        openExternalData(directory, location, tensor.name(), error);
    if (descriptor < 0)
      return std::nullopt;
    file = MappedFile::map(descriptor, error);
    if (!file)
      return std::nullopt;
  }
  llvm::ArrayRef<char> bytes = file->bytes();
  if (length != size) {
    error = "external data has length " + std::to_string(length) +
            " where the type needs " + std::to_string(size);
    return std::nullopt;
  }
  if (offset > bytes.size() || size > bytes.size() - offset) {
    error = "external data at offset " + std::to_string(offset) + " of size " +
            std::to_string(size) + " ends past the end of '" + location.str() +
            "' (" + std::to_string(bytes.size()) + " bytes)";
    return std::nullopt;
  }
  llvm::ArrayRef<char> data = bytes.slice(offset, size);
  size_t align = 64;
  if (auto address = reinterpret_cast<uintptr_t>(data.data()))
    align = std::min<uintptr_t>(align, address & -address);
  return mlir::AsmResourceBlob(
      data, align, [file = file](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
}

} // namespace ampc::onnx_import
