//===- ExternalData.h - Weights that lie in other files ---------*- C++ -*-===//

#ifndef AMPC_IMPORT_ONNX_EXTERNALDATA_H
#define AMPC_IMPORT_ONNX_EXTERNALDATA_H

#include "mlir/IR/AsmState.h"

#include "llvm/ADT/StringMap.h"

namespace onnx {
class TensorProto;
}

namespace ampc::onnx_import {

/// A file mapped read-only, unmapped with its last reference.
class MappedFile {
public:
  /// Takes over `file`, an open descriptor. Null with `error` set on failure.
  static std::shared_ptr<MappedFile> map(int file, std::string &error);
  MappedFile(const MappedFile &) = delete;
  ~MappedFile();

  llvm::ArrayRef<char> bytes() const { return {data, size}; }

private:
  MappedFile(const char *data, size_t size) : data(data), size(size) {}
  const char *data;
  size_t size;
};

/// Resolves external data of one model; each file is mapped once.
class ExternalData {
public:
  explicit ExternalData(std::string directory)
      : directory(std::move(directory)) {}

  /// The bytes of a tensor stored externally, which must be `size`. The blob
  /// keeps the mapping alive.
  std::optional<mlir::AsmResourceBlob> read(const onnx::TensorProto &tensor,
                                            uint64_t size, std::string &error);

private:
  std::string directory;
  llvm::StringMap<std::shared_ptr<MappedFile>> files;
};

} // namespace ampc::onnx_import

#endif // AMPC_IMPORT_ONNX_EXTERNALDATA_H
