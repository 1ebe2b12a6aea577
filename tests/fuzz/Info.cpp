//===- Info.cpp - Fuzz target: any bytes as a compiled model --------------===//

#include "compiler/export/ModelInfo.h"

#include "llvm/Support/MemoryBuffer.h"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef bytes(reinterpret_cast<const char *>(data), size);
  llvm::Expected<llvm::json::Value> info =
      ampc::readModelInfo(llvm::MemoryBufferRef(bytes, "input"));
  if (info)
    ampc::printModelInfo(*info, llvm::nulls());
  else
    llvm::consumeError(info.takeError());
  return 0;
}
