//===- Info.cpp - Fuzz target: any bytes as a compiled model --------------===//
//
// What does not begin as an ELF file is taken for the content of its section.
//
//===----------------------------------------------------------------------===//

#include "compiler/export/ModelInfo.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  llvm::Expected<llvm::json::Value> info =
      bytes.starts_with("\x7f")
          ? ampc::readModelInfo(llvm::MemoryBufferRef(bytes, "input"))
          : llvm::json::parse(bytes);
  if (info)
    ampc::printModelInfo(*info, llvm::nulls());
  else
    llvm::consumeError(info.takeError());
  return 0;
}
