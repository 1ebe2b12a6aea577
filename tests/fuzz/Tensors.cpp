//===- Tensors.cpp - Fuzz target: any bytes as a tensor file --------------===//

#include "tests/fuzz/File.h"
#include "tools/tensorfile/TensorFile.h"

#include <cstdlib>

/// The first byte decides the format.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  static const char *const suffixes[] = {".npy", ".npz", ".pb"};
  std::string error;
  auto tensors = ampc::readTensorFile(
      ampc::fuzz::write(data + 1, size - 1, suffixes[data[0] % 3]), error);
  if (!tensors && error.empty())
    abort(); // Refused without a reason.
  return 0;
}
